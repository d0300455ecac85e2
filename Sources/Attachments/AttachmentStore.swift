import Glibc
import Syscalls

/// Where pictures are kept for whoever shows a notification: `<state>/attachments/<request id>/caller.png`.
///
/// A picture is there whole or not at all, for a day from its delivery.
struct AttachmentStore {
    /// How long a picture is kept.
    static let keptSeconds: Int64 = 86_400
    /// How many requests' folders are looked at when old ones are removed.
    static let foldersMax = 10_000
    private static let fileName = "caller.png"
    private static let temporaryName = "caller.png.new"

    let statePath: String
    let requestID: String

    /// Where the picture of this request is once it is kept.
    var path: String { "\(statePath)/attachments/\(requestID)/\(Self.fileName)" }

    /// An empty file to write the picture to, which nobody finds before ``keep()``.
    func makeFile() throws(SystemError) -> OwnedDescriptor {
        try folder(makes: true).create(Self.temporaryName)
    }

    /// Keeps what was written.
    func keep() throws(SystemError) {
        try folder(makes: false).rename(Self.temporaryName, to: Self.fileName)
    }

    /// What was written, if it is no longer than `bytesMax`.
    func written(bytesMax: Int) throws(SystemError) -> [UInt8] {
        try folder(makes: false).read(Self.temporaryName, bytesMax: bytesMax)?.bytes ?? []
    }

    /// Keeps a picture that is here already.
    func keep(_ picture: [UInt8]) throws(SystemError) {
        let folder = try folder(makes: true)
        try folder.replace(
            Self.fileName, with: picture, temporaryName: Self.temporaryName, in: folder, isDurable: false)
    }

    /// Removes what was written and the folder with it, unless a picture is kept in it.
    func discard() {
        guard let folder = try? folder(makes: false) else { return }
        try? folder.remove(Self.temporaryName)
        try? requests(makes: false).removeDirectory(requestID)
    }

    /// Removes the pictures of notifications older than a day, at the Unix second `now`.
    func removeOld(at now: Int64) {
        guard let requests = try? requests(makes: false), let names = try? requests.names(max: Self.foldersMax) else {
            return
        }
        for name in names where name != requestID {
            guard let changed = try? requests.identity(of: name)?.modifiedMicroseconds else { continue }
            guard now - changed / 1_000_000 > Self.keptSeconds,
                let old = try? requests.openDirectory(name, makes: false)
            else { continue }
            for file in [Self.fileName, Self.temporaryName] { try? old.remove(file) }
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
