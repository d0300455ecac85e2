public import BelfryEventLoop
import BelfrySyscalls
public import BelfryTerms

/// Plays the rings and other sounds of a process through libcanberra, all on one thread of its own and one connection
/// to the sound server. Every call is made on the loop's thread and returns at once, whatever the server does.
///
/// A process may end at any time, by exit(3) or by a signal: the sound thread is not waited for, wherever it is, and
/// the sound stops with the process.
public final class SoundPlayer: @unchecked Sendable {
    // Unchecked: everything but the exchange is touched on the loop's thread alone; the sound thread holds a reference
    // only to hand it back to the loop.

    /// How long the sound server may take to answer a tick before the sound counts as unavailable (R14).
    public static let answerPatience = TimeSpan.seconds(1)
    /// How long an end waits for the server to confirm the silence. Beyond it a hung server would delay the end of a
    /// ring.
    public static let silencePatience = TimeSpan.milliseconds(100)

    /// A repeating sound that was over sooner than this is begun again by the next tick only, since its server may
    /// leave as often as it comes.
    static let repeatedMin = TimeSpan.milliseconds(500)

    fileprivate let timers: any TimerSource
    fileprivate let exchange = SoundExchange()
    private let poster: LoopPoster
    private let runtimeDirectory: String?
    private let route: SoundRoute
    private let libraryName: String
    private var hasThread = false
    /// By number; each is here until it ends.
    private var sounds: [UInt32: Unowned] = [:]
    private var lastID: UInt32 = 0

    private struct Unowned {
        weak var sound: PlayerSound?
    }

    /// A player on `loop`. Nothing is opened and no thread is made before the first sound.
    ///
    /// - Parameters:
    ///   - runtimeDirectory: `$XDG_RUNTIME_DIR`, where the user's sounding processes are counted; nil counts none.
    ///   - route: where it plays to, and how loud.
    ///   - libraryName: what dlopen(3) is asked for; tests name one that is not there.
    public init(
        loop: Loop, runtimeDirectory: String?, route: SoundRoute = SoundRoute(),
        libraryName: String = "libcanberra.so.0"
    ) {
        self.timers = loop
        self.poster = loop.poster
        self.runtimeDirectory = runtimeDirectory
        self.route = route
        self.libraryName = libraryName
    }

    /// A sound that plays beside all others of this player, and is silenced without them.
    ///
    /// - Parameters:
    ///   - onState: is called with whether it is heard, once for each change, never after a silence.
    ///   - onEnd: is called once a sound that reports its end was heard to the end, or its server has left; never for
    ///     one that was played again or silenced before.
    public func makeSound(
        onState: @escaping (SoundReport) -> Void, onEnd: @escaping () -> Void = {}
    ) -> PlayerSound {
        repeat { lastID &+= 1 } while sounds[lastID] != nil
        let sound = PlayerSound(player: self, id: lastID, onState: onState, onEnd: onEnd)
        sounds[lastID] = Unowned(sound: sound)
        return sound
    }

    fileprivate func end(_ id: UInt32) {
        sounds[id] = nil
        exchange.abandon(id)
    }

    fileprivate func startThread() throws(SystemError) {
        guard !hasThread else { return }
        weak let player = self
        let poster = poster
        let manner = SoundThread.Manner(runtimeDirectory: runtimeDirectory, route: route, libraryName: libraryName)
        try SoundThread.start(exchange: exchange, manner: manner) { id in
            poster.post { player?.sounds[id]?.sound?.takeNews() }
        } tellEnd: { id, tick in
            poster.post { player?.sounds[id]?.sound?.takeEnd(of: tick) }
        }
        hasThread = true
    }
}

/// One ring, or other sound, of a ``SoundPlayer``: it is played tick by tick, and ends with this object.
public final class PlayerSound {
    private let player: SoundPlayer
    private let id: UInt32
    private let onState: (SoundReport) -> Void
    private let onEnd: () -> Void
    private var startFailure: SystemError?
    private var answerTimer: (any ScheduledTimer)?
    /// When the thread was last asked to begin it.
    private var begun: Instant?
    private var silences: [Silence] = []

    private struct Silence {
        let number: UInt64
        let timer: any ScheduledTimer
        let then: () -> Void
    }

    fileprivate init(
        player: SoundPlayer, id: UInt32, onState: @escaping (SoundReport) -> Void, onEnd: @escaping () -> Void
    ) {
        self.player = player
        self.id = id
        self.onState = onState
        self.onEnd = onEnd
    }

    deinit { player.end(id) }

    /// Plays one tick's sound, which replaces what still plays of the last.
    ///
    /// While the sound server owes an answer for an earlier tick this one is skipped, so nothing queues up; the sound
    /// then begins when the server answers, if the ring is still on. A sound that repeats is not cut: a tick begins it
    /// if it is not heard, and changes nothing if it is (R6).
    public func play(_ sound: ResolvedSound) {
        do throws(SystemError) {
            try player.startThread()
        } catch {
            // Reported once: the next tick tries again.
            if startFailure != error { onState(.unavailable("no thread for sound: \(error.reason)")) }
            startFailure = error
            return
        }
        guard player.exchange.give(sound, as: id) else { return }
        begun = player.timers.now
        answerTimer?.cancel()
        answerTimer = player.timers.schedule(
            at: player.timers.now + SoundPlayer.answerPatience, description: "sound answer"
        ) { [weak self] in
            self?.answerIsDue()
        }
    }

    /// Ends the sound and makes sure that none begins again, then calls `then`: on the loop, when the server has
    /// confirmed the silence, at the latest after ``SoundPlayer/silencePatience``; before this returns if nothing of
    /// this sound was ever heard (R7). The player's other sounds go on.
    public func silence(then: @escaping () -> Void) {
        answerTimer?.cancel()
        answerTimer = nil
        guard let number = player.exchange.giveSilence(of: id) else { return then() }
        let timer = player.timers.schedule(
            at: player.timers.now + SoundPlayer.silencePatience, description: "sound silence"
        ) { [weak self] in
            self?.silenceIsDone(upTo: number)
        }
        silences.append(Silence(number: number, timer: timer, then: then))
    }

    private func answerIsDue() {
        answerTimer = nil
        if player.exchange.isBusy(with: id), player.exchange.note(.hung, of: id) { onState(.hung) }
    }

    fileprivate func takeNews() {
        silenceIsDone(upTo: player.exchange.silenceDone(of: id))
        if let report = player.exchange.takeReport(of: id) { onState(report) }
    }

    fileprivate func takeEnd(of tick: UInt64) {
        guard let sound = player.exchange.takeEnd(of: tick, of: id) else { return }
        guard sound.repeats else { return onEnd() }
        if let begun, player.timers.now - begun >= SoundPlayer.repeatedMin { play(sound) }
    }

    private func silenceIsDone(upTo number: UInt64) {
        while let silence = silences.first, silence.number <= number {
            silences.removeFirst()
            silence.timer.cancel()
            silence.then()
        }
    }
}

/// Whether a sound is heard; the texts are for people.
public enum SoundReport: Hashable, Sendable {
    /// The sound server plays it.
    case playing(String)
    /// It plays it, and nobody hears it; why.
    case muted(String)
    /// It cannot be played now; later ticks try again.
    case unavailable(String)

    /// The report of a user's ninth process that would sound, and of the oldest of the eight once it has given up its
    /// place (R23).
    public static let busy = SoundReport.unavailable("busy")
    /// The report if the sound server does not answer within ``SoundPlayer/answerPatience``.
    public static let hung = SoundReport.unavailable("the sound server does not answer")
}
