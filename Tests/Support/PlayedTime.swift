/// Virtual time: what is to happen, in order of when; of two at one instant the one asked for first.
public final class PlayedTime {
    private struct Event {
        let due: Int64
        let number: Int
        let action: () -> Void
    }

    /// Microseconds since the simulation began.
    public private(set) var now: Int64 = 0
    private var events: [Event] = []
    private var count = 0

    /// The beginning, at which nothing is to happen yet.
    public init() {}

    /// Lets `action` happen `microseconds` from now.
    public func after(_ microseconds: Int64, _ action: @escaping () -> Void) { at(now + microseconds, action) }

    /// Lets `action` happen at `instant`, or now if that is past.
    public func at(_ instant: Int64, _ action: @escaping () -> Void) {
        let event = Event(due: max(instant, now), number: count, action: action)
        count += 1
        // The next one stands last.
        var (low, high) = (0, events.count)
        while low < high {
            let middle = (low + high) / 2
            if events[middle].due > event.due { low = middle + 1 } else { high = middle }
        }
        events.insert(event, at: low)
    }

    /// Passes over `microseconds`: what was to happen meanwhile happens at their end.
    public func skip(_ microseconds: Int64) { now += microseconds }

    /// What has not happened never does.
    public func forget() { events = [] }

    /// Lets everything happen until nothing is left, or `eventsMax` have happened, and says how many have.
    public func run(eventsMax: Int) -> Int {
        var happened = 0
        while happened < eventsMax, let event = events.popLast() {
            now = max(now, event.due)
            event.action()
            happened += 1
        }
        return happened
    }
}
