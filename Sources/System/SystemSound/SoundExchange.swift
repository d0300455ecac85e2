import BelfrySyscalls
import BelfryTerms

/// What the loop's thread and the sound thread exchange, for each sound by its number. Each side takes the lock for a
/// few assignments and never across a call into libcanberra, so neither can make the other wait (R14).
final class SoundExchange: Sendable {
    /// What the sound thread is to do next.
    enum Order: Hashable {
        /// Play the wanted sound with this number.
        case play(UInt32)
        /// Stop this sound, and say so under this number.
        case silence(UInt32, UInt64)
        /// A sound without ticks is heard, and it is time to look whether a ring asks for its place (R23).
        case lookForAsker
    }

    /// How often somebody looks for that: as often as a ring does by its ticks.
    static let lookInterval = TimeSpan.seconds(1)

    private struct Sound {
        /// The sound to be heard; nil once it is silenced. The question "still ringing?" looks here.
        var wanted: ResolvedSound?
        /// How many ticks were asked for: the end of an earlier tick is not the end of the sound.
        var ticks: UInt64 = 0
        /// The sound that was begun last, unless it is over.
        var begun: ResolvedSound?
        /// A tick that the thread has not taken yet, or is busy with. There is never a second: queued ticks would all
        /// sound when a hung server comes back.
        var playIsUnderWay = false
        var playIsWaiting = false
        /// Set before libcanberra is asked to play, cleared when the server has confirmed its silence.
        var mayBeHeard = false
        var silenceGiven: UInt64 = 0
        var silenceTaken: UInt64 = 0
        var silenceDone: UInt64 = 0
        /// The last report about the sound, from either side.
        var reported: SoundReport?
        var reportIsNew = false
        /// Set once its owner is gone: it is forgotten after its last silence.
        var isAbandoned = false

        /// Whether the thread may begin it, or go on with it.
        var isWanted: Bool { wanted != nil && silenceTaken == silenceGiven }
    }

    private struct State {
        var sounds: [UInt32: Sound] = [:]
        /// Sounds to be silenced, in the order that was asked.
        var silencesWaiting: [UInt32] = []
        /// Ticks to be played, in the order they were given; a silence removes the tick of its own sound.
        var playsWaiting: [UInt32] = []
    }

    private let state = LockedValue(State())
    private let signal = ThreadSignal()

    // MARK: - the loop's side

    /// Asks for `sound` as number `id`; false if the thread is still busy with an earlier tick of it, which then takes
    /// this sound, or if `sound` repeats and is heard already (R6).
    func give(_ sound: ResolvedSound, as id: UInt32) -> Bool {
        let given = state.withLock { state in
            var entry = state.sounds[id] ?? Sound()
            defer { state.sounds[id] = entry }
            if sound.repeats, entry.wanted == sound, entry.playIsUnderWay || entry.begun == sound { return false }
            entry.wanted = sound
            entry.ticks += 1
            // A sound that reports its end is not skipped, since the code waits for that report.
            if entry.playIsUnderWay, entry.playIsWaiting || !sound.tellsEnd { return false }
            entry.playIsUnderWay = true
            entry.playIsWaiting = true
            state.playsWaiting.append(id)
            return true
        }
        if given { signal.raise() }
        return given
    }

    /// The sound `id` is not wanted from now on. Returns the number under which the silence will be confirmed; nil if
    /// nothing of it can be heard.
    func giveSilence(of id: UInt32) -> UInt64? {
        let number: UInt64? = state.withLock { state in
            guard var entry = state.sounds[id] else { return nil }
            (entry.wanted, entry.begun) = (nil, nil)
            if entry.playIsWaiting { state.playsWaiting.removeAll { $0 == id } }
            entry.playIsUnderWay = entry.playIsUnderWay && !entry.playIsWaiting
            entry.playIsWaiting = false
            entry.reported = nil
            entry.reportIsNew = false
            if entry.silenceTaken == entry.silenceGiven { state.silencesWaiting.append(id) }
            entry.silenceGiven += 1
            state.sounds[id] = entry
            return entry.mayBeHeard ? entry.silenceGiven : nil
        }
        signal.raise()
        return number
    }

    /// The owner of `id` is gone: silences the sound and forgets it.
    func abandon(_ id: UInt32) {
        state.withLock { $0.sounds[id]?.isAbandoned = true }
        _ = giveSilence(of: id)
    }

    /// The last silence of `id` that the server confirmed.
    func silenceDone(of id: UInt32) -> UInt64 { state.withLock { $0.sounds[id]?.silenceDone ?? 0 } }

    /// Whether the thread still owes an answer for a tick of `id`.
    func isBusy(with id: UInt32) -> Bool { state.withLock { $0.sounds[id]?.playIsUnderWay ?? false } }

