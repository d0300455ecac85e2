import BelfryPropertyList
import BelfrySyscalls
import BelfryTerms
import CallLedger
import Glibc
import RingEar

/// The notes that lie beside one group file: changes of the ledger that the file may not have.
///
/// A note is a file in the group's folder in memory. Its name says when and by which process it was written, and its
/// contents never change. The name ends in `owed` until the file has the note, then in `ring` as long as its ring is
/// on, or in `lost` while the file lacks that ring again. The process that holds the folder's lock decides alone;
/// reading takes no lock.
final class LedgerNotes {
    /// The folder that holds the notes and the ears.
    let folder: RingFolder

    private static let bytesMax = 1 << 18
    private static let namesMax = 4_096
    /// Within one tick of the kernel's clock, 10 ms at most, a folder can change twice and look as if it had once.
    private static let settlingTime = TimeSpan.milliseconds(20)

    /// The notes in the folder, in the order of their names.
    private var known: [Lying] = []
    /// Notes that this process could not write: no other process knows of them.
    private var unlaid: [LedgerNote] = []
    private var seen: (folder: FileIdentity, at: WallTime)?
    /// Changes whenever something new was read.
    private(set) var generation = 0
    private var lastAt: Int64 = 0

    /// One note in the folder.
    private struct Lying {
        /// Its name without ending.
        let stem: String
        /// Parsed once from its name: this runs at every wake-up.
        let isOfThisProcess: Bool
        var ending: Ending
        /// nil if it makes no sense.
        var note: LedgerNote?

        var name: String { LedgerNotes.name(stem, ending) }
        /// Whether the group file lacks it, as far as is known.
        var isOwed: Bool { note.map { $0.fileState != .recorded } ?? false }
    }

    private enum Ending: String {
        case owed, ring, lost
        /// It is being written, or its writer died over it.
        case unfinished

        var fileState: LedgerNote.FileState {
            switch self {
            case .owed, .unfinished: .owed
            case .ring: .recorded
            case .lost: .lost
            }
        }
    }

    init(folder: RingFolder) {
        self.folder = folder
    }

    /// All known notes, in no order.
    var all: [LedgerNote] { known.compactMap(\.note) + unlaid }

    /// Whether the group file lacks something.
    var areOwed: Bool { areKnownHereAlone || known.contains { $0.isOwed } }

    /// Whether the group file still lacks something that this process changed. Checks only this process's own notes: if
    /// many processes wait for the file, each would otherwise read the notes of all.
    var areStillOwed: Bool {
        areKnownHereAlone
            || known.contains {
                guard $0.isOwed, $0.isOfThisProcess else { return false }
                return (try? folder.directory?.identity(of: $0.name)) != nil
            }
    }

    /// Whether others find all notes of this process.
    var areKept: Bool { unlaid.isEmpty }

    /// Whether a change of this process is neither in the group file nor known to any other process.
    var areKnownHereAlone: Bool { unlaid.contains { $0.fileState == .owed } }

    /// Reads the new notes in the folder.
    func refresh() {
        guard let identity = folder.version() else { return forgetOthers() }
        let now = WallTime(microseconds: wallTimeMicroseconds())
        if let seen, seen.folder == identity, seen.at - identity.modified >= Self.settlingTime { return }
        guard let names = try? folder.directory?.names(max: Self.namesMax) else { return }
        seen = (identity, now)
        take(names)
    }

    /// The folder is gone. It is removed only when it is empty, so the notes of others are recorded.
    private func forgetOthers() {
        guard known.contains(where: { !$0.isOfThisProcess }) else { return }
        known.removeAll { !$0.isOfThisProcess }
        generation += 1
    }

    private func take(_ names: [String]) {
        var (found, isNew) = ([Lying](), false)
        var earlier = known[...]
        for name in names.sorted() {
            guard let (stem, ending) = Self.parts(of: name), found.last?.stem != stem else { continue }
            if ending == .unfinished {
                if Self.writer(of: stem)?.isAlive != true { try? folder.directory?.remove(name) }
                continue
            }
            while let first = earlier.first, first.stem < stem { earlier.removeFirst() }
            var lying: Lying
            if let first = earlier.first, first.stem == stem, first.note != nil {
                lying = first
            } else {
                lying = Lying(
                    stem: stem, isOfThisProcess: Self.writer(of: stem) == .current, ending: .owed,
                    note: bytes(of: name).flatMap(Self.note))
                isNew = true
            }
            if lying.ending != ending {
                lying.ending = ending
                lying.note?.fileState = ending.fileState
                isNew = true
            }
            found.append(lying)
        }
        if isNew || found.count != known.count { generation += 1 }
        known = found
    }

    /// The contents of `name`; nil if it cannot be read.
    private func bytes(of name: String) -> [UInt8]? {
        (try? folder.directory?.read(name, bytesMax: Self.bytesMax))?.bytes
    }

