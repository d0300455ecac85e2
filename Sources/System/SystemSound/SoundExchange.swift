import Synchronization

/// What the loop's thread and the sound thread tell each other. Each side takes the lock for a few assignments and
/// never across a call into libcanberra, so neither can make the other wait.
final class SoundExchange: Sendable {
    /// What the sound thread is to do next.
    enum Order {
        /// Play the wanted sound; the tick's number tells one order from the next.
        case play
        /// Stop what plays, and say so under this number.
        case silence(UInt64)
    }

    private struct State {
        /// The sound that is to be heard; nil once the ring is silenced: "still ringing?" asks this.
        var wanted: ResolvedSound?
        /// A tick that the thread has not taken yet, or is busy with. There is never a second: a queue of ticks would
        /// ring on when a hung server comes back.
        var playIsUnderWay = false
        var playIsWaiting = false
        /// Set before libcanberra is asked to play, cleared when the server has confirmed its silence.
        var mayBeHeard = false
        var silenceGiven: UInt64 = 0
        var silenceTaken: UInt64 = 0
        var silenceDone: UInt64 = 0
        /// What was last said of the sound, by whichever side.
        var reported: SoundReport?
        var reportIsNew = false
    }

    private let state = Mutex(State())
    private let signal = ThreadSignal()

    // MARK: - the loop's side

    /// Asks for `sound`; false if the thread is still busy with an earlier tick, which then takes this sound.
    func give(_ sound: ResolvedSound) -> Bool {
        let given = state.withLock { state in
            state.wanted = sound
            guard !state.playIsUnderWay else { return false }
            state.playIsUnderWay = true
            state.playIsWaiting = true
            return true
        }
        if given { signal.raise() }
        return given
    }

    /// Nothing is wanted from now on. Returns the number under which the silence will be confirmed; nil if nothing can
    /// be heard.
    func giveSilence() -> UInt64? {
        let number: UInt64? = state.withLock { state in
            state.wanted = nil
            state.playIsUnderWay = state.playIsUnderWay && !state.playIsWaiting
            state.playIsWaiting = false
            state.reported = nil
            state.reportIsNew = false
            state.silenceGiven += 1
            return state.mayBeHeard ? state.silenceGiven : nil
        }
        signal.raise()
        return number
    }

    /// The last silence that the server confirmed.
    var silenceDone: UInt64 { state.withLock { $0.silenceDone } }

    /// Whether the thread still owes an answer for a tick.
    var isBusy: Bool { state.withLock { $0.playIsUnderWay } }

    /// Notes what the loop found out by itself; false if it was said before.
    func note(_ news: SoundReport) -> Bool {
        state.withLock { state in
            guard state.wanted != nil, state.reported != news else { return false }
            state.reported = news
            state.reportIsNew = false
            return true
        }
    }

    /// What the thread reported since the last time, if it still matters.
    func takeReport() -> SoundReport? {
        state.withLock { state in
            guard state.reportIsNew, state.wanted != nil else { return nil }
            state.reportIsNew = false
            return state.reported
        }
    }

    // MARK: - the sound thread's side

    /// Blocks until there is something to do.
    func takeOrder() -> Order {
        while true {
            let order: Order? = state.withLock { state in
                // Silence first: a tick that follows it belongs to another ring.
                if state.silenceTaken != state.silenceGiven {
                    state.silenceTaken = state.silenceGiven
                    return .silence(state.silenceTaken)
                }
                guard state.playIsWaiting else { return nil }
                state.playIsWaiting = false
                return .play
            }
            if let order { return order }
            signal.wait()
        }
    }

    /// Still ringing? Whether the sound may go on, or be looked for.
    var isWanted: Bool { state.withLock { $0.wanted != nil && $0.silenceTaken == $0.silenceGiven } }

    /// The sound to begin now; nil if the ring was silenced meanwhile. From here on it counts as heard.
    func beginSound() -> ResolvedSound? {
        state.withLock { state in
            guard state.silenceTaken == state.silenceGiven, let wanted = state.wanted else { return nil }
            state.mayBeHeard = true
            return wanted
        }
    }

    /// A tick is dealt with; true if `news` is to be reported.
    func endPlay(_ news: SoundReport?) -> Bool {
        state.withLock { state in
            state.playIsUnderWay = state.playIsWaiting
            guard let news, state.wanted != nil, state.silenceTaken == state.silenceGiven, state.reported != news
            else { return false }
            state.reported = news
            state.reportIsNew = true
            return true
        }
    }

    /// Silence `number` is confirmed, and nothing plays.
    func endSilence(_ number: UInt64) {
        state.withLock { state in
            state.mayBeHeard = false
            state.silenceDone = number
        }
    }
}
