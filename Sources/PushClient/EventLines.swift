/// Cuts what a worker writes into lines, with a bound on each.
struct EventLines {
    /// A line may not be longer, in bytes: an event of a 64 KiB notification is far below.
    static let lineBytesMax = 1 << 20

    private var pending: [UInt8] = []
    /// So much of `pending` is known to hold no newline.
    private var searched = 0

    /// Takes `bytes` and answers the lines that are whole now, without their newlines; empty ones are dropped.
    mutating func take(_ bytes: some Sequence<UInt8>) throws(PushError) -> [[UInt8]] {
        pending.append(contentsOf: bytes)
        var lines: [[UInt8]] = []
        var start = 0
        while let end = pending[max(start, searched)...].firstIndex(of: UInt8(ascii: "\n")) {
            if end > start { lines.append(Array(pending[start..<end])) }
            start = end + 1
            searched = start
            guard (lines.last?.count ?? 0) <= Self.lineBytesMax else { throw Self.tooLong }
        }
        pending.removeFirst(start)
        searched = pending.count
        guard pending.count <= Self.lineBytesMax else { throw Self.tooLong }
        return lines
    }

    /// What is left at the end of the connection; nil where it ended with a whole line.
    mutating func finish() -> [UInt8]? {
        defer { self = EventLines() }
        return pending.isEmpty ? nil : pending
    }

    private static var tooLong: PushError {
        PushError(.lineTooLong, "a line of the worker is longer than \(lineBytesMax) bytes")
    }
}
