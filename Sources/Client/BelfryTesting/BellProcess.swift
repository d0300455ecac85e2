import BelfryEventLoop
import BelfryEventLoopExecutor
import BelfrySyscalls
import BelfryTerms
import Glibc

/// A process that a bell has started, such as the server under test. It ends with the bell, with all that it has
/// started itself.
public actor BellProcess {
    /// How it ended.
    public enum Exit: Hashable, Sendable {
        /// It exited with this code.
        case exited(Int32)
        /// This signal killed it.
        case killed(Int32)

        init(_ exit: ChildExit) {
            switch exit {
            case .exited(let code): self = .exited(code)
            case .killed(let signal): self = .killed(signal)
            }
        }
    }

    /// How much of its output is kept, in bytes: the end of it.
    public static let outputBytesMax = 1 << 20
    /// How long it has to end after SIGTERM.
    private static let stopPatience = TimeSpan.seconds(3)
    private static let chunkBytes = 64 << 10

    /// Its program.
    public nonisolated let path: String
    /// Its number.
    public nonisolated let pid: Int32

    private nonisolated let executor: LoopExecutor
    private let child: ChildProcess
    private let patience: Patience
    private let pipe: OwnedDescriptor
    private var source: DescriptorSource?
    private var killing: (any ScheduledTimer)?
    private var bytes: [UInt8] = []
    private var hasDroppedOutput = false
    /// Each change: more output, or the end.
    private let changes: Story<Void>
    private var ended: Exit?

    /// The loop's thread.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// Starts `command`, whose output comes here.
    init(_ command: ChildCommand, patience: Patience, on executor: LoopExecutor) throws(SystemError) {
        let pipe = try DescriptorPair.pipe()
        var command = command
        command.leadsGroup = true
        command.streams = [
            STDIN_FILENO: .null, STDOUT_FILENO: .descriptor(pipe.writing.number),
            STDERR_FILENO: .descriptor(pipe.writing.number),
        ]
        child = try ChildProcess(command)
        pipe.writing.close()
        self.pipe = pipe.reading
        self.executor = executor
        self.patience = patience
        path = command.path
        pid = child.pid
        changes = Story(keptMax: 1, on: executor)
    }

    /// Takes its output, and its end, from now on.
    func watch() throws(SystemError) {
        let loop = executor.loop
        source = try loop.watch(descriptor: pipe.number, events: .readable, description: "output") { _ in self.read() }
        try loop.onExit(of: child, description: "process") { self.end($0) }
    }

    /// What it has written so far to standard output and error, the last ``outputBytesMax`` of it.
    public var output: String { String(decoding: bytes, as: UTF8.self) }

    /// How it ended; nil while it runs.
    public var exit: Exit? { ended }

    /// Sends it a signal, and to all in its process group.
    public func signal(_ number: Int32) { try? child.signal(number) }

    /// Ends it by SIGTERM, and after 3 s by SIGKILL; returns once it is gone.
    public func stop() async {
        guard ended == nil else { return }
        try? child.signal(SIGTERM)
        let loop = executor.loop
        killing = loop.schedule(at: loop.now + Self.stopPatience, description: "process") {
            try? self.child.signal(SIGKILL)
        }
        _ = await changes.wait(within: nil) { _ in false }
    }

    /// Waits until its output has `text`, as when a server says that it listens.
    ///
    /// Throws ``BellError/Code/didNotCome`` with the output after `patience`, or as soon as it has ended without it.
    public func waitForOutput(
        _ text: String, within patience: Duration? = nil, fileID: String = #fileID, filePath: String = #filePath,
        line: Int = #line, column: Int = #column
    ) async throws {
        try await wait(patience, WaitPlace(fileID, filePath, line, column), "no output \(Printable.escaped(text))") {
            $0.output.contains(text)
        }
    }

    /// Waits until it has ended; how it did.
    ///
    /// Throws ``BellError/Code/didNotCome`` with the output after `patience`.
    @discardableResult
    public func waitUntilExit(
        within patience: Duration? = nil, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
        column: Int = #column
    ) async throws -> Exit {
        try await wait(patience, WaitPlace(fileID, filePath, line, column), "no end") { $0.ended != nil }
        return ended ?? .exited(0)
    }

    private func wait(
        _ patience: Duration?, _ place: WaitPlace, _ what: String, until holds: (isolated BellProcess) -> Bool
    ) async throws {
        let limit = patience ?? self.patience.forOne
        let deadline = ContinuousClock.now + limit
        while !holds(self) {
            let number = await changes.count
            guard !holds(self) else { return }
            let left = max(.zero, deadline - ContinuousClock.now)
            let outcome = await changes.wait(from: number, within: left) { _ in true }
            switch outcome {
            case .met: continue
            case .cancelled: throw CancellationError()
            case .ended, .tookTooLong:
                if holds(self) { return }
                let within = DecimalText.seconds(TimeSpan(limit).seconds)
                let end = ended.map { " before it was \($0)" } ?? " within \(within)"
                throw place.failure("\(what)\(end) of \(told)")
            }
        }
    }

    /// The process and its output, for people.
    var told: String {
        let end = ended.map { ", \($0)" } ?? ""
        let text = bytes.isEmpty ? " wrote nothing" : (hasDroppedOutput ? " wrote at last:\n" : " wrote:\n") + output
        return "\(Printable.escaped(path)) (process \(pid)\(end))\(text)"
    }

    private func read() {
        var chunk = [UInt8](repeating: 0, count: Self.chunkBytes)
        let count = unsafe Glibc.read(pipe.number, &chunk, chunk.count)
        if count < 0, errno == EINTR { return }
        guard count > 0 else {
            source?.cancel()
            source = nil
            return
        }
        bytes += chunk[..<count]
        if bytes.count > Self.outputBytesMax {
            bytes.removeFirst(bytes.count - Self.outputBytesMax)
            hasDroppedOutput = true
        }
        changes.assumeIsolated { $0.add(()) }
    }

    private func end(_ exit: ChildExit) {
        // What it wrote before its end; what it started may still hold the pipe.
        while source != nil, isReady(pipe.number, for: POLLIN | POLLHUP) { read() }
        source?.cancel()
        source = nil
        killing?.cancel()
        ended = Exit(exit)
        changes.assumeIsolated { $0.finish(.done) }
    }
}

extension BellProcess.Exit: CustomStringConvertible {
    /// How it ended, for people.
    public var description: String {
        switch self {
        case .exited(let code): "exited with \(code)"
        case .killed(let signal): "killed by signal \(signal)"
        }
    }
}
