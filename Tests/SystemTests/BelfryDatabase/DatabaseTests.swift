import BelfryDatabase
import BelfrySyscalls
import Glibc
import Support
import Synchronization
import Testing

@Suite struct DatabaseTests {
    private let folder = TemporaryFolder()

    private func directory() throws -> Directory { try Directory.open(path: folder.path, makes: false) }

    private func opened(
        _ sharing: Database.Sharing = .shared, bytesMax: Int = 1 << 20
    ) throws -> Database {
        try Database("a.sqlite", in: directory(), sharing: sharing, bytesMax: bytesMax)
    }

    @Test("every kind of value comes back as it was, empty ones too")
    func values() throws {
        let database = try opened()
        try database.execute("CREATE TABLE t (a, b, c, d, e, f)")
        try database.prepare("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?)").run([
            .integer(.min), .text("é\u{1F514}"), .blob([0, 1, 0]), .null, .blob([]), DatabaseValue(nil as String?),
        ])
        var rows = 0
        try database.prepare("SELECT a, b, c, d, e, f, e IS NULL FROM t").rows { row in
            rows += 1
            #expect(row.integer(0) == .min && row.optionalInteger(0) == .min)
            #expect(row.text(1) == "é\u{1F514}" && row.blob(2) == [0, 1, 0])
            #expect(row.optionalInteger(3) == nil && row.text(3) == nil && row.blob(3) == [])
            #expect(row.blob(4) == [] && row.integer(6) == 0 && row.text(5) == nil)
        }
        #expect(rows == 1)
    }

