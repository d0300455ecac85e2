import BelfryContacts
import BelfrySyscalls
import CallDirectory
import CallDirectoryFiles
import Glibc

/// The table of the person's address book: each number in it, with its person's name.
struct ContactsLoad {
    private static let pieceBytes = 64 << 10

    /// How numbers are written in it.
    let plan: DialingPlan
    /// Where the table is.
    let folder: DirectoryFolder

    private struct Entry {
        let number: Int64
        let name: String
        /// Its place in the file: the first person of a number counts.
        let place: Int
    }

    /// Makes the table of the file at `path`; of none, there is none.
    func load(_ path: String?) throws(DirectoryFailure) -> LoadOutcome.Loaded {
        guard let path else {
            do throws(SystemError) { try folder.removeTable(of: .contacts) } catch {
                throw DirectoryFailure(.unknown, "the table cannot be removed: \(error)")
            }
            return LoadOutcome.Loaded()
        }
        let entries = try entries(of: path)
        let load: NumberTableLoad
        do throws(SystemError) {
            load = try NumberTableLoad(.contacts, in: folder, wantsDifference: false, entriesMax: .max)
        } catch {
            throw DirectoryFailure(.unknown, "the table cannot be written: \(error)")
        }
        do throws(DirectoryFailure) {
            return try write(entries, load)
        } catch {
            load.abandon()
            throw error
        }
    }

    private func write(_ entries: [Entry], _ load: NumberTableLoad) throws(DirectoryFailure) -> LoadOutcome.Loaded {
        for start in stride(from: 0, to: entries.count, by: 10_000) {
            let part = entries[start..<min(start + 10_000, entries.count)]
            try load.identify(part.map(\.number), labels: part.map { Array($0.name.utf8)[...] })
        }
        var loaded = LoadOutcome.Loaded()
        loaded.rows = try load.commit().rows
        loaded.identified = load.identified
        return loaded
    }

    /// The numbers of the file, in their order, each once.
    private func entries(of path: String) throws(DirectoryFailure) -> [Entry] {
        var entries: [Entry] = []
        do {
            try Self.forEachCard(at: path) { card in
                let name = [card.fullName, card.organization, card.nickname].first { !$0.isEmpty } ?? ""
                for labelled in card.numbers {
                    guard let number = plan.number(of: labelled.value) else { continue }
                    entries.append(Entry(number: number, name: name, place: entries.count))
                }
            }
        } catch {
            throw DirectoryFailure(.unknown, "the address book cannot be read: \(path): \(error)")
        }
        entries.sort { ($0.number, $0.place) < ($1.number, $1.place) }
        var last: Int64?
        return entries.filter { entry in
            defer { last = entry.number }
            return entry.number != last
        }
    }

    /// Calls `body` with each card of the file at `path`, of which a piece at a time is in memory.
    private static func forEachCard(at path: String, _ body: (ContactCard) -> Void) throws {
        let flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
        let file = OwnedDescriptor(owning: try checked("open", on: path) { unsafe open(path, flags) })
        var status = stat()
        guard unsafe fstat(file.number, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw SystemError(errno: EINVAL, call: "open", subject: "it is no regular file")
        }
        guard status.st_size <= ContactCards.fileBytesMax else {
            throw SystemError(errno: EFBIG, call: "read", subject: "more than \(ContactCards.fileBytesMax) bytes")
        }
        var reader = ContactCardReader(withPictures: false)
        var place = 0
        while place < Int(status.st_size) {
            let count = min(pieceBytes, Int(status.st_size) - place)
            let piece = try readBytes(of: file.number, at: place, count: count, path: path)
            guard !piece.isEmpty else { break }
            place += piece.count
            _ = try reader.read(piece) { card in
                body(card)
                return true
            }
        }
        try reader.end(body)
    }
}
