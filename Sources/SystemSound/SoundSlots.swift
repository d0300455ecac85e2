internal import Syscalls

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
