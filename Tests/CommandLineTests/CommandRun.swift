import BelfryCommandLine
import Glibc
import Support
import Synchronization
@testable import belfry

/// One run of the command line in this process: what it printed and how it ended.
struct CommandRun {
    let status: ProgramStatus
    let output: String
    let complaints: String

    var lines: [String] { output.split(separator: "\n").map(String.init) }

    init(_ words: [String], _ environment: [String: String] = [:]) {
        // getopt(3) has one state for the whole process.
        (status, output, complaints) = Self.lock.withLock { _ in
            let out = Capture()
            let err = Capture()
            let output = Output(standardOutput: out.descriptor, standardError: err.descriptor)
            let status = Program.run(words, environment: environment, output: output)
            return (status, out.text, err.text)
        }
    }

    static let lock = Mutex(())
}

/// A descriptor to write to, and what was written.
private final class Capture {
    let descriptor: Int32

    private let folder = TemporaryFolder()

    init() {
        descriptor = unsafe open(folder.write([], to: "capture"), O_RDWR | O_CLOEXEC)
        precondition(descriptor >= 0)
    }

    deinit { close(descriptor) }

    var text: String {
        lseek(descriptor, 0, SEEK_SET)
        return String(decoding: ScriptedWorker.readAll(descriptor), as: UTF8.self)
    }
}
