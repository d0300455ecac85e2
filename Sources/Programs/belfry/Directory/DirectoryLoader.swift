import BelfryCommandLine
import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import CallDirectory
import DirectoryLoading
import Glibc

/// The program beside this one that loads a source of the call directory, and what it says.
struct DirectoryLoader {
    /// Its name.
    static let name = "belfry-directory"

    private let path: String?

    /// The program beside this one.
    init() { path = programBeside(Self.name) }

    /// The program at `path`.
    init(path: String) { self.path = path }

    /// Loads `source`, an extension's identifier or `contacts`, and tells what comes of it as it comes.
    func load(_ source: String, _ context: Context) throws(CommandError) -> ProgramStatus {
        guard let path, unsafe access(path, X_OK) == 0 else {
            throw CommandError(.unavailable, "there is no \(Self.name) beside belfry, which loads it", "make install")
        }
        var outcome: LoadOutcome?
        do throws(SystemError) {
            let pipe = try DescriptorPair.pipe()
            let child = try ChildProcess(
                ChildCommand(
                    path: path, arguments: [source], environment: context.environment,
                    streams: [0: .null, 1: .descriptor(pipe.writing.number)]))
            pipe.writing.close()
            try Self.forEachLine(of: pipe.reading) { line in
                if context.wantsJSON { context.output.bytes(line + [UInt8(ascii: "\n")]) }
                switch LoadNews(line: line) {
                case .warning(let code, let detail)?: if !context.wantsJSON { context.warn("\(code): \(detail)") }
                case .output(let text)?: if !context.wantsJSON { context.output.line(Printable.escaped(text)) }
                case .over(let last)?: outcome = last
                case nil: break
                }
            }
            _ = try child.waitUntilExit()
        } catch {
            throw CommandError(.unavailable, "\(path) cannot be run", "\(error)")
        }
        guard let outcome else {
            throw CommandError(
                .unavailable, "\(source) was not loaded: \(Self.name) has ended and not said why",
                "see journalctl --user -t \(Self.name)")
        }
        switch outcome.result {
        case .failure(let failure):
            throw CommandError(
                .unavailable,
                "\(source) was not loaded, and its numbers are as they were: \(failure.code.rawValue) \(failure.code): "
                    + failure.description,
                Self.remedy(failure.code))
        case .success(let loaded): if !context.wantsJSON { context.output.line(Self.words(source, loaded)) }
        }
        return .done
    }

    private static func words(_ source: String, _ loaded: LoadOutcome.Loaded) -> String {
        let kind = loaded.isIncremental ? ", as a difference" : ""
        return "loaded \(source)\(kind): \(loaded.rows) numbers, \(loaded.blocked) blocked, "
            + "\(loaded.identified) with labels"
    }

    private static func remedy(_ code: DirectoryFailure.Code) -> String {
        switch code {
        case .noExtensionFound: "see belfry directory status"
        case .currentlyLoading: "wait for the load that goes on"
        case .maximumEntriesExceeded: "see [Directory] MaxEntries="
        // What the problem itself names, or has no remedy.
        case .extensionDisabled, .loadingInterrupted, .entriesOutOfOrder, .duplicateEntries,
            .unexpectedIncrementalRemoval, .unknown:
            ""
        }
    }

    private static func forEachLine(
        of pipe: borrowing OwnedDescriptor, _ body: ([UInt8]) -> Void
    ) throws(SystemError) {
        var framing = LineFraming()
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = try checked("read") {
                unsafe piece.withUnsafeMutableBytes { unsafe read(pipe.number, $0.baseAddress, $0.count) }
            }
            do throws(LineTooLong) {
                for line in try framing.take(piece[..<count]) { body(line) }
            } catch {
                throw SystemError(errno: EMSGSIZE, call: "read", subject: name)
            }
            guard count > 0 else { break }
        }
        if let last = framing.finish() { body(last) }
    }
}
