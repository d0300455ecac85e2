import BelfryAppGroup
import BelfrySyscalls
import BelfryTerms
import Glibc

/// Where a store lies in its group's container: one file, replaced whole under a lock, and what each extension has
/// loaded of it.
struct NumberStoreFolder: Sendable {
    /// How far an extension has loaded the store.
    struct Loaded: Hashable, Sendable {
        /// ``NumberStoreContent/id`` of the store.
        let id: UInt64
        /// Its last change by then.
        let changed: Int64
    }

    private static let name = "numbers"
    private static let lockName = ".numbers.lock"
    /// As many numbers as there may be, with labels of usual length.
    private static let bytesMax = 512 << 20
    /// How many removed numbers are remembered; of more, all are forgotten, and the next load is a whole one.
    private static let removedMax = 100_000

    let state: StateDirectory
    let group: GroupName

    private func open() throws(SystemError) -> Directory {
        try Directory.open(path: "\(try state.makeContainer(of: group))/Library/NumberStore", makes: true)
    }

    /// What the store holds; never part of a change.
    func read() throws(NumberStoreError) -> NumberStoreContent {
        do throws(SystemError) {
            guard let found = try open().read(Self.name, bytesMax: Self.bytesMax) else {
                return NumberStoreContent(id: 0)
            }
            guard let content = NumberStoreContent(bytes: found.bytes) else { throw Self.damage(group) }
            return content
        } catch {
            throw Self.error(error)
        }
    }

    /// Changes what the store holds: `body` gets it, and the date of the change. Done once it is on disk. False if the
    /// store was so already, and nothing is written.
    func change(
        _ body: (inout NumberStoreContent, Int64) throws(NumberStoreError) -> Void
    ) throws(NumberStoreError) -> Bool {
        do {
            let directory = try open()
            let lock = try FileLock.take(Self.lockName, in: directory)
            defer { extendLifetime(lock) }
            let before = try read()
            var content = before
            if content.id == 0 { content.id = .random(in: 1 ... .max) }
            let date = max(wallTimeMicroseconds(), before.changed + 1)
            try body(&content, date)
            guard content.blocked != before.blocked || content.identified != before.identified else { return false }
            content.changed = date
            content.forgetRemoved(ifMoreThan: Self.removedMax)
            let temporary = ".\(Self.name).new"
            // Left by a writer that was killed; the lock is held, so that nobody writes it.
            try directory.remove(temporary)
            try directory.replace(
                Self.name, with: content.bytes, temporaryName: temporary, in: directory, isDurable: true)
            return true
        } catch let error as SystemError {
            throw Self.error(error)
        } catch let error as NumberStoreError {
            throw error
        } catch {
            throw .failed("\(error)")
        }
    }

    /// How far the extension `id` has loaded the store; nil if that is not known.
    func loaded(by id: GroupName) -> Loaded? {
        let bytes = try? open().read(Self.loadedName(id), bytesMax: 64)?.bytes
        let words = bytes.map { String(decoding: $0, as: UTF8.self).split(separator: " ") } ?? []
        guard words.count == 2, let store = UInt64(words[0]), let changed = Int64(words[1]) else { return nil }
        return Loaded(id: store, changed: changed)
    }

    /// The extension `id` has loaded the store so far.
    func note(_ loaded: Loaded, by id: GroupName) throws(NumberStoreError) {
        do throws(SystemError) {
            let directory = try open()
            let lock = try FileLock.take(Self.lockName, in: directory)
            defer { extendLifetime(lock) }
            let name = Self.loadedName(id)
            try directory.remove(".\(name).new")
            try directory.replace(
                name, with: Array("\(loaded.id) \(loaded.changed)".utf8), temporaryName: ".\(name).new", in: directory,
                isDurable: true)
        } catch {
            throw Self.error(error)
        }
    }

    private static func loadedName(_ id: GroupName) -> String { "\(id.text).loaded" }

    private static func damage(_ group: GroupName) -> SystemError {
        SystemError(errno: EILSEQ, call: "read", subject: "the number store of \(group.text)")
    }

    private static func error(_ error: SystemError) -> NumberStoreError {
        [EILSEQ, EFBIG, EINVAL, ELOOP].contains(error.errno) ? .damaged("\(error)") : .failed("\(error)")
    }
}

extension NumberStoreContent {
    /// Forgets which numbers were removed, if those are more than `max`. No difference can be told from then on, so
    /// that it is another store for whoever has loaded it.
    fileprivate mutating func forgetRemoved(ifMoreThan max: Int) {
        guard blocked.removedCount + identified.removedCount > max else { return }
        blocked.forgetRemoved()
        identified.forgetRemoved()
        id = .random(in: 1 ... .max)
    }
}
