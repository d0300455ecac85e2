public import BelfryEventLoop
public import BelfrySyscalls
import Glibc
import Synchronization

extension LoopExecutor {
    /// An executor over a loop on a thread of its own, which ends with it. Tasks that prefer it keep it.
    public static func onOwnThread() throws(SystemError) -> LoopExecutor {
        let start = ThreadStart(ready: try DescriptorPair.pipe())
        let box = unsafe Unmanaged.passRetained(start)
        var thread = pthread_t()
        let result = unsafe pthread_create(
            &thread, nil,
            { userdata in
                guard let userdata = unsafe userdata else { return nil }
                unsafe Unmanaged<ThreadStart>.fromOpaque(userdata).takeRetainedValue().run()
                return nil
            }, box.toOpaque())
        guard result == 0 else {
            unsafe box.release()
            throw SystemError(errno: result, call: "pthread_create")
        }
        pthread_detach(thread)
        return try start.waitUntilReady()
    }
}

extension Loop {
    /// Runs until `body`, a task on this loop, has returned, and tells what it returned: for a program's main thread.
    public func runUntilReturned<Success: Sendable>(
        _ body: @escaping @Sendable (LoopExecutor) async -> Success
    ) -> Success {
        let executor = LoopExecutor(self)
        let answer = Answer<Success>()
        Task(executorPreference: executor) {
            answer.set(await body(executor))
            executor.onLoop { $0.stop() }
        }
        while true {
            run()
            // Something else may have stopped the loop first.
            if let value = answer.take() { return value }
        }
    }
}

/// The start of a thread with a loop.
private final class ThreadStart: Sendable {
    private let made = Mutex<Result<LoopExecutor, SystemError>?>(nil)
    private let ready: DescriptorPair

    init(ready: consuming DescriptorPair) { self.ready = ready }

    /// The thread: makes the loop, says so, and runs it until its executor ends.
    func run() {
        do throws(SystemError) {
            let loop = try Loop()
            tell(.success(LoopExecutor(loop, endsLoop: true)))
            loop.run()
        } catch {
            tell(.failure(error))
        }
    }

    func waitUntilReady() throws(SystemError) -> LoopExecutor {
        var byte: UInt8 = 0
        try checked("read") { unsafe read(ready.reading.number, &byte, 1) }
        // Taken out: the executor must not be kept by what started it.
        guard
            let result = made.withLock({ made in
                defer { made = nil }
                return made
            })
        else { preconditionFailure("a thread said that it was ready before it was") }
        return try result.get()
    }

    private func tell(_ result: Result<LoopExecutor, SystemError>) {
        made.withLock { $0 = result }
        var byte: UInt8 = 1
        let count = unsafe write(ready.writing.number, &byte, 1)
        precondition(count == 1, "writing to a pipe of our own: errno \(errno)")
    }
}

/// What a task returned.
private final class Answer<Value: Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)

    func set(_ new: Value) { value.withLock { $0 = new } }

    func take() -> Value? { value.withLock { $0 } }
}
