import BelfryPictures
import BelfrySyscalls
import BelfryTerms
import Glibc

/// Where pictures are kept for the programs that show notifications: `<state>/attachments/<request id>/caller.png`.
///
/// A picture is there completely or not at all, for a day from its delivery. Two notifications may have one id, so each
/// writes under a temporary name of its own.
struct AttachmentStore {
    /// How long a picture is kept.
    static let keptSeconds: Int64 = 86_400
    /// How many requests' folders, and files in one, are looked at when old ones are removed.
    static let namesMax = 10_000
    /// Seconds after which a file that is being written is one that a dead worker left: longer than any worker lives.
    static let writingSecondsMax: Int64 = 600
    private static let fileName = "caller.png"
    /// How often a folder is made again if another worker removes it meanwhile.
    private static let attemptsMax = 3

    let statePath: String
    let requestID: String
    private let temporaryName = ".caller.png.\(randomUUID()).new"

    init(statePath: String, requestID: String) {
        self.statePath = statePath
        self.requestID = requestID
    }

    /// Where the picture of this request is once it is kept.
    var path: String { "\(statePath)/attachments/\(requestID)/\(Self.fileName)" }

    /// An empty file to write the picture to, which nobody finds before ``keep()``.
    func makeFile() throws(SystemError) -> OwnedDescriptor {
        var attempts = 0
        while true {
            attempts += 1
            do throws(SystemError) {
                return try folder(makes: true).create(temporaryName)
            } catch  where error.errno == ENOENT && attempts < Self.attemptsMax {
                // Another worker of the same id has just given up and removed the folder.
            }
        }
    }

    /// Keeps what was written.
    func keep() throws(SystemError) {
        try folder(makes: false).rename(temporaryName, to: Self.fileName)
    }

    /// What was written, if it is no longer than `bytesMax`.
    func written(bytesMax: Int) throws(SystemError) -> [UInt8] {
        try folder(makes: false).read(temporaryName, bytesMax: bytesMax)?.bytes ?? []
    }

    /// Keeps a picture that is here already.
    func keep(_ picture: [UInt8]) throws(SystemError) {
        let folder = try folder(makes: true)
        // It is there, and empty, if the server said that the picture has not changed.
        try folder.remove(temporaryName)
        try folder.replace(Self.fileName, with: picture, temporaryName: temporaryName, in: folder, isDurable: false)
    }

    /// Removes what was written and the folder with it, unless a picture is kept in it.
    func discard() {
        guard let folder = try? folder(makes: false) else { return }
        try? folder.remove(temporaryName)
        try? requests(makes: false).removeDirectory(requestID)
    }

    /// Removes the pictures of notifications older than a day, at the Unix second `now`, and what dead workers left.
    func removeOld(at now: Int64) {
        guard let requests = try? requests(makes: false), let names = try? requests.names(max: Self.namesMax) else {
            return
        }
        for name in names where name != requestID {
            guard let changed = try? requests.identity(of: name)?.modifiedMicroseconds else { continue }
            let seconds = now - changed / 1_000_000
            guard seconds > Self.writingSecondsMax, let old = try? requests.openDirectory(name, makes: false) else {
                continue
            }
            for file in (try? old.names(max: Self.namesMax)) ?? []
            where seconds > Self.keptSeconds || file != Self.fileName {
                try? old.remove(file)
            }
            // It stays as long as there is something in it.
            try? requests.removeDirectory(name)
        }
    }

    private func requests(makes: Bool) throws(SystemError) -> Directory {
        try Directory.open(path: statePath, makes: makes).openDirectory("attachments", makes: makes)
    }

    private func folder(makes: Bool) throws(SystemError) -> Directory {
        try requests(makes: makes).openDirectory(requestID, makes: makes)
    }
}

/// The pictures of the last day, shared by all workers: `<state>/avatars`, one file for each URL.
///
/// A cache that cannot be read or written is as good as an empty one: nothing here throws.
struct PictureCache {
    /// How many files are looked at when the cache is brought within its budget.
    static let filesMax = 10_000
    /// Seconds after which a file that is being written is one that a dead worker left.
    static let writingSecondsMax: Int64 = 600
    private static let temporarySuffix = ".new"

    let statePath: String

    /// The entry of `url`, if there is a complete one.
    func entry(of url: WebURL) -> CacheEntry? {
        guard let folder = try? folder(makes: false),
            let content = try? folder.read(CacheKey(url).fileName, bytesMax: CacheEntry.fileBytesMax)
        else { return nil }
        return CacheEntry(file: content.bytes, of: url)
    }

    /// Keeps `entry`, and removes what is too old or too much.
    func keep(_ entry: CacheEntry, of url: WebURL, at now: Int64) {
        guard let folder = try? folder(makes: true) else { return }
        let name = CacheKey(url).fileName
        let temporaryName = ".\(randomUUID())\(Self.temporarySuffix)"
        _ = try? folder.replace(
            name, with: entry.file, temporaryName: temporaryName, in: folder, isDurable: false)
        bringWithinBudget(folder, at: now)
    }

    private func bringWithinBudget(_ folder: borrowing Directory, at now: Int64) {
        let names = (try? folder.names(max: Self.filesMax)) ?? []
        var files: [CacheBudget.File] = []
        for name in names {
            guard let identity = try? folder.identity(of: name) else { continue }
            let changedAt = identity.modifiedMicroseconds / 1_000_000
            if name.hasSuffix(Self.temporarySuffix), now - changedAt > Self.writingSecondsMax {
                try? folder.remove(name)
            }
            files.append(CacheBudget.File(name: name, bytes: identity.sizeBytes, changedAt: changedAt))
        }
        for name in CacheBudget().expelled(from: files, at: now) { try? folder.remove(name) }
    }

    /// The cache's folder.
    func folder(makes: Bool) throws(SystemError) -> Directory {
        try Directory.open(path: statePath, makes: makes).openDirectory("avatars", makes: makes)
    }
}
