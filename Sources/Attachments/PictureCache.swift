import AvatarCache
import AvatarPolicy
import Syscalls

/// The pictures of the last day, shared by all workers: `<state>/avatars`, one file for each URL.
///
/// Whatever is wrong with it is as if it were empty.
struct PictureCache {
    /// How many files are looked at when the cache is brought within its budget.
    static let filesMax = 10_000
    /// Seconds after which a file that is being written is one that a dead worker left.
    static let writingSecondsMax: Int64 = 600
    private static let temporarySuffix = ".new"

    let statePath: String

    /// The entry of `url`, if there is a whole one.
    func entry(of url: WebURL) -> CacheEntry? {
        guard let folder = try? folder(makes: false),
            let content = try? folder.read(CacheKey(url).fileName, bytesMax: CacheEntry.fileBytesMax)
        else { return nil }
        return CacheEntry(file: content.bytes, of: url)
    }

    /// Keeps `entry`, and lets go of what is too old or too much.
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
