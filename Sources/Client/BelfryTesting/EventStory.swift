package import BelfryEventLoopExecutor
package import BelfryProtocol
import BelfryTerms

/// The events of a push or of an app, each of which is kept, and the waits for them.
package struct EventStory: Sendable {
    let story: Story<Event>
    /// How it ended if nothing failed, for people.
    private let ending: String

    /// One that is added to by the thread of `executor`.
    package init(ending: String, on executor: LoopExecutor) {
        story = Story(on: executor)
        self.ending = ending
    }

    /// All of them so far.
    package var events: [Event] { get async { await story.elements } }

    /// Adds an event. Called by the story's thread, as ``finish(_:)`` is.
    package func add(_ event: Event) { story.assumeIsolated { $0.add(event) } }

    /// Ends it, with an error if it broke off.
    package func finish(_ error: (any Error)?) {
        story.assumeIsolated { $0.finish(error.map { .failed($0) } ?? .done) }
    }

    /// Waits for the first event of `kind` from number `start` on that `isMeant`: the event and its number.
    package func wait(
        for kind: Event.Kind, from start: Int, within limit: Duration, at place: WaitPlace,
        _ isMeant: @escaping @Sendable (Event) -> Bool
    ) async throws -> (event: Event, index: Int) {
        let outcome = await story.wait(from: start, within: limit) { $0.kind == kind && isMeant($0) }
        if case .met(let event, let index) = outcome { return (event, index) }
        let isKnown = await story.elements.contains { $0.kind == kind }
        let which = !isKnown ? "" : start > 0 ? " after those that were waited for" : " that is meant"
        throw await failure(of: outcome, "no \(kind.rawValue)\(which)", limit, place)
    }

    /// The first event of `kind` that `isMeant`; nil if it does not come in time.
    package func first(
        _ kind: Event.Kind, within limit: Duration, _ isMeant: @escaping @Sendable (Event) -> Bool
    ) async -> Event? {
        let outcome = await story.wait(within: limit) { $0.kind == kind && isMeant($0) }
        if case .met(let event, _) = outcome { return event }
        return nil
    }

    /// Waits for the end: all events.
    func waitUntilDone(within limit: Duration, at place: WaitPlace) async throws -> [Event] {
        let outcome = await story.wait(within: limit) { _ in false }
        if case .ended = outcome, case .done = await story.end { return await story.elements }
        throw await failure(of: outcome, "no end", limit, place)
    }

    private func failure(
        of outcome: Story<Event>.Outcome, _ what: String, _ patience: Duration, _ place: WaitPlace
    ) async -> any Error {
        if case .cancelled = outcome { return CancellationError() }
        let events = await story.elements
        let came = events.isEmpty ? " Nothing came" : " What came instead:" + events.map { "\n    \($0)" }.joined()
        let then =
            switch await story.end {
            case nil: ""
            case .done: "\nand then \(ending)."
            case .failed(let error): "\nand then: \(error)"
            }
        let isInTime = if case .ended = outcome { true } else { false }
        let limit = isInTime ? "" : " within \(DecimalText.seconds(TimeSpan(patience).seconds))"
        return place.failure("\(what)\(limit).\(came)\(then)")
    }
}
