public import Events

/// A notification that was pushed: its events as they come, once.
public struct PushedNotification: Sendable {
    /// Events that wait for their reader at most: the longest ring has far fewer.
    public static let linesMax = 10_000

    let lines: AsyncThrowingStream<PushConnection.Line, any Error>
    /// Whoever reads the events needs the session's thread, also once nobody else holds the session.
    let session: PushSession

    /// The events until the worker closes, in the order of the contract; iterate them once.
    ///
    /// Throws ``PushError``: where nothing could be connected to, where the connection broke, for a line that is no
    /// event.
    public var events: some AsyncSequence<Event, any Error> & Sendable {
        lines.map { [session] line throws in
            defer { withExtendedLifetime(session) {} }
            guard let event = line.event else {
                let text = Printable.escaped(String(decoding: line.bytes.prefix(200), as: UTF8.self))
                throw PushError(.notAnEvent, "a line of the worker is no event: \(text)")
            }
            return event
        }
    }

    /// The events up to and with the first for which `isLast` holds.
    ///
    /// Throws ``PushError/Code/endedEarly`` if the worker closes before.
    public func events(until isLast: (Event) throws -> Bool) async throws -> [Event] {
        var seen: [Event] = []
        for try await event in events {
            seen.append(event)
            if try isLast(event) { return seen }
        }
        let last = seen.last.map { "after \($0.name)" } ?? "without a word"
        throw PushError(.endedEarly, "the worker closed \(last)")
    }

    /// Every event until the worker closes.
    public func allEvents() async throws -> [Event] {
        var seen: [Event] = []
        for try await event in events { seen.append(event) }
        return seen
    }
}
