import BelfryTerms

/// Virtual time: what is to happen, in order of when; of two at one instant the one asked for first.
final class SimulatedTime {
    private struct Event {
        let due: Instant
        let number: Int
        let action: () -> Void
    }

    private(set) var now = Instant(microseconds: 50_000_000_000)
    private var events: [Event] = []
    private var count = 0

    /// Lets `action` happen `span` from now.
    func after(_ span: TimeSpan, _ action: @escaping () -> Void) {
        at(now + span, action)
    }

    /// Lets `action` happen at `instant`, or now where that is past.
    func at(_ instant: Instant, _ action: @escaping () -> Void) {
        let event = Event(due: max(instant, now), number: count, action: action)
        count += 1
        // The next one stands last.
        var low = 0
        var high = events.count
        while low < high {
            let middle = (low + high) / 2
            if (events[middle].due, events[middle].number) > (event.due, event.number) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        events.insert(event, at: low)
    }

    /// Lets everything happen until nothing is left, or `eventsMax` have happened; answers how many have.
    func run(eventsMax: Int) -> Int {
        var happened = 0
        while let event = events.popLast(), happened < eventsMax {
            now = event.due
            event.action()
            happened += 1
        }
        return happened
    }
}
