import BelfryAppleGround
import BelfrySoundDecoding
import BelfrySyscalls
import BelfryTerms
import KeeperChannel

/// The sounds that the code has made, and what it wants to be told of.
enum SystemSounds {
    /// As many sounds may be there at once.
    static let soundsMax = 1_000

    /// A sound file, or one of the system's sounds of which something is asked.
    struct Sound: Sendable {
        /// Its file; nil for the system's.
        var file: SoundFile?
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

    private static let state = LockedValue(State())
    /// Where sound files are read, one after the other, so that sounds reach the keeper in the order they were asked
    /// for.
    private static let queue = DispatchQueue(label: "belfry.sounds")

    /// The number of a new sound; nil if there are too many.
    static func make(path: String) -> SystemSoundID? {
        state.withLock { state in
            guard state.sounds.count < soundsMax else { return nil }
            defer { state.next += 1 }
            state.sounds[state.next] = Sound(file: SoundFile(path: path))
            return state.next
        }
    }

    /// Silences and forgets a sound; false if there is none of this number.
    static func remove(_ id: SystemSoundID) -> Bool {
        guard state.withLock({ $0.sounds.removeValue(forKey: id) != nil }) else { return false }
        // What was asked for before may still be looked at.
        let door = KeeperDoor.current
        queue.async { door.say(.disposed(Int64(id))) }
        return true
    }

    /// What is known of a sound, to be changed in place.
    static func change<Result: Sendable>(
        _ id: SystemSoundID, _ body: @Sendable (inout Sound) -> Result
    ) -> Result {
        state.withLock { body(&$0.sounds[id, default: Sound()]) }
    }

    /// Asks the keeper to play a sound, and calls both `completion` and its own once the attempt is over: the one that
    /// it has by then, since code may add one to a sound that plays; if it is gone by then, the one that it had.
    static func play(_ id: SystemSoundID, vibrates: Bool, _ completion: (() -> Void)?) {
        let sound = state.withLock { $0.sounds[id] }
        // Called on another thread, as on iOS, whose declaration does not say so either.
        nonisolated(unsafe) let block = completion
        let both: @Sendable () -> Void = {
            unsafe block?()
            (state.withLock { $0.sounds[id] } ?? sound)?.completion?()
        }
        let door = KeeperDoor.current
        if id == kSystemSoundID_Vibrate { return _ = door.ask(Asked(CodeWord(.vibration)), then: both) }
        var asked = Asked(CodeWord(vibrates ? .alert : .sound), path: sound?.file?.path)
        if asked.path == nil { asked.detail = "the system's sound \(id)" }
        guard let token = door.ask(asked, then: both) else { return }
        queue.async {
            let found = sound?.file?.wave ?? .failure(.ofTheSystem)
            switch found {
            case .success(let wave):
                door.say(.sound(FoundSound(token: token, sound: Int64(id), problem: nil), wave))
            case .failure(let error):
                door.say(.sound(FoundSound(token: token, sound: Int64(id), problem: error.detail), nil))
            }
        }
    }
}

/// A sound file, decoded when it is first played.
final class SoundFile: Sendable {
    let path: String
    private let decoded = LockedValue<Result<PassedFile, SoundDecodingError>?>(nil)

    init(path: String) { self.path = path }

    /// What can be played of it.
    var wave: Result<PassedFile, SoundDecodingError> {
        decoded.withLock { decoded in
            if let decoded { return decoded }
            let result = Result { () throws(SoundDecodingError) in try SoundDecoder.wave(ofFileAt: path) }
            decoded = result
            return result
        }
    }
}

extension SoundDecodingError {
    /// What is said of a sound that iOS brings along.
    fileprivate static let ofTheSystem = SoundDecodingError(detail: "iOS's own sounds are not here")
}
