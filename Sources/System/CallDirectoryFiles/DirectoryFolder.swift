public import BelfrySyscalls
public import BelfryTerms
import Glibc

/// Whose table a file is.
public enum TableOwner: Hashable, Sendable {
    /// The person's address book.
    case contacts
    /// The list that the person keeps.
    case list
    /// An extension, by its identifier.
    case `extension`(GroupName)

    /// The name of its table's file. No identifier of an extension makes that of another.
    public var fileName: String {
        switch self {
        case .contacts: "contacts.numbers"
        case .list: "list.numbers"
        case .extension(let id): "\(id.text).extension.numbers"
        }
    }

    /// The file whose lock a writer of that table holds.
    var lockName: String { ".\(fileName).lock" }
}

/// The folder of the call directory: a table for each source, what the person has chosen, and the locks of those who
/// write.
public final class DirectoryFolder: Sendable {
    /// Its name in the state directory.
    public static let name = "directory"

    let directory: Directory

    private init(_ directory: consuming Directory) { self.directory = directory }

    /// Opens the folder of the state directory at `path`, made if it is missing and `makes`; nil if it is missing.
    public static func open(inStateDirectory path: String, makes: Bool) throws(SystemError) -> DirectoryFolder? {
        do throws(SystemError) {
            return DirectoryFolder(try Directory.open(path: "\(path)/\(name)", makes: makes))
        } catch  where error.errno == ENOENT && !makes {
            return nil
        }
    }

    /// Its path, for people.
    public var path: String { directory.path }

    /// Removes the table of `owner`.
    public func removeTable(of owner: TableOwner) throws(SystemError) {
        try directory.remove(owner.fileName)
    }

    /// When the table of `owner` was written, in microseconds since 1970; nil if there is none.
    public func tableDate(of owner: TableOwner) throws(SystemError) -> Int64? {
        try directory.identity(of: owner.fileName)?.modifiedMicroseconds
    }

    /// Takes the lock that a writer of `owner`'s table holds; nil if another does.
    public func tryLock(_ owner: TableOwner) throws(SystemError) -> FileLock? {
        try FileLock.tryTake(owner.lockName, in: directory)
    }

    /// Takes that lock, and waits for it.
    public func lock(_ owner: TableOwner) throws(SystemError) -> FileLock {
        try FileLock.take(owner.lockName, in: directory)
    }
}
