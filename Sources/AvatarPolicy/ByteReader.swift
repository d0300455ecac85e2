/// Reads numbers out of foreign bytes; past the end there is nil, never a trap.
struct ByteReader {
    private let bytes: [UInt8]
    /// Where the next read starts; may lie past the end.
    private(set) var offset: Int

    /// Reads `bytes` from `offset`, which is not negative.
    init(_ bytes: [UInt8], at offset: Int = 0) {
        self.bytes = bytes
        self.offset = offset
    }

    /// Bytes that are left.
    var leftCount: Int { max(0, bytes.count - offset) }

    /// The next byte.
    mutating func byte() -> Int? { bigEndian(1) }

    /// The next `count` bytes as a number, highest first; at most 4.
    mutating func bigEndian(_ count: Int) -> Int? {
        take(count)?.reduce(0) { $0 << 8 | Int($1) }
    }

    /// The next `count` bytes as a number, lowest first; at most 4.
    mutating func littleEndian(_ count: Int) -> Int? {
        take(count)?.reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    /// The next `count` bytes; nil where fewer are left.
    mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard count >= 0, count <= leftCount else { return nil }
        defer { offset += count }
        return bytes[offset..<offset + count]
    }

    /// Goes `count` bytes on; nil where fewer are left.
    mutating func skip(_ count: Int) -> Void? { take(count).map { _ in () } }
}
