import BelfryCommandLine
import BelfrySyscalls
import Glibc

/// Runs the Swift tool chain. People see its output on standard error: standard output is for the command's own.
struct SwiftBuild {
    /// What people see of it.
    enum Shown {
        /// What it prints, and its errors.
        case all
        /// Its errors alone.
        case errors
        /// Nothing.
        case nothing
    }

    /// The most bytes of its output that are kept.
    private static let outputBytesMax = 8 << 20
    private static let bytesAtOnce = 64 << 10

    private let context: Context
    private let path: String

    /// The `swift` that is first in `PATH`.
    init(_ context: Context) throws(CommandError) {
        guard let path = context.program("swift") else {
            let remedy = "install Swift 6.3 from swift.org, and put its usr/bin into PATH"
            throw CommandError(.unavailable, "there is no swift in PATH", remedy)
        }
        self.context = context
        self.path = path
    }

    /// Shows what it printed, which was not shown before.
    static func show(_ output: String) { unsafe write(STDERR_FILENO, output, output.utf8.count) }

    /// Runs `swift build` with `arguments`; returns whether it succeeded, and what it printed.
    func build(_ arguments: [String], showing shown: Shown = .all) throws(CommandError) -> (Bool, String) {
        try run(path, ["build"] + arguments, showing: shown)
    }

    /// The path of the archive `name` of a C library, for a static link; nil if there is none.
    func archive(_ name: String) -> String? {
        guard let compiler = context.program("clang") ?? context.program("gcc"),
            let (isDone, output) = try? run(compiler, ["-print-file-name=\(name)"], showing: .errors), isDone
        else { return nil }
        let found = String(output.prefix { $0 != "\n" })
        return found.contains("/") ? absolutePath(found) : nil
    }

    private func run(_ program: String, _ arguments: [String], showing shown: Shown) throws(CommandError) -> (
        Bool, String
    ) {
        do throws(SystemError) {
            let pipe = try DescriptorPair.pipe()
            let errors = shown == .errors ? STDERR_FILENO : pipe.writing.number
            let child = try ChildProcess(
                ChildCommand(
                    path: program, arguments: arguments, environment: context.environment,
                    streams: [0: .null, 1: .descriptor(pipe.writing.number), 2: .descriptor(errors)]))
            // Otherwise the pipe would not end with the child.
            pipe.writing.close()
            let output = Self.drain(pipe.reading, isShown: shown == .all)
            return (try child.waitUntilExit().isSuccess, output)
        } catch {
            throw CommandError(.unavailable, "\(program) cannot be run: \(error.reason)")
        }
    }

    /// Reads `pipe` until its end, as text.
    private static func drain(_ pipe: borrowing OwnedDescriptor, isShown: Bool) -> String {
        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: bytesAtOnce)
        while true {
            let count = unsafe read(pipe.number, &buffer, bytesAtOnce)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return String(decoding: output, as: UTF8.self) }
            if isShown { unsafe write(STDERR_FILENO, &buffer, count) }
            output += buffer[..<min(count, max(0, outputBytesMax - output.count))]
        }
    }
}
