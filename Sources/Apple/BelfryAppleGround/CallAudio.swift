import BelfrySyscalls
package import BelfryTerms

/// What an app may do with sound while it has calls: the system activates the audio of one once that was answered or
/// started, and what needs sound before, or afterwards, is told (C14).
///
/// An app has one. Apps that are tested in one process have one each, which the threads and tasks of their code know.
package final class CallAudio: Sendable {
    private struct State {
        /// The calls that are on, and ring; by their UUIDs.
        var calls: Set<String> = []
        /// Those of them that were answered or started.
        var taken: Set<String> = []
        /// The calls for which the audio is active, or was until it was deactivated.
        var heard: Set<String> = []
        var isActive = false
        /// Counts up with each change, so that what waits knows whether it still matters.
        var turn = 0
        /// The players that play, by their numbers.
        var players: Set<Int64> = []
        /// The calls about which each warning was given.
        var warned: [WarningCode: Set<String>] = [:]
        var warn: (@Sendable (WarningCode, String) -> Void)?
    }

    /// Calls something after so long.
    package typealias Wait = @Sendable (TimeSpan, @escaping @Sendable () -> Void) -> Void

    /// How long a player may play on after its audio was deactivated.
    package static let playerPatience = TimeSpan.seconds(1)
    /// How long after the last call what needs sound is thought to be that call's.
    package static let memory = TimeSpan.seconds(10)

    @TaskLocal private static var own: CallAudio?
    /// That of each app that is tested, in the order in which they began.
    private static let open = LockedValue<[CallAudio]>([])
    /// That of an app which has this process to itself.
    package static let ofThisProcess = CallAudio()

    private let wait: Wait
    private let state = LockedValue(State())

    /// The audio of an app without calls.
    package init(
        wait: @escaping Wait = { span, body in
            DispatchQueue.global().asyncAfter(deadline: .now() + span.seconds, execute: body)
        }
    ) { self.wait = wait }

    /// That of the calling code, to be kept for later work.
    package static var current: CallAudio { own ?? open.withLock { $0.last } ?? ofThisProcess }

    /// Calls `body`, for which this is the audio, and for the tasks that it starts.
    package func run<Result>(_ body: () throws -> Result) rethrows -> Result {
        try Self.$own.withValue(self) { try body() }
    }

    /// Calls `body`, for which this is the audio, and for the tasks that it starts.
    package func run<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        try await Self.$own.withValue(self) { try await body() }
    }

    /// Its app begins: it is that of code whose app is unknown. Warnings go to `warn`.
    package func begin(warn: @escaping @Sendable (WarningCode, String) -> Void) {
        state.withLock { $0.warn = warn }
        if self !== Self.ofThisProcess { Self.open.withLock { $0.append(self) } }
    }

    /// Its app is over.
    package func end() {
        Self.open.withLock { $0.removeAll { $0 === self } }
        reset()
    }

    // MARK: What the system says

    /// Whether the system has activated the audio.
    package var isActive: Bool { state.withLock { $0.isActive } }

    /// The app has these calls.
    package func has(_ calls: Set<String>) {
        state.withLock { state in
            state.calls = calls
            state.taken.formIntersection(calls)
            let known = calls.union(state.heard)
            state.warned = state.warned.mapValues { $0.intersection(known) }
        }
    }

    /// The app has answered or started a call.
    package func took(_ call: String) {
        state.withLock { state in
            guard state.calls.contains(call) else { return }
            state.taken.insert(call)
            if state.isActive { state.heard.insert(call) }
        }
    }

    /// The system has activated the audio; `misfit` is what makes the session unfit for a call, for people.
    package func activated(misfit: String?) {
        state.withLock { state in
            (state.isActive, state.heard) = (true, state.taken)
            state.turn += 1
        }
        guard let misfit else { return }
        warn(.audioCategory) { state in
            (state.heard, "provider(_:didActivate:) follows for \(Self.words(state.heard)), and \(misfit)")
        }
    }

    /// The system has deactivated the audio, since the last call is over or held.
    package func deactivated() {
        let turn = state.withLock { state in
            state.isActive = false
            state.turn += 1
            return state.turn
        }
        wait(Self.playerPatience) { [weak self] in self?.playersAreDue(turn) }
        wait(Self.memory) { [weak self] in self?.forgetPast(turn) }
    }

    /// There are no calls any more, and never were.
    package func reset() {
        state.withLock { state in
            (state.calls, state.taken, state.heard, state.isActive) = ([], [], [], false)
            (state.warned, state.turn) = ([:], state.turn + 1)
        }
    }

    private func playersAreDue(_ turn: Int) {
        warn(.audioAfterEnd) { state in
            guard state.turn == turn, !state.players.isEmpty else { return nil }
            return (state.heard, Self.afterwards("an AVAudioPlayer still plays 1 s", state.heard))
        }
    }

    private func forgetPast(_ turn: Int) {
        state.withLock { state in
            if state.turn == turn { state.heard.formIntersection(state.calls) }
        }
    }

    // MARK: What the app does

    /// The app does `what`, which needs the audio: told while a call is on that is not heard, or was just now. Returns
    /// whether the system keeps it from that, for the sake of a call.
    package func begins(_ what: String) -> Bool {
        let isKept = state.withLock { !$0.isActive && !$0.calls.isEmpty }
        warnOfStart(what, alsoAfterCalls: true)
        return isKept
    }

    /// A player plays: told while a call is on that is not heard. What is played after the last call may be anything.
    package func plays(_ player: Int64) {
        state.withLock { _ = $0.players.insert(player) }
        warnOfStart("AVAudioPlayer.play()", alsoAfterCalls: false)
    }

    /// A player has ended.
    package func ended(_ player: Int64) { state.withLock { _ = $0.players.remove(player) } }

    private func warnOfStart(_ what: String, alsoAfterCalls: Bool) {
        warn(.audioEarly) { state in
            let early = state.calls.subtracting(state.heard)
            guard !state.isActive, !early.isEmpty else { return nil }
            let detail =
                "\(what) for \(Self.words(early)), before the system activated the audio: on iOS that fails ('!pri'), "
                + "or is silent. Do it in provider(_:didActivate:)"
            return (early, detail)
        }
        warn(.audioAfterEnd) { state in
            guard !state.isActive, state.calls.isSubset(of: state.heard), alsoAfterCalls || !state.calls.isEmpty else {
                return nil
            }
            return (state.heard, Self.afterwards(what, state.heard))
        }
    }

    private static func afterwards(_ what: String, _ calls: Set<String>) -> String {
        "\(what) after provider(_:didDeactivate:), since \(words(calls)) is over or held: on iOS that is silent. Stop "
            + "there what needs sound, and begin again in provider(_:didActivate:)"
    }

    private static func words(_ calls: Set<String>) -> String {
        calls.isEmpty ? "a call" : "call \(calls.sorted().joined(separator: ", "))"
    }

    /// Warns as `body` says, unless all the calls that it names had that warning, or there are none.
    private func warn(_ code: WarningCode, _ body: (State) -> (calls: Set<String>, detail: String)?) {
        let said: (warn: @Sendable (WarningCode, String) -> Void, detail: String)? = state.withLock { state in
            guard let (calls, detail) = body(state), let warn = state.warn,
                !calls.isSubset(of: state.warned[code] ?? [])
            else { return nil }
            state.warned[code, default: []].formUnion(calls)
            return (warn, detail)
        }
        if let said { said.warn(code, said.detail) }
    }
}
