import BelfrySyscalls
import Glibc

/// This process's place among the few of the user's that sound at once (R23): PulseAudio takes 64 clients, and eight
/// rings are as loud as a thousand.
///
/// A place is a locked file in `$XDG_RUNTIME_DIR/belfry/sound-slots`, which the kernel frees when its holder dies.
/// Beside it a note names its holder. If all places are taken, a process whose ring is newer than the oldest writes
/// itself into the note of the oldest; the holder reads that at its next tick, falls silent and releases the place. A
/// place is only ever handed to a newer ring, so that places do not change hands in circles. Any process may take a
/// free one, unless its note names a process that is about to take it.
struct SoundSlot: ~Copyable {
    /// How many processes of a user sound at once (R23).
    static let slotsMax = 8
    /// The most bytes that are read of a note, which has three numbers.
    static let noteBytesMax = 80

    /// The user's runtime directory; nil if there is none.
    private let runtimeDirectory: String?
    private let process: ProcessIdentity
    /// The place that is ours, or that we have asked for.
    private var number: Int?
    /// Held as long as the place is ours.
    private var lock: FileLock?

    /// A process that has no place yet. Without a runtime directory nothing is counted, and every process may sound.
    init(runtimeDirectory: String?, process: ProcessIdentity = .current) {
        self.runtimeDirectory = runtimeDirectory
        self.process = process
    }

    /// Whether a newer ring asks for our place: then the caller has to fall silent and call ``release()``.
    ///
    /// - Parameter loudSince: when our newest loud ring began, in microseconds since boot; 0 if none is loud.
    func isWantedByAnother(loudSince: Int64) -> Bool {
        guard let number, lock != nil, let slots = try? openSlots() else { return false }
        let ours = SlotNote(loudSince: loudSince, process: process)
        let note = read(number, in: slots)
        if note == ours { return false }
        if let note, note.process != process, note.loudSince > loudSince, note.process.isAtWork { return true }
        write(ours, to: number, in: slots)
        return false
    }

    /// Whether we may sound. If all places are taken, this asks for the oldest; its holder releases it within a tick.
    mutating func take(loudSince: Int64) -> Bool {
        guard lock == nil else { return true }
        do {
            let slots = try openSlots()
            guard try !takeFree(loudSince: loudSince, in: slots) else { return true }
            if let number, isOurs(number, in: slots), !isHolderStopped(number, in: slots) { return false }
            withdraw(in: slots)
            try? askForOldest(loudSince: loudSince, in: slots)
            return false
        } catch {
            // A directory that is full, read-only or not ours must not cost a ring.
            return true
        }
    }

    /// Releases the place, or withdraws the request for one.
    mutating func release() {
        if let slots = try? openSlots() { withdraw(in: slots) }
        number = nil
        lock = nil
    }

    private mutating func takeFree(loudSince: Int64, in slots: borrowing Directory) throws(SystemError) -> Bool {
        // First the place that we have asked for, since its note keeps other processes away.
        for candidate in [number].compactMap({ $0 }) + Array(0..<Self.slotsMax) {
            guard let taken = try FileLock.tryTake("\(candidate)", in: slots) else { continue }
            if let owner = read(candidate, in: slots)?.process, owner != process, owner.isAtWork { continue }
            if number != candidate { withdraw(in: slots) }
            number = candidate
            lock = consume taken
            write(SlotNote(loudSince: loudSince, process: process), to: candidate, in: slots)
            return true
        }
        return false
    }

    private mutating func askForOldest(loudSince: Int64, in slots: borrowing Directory) throws(SystemError) {
        var older: [(number: Int, note: SlotNote)] = []
        for candidate in 0..<Self.slotsMax {
            guard let note = read(candidate, in: slots), note.loudSince < loudSince else { continue }
            older.append((candidate, note))
        }
        // A process that was stopped would not release its place until it continues.
        for (candidate, note) in older.sorted(by: { $0.note.loudSince < $1.note.loudSince })
        where !isHolderStopped(candidate, in: slots) {
            // One asker at a time, so that rings that begin together ask for different places.
            guard let turn = try FileLock.tryTake("\(candidate).ask", in: slots) else { continue }
            let isAsked = read(candidate, in: slots) == note
            if isAsked { write(SlotNote(loudSince: loudSince, process: process), to: candidate, in: slots) }
            _ = consume turn
            guard isAsked else { continue }
            number = candidate
            return
        }
    }

    /// Takes our name off the place that is ours, or that we have asked for.
    private mutating func withdraw(in slots: borrowing Directory) {
        if let number, isOurs(number, in: slots) { try? slots.remove(Self.noteName(number)) }
        number = nil
    }

    private func isOurs(_ number: Int, in slots: borrowing Directory) -> Bool {
        read(number, in: slots)?.process == process
    }

    private func isHolderStopped(_ number: Int, in slots: borrowing Directory) -> Bool {
        FileLock.holder(of: "\(number)", in: slots).map { ProcessIdentity.isStopped(pid: $0) } ?? false
    }

    private func read(_ number: Int, in slots: borrowing Directory) -> SlotNote? {
        (try? slots.read(Self.noteName(number), bytesMax: Self.noteBytesMax)).flatMap { SlotNote($0.bytes) }
    }

    private func write(_ note: SlotNote, to number: Int, in slots: borrowing Directory) {
        let (name, temporary) = (Self.noteName(number), "\(Self.noteName(number)).\(process.pid)")
        // A process of this number may have been killed while it wrote.
        try? slots.remove(temporary)
        // Without a note, no other process asks for this place: it is free once its holder ends.
        _ = try? slots.replace(name, with: note.bytes, temporaryName: temporary, in: slots, isDurable: false)
    }

    private static func noteName(_ number: Int) -> String { "\(number).note" }

    private func openSlots() throws(SystemError) -> Directory {
        guard let runtimeDirectory, runtimeDirectory.utf8.first == UInt8(ascii: "/") else {
            throw SystemError(errno: ENOENT, call: "open", subject: "XDG_RUNTIME_DIR")
        }
        return try Directory.open(path: runtimeDirectory, makes: false)
            .openDirectory("belfry", makes: true).openDirectory("sound-slots", makes: true)
    }
}

/// Whose a place is: `<loud since> <process> <its start>`.
private struct SlotNote: Equatable {
    /// When its newest loud ring began, in microseconds since boot; 0 if none is loud.
    let loudSince: Int64
    let process: ProcessIdentity

    init(loudSince: Int64, process: ProcessIdentity) {
        self.loudSince = loudSince
        self.process = process
    }

    /// Nil if `bytes` are no note.
    init?(_ bytes: [UInt8]) {
        let words = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace)
        guard words.count == 3, let since = Int64(words[0]), let pid = Int32(words[1]), let start = UInt64(words[2])
        else { return nil }
        self.init(loudSince: since, process: ProcessIdentity(pid: pid, startTicks: start))
    }

    var bytes: [UInt8] { Array("\(loudSince) \(process.pid) \(process.startTicks)\n".utf8) }
}

extension ProcessIdentity {
    /// Whether it lives and is not stopped, so that it will act at its next tick.
    fileprivate var isAtWork: Bool { isAlive && !Self.isStopped(pid: pid) }
}
