import BelfryEventLoop
import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import KeeperChannel
import SystemSound

/// What a foreign extension's code plays: each of its sounds beside the others, through its worker's sound server.
///
/// The token of each attempt that is over is reported, whether it succeeded or not. One that failed is over a second
/// after it was made, so that code that plays again from its completion tries as often as a ring does (R23).
///
/// A call that becomes active once they were first asked for silences them for as long as it is (C14).
final class ExtensionSounds {
    /// How many sounds play at once.
    static let soundsMax = 32
    /// How many sounds that were asked for may wait to be looked at; older ones are forgotten.
    static let asksMax = 1_000
    /// How long a failed attempt, or a vibration, lasts.
    static let attemptLength = TimeSpan.seconds(1)
    /// How often it is looked whether a call has become active, while something plays.
    static let lookInterval = TimeSpan.milliseconds(500)

    private let player: SoundPlayer?
    private let timers: any TimerSource
    private let report: (Event.Body) -> Void
    private let finished: (Int64) -> Void
    private let activeCalls: () -> Set<String>
    /// The calls that were active when the first sound was asked for: beside them it sounds.
    private lazy var callsBefore = activeCalls()
    private var looking: (any ScheduledTimer)?
    /// What was asked for and not found yet, the oldest first.
    private var asks: [(token: Int64, name: String)] = []
    /// What plays, by the extension's number of the sound.
    private var playing: [Int64: Playing] = [:]
    /// The last event about them.
    private var reported: Event.Body?
    /// How many sounds the server has not confirmed to be silent.
    private var silencing = 0
    private var whenSilent: [() -> Void] = []
    private var isEnded = false

    private struct Playing {
        let sound: PlayerSound
        var token: Int64
        var name: String
    }

    /// Sounds of an extension that has asked for none yet.
    ///
    /// - Parameters:
    ///   - player: plays them; nil if the operator wants no sound.
    ///   - activeCalls: which calls are active in its group.
    ///   - finished: takes the tokens of attempts that are over.
    init(
        player: SoundPlayer?, timers: any TimerSource, report: @escaping (Event.Body) -> Void,
        activeCalls: @escaping () -> Set<String>, finished: @escaping (Int64) -> Void
    ) {
        self.player = player
        self.timers = timers
        self.report = report
        self.activeCalls = activeCalls
        self.finished = finished
    }

    private var isInCall: Bool { !activeCalls().isSubset(of: callsBefore) }

    /// The code asked for a sound, or to vibrate.
    func asked(_ asked: Asked) {
        guard let token = asked.token else { return }
        _ = callsBefore
        switch asked.what.known {
        case .sound?, .alert?:
            if asks.count == Self.asksMax { asks.removeFirst() }
            asks.append((token, asked.path ?? asked.detail))
        // There is no file to look for: it is over after its time.
        default: finishLater(token)
        }
    }

    /// Takes what was found for a sound that was asked for; anything else is passed over.
    func found(_ found: FoundSound, _ file: PassedFile?) {
        guard let index = asks.firstIndex(where: { $0.token == found.token }) else { return }
        let name = asks.remove(at: index).name
        guard !isEnded else { return }
        guard let player else { return finishLater(found.token) }
        guard !isInCall else { return mute(found.token, name) }
        if let problem = found.problem { return failed(found.token, problem) }
        guard let file else { return failed(found.token, "\(name): no file came with it") }
        do throws(SoundProblem) {
            play(try ResolvedSound(passed: file, name: name), found, on: player)
        } catch {
            failed(found.token, error.description)
        }
    }

    /// The code has disposed of a sound: it is silent from now on.
    func disposed(_ number: Int64) {
        guard let entry = playing.removeValue(forKey: number) else { return }
        silence(entry.sound)
        finished(entry.token)
    }

    /// Silences all there is, for good, and calls `then` once the server has confirmed it, at the latest after
    /// `SoundPlayer.silencePatience`; before this returns if nothing is heard.
    func end(then: @escaping () -> Void) {
        isEnded = true
        looking?.cancel()
        let sounds = playing.values.map(\.sound)
        playing = [:]
        for sound in sounds { silence(sound) }
        guard silencing > 0 else { return then() }
        whenSilent.append(then)
    }

    private func play(_ sound: ResolvedSound, _ found: FoundSound, on player: SoundPlayer) {
        let number = found.sound
        if let earlier = playing[number] {
            // It begins anew, and so the earlier attempt is over.
            playing[number]?.token = found.token
            playing[number]?.name = sound.name
            finished(earlier.token)
            return earlier.sound.play(sound)
        }
        guard playing.count < Self.soundsMax else {
            return failed(found.token, "more than \(Self.soundsMax) sounds at once")
        }
        let entry = Playing(
            sound: player.makeSound { [weak self] state in
                self?.heard(number, state)
            } onEnd: { [weak self] in
                self?.disposed(number)
            }, token: found.token, name: sound.name)
        playing[number] = entry
        entry.sound.play(sound)
        if looking == nil { lookLater() }
    }

    private func lookLater() {
        looking = timers.schedule(at: timers.now + Self.lookInterval, description: "extension's sounds") {
            [weak self] in
            self?.look()
        }
    }

    /// Silences what plays if a call has become active.
    private func look() {
        looking = nil
        guard !playing.isEmpty else { return }
        guard isInCall else { return lookLater() }
        let entries = playing.values
        playing = [:]
        for entry in entries {
            silence(entry.sound)
            mute(entry.token, entry.name)
        }
    }

    private func mute(_ token: Int64, _ name: String) {
        tell(.sound(state: .muted, detail: "\(name): a call is active"))
        finishLater(token)
    }

    private func heard(_ number: Int64, _ state: SoundReport) {
        switch state {
        case .playing(let detail): tell(.sound(state: .playing, detail: detail))
        case .muted(let detail):
            let name = playing[number]?.name ?? ""
            tell(.sound(state: .muted, detail: "\(name): \(detail)"))
        case .unavailable(let detail):
            guard let entry = playing.removeValue(forKey: number) else { return }
            silence(entry.sound)
            failed(entry.token, "\(entry.name): \(detail)")
        }
    }

    private func failed(_ token: Int64, _ why: String) {
        tell(.sound(state: .unavailable, detail: why))
        finishLater(token)
    }

    /// Reports an event, once for each change.
    private func tell(_ event: Event.Body) {
        if reported != event { report(event) }
        reported = event
    }

    private func finishLater(_ token: Int64) {
        _ = timers.schedule(at: timers.now + Self.attemptLength, description: "extension's sound") { [weak self] in
            self?.finished(token)
        }
    }

    private func silence(_ sound: PlayerSound) {
        silencing += 1
        // Keep the sound until then and no longer: its place is given back when it goes.
        sound.silence { [self, sound] in
            _ = sound
            silencing -= 1
            guard silencing == 0 else { return }
            let waiting = whenSilent
            whenSilent = []
            for then in waiting { then() }
        }
    }
}