    /// Notes a report about `id` that the loop itself makes; false if it was made before.
    func note(_ news: SoundReport, of id: UInt32) -> Bool {
        state.withLock { state in
            guard let entry = state.sounds[id], entry.wanted != nil, entry.reported != news else { return false }
            state.sounds[id]?.reported = news
            state.sounds[id]?.reportIsNew = false
            return true
        }
    }

    /// The sound of tick `number` of `id` was heard to its end. Returns it if that tick is the last that was asked for,
    /// and still wanted.
    func takeEnd(of number: UInt64, of id: UInt32) -> ResolvedSound? {
        state.withLock { state in
            guard let entry = state.sounds[id], entry.ticks == number else { return nil }
            state.sounds[id]?.begun = nil
            return entry.wanted
        }
    }

    /// What the thread reported of `id` since the last time, if it still matters.
    func takeReport(of id: UInt32) -> SoundReport? {
        state.withLock { state in
            guard let entry = state.sounds[id], entry.reportIsNew, entry.wanted != nil else { return nil }
            state.sounds[id]?.reportIsNew = false
            return entry.reported
        }
    }

    // MARK: - the sound thread's side

    /// Blocks until there is something to do.
    func takeOrder() -> Order {
        while true {
            var isTickless = false
            let order: Order? = state.withLock { state in
                // Silences first: the end of a ring waits for each, and a tick after a silence of the same sound
                // belongs to another ring.
                if !state.silencesWaiting.isEmpty {
                    let id = state.silencesWaiting.removeFirst()
                    guard let given = state.sounds[id]?.silenceGiven else {
                        preconditionFailure("sound \(id) was forgotten before its last silence")
                    }
                    state.sounds[id]?.silenceTaken = given
                    return .silence(id, given)
                }
                isTickless = state.sounds.contains { $0.value.mayBeHeard && $0.value.wanted?.tellsEnd == true }
                guard !state.playsWaiting.isEmpty else { return nil }
                let id = state.playsWaiting.removeFirst()
                state.sounds[id]?.playIsWaiting = false
                return .play(id)
            }
            if let order { return order }
            if !isTickless {
                signal.wait()
            } else if !signal.wait(atMost: Self.lookInterval) {
                return .lookForAsker
            }
        }
    }

    /// Still ringing? Returns the sound to play for `id`; nil if it was silenced.
    func wantedSound(_ id: UInt32) -> ResolvedSound? {
        state.withLock { state in
            guard let entry = state.sounds[id], entry.isWanted else { return nil }
            return entry.wanted
        }
    }

    /// The sound to begin now for `id`, and the number of its tick; nil if it was silenced meanwhile. From here on the
    /// sound counts as heard.
    func beginSound(_ id: UInt32) -> (sound: ResolvedSound, tick: UInt64)? {
        state.withLock { state in
            guard let entry = state.sounds[id], entry.isWanted, let sound = entry.wanted else { return nil }
            state.sounds[id]?.mayBeHeard = true
            state.sounds[id]?.begun = sound
            return (sound, entry.ticks)
        }
    }

    /// A tick of `id` is dealt with; true if `news` is to be reported.
    func endPlay(_ id: UInt32, _ news: SoundReport?) -> Bool {
        state.withLock { state in
            guard let entry = state.sounds[id] else { return false }
            state.sounds[id]?.playIsUnderWay = entry.playIsWaiting
            if case .unavailable? = news { state.sounds[id]?.begun = nil }
            guard let news, entry.isWanted, entry.reported != news else { return false }
            state.sounds[id]?.reported = news
            state.sounds[id]?.reportIsNew = true
            return true
        }
    }

    /// Whether no other sound than `id` counts as heard.
    func isOnlySound(_ id: UInt32) -> Bool {
        state.withLock { $0.sounds.allSatisfy { $0.key == id || !$0.value.mayBeHeard } }
    }

    /// The sounds that may be heard.
    func heardSounds() -> [UInt32] { state.withLock { $0.sounds.filter(\.value.mayBeHeard).map(\.key) } }

    /// Nothing of `id` plays, though it may still be wanted. True if that is to be reported: a ring says so itself at
    /// its next tick.
    func fellSilent(_ id: UInt32) -> Bool {
        state.withLock { state in
            state.sounds[id]?.mayBeHeard = false
            state.sounds[id]?.begun = nil
            guard let entry = state.sounds[id], entry.isWanted, entry.wanted?.tellsEnd == true else { return false }
            state.sounds[id]?.reported = .busy
            state.sounds[id]?.reportIsNew = true
            return true
        }
    }

    /// Silence `number` of `id` is confirmed, and nothing of it plays.
    func endSilence(_ id: UInt32, _ number: UInt64) {
        state.withLock { state in
            guard let entry = state.sounds[id] else { return }
            state.sounds[id]?.mayBeHeard = false
            state.sounds[id]?.silenceDone = number
            if entry.isAbandoned, entry.silenceGiven == number { state.sounds[id] = nil }
        }
    }
}
