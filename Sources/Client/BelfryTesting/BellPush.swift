import BelfryClient
import BelfryEventLoop
import BelfryEventLoopExecutor
public import BelfryProtocol
import BelfrySyscalls
import BelfryTerms

/// A push that is on its way, or done: every event of its worker is kept, whether a test waits for it or not.
///
/// Any number of waits may look at it, at the same time or long after it is done, and each sees all events.
public actor BellPush {
    /// The call's id, if it was pushed as a call or as its hangup.
    public nonisolated let callID: String?

    /// How long a wait lasts by default: far longer than anything but a ring takes, even on a loaded machine.
    public static let patience = Duration.seconds(10)
    /// How many events are kept: far more than the longest ring has.
    public static let eventsMax = PushedNotification.linesMax

    /// The events so far.
    public private(set) var events: [Event] = []

    private nonisolated let executor: LoopExecutor
    /// Held until the worker has closed; it holds this push as long.
    private var connection: PushConnection?
    private var end: End?
    private var waits: [Int: Wait] = [:]
    private var waitsCount = 0

    /// How its story ended.
    private enum End {
        case done
        case failed(PushError)
    }

    private struct Wait {
        let isMeant: @Sendable (Event) -> Bool
        let timer: any ScheduledTimer
        let continuation: CheckedContinuation<Outcome, Never>
    }

    /// What ends a wait.
    private enum Outcome {
        case met(Event)
        case ended
        case tookTooLong
        case cancelled
    }

    /// The loop's thread.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    init(callID: String?, on executor: LoopExecutor) {
        self.callID = callID
        self.executor = executor
    }

    func send(_ notification: [UInt8], to socket: PushSocket) throws(PushError) {
        connection = try PushConnection(
            to: socket, sending: notification, on: executor.loop, onLine: { self.take($0) },
            onEnd: { self.finish($0.map { .failed($0.inBell) } ?? .done) })
    }

    private func take(_ line: PushConnection.Line) {
        guard let event = line.event else {
            return giveUp(PushError(.notAnEvent, "a line of the worker is no event"))
        }
        guard events.count < Self.eventsMax else {
            return giveUp(PushError(.endedEarly, "more than \(Self.eventsMax) events came"))
        }
        events.append(event)
        for (number, wait) in waits where wait.isMeant(event) { endWait(number, .met(event)) }
    }

    private func giveUp(_ error: PushError) {
        connection?.cancel()
        finish(.failed(error))
    }

    private func finish(_ end: End) {
        self.end = end
        connection = nil
        for number in waits.keys { endWait(number, .ended) }
    }

    private func endWait(_ number: Int, _ outcome: Outcome) {
        guard let wait = waits.removeValue(forKey: number) else { return }
        wait.timer.cancel()
        wait.continuation.resume(returning: outcome)
    }

    private func wait(
        within patience: Duration, for isMeant: @escaping @Sendable (Event) -> Bool
    ) async -> Outcome {
        waitsCount += 1
        let number = waitsCount
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // Nothing else runs on the actor until the wait is stored: earlier events are found here, later ones
                // find it.
                if let event = events.first(where: isMeant) { return continuation.resume(returning: .met(event)) }
                guard end == nil else { return continuation.resume(returning: .ended) }
                guard !Task.isCancelled else { return continuation.resume(returning: .cancelled) }
                let loop = executor.loop
                let timer = loop.schedule(at: loop.now + TimeSpan(patience), description: "wait") {
                    self.endWait(number, .tookTooLong)
                }
                waits[number] = Wait(isMeant: isMeant, timer: timer, continuation: continuation)
            }
        } onCancel: {
            Task(executorPreference: executor) { await self.endWait(number, .cancelled) }
        }
    }

    /// Waits for the first event of `kind` that `isMeant`; it may have come already.
    ///
    /// Throws ``BellError/Code/didNotCome``, which says line by line what came instead, after `patience`, or as soon as
    /// the notification is done without it; CancellationError if the task is cancelled.
    @discardableResult
    public func waitFor(
        _ kind: Event.Kind, within patience: Duration = patience, file: String = #fileID, line: Int = #line,
        where isMeant: @escaping @Sendable (Event) -> Bool = { _ in true }
    ) async throws -> Event {
        let outcome = await wait(within: patience) { $0.kind == kind && isMeant($0) }
        if case .met(let event) = outcome { return event }
        let isKnown = events.contains { $0.kind == kind }
        throw failure(of: outcome, "no \(kind.rawValue)" + (isKnown ? " that is meant" : ""), patience, file, line)
    }

    /// Waits until the notification is done, and returns all of its events.
    ///
    /// Throws ``BellError/Code/didNotCome`` after `patience`, and if the events break off; CancellationError if the
    /// task is cancelled.
    @discardableResult
    public func waitUntilDone(
        within patience: Duration = patience, file: String = #fileID, line: Int = #line
    ) async throws -> [Event] {
        let outcome = await wait(within: patience) { _ in false }
        if case .ended = outcome, case .done = end { return events }
        throw failure(of: outcome, "no end", patience, file, line)
    }

    private func failure(
        of outcome: Outcome, _ what: String, _ patience: Duration, _ file: String, _ line: Int
    ) -> any Error {
        if case .cancelled = outcome { return CancellationError() }
        let came = events.isEmpty ? " Nothing came" : " What came instead:" + events.map { "\n    \($0)" }.joined()
        let then =
            switch end {
            case nil: ""
            case .done: "\nand then the notification was done."
            case .failed(let error): "\nand then: \(error)"
            }
        let isInTime = if case .ended = outcome { true } else { false }
        let limit = isInTime ? "" : " within \(DecimalText.seconds(TimeSpan(patience).seconds))"
        return BellError(.didNotCome, "\(file):\(line): \(what)\(limit).\(came)\(then)")
    }
}
