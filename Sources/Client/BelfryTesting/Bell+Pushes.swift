import BelfryEventLoopExecutor
import BelfryProtocol
import BelfryPush
import BelfryTerms
import PushFollowing
public import Testing

/// What a bell's workers and its endpoint have said of pushes. It belongs to the bell's loop.
final class ArrivedPushes {
    /// How many pushes, and how many requests, are kept: the last ones.
    static let keptMax = 10_000

    let pushes: Story<BellPush>
    private(set) var requests: [PushRecord.Request] = []
    private let patience: Patience
    private let executor: LoopExecutor
    private var open: [PushListener.Source: BellPush] = [:]
    private var accepted = RememberedRequests(max: keptMax)

    init(patience: Patience, on executor: LoopExecutor) {
        self.patience = patience
        self.executor = executor
        pushes = Story(keptMax: Self.keptMax, on: executor)
    }

    func hear(_ record: PushRecord, from source: PushListener.Source) {
        let request = accepted.request(of: record)
        switch record {
        case .request(let request):
            requests = (requests.count < Self.keptMax ? requests : Array(requests.dropFirst())) + [request]
        case .push(let taken):
            let push = BellPush(taken, by: request, patience: patience, on: executor)
            open[source] = push
            pushes.assumeIsolated { $0.add(push) }
        case .event(let event): open[source]?.assumeIsolated { $0.take(event) }
        case .end(_, let isWhole):
            let error = isWhole ? nil : PushError(.endedEarly, "its worker left without a word").inBell
            open.removeValue(forKey: source)?.assumeIsolated { $0.finish(error) }
        }
    }

    func finish() { pushes.assumeIsolated { $0.finish(.done) } }
}

/// The pushes that arrive at a bell.
public struct BellPushes: AsyncSequence, Sendable {
    /// Each of them.
    public typealias Element = BellPush

    /// One that iterates them.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var reader: StoryReader<BellPush>

        /// The next push, without limit of time; nil once the bell has ended. Throws CancellationError if the task is
        /// cancelled.
        public mutating func next() async throws -> BellPush? { try await reader.read() }
    }

    let story: Story<BellPush>

    /// One that begins with the first push that the bell got, or of the last 10,000.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(reader: StoryReader(story)) }
}

extension Bell {
    /// Each push that arrives, in order and whoever sent it: a process, a push server by the endpoint, or the test. As
    /// often as this is iterated, it begins with the bell's first push.
    public nonisolated var pushes: BellPushes { BellPushes(story: arrivals) }

    /// Waits for the next push that `isMeant`: the first that no call of this has returned. It may have come already.
    ///
    /// ```swift
    /// let push = try await bell.nextPush(within: .seconds(5)) { $0.callID == "42" }
    /// #expect(push.request?.headers["apns-topic"] == "com.example.phone.voip")
    /// try await push.waitFor(.ringing)
    /// ```
    ///
    /// Throws ``BellError/Code/didNotCome``, which says what came instead, after `patience`, or as soon as the bell has
    /// ended; CancellationError if the task is cancelled.
    @discardableResult
    public func nextPush(
        within patience: Duration? = nil, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
        column: Int = #column, where isMeant: @escaping @Sendable (BellPush) -> Bool = { _ in true }
    ) async throws -> BellPush {
        try await nextPush(
            within: patience,
            sourceLocation: SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column),
            where: isMeant)
    }

    /// The same, for code that gets the place of its test.
    @discardableResult
    public func nextPush(
        within patience: Duration? = nil, sourceLocation: SourceLocation,
        where isMeant: @escaping @Sendable (BellPush) -> Bool = { _ in true }
    ) async throws -> BellPush {
        let limit = patience ?? self.patience.forOne
        let deadline = ContinuousClock.now + limit
        var left = limit
        while true {
            let returned = returnedPushes
            let outcome = await arrivals.wait(within: left) { !returned.contains(ObjectIdentifier($0)) && isMeant($0) }
            guard case .met(let push, _) = outcome else {
                throw await failure(of: outcome, limit, WaitPlace(sourceLocation))
            }
            // Another call may have returned it meanwhile.
            if returnedPushes.insert(ObjectIdentifier(push)).inserted { return push }
            left = max(.zero, deadline - ContinuousClock.now)
        }
    }

    private func failure(
        of outcome: Story<BellPush>.Outcome, _ limit: Duration, _ place: WaitPlace
    ) async -> any Error {
        if case .cancelled = outcome { return CancellationError() }
        let pushes = await arrivals.elements.suffix(100)
        let came =
            pushes.isEmpty
            ? " Nothing came" : " What came:" + pushes.map { "\n    \($0.summary)" }.joined()
        let isInTime = if case .ended = outcome { true } else { false }
        let within = isInTime ? " before the bell ended" : " within \(DecimalText.seconds(TimeSpan(limit).seconds))"
        return place.failure("no next push\(within).\(came)")
    }
}

extension BellPush {
    /// What it is, in one line; text from outside is escaped.
    fileprivate nonisolated var summary: String {
        let type = envelope?.pushType.rawValue ?? "unreadable push"
        let call = callID.map { " of " + Printable.escaped(CallText.name(of: $0)) } ?? ""
        return "\(id ?? "?") \(type)\(call): \(content.map { "\($0)" } ?? "rejected")"
    }
}
