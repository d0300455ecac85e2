import BelfrySyscalls
import Glibc

/// What a D-Bus message carries: one complete type.
public indirect enum BusValue: Hashable, Sendable {
    /// `y`.
    case byte(UInt8)
    /// `b`.
    case bool(Bool)
    /// `i`.
    case int32(Int32)
    /// `u`.
    case uint32(UInt32)
    /// `x`.
    case int64(Int64)
    /// `t`.
    case uint64(UInt64)
    /// `d`.
    case double(Double)
    /// `s`; incoming `o` and `g` too.
    case string(String)
    /// `ay`, in one piece.
    case bytes([UInt8])
    /// An array whose elements have this signature.
    case array(of: String, [BusValue])
    /// `{…}`: only inside an array.
    case entry(BusValue, BusValue)
    /// `(…)`.
    case structure([BusValue])
    /// `v`.
    case variant(BusValue)
    /// An incoming `h`: a descriptor, which is open as long as this value exists.
    case descriptor(BusDescriptor)
    /// A value of a type that nothing here needs: skipped.
    case other

    /// A dictionary `a{sv}`, in this order.
    public static func properties(_ members: [(String, BusValue)]) -> BusValue {
        .array(of: "{sv}", members.map { .entry(.string($0.0), .variant($0.1)) })
    }

    /// An array `as`.
    public static func strings(_ texts: [String]) -> BusValue { .array(of: "s", texts.map { .string($0) }) }

    /// Its type as D-Bus spells it.
    public var signature: String {
        switch self {
        case .byte: "y"
        case .bool: "b"
        case .int32: "i"
        case .uint32: "u"
        case .int64: "x"
        case .uint64: "t"
        case .double: "d"
        case .string: "s"
        case .bytes: "ay"
        case .array(let element, _): "a\(element)"
        case .entry(let key, let value): "{\(key.signature)\(value.signature)}"
        case .structure(let members): "(\(members.map(\.signature).joined()))"
        case .variant: "v"
        case .descriptor: "h"
        case .other: ""
        }
    }

    /// The text of a string; nil of every other type.
    public var text: String? { if case .string(let text) = self { text } else { nil } }

    /// The number of a `u`; nil of every other type.
    public var number: UInt32? { if case .uint32(let number) = self { number } else { nil } }

    /// The flag of a `b`; nil of every other type.
    public var flag: Bool? { if case .bool(let flag) = self { flag } else { nil } }

    /// The texts of an array of strings; nil of every other type.
    public var texts: [String]? {
        guard case .array(of: "s", let elements) = self else { return nil }
        return elements.compactMap(\.text)
    }

    /// What a variant holds, however deep; itself of every other type.
    public var unwrapped: BusValue { if case .variant(let value) = self { value.unwrapped } else { self } }

    /// The value that a dictionary has for `key`, unwrapped; nil if there is none.
    public subscript(key: String) -> BusValue? {
        guard case .array(_, let elements) = self else { return nil }
        for case .entry(.string(let name), let value) in elements where name == key { return value.unwrapped }
        return nil
    }
}

/// A descriptor that came over a bus, closed with the last who has it.
public final class BusDescriptor: Hashable, Sendable {
    private let descriptor: OwnedDescriptor

    /// A copy of `number` (F_DUPFD_CLOEXEC); nil if the process has no place for it.
    init?(copying number: Int32) {
        let copy = fcntl(number, F_DUPFD_CLOEXEC, 3)
        guard copy >= 0 else { return nil }
        descriptor = OwnedDescriptor(owning: copy)
    }

    /// Whether both are the same value: two copies of one descriptor differ.
    public static func == (one: BusDescriptor, other: BusDescriptor) -> Bool { one === other }

    /// Feeds what tells it from others.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
