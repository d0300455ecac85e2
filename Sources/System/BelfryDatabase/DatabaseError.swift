import SQLite3

/// Why a database operation failed; the transaction had no effect.
public struct DatabaseError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of failure it is.
    public enum Kind: Hashable, Sendable {
        /// The disk is full, or the file has as many bytes as it may have.
        case full
        /// The file is damaged, or no database at all.
        case corrupt
        /// Another process held it for too long.
        case busy
        /// It has that value already, and may have it only once.
        case taken
        /// Anything else.
        case failed
    }

    /// What kind of failure it is.
    public let kind: Kind
    /// What failed, for people.
    public let description: String

    /// A failure of `kind`.
    public init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }

    /// What SQLite answered with `code`, which may be an extended one.
    init(code: Int32, _ message: String) {
        switch code & 0xFF {
        case SQLITE_FULL: kind = .full
        case SQLITE_CORRUPT, SQLITE_NOTADB: kind = .corrupt
        case SQLITE_BUSY, SQLITE_LOCKED: kind = .busy
        case SQLITE_CONSTRAINT: kind = .taken
        default: kind = .failed
        }
        description = "\(message) (SQLite \(code))"
    }
}