    private static func note(in bytes: [UInt8]) -> LedgerNote? {
        (try? PropertyListDictionary.parse(bytes)).flatMap(LedgerNote.init)
    }

    /// Writes `note` into the folder (R22). If there is no room for it, only this process knows of it.
    func lay(_ note: LedgerNote) {
        var note = note
        // Of two changes within one tick of the clock, this is the later one.
        while known.contains(where: { $0.note?.at == note.at }) { note.at = note.at + TimeSpan(microseconds: 1) }
        lastAt = max(lastAt + 1, note.at.microseconds)
        let writer = ProcessIdentity.current
        let stem = "\(lastAt)-\(writer.pid)-\(writer.startTicks)"
        let bytes = note.root.serializedXML()
        do throws(SystemError) {
            do throws(SystemError) {
                try write(bytes, as: Self.name(stem, .owed), aside: Self.name(stem, .unfinished))
            } catch  where error.errno == ENOENT {
                // The folder was removed after it was opened.
                try write(bytes, as: Self.name(stem, .owed), aside: Self.name(stem, .unfinished))
            }
            for earlier in known where earlier.isOfThisProcess && earlier.note?.isCovered(by: note) ?? false {
                remove(earlier.stem)
            }
            known.append(Lying(stem: stem, isOfThisProcess: true, ending: .owed, note: note))
        } catch {
            unlaid.append(note)
        }
    }

    private func write(_ bytes: [UInt8], as name: String, aside: String) throws(SystemError) {
        guard bytes.count <= Self.bytesMax else {
            throw SystemError(errno: EFBIG, call: "write", subject: name)
        }
        try folder.open(makes: true)
        try folder.directory?.write(bytes, as: name, aside: aside)
    }

    /// The group file has all of `notes`, which `ledger` includes: removes those that are no longer needed.
    func recorded(_ notes: [LedgerNote], in ledger: Ledger) {
        unlaid.removeAll { notes.contains($0) && $0.isDone(in: ledger) }
        for index in unlaid.indices where notes.contains(unlaid[index]) { unlaid[index].fileState = .recorded }
        for lying in known {
            let stem = lying.stem
            guard let note = lying.note else {
                removeNonsense(lying)
                continue
            }
            guard notes.contains(note) else { continue }
            if note.isDone(in: ledger) {
                remove(stem)
            } else if lying.isOwed {
                try? folder.directory?.rename(lying.name, to: Self.name(stem, .ring))
                for index in known.indices where known[index].stem == stem {
                    known[index].ending = .ring
                    known[index].note?.fileState = .recorded
                }
            }
        }
    }

    /// Removes a note that can be read but makes no sense, once its writer is dead.
    private func removeNonsense(_ lying: Lying) {
        guard let bytes = bytes(of: lying.name), Self.writer(of: lying.stem)?.isAlive != true else { return }
        if Self.note(in: bytes) == nil { return remove(lying.stem) }
        // It makes sense after all: when it was read first, there was no descriptor for it. Read the folder again.
        seen = nil
    }

    /// Removes notes whose calls are forgotten in `ledger`, which includes them. Needed if the file cannot be written
    /// for a long time.
    func removeForgotten(in ledger: Ledger) {
        for lying in known where lying.note?.isForgotten(in: ledger) ?? false { remove(lying.stem) }
    }

    /// Another program's write has dropped rings of this process from the file, which now says `root`: marks their
    /// notes as lost (R22).
    func reopen(lostFrom root: PropertyListDictionary) {
        let lost = known.filter { $0.isOfThisProcess && $0.note?.isLost(from: root) ?? false }
        guard !lost.isEmpty else { return }
        for lying in lost { try? folder.directory?.rename(lying.name, to: Self.name(lying.stem, .lost)) }
        refresh()
    }

    private func remove(_ stem: String) {
        // In this order: a process that records the note at this moment renames it from the first name to the second.
        if let lying = known.first(where: { $0.stem == stem }), lying.ending != .ring {
            try? folder.directory?.remove(lying.name)
        }
        try? folder.directory?.remove(Self.name(stem, .ring))
        known.removeAll { $0.stem == stem }
    }

    private static func name(_ stem: String, _ ending: Ending) -> String { "\(stem).\(ending.rawValue)" }

    private static func parts(of name: String) -> (stem: String, ending: Ending)? {
        guard let dot = name.lastIndex(of: "."), let ending = Ending(rawValue: String(name[name.index(after: dot)...]))
        else { return nil }
        return (String(name[..<dot]), ending)
    }

    private static func writer(of stem: String) -> ProcessIdentity? {
        let parts = stem.split(separator: "-")
        guard parts.count == 3, let pid = Int32(parts[1]), let start = UInt64(parts[2]) else { return nil }
        return ProcessIdentity(pid: pid, startTicks: start)
    }
}

extension FileIdentity {
    fileprivate var modified: WallTime { WallTime(microseconds: modifiedMicroseconds) }
}
