import BelfryTerms

/// The life of one app's process as `belfry-calls` knows it: when it is started, started again, and ended.
///
/// One process at a time is the app, whoever started it. One that `belfry-calls` started and that ends before its
/// registry is there is started again, after 1, 2, 4 … 60 s, until it stays or is stopped.
struct AppLife: Sendable {
    /// What the driver does.
    enum Effect: Hashable, Sendable {
        /// Start the process.
        case launch
        /// The app could not be started, or left too early; why, for people.
        case failed(String)
        /// Ask the process to end.
        case askToEnd
        /// End the process.
        case end(byForce: Bool)
        /// Nothing of it runs any more, as was asked for.
        case stopped
    }

    private enum Phase: Hashable, Sendable {
        /// Nothing is to happen.
        case resting
        /// It was started, and is to show itself until then.
        case starting(until: Instant)
        /// It is started again then; why it ended, for people.
        case waiting(until: Instant, why: String)
        /// It is to end, and is made to at that instant.
        case stopping(next: Instant, isAsked: Bool)
    }

    /// How long a start may take until the process shows itself: a manager may have much to do.
    static let startPatience = TimeSpan.seconds(10)
    /// How long a process has to end once it is asked, and once more once it is made to.
    static let stopPatience = TimeSpan.seconds(3)
    /// The longest wait before it is started again.
    static let delayMax = TimeSpan.seconds(60)

    private var phase = Phase.resting
    private var failures = 0
    /// Whether a process that the driver watches runs.
    private(set) var hasProcess = false
    /// Whether one is connected.
    private(set) var isConnected = false
    /// Whether its registry wants voip pushes.
    private(set) var isRegistered = false
    /// How it ended last, for people; empty if there is nothing to say.
    private(set) var problem = ""

    /// When ``timePassed(at:)`` has something to do; nil if never.
    var deadline: Instant? {
        switch phase {
        case .resting: nil
        case .starting(let until), .waiting(let until, _): hasProcess || isConnected ? nil : until
        case .stopping(let next, _): next
        }
    }

    /// Whether nothing runs, and nothing is to.
    var isOver: Bool { phase == .resting && !hasProcess && !isConnected }

    /// The app shall run.
    mutating func wanted(at now: Instant) -> [Effect] {
        switch phase {
        case .resting:
            guard !hasProcess, !isConnected else { return [] }
            return launch(at: now)
        case .starting: return []
        case .waiting(let until, let why):
            guard !hasProcess, !isConnected else { return [] }
            return [.failed("\(why); it is started again in \(max(1, (until - now).wholeSeconds)) s")]
        case .stopping: return [.failed("it is being stopped")]
        }
    }

    /// A process of it runs that the driver watches.
    mutating func began() {
        hasProcess = true
        problem = ""
    }

    /// That process has ended; how, for people.
    mutating func ended(_ how: String, at now: Instant) -> [Effect] {
        hasProcess = false
        // It has left another process in its place, or is to end.
        guard !isConnected else { return [] }
        return gone(how, at: now)
    }

    /// The process could not be started; why, for people.
    mutating func launchFailed(_ why: String, at now: Instant) -> [Effect] {
        guard case .starting = phase, !hasProcess, !isConnected else { return [] }
        return failed(why, at: now)
    }

    /// A process says that it is the app.
    mutating func connected() {
        isConnected = true
        isRegistered = false
        problem = ""
    }

    /// Its registry wants voip pushes, or no longer.
    mutating func registered(_ isRegistered: Bool) {
        self.isRegistered = isRegistered
        guard isRegistered else { return }
        failures = 0
        switch phase {
        // Not as it connects: one that is heard only after its death would be taken for one that stays.
        case .starting, .waiting: phase = .resting
        case .resting, .stopping: break
        }
    }

    /// Its connection is gone.
    mutating func disconnected(at now: Instant) -> [Effect] {
        isConnected = false
        // A process that runs on may connect again.
        return hasProcess ? [] : gone("its connection has ended", at: now)
    }

    /// The app shall end: once it is asked to, or at once, which is asked for only if it `isAsked`.
    mutating func stop(at now: Instant, isAsked: Bool = true) -> [Effect] {
        if case .stopping = phase { return [] }
        failures = 0
        problem = ""
        guard hasProcess || isConnected || isStarting else {
            phase = .resting
            return [.stopped]
        }
        let isAsked = isAsked && isConnected
        phase = .stopping(next: now + Self.stopPatience, isAsked: isAsked)
        return isAsked ? [.askToEnd] : [.end(byForce: false)]
    }

    /// Time has passed.
    mutating func timePassed(at now: Instant) -> [Effect] {
        guard let deadline, deadline <= now else { return [] }
        switch phase {
        case .resting: return []
        case .starting:
            return failed("nothing of it has shown itself for \(Self.startPatience.wholeSeconds) s", at: now)
        case .waiting: return launch(at: now)
        case .stopping(_, let isAsked):
            guard hasProcess || isConnected else {
                phase = .resting
                return [.stopped]
            }
            phase = .stopping(next: now + Self.stopPatience, isAsked: false)
            return [.end(byForce: !isAsked)]
        }
    }

    private var isStarting: Bool { if case .starting = phase { true } else { false } }

    private mutating func launch(at now: Instant) -> [Effect] {
        phase = .starting(until: now + Self.startPatience)
        return [.launch]
    }

    /// Neither a process nor a connection is left.
    private mutating func gone(_ how: String, at now: Instant) -> [Effect] {
        let wasRegistered = isRegistered
        isRegistered = false
        switch phase {
        case .stopping:
            phase = .resting
            return [.stopped]
        case .waiting(_, let why):
            problem = why
            return []
        case .starting: return failed("\(how), before its registry was there", at: now)
        case .resting:
            problem = wasRegistered ? how : "\(how), before its registry was there"
            return []
        }
    }

    private mutating func failed(_ why: String, at now: Instant) -> [Effect] {
        let delay = min(TimeSpan.seconds(Int64(1) << Int64(min(failures, 6))), Self.delayMax)
        failures += 1
        problem = why
        phase = .waiting(until: now + delay, why: why)
        return [.failed(why)]
    }
}

extension TimeSpan {
    /// In seconds, the last one begun counting as whole.
    var wholeSeconds: Int64 { (microseconds + 999_999) / 1_000_000 }
}
