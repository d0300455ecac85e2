/// Cuts what another process writes into lines, with a bound on each.
package struct LineFraming: Sendable {
    /// A line may not be longer, in bytes: an event of a 64 KiB notification is far below (S5).
    package static let lineBytesMax = 1 << 20

    private let bytesMax: Int
    private var pending: [UInt8] = []
    /// How many bytes of `pending` are known to hold no newline.
    private var searched = 0

    /// Nothing has been read yet. A line may have `lineBytesMax` bytes.
    package init(lineBytesMax: Int = lineBytesMax) { bytesMax = lineBytesMax }

    /// Takes `bytes` and returns the lines that are complete now, without their newlines; empty ones are dropped.
    package mutating func take(_ bytes: some Sequence<UInt8>) throws(LineTooLong) -> [[UInt8]] {
        pending.append(contentsOf: bytes)
        var lines: [[UInt8]] = []
        var start = 0
        while let end = pending[max(start, searched)...].firstIndex(of: UInt8(ascii: "\n")) {
            if end > start { lines.append(Array(pending[start..<end])) }
            start = end + 1
            searched = start
            guard (lines.last?.count ?? 0) <= bytesMax else { throw LineTooLong() }
        }
        pending.removeFirst(start)
        searched = pending.count
        guard pending.count <= bytesMax else { throw LineTooLong() }
        return lines
    }

    /// The line without a newline at the end of the connection; nil if it ended with a complete line.
    package mutating func finish() -> [UInt8]? {
        defer { self = LineFraming(lineBytesMax: bytesMax) }
        return pending.isEmpty ? nil : pending
    }
}

/// A line is longer than its reader lets it be.
package struct LineTooLong: Error {}
