import AvatarCache
import AvatarPolicy
import Glibc
import Syscalls

/// The pictures of the last day, shared by all workers: `<state>/avatars`, one file for each URL.
///
/// Whatever is wrong with it is as if it were empty.
struct PictureCache {
    /// How many files are looked at when the cache is brought within its budget.
    static let filesMax = 10_000

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
        _ = try? folder.replace(
            name, with: entry.file, temporaryName: ".\(getpid()).new", in: folder, isDurable: false)
        let names = (try? folder.names(max: Self.filesMax)) ?? []
        let files = names.compactMap { name -> CacheBudget.File? in
            guard let identity = try? folder.identity(of: name) else { return nil }
            return CacheBudget.File(
                name: name, bytes: identity.sizeBytes, changedAt: identity.modifiedMicroseconds / 1_000_000)
        }
        for name in CacheBudget().expelled(from: files, at: now) { try? folder.remove(name) }
    }

    private func folder(makes: Bool) throws(SystemError) -> Directory {
        try Directory.open(path: statePath, makes: makes).openDirectory("avatars", makes: makes)
    }
}
