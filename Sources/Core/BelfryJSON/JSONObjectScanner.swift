/// Finds where a JSON object ends in a stream of bytes, without reading it: at the brace that matches its first.
///
/// Each byte is looked at once, however the bytes are cut into pieces. What is inside the object is not checked.
public struct JSONObjectScanner: Sendable {
    /// What the bytes so far amount to.
    public enum Progress: Hashable, Sendable {
        /// Nothing but white space, or an object that goes on.
        case needMore
        /// The object ends before this index of the piece just fed.
        case complete(endIndex: Int)
        /// The first thing that is not white space, at this index of the piece just fed, opens no object.
        case notAnObject(startIndex: Int)
    }

    private enum State {
        case before(byteOrderMarkCount: Int)
        case inside(depth: Int)
        case string(depth: Int)
        case escape(depth: Int)
        case over
    }

    private var state = State.before(byteOrderMarkCount: 0)

    /// A scanner that has seen nothing.
    public init() {}

    /// As ``feed(_:)`` of a slice.
    public mutating func feed(_ bytes: [UInt8]) -> Progress { feed(bytes[...]) }

    /// Looks at the next bytes. Once an answer other than `needMore` was given, nothing more is found.
    public mutating func feed(_ bytes: ArraySlice<UInt8>) -> Progress {
        var offset = 0
        for byte in bytes {
            switch state {
            case .before(let count):
                if let answer = begin(with: byte, byteOrderMarkCount: count, at: offset) { return answer }
            case .inside(let depth):
                if byte == UInt8(ascii: "\"") {
                    state = .string(depth: depth)
                } else if byte == UInt8(ascii: "{") {
                    state = .inside(depth: depth + 1)
                } else if byte == UInt8(ascii: "}") {
                    guard depth > 1 else {
                        state = .over
                        return .complete(endIndex: offset + 1)
                    }
                    state = .inside(depth: depth - 1)
                }
            case .string(let depth):
                if byte == UInt8(ascii: "\\") {
                    state = .escape(depth: depth)
                } else if byte == UInt8(ascii: "\"") {
                    state = .inside(depth: depth)
                }
            case .escape(let depth): state = .string(depth: depth)
            case .over: return .needMore
            }
            offset += 1
        }
        return .needMore
    }

    private mutating func begin(with byte: UInt8, byteOrderMarkCount count: Int, at offset: Int) -> Progress? {
        let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
        if count < byteOrderMark.count, byte == byteOrderMark[count] {
            state = .before(byteOrderMarkCount: count + 1)
        } else if byte == UInt8(ascii: "{") {
            state = .inside(depth: 1)
        } else if !isJSONWhiteSpace(byte) {
            state = .over
            return .notAnObject(startIndex: offset)
        }
        return nil
    }
}
