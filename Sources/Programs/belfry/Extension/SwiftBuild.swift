import BelfryCommandLine
import BelfrySyscalls
import Glibc

/// A run of the Swift tool chain. People see it on standard error: standard output is for what a command says itself.
struct SwiftBuild {
    /// What of its output is kept.
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

    /// Runs `swift build` with `arguments`: what it printed, and whether it did what was asked.
    func build(_ arguments: [String], isShown: Bool = true) throws(CommandError) -> (Bool, String) {
        try run(path, ["build"] + arguments, isShown: isShown)
    }

    /// Where the archive `name` of a C library is, for a static link; nil if there is none.
    func archive(_ name: String) -> String? {
        guard let compiler = context.program("clang") ?? context.program("gcc"),
            let (isDone, output) = try? run(compiler, ["-print-file-name=\(name)"], isShown: false), isDone
        else { return nil }
        let found = String(output.prefix { $0 != "\n" })
        return found.contains("/") ? absolutePath(found) : nil
    }

    private func run(_ program: String, _ arguments: [String], isShown: Bool) throws(CommandError) -> (Bool, String) {
        do throws(SystemError) {
            let pipe = try DescriptorPair.pipe()
            let errors = isShown ? pipe.writing.number : STDERR_FILENO
            let child = try ChildProcess(
                ChildCommand(
                    path: program, arguments: arguments, environment: context.environment,
                    streams: [0: .null, 1: .descriptor(pipe.writing.number), 2: .descriptor(errors)]))
            pipe.writing.close()
            let output = Self.drain(pipe.reading, isShown: isShown)
            return (try child.waitUntilExit().isSuccess, output)
        } catch {
            throw CommandError(.unavailable, "\(program) cannot be run: \(error.reason)")
        }
    }

    /// What `pipe` brings until its end, as text.
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
