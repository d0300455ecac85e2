import CallTerms
public import EventLoop
public import Events
public import Syscalls
import SystemSound

/// What a ring is heard and felt by: one sound for loud rings, one for soft ones, and a vibrator.
public final class Ringer {
    private let player: SoundPlayer
    private let vibrator: any Vibrator
    private let environment: Environment
    private lazy var files = SoundFiles(environment: environment, programPath: runningProgramPath())
    private let settings: RingSettings
    private let tell: (Event.Body) -> Void
    private var sounds: [(mode: RingMode, sound: ResolvedSound?)] = []

    /// A ringer as `settings` want it; `environment` says where sounds and the user's runtime directory are.
    public init(
        loop: Loop, settings: RingSettings, environment: Environment, tell: @escaping (Event.Body) -> Void
    ) {
        self.settings = settings
        self.tell = tell
        self.environment = environment
        vibrator = NoVibrator()
        player = SoundPlayer(loop: loop, runtimeDirectory: environment["XDG_RUNTIME_DIR"]) { state in
            switch state {
            case .playing(let detail): tell(.sound(state: .playing, detail: detail))
            case .unavailable(let detail): tell(.sound(state: .unavailable, detail: detail))
            }
        }
    }

    func pulse(_ mode: RingMode) {
        switch mode {
        case .loud:
            play(mode)
            if settings.vibrates { vibrator.start(VibrationPulse.ring.fitted(to: settings.interval)) }
        case .soft: play(mode)
        case .silent: break
        }
    }

    func silence(_ silent: @escaping () -> Void) {
        vibrator.stop()
        player.silence(then: silent)
    }

    private func play(_ mode: RingMode) {
        guard settings.sound != SoundFiles.none, let sound = sound(for: mode) else { return }
        player.play(sound)
    }

    /// Looked up once for each mode; what is wrong with the setting is told then, and something else rings.
    private func sound(for mode: RingMode) -> ResolvedSound? {
        if let known = sounds.first(where: { $0.mode == mode }) { return known.sound }
        let (sound, problem) = files.resolve(configured: settings.sound, soft: mode == .soft)
        sounds.append((mode, sound))
        if let problem { tell(.warning(code: .configuration, detail: "[Ring] Sound=: \(problem)")) }
        if problem != nil, sound == nil { tell(.sound(state: .unavailable, detail: "no sound can be found")) }
        return sound
    }
}
