public import BelfryEventLoop
import BelfrySyscalls
public import BelfryTerms

/// Plays a ring, tick by tick, through libcanberra on a thread of its own. Every call is made on the loop's thread and
/// returns at once, whatever the sound server does.
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

    private let timers: any TimerSource
    private let poster: LoopPoster
    private let slots: SoundSlots
    private let libraryName: String
    private let onState: (SoundReport) -> Void

    private let exchange = SoundExchange()
    private var hasThread = false
    private var startFailure: SystemError?
    private var answerTimer: (any ScheduledTimer)?
    private var silences: [Silence] = []

    private struct Silence {
        let number: UInt64
        let timer: any ScheduledTimer
        let then: () -> Void
    }

    /// A player on `loop`. Nothing is opened and no thread is made before the first sound.
    ///
    /// - Parameters:
    ///   - runtimeDirectory: `$XDG_RUNTIME_DIR`, where the user's sounding processes are counted; nil counts none.
    ///   - libraryName: what dlopen(3) is asked for; tests name one that is not there.
    ///   - onState: is told whether the ring is heard, once for each change, never after a silence.
    public init(
        loop: Loop,
        runtimeDirectory: String?,
        libraryName: String = "libcanberra.so.0",
        onState: @escaping (SoundReport) -> Void
    ) {
        self.timers = loop
        self.poster = loop.poster
        self.slots = SoundSlots(runtimeDirectory: runtimeDirectory)
        self.libraryName = libraryName
        self.onState = onState
    }

    /// Makes one tick's sound, in place of what still plays of the last.
    ///
    /// While the sound server owes an answer for an earlier tick this one is skipped, so nothing queues up; the sound
    /// then begins when the server answers, if the ring is still on.
    public func play(_ sound: ResolvedSound) {
        guard startThread() else { return }
        guard exchange.give(sound) else { return }
        answerTimer?.cancel()
        answerTimer = timers.schedule(at: timers.now + Self.answerPatience, description: "sound answer") {
            [weak self] in
            self?.answerIsDue()
        }
    }

    /// Ends the sound and makes sure that none begins again, then calls `then`: on the loop, when the server has
    /// confirmed the silence, at the latest after ``silencePatience``; before this returns if nothing was ever heard.
    public func silence(then: @escaping () -> Void) {
        answerTimer?.cancel()
        answerTimer = nil
        guard hasThread, let number = exchange.giveSilence() else { return then() }
        let timer = timers.schedule(at: timers.now + Self.silencePatience, description: "sound silence") {
            [weak self] in
            self?.silenceIsDone(upTo: number)
        }
        silences.append(Silence(number: number, timer: timer, then: then))
    }

    deinit {
        _ = exchange.giveSilence()
    }

    private func startThread() -> Bool {
        guard !hasThread else { return true }
        weak let player = self
        let poster = poster
        do throws(SystemError) {
            try SoundThread.start(exchange: exchange, slots: slots, libraryName: libraryName) {
                poster.post { player?.takeNews() }
            }
            hasThread = true
        } catch {
            // Said once: the next tick tries again.
            if startFailure != error { onState(.unavailable("no thread for sound: \(error.reason)")) }
            startFailure = error
        }
        return hasThread
    }

    private func answerIsDue() {
        answerTimer = nil
        if exchange.isBusy, exchange.note(.hung) { onState(.hung) }
    }

    private func takeNews() {
        silenceIsDone(upTo: exchange.silenceDone)
        if let report = exchange.takeReport() { onState(report) }
    }

    private func silenceIsDone(upTo number: UInt64) {
        while let silence = silences.first, silence.number <= number {
            silences.removeFirst()
            silence.timer.cancel()
            silence.then()
        }
    }
}

/// Whether a ring is heard; the texts are for people.
public enum SoundReport: Hashable, Sendable {
    /// The sound server plays it.
    case playing(String)
    /// It cannot be played now; later ticks try again.
    case unavailable(String)

    /// What the ninth process of a user says that would sound (R14).
    public static let busy = SoundReport.unavailable("busy")
    /// What is said of a sound server that does not answer within ``SoundPlayer/answerPatience``.
    public static let hung = SoundReport.unavailable("the sound server does not answer")
}

/// The user's few places to sound at once: PulseAudio takes 64 clients, and eight rings are as loud as a thousand.
///
/// A place is a locked file in `$XDG_RUNTIME_DIR/belfry/sound-slots`, which the kernel frees when its holder dies.
struct SoundSlots: Sendable {
    /// How many processes of a user sound at once (R14).
    static let slotsMax = 8

    /// What asking for a place comes to.
    enum Answer: ~Copyable {
        /// A place, held as long as the lock.
        case taken(FileLock)
        /// Places cannot be counted here, so nobody is turned away.
        case uncounted
        /// All are taken.
        case busy
    }

    /// The user's runtime directory; nil where there is none.
    let runtimeDirectory: String?

    /// Takes a free place without waiting.
    func take() -> Answer {
        guard let runtimeDirectory, runtimeDirectory.utf8.first == UInt8(ascii: "/") else { return .uncounted }
        do {
            let runtime = try Directory.open(path: runtimeDirectory, makes: false)
            let slots = try runtime.openDirectory("belfry", makes: true).openDirectory("sound-slots", makes: true)
            for slot in 0..<Self.slotsMax {
                if let lock = try FileLock.tryTake("\(slot)", in: slots) { return .taken(lock) }
            }
            return .busy
        } catch {
            // A directory that is full, read-only or not ours must not cost a ring.
            return .uncounted
        }
    }
}
