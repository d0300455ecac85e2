import BelfrySyscalls
import BelfryTerms
import CallDirectory
import CallDirectoryFiles
import Glibc
import Support
import Testing

/// Which source decides.
@Suite struct DirectoryLookupTests {
    private let place = TemporaryFolder()
    private let ids = ["a.first", "a.second"].compactMap { GroupName($0) }

    private func folder() throws -> DirectoryFolder {
        try #require(try DirectoryFolder.open(inStateDirectory: place.path, makes: true))
    }

    private func write(_ owner: TableOwner, blocked: [Int64] = [], label: String? = nil) throws {
        let load = try NumberTableLoad(owner, in: try folder(), wantsDifference: false, entriesMax: 100)
        try load.block(blocked)
        if let label { try load.identify([1], labels: [Array(label.utf8)[...]]) }
        _ = try load.commit()
    }

    private func enable(_ enabled: [Bool]) throws {
        try DirectoryRecords.change(in: try folder()) { records in
            records.all = zip(ids, enabled).map { id, isEnabled in
                var record = DirectoryRecord(id, app: id.text)
                record.isEnabled = isEnabled
                return record
            }
        }
    }

    /// What is said of the number 1, and what was complained of.
    private func lookUp() -> (verdict: NumberVerdict, complaints: [String]) {
        var complaints: [String] = []
        let verdict = DirectoryLookup.verdict(on: 1, inStateDirectory: place.path) { complaints.append($0) }
        return (verdict, complaints)
    }

    @Test("where there is no folder none is made, and nothing is said")
    func nothing() {
        #expect(lookUp().verdict == NumberVerdict() && lookUp().complaints.isEmpty)
        #expect(unsafe access("\(place.path)/directory", F_OK) == -1)
    }

    @Test("the address book comes before the person's list, and that before extensions")
    func order() throws {
        try write(.extension(ids[0]), blocked: [1], label: "first")
        try write(.extension(ids[1]), blocked: [1], label: "second")
        try enable([true, true])
        #expect(lookUp().verdict.known == NumberLabel("first", from: "a.first"))
        #expect(lookUp().verdict.isBlocked && lookUp().verdict.blockedBy == .extension(id: "a.first", app: "a.first"))
        try write(.list, label: "listed")
        #expect(lookUp().verdict.labelledBy == .list && !lookUp().verdict.isBlocked)
        try write(.list, blocked: [1])
        #expect(lookUp().verdict.blockedBy == .list)
        try write(.contacts, label: "Ann")
        #expect(lookUp().verdict.labelledBy == .contacts && !lookUp().verdict.isBlocked)
    }

    @Test("an extension that is off says nothing, wherever it stands")
    func off() throws {
        try write(.extension(ids[0]), blocked: [1])
        try write(.extension(ids[1]), label: "second")
        try enable([false, true])
        #expect(lookUp().verdict.known == NumberLabel("second", from: "a.second") && !lookUp().verdict.isBlocked)
        try enable([true, false])
        #expect(lookUp().verdict.isBlocked && lookUp().verdict.label == nil)
    }

    @Test("a table that is none is complained of and passed over, and is not read once all is decided")
    func garbage() throws {
        try write(.extension(ids[0]), blocked: [1], label: "first")
        place.write(Array("garbage".utf8), to: "directory/list.numbers")
        place.write(Array("garbage".utf8), to: "directory/a.second.extension.numbers")
        try enable([true, true])
        #expect(lookUp().verdict.isBlocked && lookUp().complaints.count == 1)
        #expect(lookUp().complaints.first?.contains("list.numbers") == true)
        try write(.extension(ids[0]), label: "first")
        #expect(lookUp().complaints.count == 2 && lookUp().verdict.label == "first")
        try write(.contacts, label: "Ann")
        #expect(lookUp().complaints.isEmpty)
    }

    @Test("a folder that is none is complained of, and the number rings")
    func noFolder() {
        place.write([], to: "directory")
        #expect(lookUp().verdict == NumberVerdict() && lookUp().complaints.count == 1)
    }
}
