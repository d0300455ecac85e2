import BelfryAppleGround
import BelfrySoundDecoding
import BelfrySyscalls
import BelfryTerms
import KeeperChannel

/// The sounds that the code has made, and the calls that it wants when they have been played.
enum SystemSounds {
    /// The most sounds that may exist at once.
    static let soundsMax = 1_000

    /// A sound file, or one of the system's sounds that code has set something for.
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
        // On the queue: a sound that was asked for before may still be read there, and the keeper must get that first.
        let door = KeeperDoor.current
        queue.async { door.say(.disposed(Int64(id))) }
        return true
    }

    /// Calls `body` with the entry of a sound, which it may change.
    static func change<Result: Sendable>(
        _ id: SystemSoundID, _ body: @Sendable (inout Sound) -> Result
    ) -> Result {
        state.withLock { body(&$0.sounds[id, default: Sound()]) }
    }

    /// Asks the keeper to play a sound. Once the attempt is over, calls `completion` and the sound's own completion:
    /// the one that the sound has then, since code may add one while it plays; if the sound is gone, the one it had.
    static func play(_ id: SystemSoundID, vibrates: Bool, _ completion: (() -> Void)?) {
        let sound = state.withLock { $0.sounds[id] }
        // The block is called on another thread, as on iOS, where the declaration has no @Sendable either.
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

    /// The decoded sound.
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
    /// The error for a sound that iOS brings along.
    fileprivate static let ofTheSystem = SoundDecodingError(detail: "iOS's own sounds are not here")
}