    @Test("so does what is added one after the other, and each run binds all anew")
    func bindings() throws {
        let database = try opened()
        try database.execute("CREATE TABLE t (a, b, c, d, e, f)")
        let add = try database.prepare("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?)")
        let (some, none): (Int64?, Int64?) = (.max, nil)
        let (word, noWord): (String?, String?) = ("é\u{1F514}", nil)
        let (bytes, noBytes): ([UInt8], [UInt8]) = ([0, 1, 0], [])
        try add.run { row in
            row.add(Int64.min)
            row.add(some)
            row.add("")
            row.add(word)
            row.add(bytes.span)
            row.add(noBytes.span)
        }
        try add.run { row in
            row.add(none)
            row.add(noWord)
            for number in 3...6 { row.add(Int64(number)) }
        }
        var rows = 0
        try database.prepare("SELECT a, b, c, d, e, f, f IS NULL FROM t").rows { row in
            rows += 1
            guard rows == 1 else {
                #expect(row.optionalInteger(0) == nil && row.text(1) == nil)
                return #expect((2...5).map { row.integer($0) } == [3, 4, 5, 6])
            }
            #expect(row.integer(0) == .min && row.optionalInteger(1) == .max && row.text(2) == "")
            #expect(row.text(3) == word && row.blob(4) == bytes && row.blob(5) == [] && row.integer(6) == 0)
        }
        #expect(rows == 2)
        #expect(throws: DatabaseError.self, "there are six places") {
            try add.run { row in for number in 1...7 { row.add(Int64(number)) } }
        }
    }

    @Test("a transaction is whole or not at all")
    func transactions() throws {
        let database = try opened()
        try database.execute("CREATE TABLE t (a UNIQUE)")
        let add = try database.prepare("INSERT INTO t VALUES (?)")
        #expect(throws: DatabaseError.self) {
            try database.transaction { () throws(DatabaseError) in
                try add.run([.integer(1)])
                try add.run([.integer(1)])
            }
        }
        let answer = try database.transaction { () throws(DatabaseError) in
            try add.run([.integer(2)])
            return 7
        }
        var found: [Int64] = []
        try database.prepare("SELECT a FROM t").rows { found.append($0.integer(0)) }
        #expect(found == [2] && answer == 7)
    }

    @Test("the same twice is taken, a full file is full, and both leave what was there")
    func kinds() throws {
        let database = try opened(bytesMax: 80 << 10)
        try database.execute("CREATE TABLE t (a UNIQUE, b)")
        let add = try database.prepare("INSERT INTO t VALUES (?, ?)")
        try add.run([.integer(1), .blob([])])
        #expect(kind { try add.run([.integer(1), .blob([])]) } == .taken)
        #expect(kind { try add.run([.integer(2), .blob([UInt8](repeating: 0, count: 200 << 10))]) } == .full)
        var count: Int64 = 0
        try database.prepare("SELECT count(*) FROM t").rows { count = $0.integer(0) }
        #expect(count == 1)
    }

    @Test("S5 the log beside the file is cut to 16 MiB by the transaction after one that took more")
    func logLimit() throws {
        let database = try opened(bytesMax: 64 << 20)
        try database.execute("CREATE TABLE t (a)")
        try database.execute("INSERT INTO t VALUES (zeroblob(\(20 << 20)))")
        var status = stat()
        #expect(unsafe stat("\(folder.path)/a.sqlite-wal", &status) == 0 && status.st_size > 20 << 20)
        try database.execute("INSERT INTO t VALUES (1)")
        #expect(unsafe stat("\(folder.path)/a.sqlite-wal", &status) == 0 && status.st_size == 16 << 20)
    }

    @Test("what was set aside lies beside, and a new file begins")
    func setAside() throws {
        folder.write(Array("no database at all, but long enough to have a header of its own".utf8), to: "a.sqlite")
        #expect(kind { _ = try opened() } == .corrupt)
        try Database.setAside("a.sqlite", in: directory())
        let database = try opened()
        try database.execute("CREATE TABLE t (a)")
        #expect(try directory().read("a.sqlite.corrupt", bytesMax: 100)?.bytes.first == UInt8(ascii: "n"))
        try Database.setAside("none", in: directory())
    }

    @Test("an exclusive file is busy for others, and free once its owner lets go")
    func exclusive() throws {
        var owner: Database? = try opened(.exclusive)
        try owner?.execute("CREATE TABLE t (a)")
        let path = folder.path
        let busy = kind {
            // Another connection of this process counts as another owner.
            let other = try Database(
                "a.sqlite", in: Directory.open(path: path, makes: false), sharing: .exclusive, bytesMax: 1 << 20,
                patienceMilliseconds: 1)
            try other.execute("CREATE TABLE u (a)")
        }
        #expect(busy == .busy)
        owner = nil
        try opened(.exclusive).execute("CREATE TABLE u (a)")
    }

    @Test("those who make a file together all have it") func together() throws {
        let path = folder.path
        for round in 0..<20 {
            let failures = Mutex<[String]>([])
            let threads = (0..<4).map { _ in
                PosixThread {
                    do {
                        _ = try Database(
                            "\(round).sqlite", in: Directory.open(path: path, makes: false), sharing: .shared,
                            bytesMax: 1 << 20)
                    } catch { failures.withLock { $0.append("\(error)") } }
                }
            }
            for thread in threads { thread.join() }
            #expect(failures.withLock { $0 } == [])
        }
    }

    @Test("S2: a link or a folder in the file's place is refused, and the file is for its owner alone")
    func links() throws {
        let outside = folder.write([], to: "outside")
        #expect(unsafe symlink(outside, "\(folder.path)/a.sqlite") == 0)
        #expect(kind { _ = try opened() } == .failed)
        #expect(unsafe unlink("\(folder.path)/a.sqlite") == 0)
        folder.makeFolder("a.sqlite")
        #expect(kind { _ = try opened() } == .failed)
        #expect(unsafe rmdir("\(folder.path)/a.sqlite") == 0)
        _ = try opened()
        var status = stat()
        #expect(unsafe stat("\(folder.path)/a.sqlite", &status) == 0 && status.st_mode & 0o777 == 0o600)
    }

    private func kind(_ body: () throws -> Void) -> DatabaseError.Kind? {
        do {
            try body()
            return nil
        } catch {
            return (error as? DatabaseError)?.kind
        }
    }
}
