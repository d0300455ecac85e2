import BelfryCommandLine
import BelfryJSON
import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import CallDirectory
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
        var outcome: JSONObject?
        do throws(SystemError) {
            let pipe = try DescriptorPair.pipe()
            let child = try ChildProcess(
                ChildCommand(
                    path: path, arguments: [source], environment: context.environment,
                    streams: [0: .null, 1: .descriptor(pipe.writing.number)]))
            pipe.writing.close()
            try Self.forEachLine(of: pipe.reading) { line in
                if context.wantsJSON { context.output.bytes(line + [UInt8(ascii: "\n")]) }
                guard let object = try? JSONValue.parse(line).objectValue else { return }
                if object["code"] != nil { outcome = object }
                if !context.wantsJSON { Self.tell(object, context) }
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
        if let code = outcome["code"]?.integerValue {
            let problem = outcome["problem"]?.stringValue ?? ""
            let apple = DirectoryFailure.Code(rawValue: Int(code)).map { "\($0.rawValue) \($0)" } ?? "\(code)"
            throw CommandError(
                .unavailable, "\(source) was not loaded, and its numbers are as they were: \(apple): \(problem)",
                Self.remedy(code, source))
        }
        if !context.wantsJSON { context.output.line(Self.words(source, outcome)) }
        return .done
    }

    /// Tells a line that is not the last one.
    private static func tell(_ object: JSONObject, _ context: Context) {
        if let warning = object["warning"]?.stringValue {
            context.warn("\(warning): \(object["detail"]?.stringValue ?? "")")
        } else if let text = object["output"]?.stringValue {
            context.output.line(Printable.escaped(text))
        }
    }

    private static func words(_ source: String, _ outcome: JSONObject) -> String {
        func count(_ key: String) -> String { "\(outcome[key]?.integerValue ?? 0)" }
        let kind = outcome["incremental"]?.boolValue == true ? ", as a difference" : ""
        return "loaded \(source)\(kind): \(count("rows")) numbers, \(count("blocked")) blocked, "
            + "\(count("identified")) with labels"
    }

    private static func remedy(_ code: Int64, _ source: String) -> String {
        switch DirectoryFailure.Code(rawValue: Int(code)) {
        case .noExtensionFound: "see belfry directory status"
        case .currentlyLoading: "wait for the load that goes on"
        case .maximumEntriesExceeded: "see [Directory] MaxEntries="
        // What the problem itself names, or has no remedy.
        case .extensionDisabled, .loadingInterrupted, .entriesOutOfOrder, .duplicateEntries,
            .unexpectedIncrementalRemoval, .unknown, nil:
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
