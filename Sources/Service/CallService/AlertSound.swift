public import BelfryEventLoop
public import BelfryProtocol
public import BelfrySyscalls
public import BelfryTerms
public import Showing
public import SystemSound

/// The sound of an alert, made once: as the push names it, if there is such a sound, else the default one (S1).
///
/// It is muted as a ring is, by quiet hours and by do-not-disturb, unless the alert is critical (R21), and takes a
/// place as a ring does (R23). What comes while it sounds adds nothing.
public final class AlertSound {
    /// How long it may sound, which is what iOS allows a notification's sound.
    public static let lengthMax = TimeSpan.seconds(30)

    private let player: () -> SoundPlayer
    private let settings: RingSettings
    private let files: () -> SoundFiles
    private let timers: any TimerSource
    private let minuteOfDay: () -> Int
    private let report: (Event.Body) -> Void
    private var sound: PlayerSound?
    private var limit: (any ScheduledTimer)?
    private var isUnderWay = false
    private var isStopped = false
    private var whenOver: [() -> Void] = []

    /// The desktop, whose do-not-disturb mutes it; nil if there is none.
    public weak var desktop: (any RingDesktop)?
    /// Called as it begins, since its process lives for so long now.
    public var willSound: () -> Void = {}

    /// No sound yet.
    ///
    /// - Parameters:
    ///   - player: plays it; made for the first sound.
    ///   - minuteOfDay: the minute of the local day.
    public init(
        player: @autoclosure @escaping () -> SoundPlayer, settings: RingSettings, environment: Environment,
        timers: any TimerSource, minuteOfDay: @escaping () -> Int, report: @escaping (Event.Body) -> Void
    ) {
        self.player = player
        self.settings = settings
        files = { SoundFiles(environment: environment, programPath: runningProgramPath()) }
        self.timers = timers
        self.minuteOfDay = minuteOfDay
        self.report = report
    }

    /// Sounds `alert`, if it has a sound; a passive one has none, as on iOS.
    public func begin(_ alert: ShownAlert) {
        let content = alert.content
        guard let wanted = content.sound, settings.sound != SoundFiles.none, !isUnderWay, !isStopped else { return }
        guard content.breaksThrough || content.interruptionLevel != .passive else { return }
        isUnderWay = true
        guard !content.breaksThrough else { return play(wanted.name) }
        if settings.quietHours.contains(minute: minuteOfDay()) { return mute(.quietHours) }
        guard let desktop else { return play(wanted.name) }
        desktop.beforeRing { [weak self, weak desktop] in
            guard let self, isUnderWay else { return }
            if desktop?.word.isMuted ?? false { mute(.doNotDisturb) } else { play(wanted.name) }
        }
    }

    /// Calls `then` once nothing is to sound any more; perhaps before this returns.
    public func finish(_ then: @escaping () -> Void) {
        if isUnderWay { whenOver.append(then) } else { then() }
    }

    /// Silences it, for good (R17).
    public func stop() {
        isStopped = true
        end()
    }

    private func mute(_ why: MuteReason) {
        report(.sound(state: .muted, detail: why.rawValue))
        end()
    }

    private func play(_ name: String) {
        guard let found = files().find(alert: name) else {
            report(.sound(state: .unavailable, detail: "no sound can be found"))
            return end()
        }
        willSound()
        let sound = player().makeSound { [weak self] state in
            self?.heard(state)
        } onEnd: { [weak self] in
            self?.end()
        }
        self.sound = sound
        limit = timers.schedule(at: timers.now + Self.lengthMax, description: "alert's sound") { [weak self] in
            self?.end()
        }
        sound.play(found)
    }

    private func heard(_ state: SoundReport) {
        switch state {
        case .playing(let detail): report(.sound(state: .playing, detail: detail))
        case .muted(let detail): report(.sound(state: .muted, detail: detail))
        case .unavailable(let detail):
            report(.sound(state: .unavailable, detail: detail))
            end()
        }
    }

    private func end() {
        limit?.cancel()
        limit = nil
        guard isUnderWay else { return }
        guard let sound else { return over() }
        self.sound = nil
        sound.silence { [self, sound] in
            // It is kept until its silence is confirmed: its place is given back as it goes.
            _ = sound
            over()
        }
    }

    private func over() {
        isUnderWay = false
        let waiting = whenOver
        whenOver = []
        for then in waiting { then() }
    }
}
