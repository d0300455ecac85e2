import BelfrySyscalls
import CBelfrySystemd
import Glibc

/// A message that came over the bus.
public struct BusMessage {
    /// What it is.
    public enum Kind: Sendable {
        /// A method call, to be answered by ``BusMessage/reply(_:)`` or ``BusMessage/fail(_:_:)``.
        case call
        /// A signal.
        case signal
        /// Anything else.
        case other
    }

    /// What it is.
    public let kind: Kind
    /// The unique name of its sender; empty if it is of our own connection.
    public let sender: String
    /// The object that it is for or from.
    public let path: String
    /// The interface; empty if the caller named none.
    public let interface: String
    /// The method's or signal's name.
    public let member: String
    /// What it carries.
    public let arguments: [BusValue]
    private let message: MessageReference

    init(_ message: MessageReference) {
        self.message = message
        let raw = unsafe message.pointer
        var type: UInt8 = 0
        _ = unsafe sdBus.message_get_type(raw, &type)
        kind = type == 1 ? .call : type == 4 ? .signal : .other
        sender = unsafe Self.text(sdBus.message_get_sender(raw))
        path = unsafe Self.text(sdBus.message_get_path(raw))
        interface = unsafe Self.text(sdBus.message_get_interface(raw))
        member = unsafe Self.text(sdBus.message_get_member(raw))
        arguments = message.values()
    }

    /// Answers the call.
    public func reply(_ values: [BusValue] = []) {
        guard kind == .call else { return }
        var made: OpaquePointer?
        guard unsafe sdBus.message_new_method_return(message.pointer, &made) >= 0, let made = unsafe made else {
            return
        }
        unsafe MessageReference(owning: made).send(values)
    }

    /// Answers the call with the error `name`, which `text` explains to people.
    public func fail(_ name: String, _ text: String) {
        guard kind == .call else { return }
        var made: OpaquePointer?
        _ = unsafe name.withCString { name in
            unsafe text.withCString { text in
                var error = unsafe csystemd_bus_error(name: name, message: text, needs_free: 0)
                return unsafe sdBus.message_new_method_error(message.pointer, &made, &error)
            }
        }
        guard let made = unsafe made else { return }
        unsafe MessageReference(owning: made).send([])
    }

    private static func text(_ pointer: UnsafePointer<CChar>?) -> String {
        unsafe pointer.map { unsafe String(cString: $0) } ?? ""
    }
}

/// One reference to an sd-bus message.
@safe
final class MessageReference {
    let pointer: OpaquePointer

    /// How deep values may be nested, and how many elements an array may have, to be read.
    private static let depthMax = 16
    private static let elementsMax = 4_096

    init(owning pointer: OpaquePointer) { unsafe self.pointer = pointer }

    /// Another reference to a message of sd-bus's.
    init(sharing pointer: OpaquePointer) {
        _ = unsafe sdBus.message_ref(pointer)
        unsafe self.pointer = pointer
    }

    deinit { _ = unsafe sdBus.message_unref(pointer) }

    // MARK: Writing

    /// Puts `values` in it.
    func append(_ values: [BusValue]) throws(SystemError) {
        for value in values { try append(value) }
    }

    /// Puts `values` in it and sends it to where it belongs. What cannot be sent is lost with its connection.
    func send(_ values: [BusValue]) {
        guard (try? append(values)) != nil else { return }
        _ = unsafe sdBus.send(nil, pointer, nil)
    }

    private func append(_ value: BusValue) throws(SystemError) {
        switch value {
        case .byte(let value): try appendBasic("y", value)
        case .bool(let value): try appendBasic("b", Int32(value ? 1 : 0))
        case .int32(let value): try appendBasic("i", value)
        case .uint32(let value): try appendBasic("u", value)
        case .int64(let value): try appendBasic("x", value)
        case .uint64(let value): try appendBasic("t", value)
        case .double(let value): try appendBasic("d", value)
        case .string(let text):
            try check(unsafe sdBus.message_append_basic(pointer, Self.code("s"), Self.sendable(text)))
        case .bytes(let bytes):
            try check(
                unsafe bytes.withUnsafeBytes {
                    unsafe sdBus.message_append_array(pointer, Self.code("y"), $0.baseAddress, $0.count)
                })
        case .array(let element, let elements): try appendContainer("a", element, elements)
        case .entry(let key, let value): try appendContainer("e", key.signature + value.signature, [key, value])
        case .structure(let members): try appendContainer("r", members.map(\.signature).joined(), members)
        case .variant(let value): try appendContainer("v", value.signature, [value])
        case .other, .descriptor: throw SystemError(errno: EINVAL, call: "sd_bus_message_append")
        }
    }

