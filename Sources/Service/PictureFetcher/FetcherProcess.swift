import BelfryEventLoop
import BelfryPictures
import BelfrySyscalls
import BelfryTerms
import Glibc

/// One run of belfry-avatar, watched on the loop and killed with all it started at its deadline.
///
/// The loop never blocks on it: the request is a file that is complete before the fetcher starts, and a fetcher that
/// was killed is reaped like one that ended.
///
/// `finished` is called once and then nil. Whichever comes first decides: the fetcher's end, its deadline, or an answer
/// that is too long. What comes after that is a no-op, since a killed fetcher still ends.
final class FetcherProcess {
    /// How much of the fetcher's time is held back at most, so that it can still say what took so long; otherwise a
    /// tenth.
    static let answeringTimeMax = TimeSpan.milliseconds(200)

    private let loop: Loop
    private let child: ChildProcess
    private let answers: OwnedDescriptor
    private let picture: MemoryFile
    private var answerSource: DescriptorSource?
    private var process: ProcessSource?
    private var deadline: (any ScheduledTimer)?
    private var line: [UInt8] = []
    private var finished: ((Result<FetchAnswer, Skip>) -> Void)?

    /// Starts the fetcher at `program` with the request that `request` makes for its time; it is killed after `time`.
    ///
    /// - Parameters:
    ///   - environment: its whole environment.
    ///   - finished: called once, unless it is cancelled.
    init(
        loop: Loop, program: String, environment: [String: String], within time: TimeSpan,
        request: (_ milliseconds: Int) -> FetchRequest,
        finished: @escaping (Result<FetchAnswer, Skip>) -> Void
    ) throws(SystemError) {
        let answering = min(TimeSpan(microseconds: time.microseconds / 10), Self.answeringTimeMax)
        let milliseconds = Int(clamping: (time - answering).microseconds / 1_000)
        // The request is a file: it takes any number of hosts and never has to be waited for as a pipe does.
        let input = try MemoryFile.sealed("belfry-avatar request", request(milliseconds).line)
        let pipe = try DescriptorPair.pipe()
        let picture = try MemoryFile("belfry-avatar picture")
        let output = try picture.writer()
        var command = ChildCommand(
            path: program, environment: environment,
            streams: [
                0: .descriptor(input.number), 1: .descriptor(pipe.writing.number), 2: .null,
                3: .descriptor(output.number),
            ])
        command.leadsGroup = true
        let end = loop.now + time
        child = try ChildProcess(command)
        self.loop = loop
        self.picture = picture
        self.finished = finished
        answers = try pipe.reading.duplicate()
        answerSource = try loop.watch(descriptor: answers.number, events: .readable, description: "fetcher answers") {
            [unowned self] _ in readAnswer()
        }
        process = try loop.onExit(of: child, description: "fetcher ended") { [unowned self] in ended($0) }
        deadline = loop.schedule(at: end, description: "fetcher") { [unowned self] in
            try? child.signal(SIGKILL)
            finish(.failure(Skip(.timeout, "no picture came within \(time.seconds) s")))
        }
    }

    deinit {
        stopWaiting()
        process?.cancel()
    }

    /// What it has written so far, one byte more than any picture has at most.
    func written() throws(SystemError) -> [UInt8] { try picture.bytes(max: FetchLimits.writtenBytesMax + 1) }

    /// Kills it; nothing is called any more.
    func cancel() {
        finished = nil
        try? child.signal(SIGKILL)
        stopWaiting()
    }

    private func stopWaiting() {
        deadline?.cancel()
        answerSource?.cancel()
    }

    private func finish(_ result: Result<FetchAnswer, Skip>) {
        let finished = finished
        self.finished = nil
        stopWaiting()
        finished?(result)
    }

    private func readAnswer() {
        var chunk = [UInt8](repeating: 0, count: FetchLimits.answerBytesMax)
        let count = unsafe chunk.withUnsafeMutableBytes { unsafe read(answers.number, $0.baseAddress, $0.count) }
        // At the end of its answers, the fetcher's exit decides.
        guard count > 0 else { answerSource?.cancel(); return }
        line += chunk[..<count]
        guard line.count > FetchLimits.answerBytesMax else { return }
        try? child.signal(SIGKILL)
        finish(.failure(Skip(.fetcherCrashed, "belfry-avatar says more than any answer has")))
    }

    /// The answer counts once the fetcher has ended: only then is the picture complete.
    private func ended(_ exit: ChildExit) {
        // The exit may be seen before the answer.
        if answerSource?.isActive == true, isReadable { readAnswer() }
        let end = line.firstIndex(of: UInt8(ascii: "\n")) ?? line.endIndex
        if exit.isSuccess, let answer = FetchAnswer(line: Array(line[..<end])) { return finish(.success(answer)) }
        switch exit {
        case .exited(127):
            // How posix_spawn(3) reports a program that cannot be executed, if it cannot do so at once.
            finish(.failure(Skip(.fetcherMissing, "belfry-avatar cannot be executed")))
        case .exited(let code):
            finish(.failure(Skip(.fetcherCrashed, "belfry-avatar ended with status \(code) and no answer")))
        case .killed(SIGALRM), .killed(SIGXCPU):
            finish(.failure(Skip(.timeout, "belfry-avatar overran its time")))
        case .killed(SIGKILL):
            finish(.failure(Skip(.fetcherCrashed, "belfry-avatar was killed, perhaps for want of memory")))
        case .killed(let signal):
            finish(.failure(Skip(.fetcherCrashed, "belfry-avatar was killed by signal \(signal)")))
        }
    }

    private var isReadable: Bool { isReady(answers.number, for: POLLIN) }
}

/// The variables of the worker's environment that the fetcher gets: the least that a transfer needs.
public enum FetcherEnvironment {
    /// Which certificates this machine trusts, and how its resolver asks (resolv.conf(5)).
    static let names = ["SSL_CERT_FILE", "SSL_CERT_DIR", "RES_OPTIONS", "LOCALDOMAIN"]

    /// The fetcher's environment; `variable` looks up one of the worker's.
    static func of(_ variable: (String) -> String?) -> [String: String] {
        // The trace of a crash costs every start a dozen system calls, and its filter would refuse them.
        var environment = ["SWIFT_BACKTRACE": "enable=no"]
        for name in names { environment[name] = variable(name) }
        return environment
    }

    /// The variable `name` of this process; nil if it is not set.
    public static func variable(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        return unsafe String(cString: value)
    }
}
