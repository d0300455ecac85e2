/// Reads a list piece by piece, and hands on line by line: what it keeps is the line that has not ended.
///
/// Fields are parted by commas, semicolons or tabs, whichever comes first in the file. A line that cannot be read is
/// told with its number, and reading goes on behind the line break next to where it began, so that a quote which nobody
/// closes costs one line.
public struct DirectoryCSVReader: Sendable {
    /// What the reader hands on: the number of the line in the file, and what it says.
    public typealias Body = (_ line: Int, Result<DirectoryCSV.Row, DirectoryCSV.Fault>) -> Void

    private static let separators = Array(",;\t".utf8)
    private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    private static let carriageReturn = UInt8(ascii: "\r")
    private static let blanks = Array(" \t".utf8)

    private var rest: [UInt8] = []
    /// The number of the line that ``rest`` begins with.
    private var line = 1
    private var isAtStart = true
    private var isAfterFault = false
    private var isForeign = false
    private var separator: UInt8?
    private var columns = DirectoryCSVColumns()
    private var mayBeHeading = true

    /// A reader at the beginning of a file.
    public init() {}

    /// Reads the file's next bytes, and calls `body` with each line that has ended.
    public mutating func read(_ bytes: [UInt8], _ body: Body) {
        rest += bytes
        readRest(isEnd: false, body)
    }

    /// Reads what is left at the file's end.
    public mutating func end(_ body: Body) { readRest(isEnd: true, body) }

    private mutating func readRest(isEnd: Bool, _ body: Body) {
        guard skipMark(isEnd: isEnd, body) else { return }
        var start = 0
        reading: while start < rest.count {
            if isAfterFault {
                guard let end = rest[start...].firstIndex(of: DirectoryCSV.newline) else {
                    start = rest.count
                    break
                }
                (start, line, isAfterFault) = (end + 1, line + 1, false)
                continue
            }
            switch record(from: start, isEnd: isEnd) {
            case .whole(let fields, let end, let lines):
                take(fields, body)
                (start, line) = (end, line + lines)
            case .broken(let problem):
                body(line, .failure(DirectoryCSV.Fault(problem)))
                isAfterFault = true
            case .unfinished: break reading
            }
        }
        rest.removeFirst(start)
    }

    /// Passes over a mark of the encoding; false if there is nothing to read yet, or at all.
    private mutating func skipMark(isEnd: Bool, _ body: Body) -> Bool {
        if isForeign {
            rest = []
            return false
        }
        guard isAtStart, isEnd || rest.count >= Self.mark.count else { return !isAtStart }
        isAtStart = false
        if rest.starts(with: Self.mark) { rest.removeFirst(Self.mark.count) }
        guard rest.starts(with: [0xFF, 0xFE]) || rest.starts(with: [0xFE, 0xFF]) else { return true }
        body(line, .failure(DirectoryCSV.Fault("the file is UTF-16, and must be UTF-8")))
        (isForeign, rest) = (true, [])
        return false
    }

    private mutating func take(_ fields: [[UInt8]], _ body: Body) {
        // A line with nothing in it.
        guard fields.contains(where: { !$0.isEmpty }) else { return }
        defer { mayBeHeading = false }
        if mayBeHeading, columns.takeHeading(fields) { return }
        do throws(DirectoryCSV.Fault) {
            body(line, .success(try columns.row(fields)))
        } catch {
            body(line, .failure(error))
        }
    }

    private enum Record {
        case whole([[UInt8]], end: Int, lines: Int)
        case broken(String)
        case unfinished
    }

    /// The record that begins at `start`, with the line breaks that its quotes hold.
    private mutating func record(from start: Int, isEnd: Bool) -> Record {
        var fields: [[UInt8]] = []
        var place = start
        var lines = 0
        while true {
            let field: (bytes: [UInt8], end: Int)
            if place < rest.count, rest[place] == DirectoryCSV.quote {
                guard let quoted = quoted(from: place, &lines) else {
                    let isOver = isEnd || rest.count - start > DirectoryCSV.recordBytesMax
                    return isOver ? .broken("a quote is not closed") : .unfinished
                }
                field = quoted
            } else {
                field = plain(from: place)
            }
            guard field.end - start <= DirectoryCSV.recordBytesMax else {
                return .broken("it is longer than \(DirectoryCSV.recordBytesMax) bytes")
            }
            // What is cut off here may go on.
            guard field.end < rest.count || isEnd else { return .unfinished }
            fields.append(field.bytes)
            place = field.end
            guard place < rest.count else { return .whole(fields, end: place, lines: lines) }
            if rest[place] == DirectoryCSV.newline { return .whole(fields, end: place + 1, lines: lines + 1) }
            guard rest[place] == separator else { return .broken("behind a quote that is closed stands more") }
            place += 1
        }
    }

    /// The field from `place` to a separator, a line break or the end, without blanks around it.
    private mutating func plain(from place: Int) -> (bytes: [UInt8], end: Int) {
        let end =
            rest[place...].firstIndex { byte in
                byte == DirectoryCSV.newline || byte == separator
                    || separator == nil && Self.separators.contains(byte)
            } ?? rest.count
        noteSeparator(at: end)
        var bytes = rest[place..<end]
        if end == rest.count || rest[end] == DirectoryCSV.newline, bytes.last == Self.carriageReturn {
            bytes.removeLast()
        }
        while let first = bytes.first, Self.blanks.contains(first) { bytes.removeFirst() }
        while let last = bytes.last, Self.blanks.contains(last) { bytes.removeLast() }
        return (Array(bytes), end)
    }

    /// The field in the quotes that begin at `place`; nil if they do not end.
    private mutating func quoted(from place: Int, _ lines: inout Int) -> (bytes: [UInt8], end: Int)? {
        var bytes: [UInt8] = []
        var place = place + 1
        while place < rest.count {
            let byte = rest[place]
            place += 1
            if byte != DirectoryCSV.quote {
                if byte == DirectoryCSV.newline { lines += 1 }
                bytes.append(byte)
            } else if place < rest.count, rest[place] == DirectoryCSV.quote {
                bytes.append(byte)
                place += 1
            } else {
                // Its newline may be in the next piece.
                let next = place < rest.count && rest[place] == Self.carriageReturn ? place + 1 : place
                if next == rest.count || rest[next] == DirectoryCSV.newline { place = next }
                noteSeparator(at: place)
                return (bytes, place)
            }
        }
        return nil
    }

    /// The first separator of a file is that of all its lines.
    private mutating func noteSeparator(at place: Int) {
        if separator == nil, place < rest.count, Self.separators.contains(rest[place]) { separator = rest[place] }
    }
}
