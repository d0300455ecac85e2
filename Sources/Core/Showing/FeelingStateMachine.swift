public import BelfryTerms

/// How much of a call a person does not want, as the desktop's do-not-disturb says.
public enum DoNotDisturbLevel: Int, Comparable, Sendable {
    /// Calls are wanted.
    case none
    /// They shall not be heard, but may be felt.
    case unheard
    /// They shall be neither heard nor felt.
    case muted

    /// Less is forbidden by the smaller one.
    public static func < (one: DoNotDisturbLevel, other: DoNotDisturbLevel) -> Bool { one.rawValue < other.rawValue }
}

/// What has to be done so that calls are felt, and are silent for a person who wants none.
public enum FeelingEffect: Hashable, Sendable {
    /// Write the first report to the worker behind `link`: it may vibrate if `mayVibrate`, and something here can.
    case first(link: Int64, isMuted: Bool, mayVibrate: Bool)
    /// Report to all workers that do-not-disturb is on, or off.
    case muted(Bool)
    /// Publish on the bus that do-not-disturb is on, or off.
    case doNotDisturb(isOn: Bool)
    /// Vibrate until ``stop``; feed ``FeelingStateMachine/felt(isPlaying:_:)`` with what came of it.
    case ring
    /// End what ``ring`` began.
    case stop
    /// Vibrate once; feed ``FeelingStateMachine/felt(isPlaying:_:)`` with what came of it.
    case buzz
    /// End what ``buzz`` began.
    case stopBuzz
    /// Report to the worker behind `link` what became of the vibration.
    case report(link: Int64, VibrationState, detail: String)
}

/// Which calls are felt, and what each worker was reported of do-not-disturb and vibration: events in, effects out, no
/// clock and no I/O (R21).
///
/// Inputs are taken as they come; ``reconcile()`` then returns what has to be begun or ended.
public struct FeelingStateMachine: Sendable {
    private struct Link: Sendable {
        /// The call that its notification is about; nil for none.
        var call: ShownCallID?
        /// Whether its extension has asked to vibrate.
        var hasBuzzed = false
        /// What was reported to it of the vibration last.
        var reported: VibrationState?
    }

    private struct Ring: Hashable, Sendable {
        let mode: RingMode?
        let why: MuteReason?
    }

    /// Whether the operator has anything vibrate.
    public var vibrates: Bool
    /// Whether do-not-disturb mutes rings; counts for workers that come from now on.
    public var minds: Bool
    private var links: [Int64: Link] = [:]
    private var rings: [ShownCallID: Ring] = [:]
    /// Workers that wait for their first report, in the order in which they came; nil once none has to wait.
    private var waiting: [Int64]? = []
    /// What the desktop says, even if the operator does not mind.
    private var level = DoNotDisturbLevel.none
    /// Whether a ring is felt now.
    private var isRinging = false
    /// What came of the vibration; nil as long as that is not known.
    private var outcome: (state: VibrationState, detail: String)?

    /// A machine that feels nothing yet.
    ///
    /// - Parameters:
    ///   - vibrates: whether the operator has anything vibrate.
    ///   - minds: whether do-not-disturb mutes rings.
    public init(vibrates: Bool, minds: Bool) {
        self.vibrates = vibrates
        self.minds = minds
    }

    /// What of a call is not wanted, as far as the operator minds.
    private var wantedLevel: DoNotDisturbLevel { minds ? level : .none }

    // MARK: Workers

    /// A worker has connected as `link`, and waits for its first report.
    public mutating func came(_ link: Int64) -> [FeelingEffect] {
        links[link] = Link()
        // At the start it waits for the bus, or would ring aloud for a person who wants no sound.
        guard waiting == nil else {
            waiting?.append(link)
            return []
        }
        return [first(link)]
    }

    /// The state is known, or has been waited for long enough.
    public mutating func ready() -> [FeelingEffect] {
        let links = waiting ?? []
        waiting = nil
        return links.map(first)
    }

    /// The worker behind `link` has left.
    public mutating func left(_ link: Int64) -> [FeelingEffect] {
        waiting?.removeAll { $0 == link }
        let known = links.removeValue(forKey: link)
        if let call = known?.call { rings[call] = nil }
        return known?.hasBuzzed == true ? [.stopBuzz] : []
    }

    private func first(_ link: Int64) -> FeelingEffect {
        .first(link: link, isMuted: wantedLevel > .none, mayVibrate: vibrates && wantedLevel < .muted)
    }

    // MARK: Calls

    /// The notification of the worker behind `link` is about `call`; nil for none.
    public mutating func received(_ call: ShownCallID?, from link: Int64) { links[link]?.call = call }

    /// `call` rings in `mode`, nil for one that this version does not know; `why` if it is muted.
    public mutating func rings(_ call: ShownCallID, _ mode: RingMode?, why: MuteReason?) {
        rings[call] = Ring(mode: mode, why: why)
    }

    /// `call` rings no longer.
    public mutating func ended(_ call: ShownCallID) { rings[call] = nil }

    /// The extension behind `link` asks to vibrate.
    public mutating func buzz(from link: Int64) -> [FeelingEffect] {
        guard vibrates, wantedLevel < .muted else { return [] }
        links[link]?.hasBuzzed = true
        return [.buzz]
    }

    // MARK: The desktop

    /// The desktop's do-not-disturb is `level` now.
    public mutating func disturbs(_ level: DoNotDisturbLevel) -> [FeelingEffect] {
        let wasOn = self.level > .none
        self.level = level
        let isOn = level > .none
        guard isOn != wasOn else { return [] }
        // What programs on the bus read is the desktop's state, whatever the operator makes of it.
        return [.doNotDisturb(isOn: isOn)] + (minds ? [.muted(isOn)] : [])
    }

    /// Something vibrates now, or cannot; `detail` says what, or why not.
    public mutating func felt(isPlaying: Bool, _ detail: String) {
        outcome = (isPlaying ? .playing : .unavailable, detail)
    }

    /// What has to be done so that what is to be felt is felt, and each worker knows of it, once.
    public mutating func reconcile() -> [FeelingEffect] {
        var effects: [FeelingEffect] = []
        let isWanted = vibrates && rings.values.contains(where: isFelt)
        if isWanted != isRinging {
            isRinging = isWanted
            // What came of the vibration before says nothing of the one that begins.
            outcome = nil
            effects.append(isWanted ? .ring : .stop)
        }
        guard let outcome else { return effects }
        for link in links.filter({ isFelt($0.value) && $0.value.reported != outcome.state }).keys.sorted() {
            links[link]?.reported = outcome.state
            effects.append(.report(link: link, outcome.state, detail: outcome.detail))
        }
        return effects
    }

    /// A loud ring is felt, and one that a phone's profile alone keeps from being heard.
    private func isFelt(_ ring: Ring) -> Bool {
        ring.mode == .loud || ring.mode == .silent && ring.why == .doNotDisturb && wantedLevel == .unheard
    }

    private func isFelt(_ link: Link) -> Bool {
        link.hasBuzzed || link.call.flatMap { rings[$0] }.map(isFelt) ?? false
    }
}
