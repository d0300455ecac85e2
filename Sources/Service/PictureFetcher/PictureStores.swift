import BelfryPictures
import BelfrySyscalls
import BelfryTerms
import Glibc

/// Where pictures are kept for the programs that show notifications: `<state>/attachments/<random UUID>/caller.png`.
///
/// A picture is there completely or not at all, for a day from its delivery. The folder's name is ours (S1): the sender
/// of a push chooses the notification's id, and could replace another one's picture by it.
struct KeptPictures {
    /// How long a picture is kept.
    static let keptSeconds: Int64 = 86_400
    /// How many pictures' folders, and files in one, are looked at when old ones are removed.
    static let namesMax = 10_000
    /// Seconds after which a file that is being written is one that a dead worker left: longer than any worker lives.
    static let writingSecondsMax: Int64 = 600
    private static let fileName = "caller.png"

    let statePath: String
    private let folderName = randomUUID()

    init(statePath: String) {
        self.statePath = statePath
    }

    /// Where the picture is once it is kept.
    var path: String { "\(statePath)/attachments/\(folderName)/\(Self.fileName)" }

    /// Fails if no picture could be kept, so that none is fetched in vain.
    func prepare() throws(SystemError) { _ = try folders(makes: true) }

    /// Keeps `picture` in a file that this process alone has written.
    func keep(_ picture: KeptPicture) throws(SystemError) {
        let folders = try folders(makes: true)
        let folder = try folders.openDirectory(folderName, makes: true)
        do throws(SystemError) {
            try folder.replace(
                Self.fileName, with: picture.bytes, temporaryName: ".\(Self.fileName).new", in: folder, isDurable: false
            )
        } catch {
            try? folders.removeDirectory(folderName)
            throw error
        }
    }

    /// Removes the pictures of notifications older than a day, at the Unix second `now`, and what dead workers left.
    /// `listed` returns the pictures of missed calls, which stay, or nil if they are not known; it is called only if a
    /// picture is old.
    func removeOld(at now: Int64, keeping listed: () -> Set<String>?) {
        guard let folders = try? folders(makes: false), let names = try? folders.names(max: Self.namesMax) else {
            return
        }
        // By their folders, whose names are unique, since a path may be spelled in several ways.
        lazy var kept = listed().map { Set($0.compactMap(Self.folderName(of:))) }
        for name in names where name != folderName {
            guard let changed = try? folders.identity(of: name)?.modifiedMicroseconds else { continue }
            let seconds = now - changed / 1_000_000
            guard seconds > Self.writingSecondsMax, let old = try? folders.openDirectory(name, makes: false) else {
                continue
            }
            let isOld = seconds > Self.keptSeconds && !(kept?.contains(name) ?? true)
            for file in (try? old.names(max: Self.namesMax)) ?? []
            where isOld || file != Self.fileName {
                try? old.remove(file)
            }
            // This fails, as it should, while there is something in it.
            try? folders.removeDirectory(name)
        }
    }

    /// The name of the folder in which the picture at `path` is.
    private static func folderName(of path: String) -> String? {
        path.split(separator: "/").dropLast().last.map(String.init)
    }

    private func folders(makes: Bool) throws(SystemError) -> Directory {
        try Directory.open(path: statePath, makes: makes).openDirectory("attachments", makes: makes)
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