    /// A string without NUL, which D-Bus cannot carry.
    private static func sendable(_ text: String) -> String {
        text.utf8.contains(0) ? String(text.unicodeScalars.map { $0 == "\0" ? "\u{FFFD}" : Character($0) }) : text
    }

    private func appendBasic(_ type: Unicode.Scalar, _ value: some BitwiseCopyable) throws(SystemError) {
        var value = value
        try check(unsafe sdBus.message_append_basic(pointer, Self.code(type), &value))
    }

    private func appendContainer(
        _ type: Unicode.Scalar, _ contents: String, _ values: [BusValue]
    ) throws(SystemError) {
        try check(unsafe sdBus.message_open_container(pointer, Self.code(type), contents))
        try append(values)
        try check(unsafe sdBus.message_close_container(pointer))
    }

    private func check(_ result: Int32) throws(SystemError) {
        guard result >= 0 else { throw SystemError(negated: result, call: "sd_bus_message_append") }
    }

    // MARK: Reading

    /// What it carries; what cannot be read ends the list.
    func values() -> [BusValue] { readAll(depth: 0) }

    private func readAll(depth: Int) -> [BusValue] {
        var values: [BusValue] = []
        while values.count < Self.elementsMax, unsafe sdBus.message_at_end(pointer, 0) == 0,
            let value = read(depth: depth)
        {
            values.append(value)
        }
        return values
    }

    private func read(depth: Int) -> BusValue? {
        var type: CChar = 0
        var contents: UnsafePointer<CChar>?
        guard unsafe sdBus.message_peek_type(pointer, &type, &contents) > 0 else { return nil }
        let scalar = Unicode.Scalar(UInt8(bitPattern: type))
        switch scalar {
        case "y": return readBasic(type, UInt8(0)).map { .byte($0) }
        case "b": return readBasic(type, Int32(0)).map { .bool($0 != 0) }
        case "i": return readBasic(type, Int32(0)).map { .int32($0) }
        case "u": return readBasic(type, UInt32(0)).map { .uint32($0) }
        case "x": return readBasic(type, Int64(0)).map { .int64($0) }
        case "t": return readBasic(type, UInt64(0)).map { .uint64($0) }
        case "d": return readBasic(type, Double(0)).map { .double($0) }
        // The message owns it.
        case "h": return readBasic(type, Int32(-1)).map { BusDescriptor(copying: $0).map { .descriptor($0) } ?? .other }
        case "s", "o", "g":
            var text: UnsafePointer<CChar>?
            guard unsafe sdBus.message_read_basic(pointer, type, &text) > 0, let text = unsafe text else { return nil }
            return .string(unsafe String(cString: text))
        case "a", "r", "e", "v":
            guard depth < Self.depthMax else { return nil }
            let signature = unsafe contents.map { unsafe String(cString: $0) } ?? ""
            return readContainer(scalar, signature, depth: depth)
        default: return unsafe sdBus.message_skip(pointer, nil) >= 0 ? .other : nil
        }
    }

    private func readBasic<Value: BitwiseCopyable>(_ type: CChar, _ zero: Value) -> Value? {
        var value = zero
        return unsafe sdBus.message_read_basic(pointer, type, &value) > 0 ? value : nil
    }

    private func readContainer(_ type: Unicode.Scalar, _ contents: String, depth: Int) -> BusValue? {
        guard unsafe sdBus.message_enter_container(pointer, Self.code(type), contents) > 0 else { return nil }
        let values = readAll(depth: depth + 1)
        guard unsafe sdBus.message_exit_container(pointer) >= 0 else { return nil }
        switch type {
        case "a": return .array(of: contents, values)
        case "e": return values.count == 2 ? .entry(values[0], values[1]) : nil
        case "v": return values.first.map { .variant($0) }
        default: return .structure(values)
        }
    }

    private static func code(_ type: Unicode.Scalar) -> CChar { CChar(truncatingIfNeeded: type.value) }
}
