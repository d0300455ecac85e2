import BelfryEventLoop
import BelfryLines
import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import CallChannel
import CallDirectory
import DirectoryLoading
import Glibc

/// One process of `belfry-directory`, and what it says, as lines of JSON on its standard output.
final class LoaderProcess {
    /// What comes of it.
    enum News {
        /// It warns of something.
        case warning(CodeWord<WarningCode>, String)
        /// The extension has written something.
        case output(String)
        /// It has ended; why its table does not stand, nil if it does. Last of all, once.
        case ended(DirectoryFailure?)
    }

    /// How long what an ended process has written is waited for, should another one keep its output open.
    private static let restMax = TimeSpan.seconds(1)

    private let what: String
    private let command: [String]
    private let max: TimeSpan
    private let loop: Loop
    private var heard: ((News) -> Void)?
    private var child: ChildProcess?
    private var lines: LineConnection?
    private var timer: (any ScheduledTimer)?
    /// What it said last of the load.
    private var outcome: DirectoryFailure??
    /// How it ended, in words.
    private var exit: String?
    private var hasSaidAll = false

    /// A loader of `what`, which is the last argument of `command`, that may take so long.
    init(_ what: String, by command: [String], within max: TimeSpan, on loop: Loop) {
        (self.what, self.command, self.max, self.loop) = (what, command, max, loop)
    }

    deinit { timer?.cancel() }

    /// Starts it. Whatever happens is told later.
    func run(_ heard: @escaping (News) -> Void) {
        self.heard = heard
        do throws(SystemError) {
            guard let program = command.first else {
                throw SystemError(errno: ENOENT, call: "readlink", subject: "/proc/self/exe")
            }
            try start(program)
        } catch {
            let failure = DirectoryFailure(.unknown, "the loader cannot be started: \(error)")
            // The caller may be in the middle of what it does.
            loop.afterThis(description: "directory") { [weak self] in
                self?.tell(.warning(CodeWord(.callsUnavailable), failure.description))
                self?.finish(failure)
            }
        }
    }

    /// Kills it, with what it has started.
    func end() { try? child?.signal(SIGKILL) }

    private func start(_ program: String) throws(SystemError) {
        let sockets = try SocketPair()
        var command = ChildCommand(
            path: program, arguments: command.dropFirst() + [what],
            streams: [STDIN_FILENO: .null, STDOUT_FILENO: .descriptor(sockets.writing.number)])
        command.leadsGroup = true
        let child = try ChildProcess(command)
        let limits = LineConnection.Limits(lineBytesMax: CallLimits.lineBytesMax, unsentBytesMax: 0)
        let lines = LineConnection(try sockets.reading.duplicate(), limits, on: loop, description: "directory")
        self.child = child
        self.lines = lines
        try lines.listen { [weak self] in self?.take($0) }
        try loop.onExit(of: child, description: "directory") { [weak self] in self?.ended($0) }
        timer = loop.schedule(at: loop.now + max, description: "directory") { [weak self] in self?.end() }
    }

    private func take(_ news: LineConnection.News) {
        switch news {
        case .line(let line): take(line)
        case .ended(let end):
            hasSaidAll = true
            if end == .lineTooLong { self.end() }
            finishIfOver()
        case .taken, .lost: break
        }
    }

    private func take(_ line: [UInt8]) {
        // What is no line of the contract comes from nowhere: the program is this build's.
        switch LoadNews(line: line) {
        case .warning(let code, let detail)?: tell(.warning(code, detail))
        case .output(let text)?: tell(.output(text))
        case .over(let outcome)?: self.outcome = .some(outcome.failure)
        case nil: break
        }
    }

    private func ended(_ exit: ChildExit) {
        self.exit =
            switch exit {
            case .exited(let code): "the loader has ended with status \(code), and said no outcome"
            case .killed(let signal): "the loader was killed by signal \(signal)"
            }
        timer?.cancel()
        timer = loop.schedule(at: loop.now + Self.restMax, description: "directory") { [weak self] in
            self?.hasSaidAll = true
            self?.finishIfOver()
        }
        finishIfOver()
    }

    private func finishIfOver() {
        guard let exit, hasSaidAll else { return }
        finish(outcome ?? DirectoryFailure(.loadingInterrupted, exit))
    }

    private func finish(_ failure: DirectoryFailure?) {
        timer?.cancel()
        lines?.close()
        lines = nil
        tell(.ended(failure))
        heard = nil
    }

    private func tell(_ news: News) { heard?(news) }
}
