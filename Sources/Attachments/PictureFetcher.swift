import AvatarPolicy
import BootTime
import EventLoop
import Glibc
import Syscalls

/// One run of belfry-avatar, watched on the loop and killed with all it started at its deadline.
final class PictureFetcher {
    /// How much longer than its own limit the fetcher is waited for, before it is killed.
    static let grace = TimeSpan.milliseconds(250)

    private let loop: Loop
    private let child: ChildProcess
    private let answers: OwnedDescriptor
    private var answerSource: DescriptorSource?
    private var process: ProcessSource?
    private var deadline: (any ScheduledTimer)?
    private var line: [UInt8] = []
    private var finished: ((Result<FetchAnswer, Skip>) -> Void)?

    /// Starts the fetcher at `program` on `request`; it writes the picture to `file`.
    ///
    /// - Parameter finished: called once, unless it is cancelled.
    init(
        loop: Loop, program: String, request: FetchRequest, file: borrowing OwnedDescriptor,
        finished: @escaping (Result<FetchAnswer, Skip>) -> Void
    ) throws(SystemError) {
        let requests = try DescriptorPair.pipe()
        let pipe = try DescriptorPair.pipe()
        var command = ChildCommand(
            path: program, environment: [:],
            streams: [
                0: .descriptor(requests.reading.number), 1: .descriptor(pipe.writing.number), 2: .null,
                3: .descriptor(file.number),
            ])
        command.leadsGroup = true
        child = try ChildProcess(command)
        self.loop = loop
        self.finished = finished
        answers = try pipe.reading.duplicate()
        try Self.send(request.line, to: requests.writing.number)
        let limit = TimeSpan.milliseconds(Int64(request.milliseconds)) + Self.grace
        deadline = loop.schedule(at: loop.now + limit, description: "fetcher") { [unowned self] in
            finish(.failure(Skip(.timeout, "no picture came within \(limit.seconds) s")))
        }
        answerSource = try loop.watch(descriptor: answers.number, events: .readable, description: "fetcher answers") {
            [unowned self] _ in readAnswer()
        }
        process = try loop.onExit(of: child, description: "fetcher ended") { [unowned self] in ended($0) }
    }

    deinit { cancel() }

    /// Kills it; nothing is called any more.
    func cancel() {
        finished = nil
        stop()
    }

    private func stop() {
        deadline?.cancel()
        answerSource?.cancel()
        process?.cancel()
        try? child.signal(SIGKILL)
    }

    private func finish(_ result: Result<FetchAnswer, Skip>) {
        let finished = finished
        self.finished = nil
        stop()
        finished?(result)
    }

    private func readAnswer() {
        var chunk = [UInt8](repeating: 0, count: FetchLimits.answerBytesMax)
        let count = unsafe chunk.withUnsafeMutableBytes { unsafe read(answers.number, $0.baseAddress, $0.count) }
        guard count > 0, line.count + count <= FetchLimits.answerBytesMax else {
            // The end, or more than any answer has: how it exits decides.
            answerSource?.cancel()
            return
        }
        line += chunk[..<count]
    }

    /// The answer counts once the fetcher has ended: only then is the picture complete.
    private func ended(_ exit: ChildExit) {
        if answerSource?.isActive == true, isReadable { readAnswer() }
        let end = line.firstIndex(of: UInt8(ascii: "\n")) ?? line.endIndex
        if exit.isSuccess, let answer = FetchAnswer(line: Array(line[..<end])) { return finish(.success(answer)) }
        switch exit {
        case .exited(let code):
            finish(.failure(Skip(.fetcherCrashed, "belfry-avatar ended with status \(code) and no answer")))
        case .killed(let signal) where signal == SIGALRM || signal == SIGXCPU:
            finish(.failure(Skip(.timeout, "belfry-avatar overran its time")))
        case .killed(let signal):
            finish(.failure(Skip(.fetcherCrashed, "belfry-avatar was killed by signal \(signal)")))
        }
    }

    private var isReadable: Bool {
        var request = pollfd(fd: answers.number, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&request, 1, 0) == 1
    }

    /// A request fits into a pipe that nothing was written to.
    private static func send(_ bytes: [UInt8], to descriptor: Int32) throws(SystemError) {
        let count = try checked("write", on: "the fetcher") {
            unsafe bytes.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
        }
        guard count == bytes.count else { throw SystemError(errno: EMSGSIZE, call: "write", subject: "the fetcher") }
    }
}
