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
    private var waiting: (() -> Void)?
    private var changed: (Bool) -> Void = { _ in }
    private var firstWord: DesktopWord?

    init(_ desktop: PlayedMutes.Desktop, of worker: PlayedWorker, on loop: PlayedLoop) {
        (self.desktop, self.worker, self.loop) = (desktop, worker, loop)
        guard let delay = desktop.speaksAfter else { return }
        after(delay) { [self] in
            let isMuted = worker.world.isDoNotDisturbOn
            let word = DesktopWord(
                isMuted: isMuted, vibrates: desktop.vibrates && (!isMuted || desktop.isByProfile))
            firstWord = word
            worker.world.oracle.hears(worker, word)
            start()
            // A ring may have begun without its word, since somebody wanted something of it.
            tell()
        }
    }

    var word: DesktopWord { firstWord ?? .none }

    func beforeRing(_ begin: @escaping () -> Void) {
        waiting = begin
        worker.account.awaitsDesktop = true
        guard firstWord == nil else { return start() }
        after(100_000) { [self] in start() }
    }

    func onMuted(_ changed: @escaping (Bool) -> Void) {
        self.changed = changed
        if firstWord != nil { tell() }
    }

    /// Do-not-disturb goes on or off.
    func changes() {
        guard firstWord != nil else { return }
        worker.world.machine.time.after(worker.process.reaction()) { [self] in
            worker.process.perform { [self] in tell() }
        }
    }

    private func start() {
        let begin = waiting
        waiting = nil
        begin?()
    }

    private func tell() {
        let isMuted = worker.world.isDoNotDisturbOn
        worker.world.oracle.isMuted(worker, isMuted) { [self] in changed(isMuted) }
    }

    private func after(_ microseconds: Int64, _ action: @escaping () -> Void) {
        _ = loop.schedule(at: loop.now + TimeSpan(microseconds: microseconds), description: "played desktop", action)
    }
}
