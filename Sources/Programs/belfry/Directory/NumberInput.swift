import BelfryCommandLine
import BelfrySyscalls
import BelfryTerms
import CallDirectory
import Glibc

/// A file or standard input, read piece by piece.
struct PiecewiseInput: ~Copyable {
    private static let pieceBytes = 64 << 10

    private let file: OwnedDescriptor
    private let path: String

    private init(_ file: consuming OwnedDescriptor, _ path: String) {
        self.file = file
        self.path = path
    }

    /// Opens the file at `path`; `-` is standard input.
    static func open(_ path: String) throws(CommandError) -> PiecewiseInput {
        let isStandard = path == "-"
        let shown = isStandard ? "standard input" : path
        let number: Int32
        do throws(SystemError) {
            number = try checked("open", on: shown) {
                isStandard ? fcntl(0, F_DUPFD_CLOEXEC, 3) : unsafe Glibc.open(path, O_RDONLY | O_NOCTTY | O_CLOEXEC)
            }
        } catch {
            throw CommandError(.notFound, "\(shown) cannot be read", error.reason)
        }
        return PiecewiseInput(OwnedDescriptor(owning: number), shown)
    }

    /// The next piece; empty at the end.
    func next() throws(CommandError) -> [UInt8] {
        do throws(SystemError) {
            var piece = [UInt8](repeating: 0, count: Self.pieceBytes)
            let count = try checked("read", on: path) {
                unsafe piece.withUnsafeMutableBytes { unsafe read(file.number, $0.baseAddress, $0.count) }
            }
            piece.removeLast(piece.count - count)
            return piece
        } catch {
            throw CommandError(.notFound, "\(path) cannot be read", error.reason)
        }
    }

    /// Calls `body` with each line that is not empty, and its number.
    func forEachLine(_ body: (_ line: Int, ArraySlice<UInt8>) -> Void) throws(CommandError) {
        var rest: [UInt8] = []
        var number = 1
        while true {
            let piece = try next()
            rest += piece
            // The last line may have no end.
            if piece.isEmpty, !rest.isEmpty, rest.last != Self.newline { rest.append(Self.newline) }
            var start = 0
            while let end = rest[start...].firstIndex(of: Self.newline) {
                let line = rest[start..<end]
                if line.contains(where: { !Self.blanks.contains($0) }) { body(number, line) }
                (start, number) = (end + 1, number + 1)
            }
            rest.removeFirst(start)
            if piece.isEmpty { return }
            guard rest.count <= DirectoryCSV.recordBytesMax else {
                throw CommandError(
                    .badNotification,
                    "line \(number) of \(path) is longer than \(DirectoryCSV.recordBytesMax) bytes", "a number a line")
            }
        }
    }

    private static let newline = UInt8(ascii: "\n")
    private static let blanks = Array(" \t\r".utf8)
}

/// What was refused, of which the first are told one by one.
struct Refusals {
    /// So many are told one by one.
    private static let toldMax = 20

    /// How many there are.
    private(set) var count = 0
    private let context: Context

    /// None yet.
    init(_ context: Context) { self.context = context }

    /// Tells that `line` was refused; nil for what is on the command line.
    mutating func add(_ line: Int?, _ reason: String) {
        count += 1
        guard count <= Self.toldMax else { return }
        let place = line.map { "line \($0): " } ?? ""
        context.output.complaint(Printable.escaped("belfry: \(place)\(reason)"))
    }

    /// Tells how many more there are than were told.
    func tellRest() {
        guard count > Self.toldMax else { return }
        context.output.complaint("belfry: and \(count - Self.toldMax) more")
    }
}

/// Looks at numbers that are numbers and may yet be no one's.
struct OddNumbers {
    /// As E.164 has them, and the shortest that are whole.
    private static let usual: ClosedRange<Int64> = 10_000_000...999_999_999_999_999

    private var first: Int64?
    private var count = 0

    /// Looks at `number`.
    mutating func look(at number: Int64) {
        guard !Self.usual.contains(number) else { return }
        count += 1
        if first == nil { first = number }
    }

    /// Warns of the first of them, which is kept as well.
    func warn(_ context: Context) {
        guard let first else { return }
        let length = first < Self.usual.lowerBound ? "fewer than 8 digits" : "more than 15 digits"
        let others = count == 1 ? "" : ", and \(count - 1) more are as odd"
        context.warn("+\(first) has \(length): is its country code there?\(others)")
    }
}
