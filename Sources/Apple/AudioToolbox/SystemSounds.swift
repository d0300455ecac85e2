import BelfryTerms
import HostChannel
import Synchronization
import UserNotifications

/// The sounds that the code has made, and what it wants to be told of.
enum SystemSounds {
    /// As many sounds may be there at once.
    static let soundsMax = 1_000

    /// A sound file, or one of the system's sounds of which something is asked.
    struct Sound: Sendable {
        /// Its file; nil for the system's.
        var path: String?
        /// Called after each attempt to play it.
        var completion: (@Sendable () -> Void)?
        /// Its properties, as Apple numbers them.
        var properties: [AudioServicesPropertyID: UInt32] = [:]
    }

    private struct State {
        var sounds: [SystemSoundID: Sound] = [:]
        /// Above every number of the system's.
        var next: SystemSoundID = 0x1_0000
    }

    private static let state = Mutex(State())

    /// The number of a new sound; nil if there are too many.
    static func make(path: String) -> SystemSoundID? {
        state.withLock { state in
            guard state.sounds.count < soundsMax else { return nil }
            defer { state.next += 1 }
            state.sounds[state.next] = Sound(path: path)
            return state.next
        }
    }

    /// Forgets a sound; false if there is none of this number.
    static func remove(_ id: SystemSoundID) -> Bool { state.withLock { $0.sounds.removeValue(forKey: id) != nil } }

    /// What is known of a sound, to be changed in place.
    static func change<Result: Sendable>(
        _ id: SystemSoundID, _ body: @Sendable (inout Sound) -> Result
    ) -> Result {
        state.withLock { body(&$0.sounds[id, default: Sound()]) }
    }

    /// Asks the host to play a sound, and calls both its own completion and `completion` once the attempt is over.
    static func play(_ id: SystemSoundID, vibrates: Bool, _ completion: (() -> Void)?) {
        let sound = state.withLock { $0.sounds[id] }
        let what: AskedKind = vibrates ? .alert : .sound
        let asked: Asked =
            if id == kSystemSoundID_Vibrate {
                Asked(CodeWord(.vibration))
            } else if let path = sound?.path {
                Asked(CodeWord(what), path: path)
            } else {
                Asked(CodeWord(what), detail: "the system's sound \(id)")
            }
        guard sound?.completion != nil || completion != nil else { return HostDoor.ask(asked) }
        // Called on another thread, as on iOS, whose declaration does not say so either.
        nonisolated(unsafe) let block = completion
        HostDoor.ask(asked) {
            unsafe block?()
            sound?.completion?()
        }
    }
}
