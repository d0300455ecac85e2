public import BelfrySyscalls
import Glibc
import SQLite3

/// A SQLite file in a directory of ours: in WAL mode; a transaction is on the disk before it returns.
///
/// It belongs to the thread that opened it.
@safe
public final class Database {
    /// Who else may have it open.
    public enum Sharing: Hashable, Sendable {
        /// Other processes too: one that finds it locked waits for a while.
        case shared
        /// No other process: for others it is busy.
        case exclusive
    }

    /// How long one process waits for the transaction of another.
    public static let patienceMilliseconds: Int32 = 5_000
    /// How many bytes a page has.
    private static let pageBytes = 4_096
    /// How large the log beside the file may stay once it is written back.
    private static let logBytesMax = 16 << 20

    private let connection: OpaquePointer

    /// Opens the file `name` in `directory`, made if it is missing, of `bytesMax` at most.
    ///
    /// It is opened by the directory's own path, in which no link is followed (S2).
    public init(
        _ name: String, in directory: borrowing Directory, sharing: Sharing, bytesMax: Int,
        patienceMilliseconds: Int32 = patienceMilliseconds
    ) throws(DatabaseError) {
        let path: String
        do throws(SystemError) {
            try directory.makeFile(name)
            path = "\(try directory.realPath())/\(name)"
        } catch {
            throw DatabaseError(error.errno == ENOSPC ? .full : .failed, "\(error)")
        }
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_EXRESCODE
        var opened: OpaquePointer?
        let code = unsafe sqlite3_open_v2(path, &opened, flags, nil)
        guard code == SQLITE_OK, let opened = unsafe opened else {
            let message = unsafe String(cString: sqlite3_errstr(code))
            unsafe sqlite3_close_v2(opened)
            throw DatabaseError(code: code, "\(directory.path)/\(name): \(message)")
        }
        unsafe connection = opened
        _ = unsafe sqlite3_busy_timeout(opened, patienceMilliseconds)
        if sharing == .exclusive { try execute("PRAGMA locking_mode = EXCLUSIVE") }
        try switchToWAL(within: patienceMilliseconds)
        try execute("PRAGMA synchronous = FULL")
        try execute("PRAGMA max_page_count = \(max(16, bytesMax / Self.pageBytes))")
        try execute("PRAGMA journal_size_limit = \(Self.logBytesMax)")
        // A process that is confined to its state has no other place for temporary files.
        try execute("PRAGMA temp_store = MEMORY")
    }

    deinit { _ = unsafe sqlite3_close_v2(connection) }

    /// SQLite waits for no lock where it changes the mode of a file: of two that make one together, one would fail.
    private func switchToWAL(within milliseconds: Int32) throws(DatabaseError) {
        let end = bootTimeMicroseconds() + Int64(milliseconds) * 1_000
        while true {
            do throws(DatabaseError) {
                return try execute("PRAGMA journal_mode = WAL")
            } catch  where error.kind == .busy && bootTimeMicroseconds() < end {
                // Whoever has it is done in a millisecond or two.
                _ = poll(nil, 0, 1)
            }
        }
    }

    /// Puts the file `name` in `directory` out of the way, as `name.corrupt`, replacing one that is there. No process
    /// may have it open.
    public static func setAside(_ name: String, in directory: borrowing Directory) throws(SystemError) {
        for ending in ["-wal", "-shm", ""] {
            do throws(SystemError) {
                try directory.rename(name + ending, to: "\(name).corrupt\(ending)")
            } catch  where error.errno == ENOENT {
                // The log is not always there.
            }
        }
    }

    /// Carries out `sql`, which must not contain text from outside.
    public func execute(_ sql: String) throws(DatabaseError) {
        try check(unsafe sqlite3_exec(connection, sql, nil, nil, nil))
    }

    /// Makes a statement of `sql`, whose values stand as question marks.
    public func prepare(_ sql: String) throws(DatabaseError) -> DatabaseStatement {
        var statement: OpaquePointer?
        try check(unsafe sqlite3_prepare_v3(connection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil))
        guard let statement = unsafe statement else { throw DatabaseError(.failed, "no statement: \(sql)") }
        return unsafe DatabaseStatement(statement, of: self)
    }

    /// Does all that `body` does, or nothing of it.
    public func transaction<Answer>(_ body: () throws(DatabaseError) -> Answer) throws(DatabaseError) -> Answer {
        // IMMEDIATE takes the write lock at once: otherwise two transactions that have both read could wait for each
        // other.
        try execute("BEGIN IMMEDIATE")
        do throws(DatabaseError) {
            let answer = try body()
            try execute("COMMIT")
            return answer
        } catch {
            // Some failures have rolled it back already.
            if unsafe sqlite3_get_autocommit(connection) == 0 { try? execute("ROLLBACK") }
            throw error
        }
    }

    /// Throws what SQLite says, unless `code` says that all is well.
    func check(_ code: Int32) throws(DatabaseError) {
        guard code != SQLITE_OK, code != SQLITE_DONE, code != SQLITE_ROW else { return }
        throw DatabaseError(code: code, unsafe String(cString: sqlite3_errmsg(connection)))
    }
}
