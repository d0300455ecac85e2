import SQLite3

/// A value in a row.
public enum DatabaseValue: Hashable, Sendable {
    /// Nothing.
    case null
    /// A whole number.
    case integer(Int64)
    /// Text.
    case text(String)
    /// Bytes.
    case blob([UInt8])

    /// `integer`, or nothing.
    public init(_ integer: Int64?) { self = integer.map(Self.integer) ?? .null }

    /// `text`, or nothing.
    public init(_ text: String?) { self = text.map(Self.text) ?? .null }
}

/// One statement, made once and carried out as often as it is wanted.
@safe
public final class DatabaseStatement {
    private let statement: OpaquePointer
    private let database: Database

    init(_ statement: OpaquePointer, of database: Database) {
        unsafe self.statement = statement
        self.database = database
    }

    deinit { _ = unsafe sqlite3_finalize(statement) }

    /// Carries it out with `values`, in the order of its question marks.
    public func run(_ values: [DatabaseValue] = []) throws(DatabaseError) {
        try rows(values) { _ in }
    }

    /// Carries it out with the values that `bind` adds for its question marks, in their order: for statements that run
    /// very often.
    public func run(_ bind: (inout DatabaseBinding) -> Void) throws(DatabaseError) {
        var binding = unsafe DatabaseBinding(statement)
        bind(&binding)
        // The bindings stay, since the next run binds all of them again.
        defer { _ = unsafe sqlite3_reset(statement) }
        try database.check(binding.code)
        try database.check(unsafe sqlite3_step(statement))
    }

    /// Carries it out with `values`, and calls `each` with each row that it finds.
    public func rows(_ values: [DatabaseValue] = [], _ each: (DatabaseRow) -> Void) throws(DatabaseError) {
        defer {
            _ = unsafe sqlite3_reset(statement)
            _ = unsafe sqlite3_clear_bindings(statement)
        }
        for (index, value) in values.enumerated() { try database.check(bind(value, at: Int32(index) + 1)) }
        while true {
            let code = unsafe sqlite3_step(statement)
            try database.check(code)
            guard code == SQLITE_ROW else { return }
            each(unsafe DatabaseRow(statement))
        }
    }

    private func bind(_ value: DatabaseValue, at index: Int32) -> Int32 {
        switch value {
        case .null: unsafe sqlite3_bind_null(statement, index)
        case .integer(let number): unsafe sqlite3_bind_int64(statement, index, number)
        case .text(let text):
            unsafe sqlite3_bind_text(statement, index, text, Int32(text.utf8.count), Self.copied)
        case .blob(let bytes):
            unsafe bytes.withUnsafeBytes {
                // An empty array may have no address, which would be NULL.
                unsafe $0.isEmpty
                    ? sqlite3_bind_zeroblob(statement, index, 0)
                    : sqlite3_bind_blob(statement, index, $0.baseAddress, Int32($0.count), Self.copied)
            }
        }
    }

    /// SQLITE_TRANSIENT, a macro that Swift does not see: SQLite keeps a copy.
    fileprivate static var copied: sqlite3_destructor_type? {
        unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    }
}

/// Binds values to the question marks of a statement, one after the other.
@safe
public struct DatabaseBinding {
    private let statement: OpaquePointer
    private var index: Int32 = 0
    /// SQLite's first failure, if there is one.
    private(set) var code = SQLITE_OK

    init(_ statement: OpaquePointer) { unsafe self.statement = statement }

    /// Adds a whole number.
    public mutating func add(_ integer: Int64) { note(unsafe sqlite3_bind_int64(statement, next(), integer)) }

    /// Adds a whole number, or nothing.
    public mutating func add(_ integer: Int64?) {
        if let integer { add(integer) } else { addNothing() }
    }

    /// Adds text.
    public mutating func add(_ text: String) {
        let (index, bytes) = (next(), text.utf8Span.span)
        note(
            unsafe bytes.withUnsafeBytes { bytes in
                // An empty text may have no address, which would be NULL.
                unsafe bytes.isEmpty
                    ? sqlite3_bind_text(statement, index, "", 0, DatabaseStatement.copied)
                    : sqlite3_bind_text(
                        statement, index, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count),
                        DatabaseStatement.copied)
            })
    }

    /// Adds text, or nothing.
    public mutating func add(_ text: String?) {
        if let text { add(text) } else { addNothing() }
    }

    /// Adds bytes.
    public mutating func add(_ bytes: Span<UInt8>) {
        let index = next()
        note(
            unsafe bytes.withUnsafeBytes { bytes in
                unsafe bytes.isEmpty
                    ? sqlite3_bind_zeroblob(statement, index, 0)
                    : sqlite3_bind_blob(
                        statement, index, bytes.baseAddress, Int32(bytes.count), DatabaseStatement.copied)
            })
    }

    private mutating func addNothing() { note(unsafe sqlite3_bind_null(statement, next())) }

    private mutating func next() -> Int32 {
        index += 1
        return index
    }

    private mutating func note(_ code: Int32) {
        if self.code == SQLITE_OK { self.code = code }
    }
}

/// A row that was found, for as long as the call back lasts.
@safe
public struct DatabaseRow {
    private let statement: OpaquePointer

    init(_ statement: OpaquePointer) { unsafe self.statement = statement }

    /// The whole number in `column`; 0 for nothing.
    public func integer(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(statement, column) }

    /// The whole number in `column`; nil for nothing.
    public func optionalInteger(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }

    /// The text in `column`; nil for nothing.
    public func text(_ column: Int32) -> String? {
        unsafe sqlite3_column_text(statement, column).map { unsafe String(cString: $0) }
    }

    /// The bytes in `column`; none for nothing.
    public func blob(_ column: Int32) -> [UInt8] {
        guard let bytes = unsafe sqlite3_column_blob(statement, column) else { return [] }
        let count = Int(unsafe sqlite3_column_bytes(statement, column))
        return unsafe Array(UnsafeRawBufferPointer(start: bytes, count: count))
    }

    private func isNull(_ column: Int32) -> Bool {
        unsafe sqlite3_column_type(statement, column) == SQLITE_NULL
    }
}
