internal import Glibc
internal import Syscalls

/// The user's few places to sound at once: PulseAudio takes 64 clients, and eight rings are as loud as a thousand.
///
/// A place is a locked file in `$XDG_RUNTIME_DIR/belfry/sound-slots`, which the kernel frees when its holder dies.
struct SoundSlots: Sendable {
    /// How many processes of a user sound at once (R14).
    static let slotsMax = 8

    /// What asking for a place comes to.
    enum Answer: ~Copyable {
        /// A place, held as long as the descriptor.
        case taken(OwnedDescriptor)
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
            let runtime = try Self.directory(runtimeDirectory, in: AT_FDCWD, making: false)
            let belfry = try Self.directory("belfry", in: runtime.number, making: true)
            let slots = try Self.directory("sound-slots", in: belfry.number, making: true)
            for slot in 0..<Self.slotsMax {
                let file = try Self.file("\(slot)", in: slots.number)
                if flock(file.number, LOCK_EX | LOCK_NB) == 0 { return .taken(file) }
            }
            return .busy
        } catch {
            // A directory that is full, read-only or not ours must not cost a ring.
            return .uncounted
        }
    }

    /// Opens a directory that is ours and that nobody else writes (S2).
    private static func directory(
        _ name: String,
        in parent: Int32,
        making: Bool
    ) throws(SystemError) -> OwnedDescriptor {
        if making, unsafe mkdirat(parent, name, 0o700) != 0, errno != EEXIST {
            throw SystemError(errno: errno, call: "mkdirat", subject: name)
        }
        let directory = OwnedDescriptor(
            owning: try checked("openat", on: name) {
                unsafe openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            }
        )
        var status = stat()
        let number = directory.number
        try checked("fstat", on: name) { unsafe fstat(number, &status) }
        guard status.st_uid == geteuid(), status.st_mode & (S_IWGRP | S_IWOTH) == 0 else {
            throw SystemError(errno: EPERM, call: "openat", subject: name)
        }
        return directory
    }

    private static func file(_ name: String, in directory: Int32) throws(SystemError) -> OwnedDescriptor {
        let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK
        return OwnedDescriptor(
            owning: try checked("openat", on: name) { unsafe openat(directory, name, flags, 0o600) }
        )
    }
}
