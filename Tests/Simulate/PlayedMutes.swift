import BelfryEventLoop
import BelfryTerms
import CallService

/// What may mute the devices of a run (R21).
struct PlayedMutes {
    /// The operator's quiet hours: they end, or begin, five seconds after the beginning of the run.
    enum QuietHours: CaseIterable { case never, always, endSoon, beginSoon }

    /// The desktop, as a ring hears it.
    struct Desktop {
        /// How long after a worker began it says its first word; nil if it says nothing.
        var speaksAfter: Int64?
        /// Whether do-not-disturb is on at the beginning.
        var isMuted = false
        /// Whether anything vibrates.
        var vibrates = true
        /// Whether it is a phone's profile that mutes rings, and leaves them to be felt.
        var isByProfile = false
    }

    var quietHours = QuietHours.never
    var repeatedWithin = TimeSpan.zero
    /// nil if none listens.
    var desktop: Desktop?

    /// At seven by local time.
    private static let changesAfter: Int64 = 5_000_000

    /// As the operator writes them.
    var setting: DayHours {
        switch quietHours {
        case .never: DayHours()
        case .always: DayHours("00:00-00:00") ?? DayHours()
        case .endSoon: DayHours("22:00-07:00") ?? DayHours()
        case .beginSoon: DayHours("07:00-13:30 22:30-22:31") ?? DayHours()
        }
    }

    /// The minute of the day at `wall`.
    func minute(at wall: WallTime) -> Int {
        let since = wall.microseconds - Machine.wallAtStart - Self.changesAfter + 7 * 3_600_000_000
        let day: Int64 = 86_400_000_000
        return Int(((since % day + day) % day) / 60_000_000)
    }

    /// Whether it is quiet at `wall`: no run is hours long.
    func isQuiet(at wall: WallTime) -> Bool {
        let hasChanged = wall.microseconds - Machine.wallAtStart >= Self.changesAfter
        return switch quietHours {
        case .never: false
        case .always: true
        case .endSoon: !hasChanged
        case .beginSoon: hasChanged
        }
    }
}

/// What belfry-desktop says to one worker.
final class PlayedRingDesktop: RingDesktop {
    private let worker: PlayedWorker
    private let desktop: PlayedMutes.Desktop
    private let loop: PlayedLoop
    private var waiting: ((DesktopWord) -> Void)?
    private var changed: (Bool) -> Void = { _ in }
    private var hasSpoken = false

    init(_ desktop: PlayedMutes.Desktop, of worker: PlayedWorker, on loop: PlayedLoop) {
        (self.desktop, self.worker, self.loop) = (desktop, worker, loop)
        guard let delay = desktop.speaksAfter else { return }
        after(delay) { [self] in
            hasSpoken = true
            start(with: word)
            // A ring may have begun without its word, since somebody wanted something of it.
            tell(word.isMuted)
        }
    }

    private var word: DesktopWord {
        let isMuted = worker.world.isDoNotDisturbOn
        return DesktopWord(isMuted: isMuted, vibrates: desktop.vibrates && (!isMuted || desktop.isByProfile))
    }

    func beforeRing(_ begin: @escaping (DesktopWord) -> Void) {
        waiting = begin
        worker.account.awaitsDesktop = true
        guard !hasSpoken else { return start(with: word) }
        after(100_000) { [self] in if waiting != nil { start(with: nil) } }
    }

    func onMuted(_ changed: @escaping (Bool) -> Void) {
        self.changed = changed
        if hasSpoken { tell(word.isMuted) }
    }

    /// Do-not-disturb goes on or off.
    func changes() {
        guard hasSpoken else { return }
        worker.world.machine.time.after(worker.process.reaction()) { [self] in
            worker.process.perform { [self] in tell(word.isMuted) }
        }
    }

    private func start(with word: DesktopWord?) {
        let begin = waiting
        waiting = nil
        if let word, begin != nil, worker.account.mode == nil { worker.world.oracle.hears(worker, word) }
        begin?(word ?? .none)
    }

    private func tell(_ isMuted: Bool) {
        worker.world.oracle.isMuted(worker, isMuted) { [self] in changed(isMuted) }
    }

    private func after(_ microseconds: Int64, _ action: @escaping () -> Void) {
        _ = loop.schedule(at: loop.now + TimeSpan(microseconds: microseconds), description: "played desktop", action)
    }
}
