import BelfrySyscalls
import BelfryTerms
import CallDirectory
import CallDirectoryFiles
import Support
import Testing

/// What the person has chosen, and the sources in that order.
@Suite struct DirectoryRecordsTests {
    private let place = TemporaryFolder()
    private let spam = GroupName("com.example.spam")
    private let names = GroupName("com.example.names")

    private func folder() throws -> DirectoryFolder {
        try #require(try DirectoryFolder.open(inStateDirectory: place.path, makes: true))
    }

    private func write(_ owner: TableOwner, blocked: [Int64], labels: [Int64: String]) throws {
        let load = try NumberTableLoad(owner, in: try folder(), wantsDifference: false, entriesMax: 100)
        try load.block(blocked.sorted())
        let numbers = labels.keys.sorted()
        try load.identify(numbers, labels: numbers.map { Array((labels[$0] ?? "").utf8)[...] })
        _ = try load.commit()
    }

    private func verdict(on number: Int64) -> NumberVerdict {
        DirectoryLookup.verdict(on: number, inStateDirectory: place.path) { Issue.record("\($0)") }
    }

    @Test("records are what was written, in their order; a file that is none is empty")
    func records() throws {
        let folder = try folder()
        let (spam, names) = (try #require(spam), try #require(names))
        var record = DirectoryRecord(spam, app: "Spam")
        record.isEnabled = true
        (record.failure, record.failedAt) = (DirectoryFailure(.duplicateEntries, "twice"), 7)
        let wanted = [DirectoryRecord(names, app: "Names"), record]
        try DirectoryRecords.change(in: folder) { $0.all = wanted }
        #expect(DirectoryRecords(in: folder).all == wanted && DirectoryRecords(in: folder)[spam] == record)
        place.write(Array("{".utf8), to: "directory/extensions.json")
        #expect(DirectoryRecords(in: folder).all.isEmpty)
    }

    @Test("extensions are asked in the person's order, and only those that are enabled")
    func order() throws {
        let (spam, names) = (try #require(spam), try #require(names))
        try write(.extension(spam), blocked: [1], labels: [1: "Fraud", 2: "Two"])
        try write(.extension(names), blocked: [], labels: [1: "Shop"])
        try write(.contacts, blocked: [], labels: [2: "Ann"])
        #expect(verdict(on: 1) == NumberVerdict())
        func enable(_ ids: [GroupName]) throws {
            try DirectoryRecords.change(in: try folder()) {
                $0.all = ids.map { id in
                    var record = DirectoryRecord(id, app: id == spam ? "Spam" : "Names")
                    record.isEnabled = true
                    return record
                }
            }
        }
        try enable([names, spam])
        #expect(verdict(on: 1).title == "Names: Shop" && verdict(on: 1).isBlocked)
        try enable([spam, names])
        #expect(verdict(on: 1).title == "Spam: Fraud" && verdict(on: 1).isBlocked)
        try enable([names])
        #expect(verdict(on: 1).title == "Names: Shop" && !verdict(on: 1).isBlocked)
        #expect(verdict(on: 2).labelledBy == .contacts && verdict(on: 3).label == nil)
    }

    @Test("one writer at a time: another is told so, or waits")
    func locks() throws {
        let folder = try folder()
        let lock = try folder.lock(.list)
        let isFree = try folder.tryLock(.list) != nil
        let isOtherFree = try folder.tryLock(.contacts) != nil
        #expect(!isFree && isOtherFree)
        extendLifetime(lock)
    }
}
