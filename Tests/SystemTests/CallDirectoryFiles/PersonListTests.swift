import CallDirectory
import CallDirectoryFiles
import Support
import Testing

@Suite struct PersonListTests {
    private let folder = TemporaryFolder()

    private func directory() throws -> DirectoryFolder {
        try #require(try DirectoryFolder.open(inStateDirectory: folder.makeFolder("state"), makes: true))
    }

    private func entries(_ list: PersonList) throws -> [NumberEntry] {
        var entries: [NumberEntry] = []
        try list.table()?.forEach { entry in
            entries.append(entry)
            return true
        }
        return entries
    }

    private func changes(_ body: (inout ListChanges) -> Void) -> ListChanges.Sorted {
        var changes = ListChanges()
        body(&changes)
        return changes.sorted()
    }

    @Test("a change keeps what it does not name") func differences() throws {
        let list = PersonList(in: try directory())
        #expect(try list.remove([1]) == PersonList.Change(rowsBefore: 0, rows: 0))
        let first = changes { changes in
            changes.add(30, isBlocked: true)
            changes.add(10, label: "ten")
            changes.add(20, isBlocked: true, label: "twenty")
        }
        #expect(try list.change(first) == PersonList.Change(rowsBefore: 0, rows: 3))
        let second = changes { changes in
            changes.add(10, isBlocked: true)
            changes.add(20, isBlocked: false, label: "new")
            changes.add(30, isBlocked: false)
        }
        #expect(try list.change(second) == PersonList.Change(rowsBefore: 3, rows: 2))
        let expected = [NumberEntry(10, isBlocked: true, label: "ten"), NumberEntry(20, label: "new")]
        #expect(try entries(list) == expected)
        let counts = try #require(try list.table()).counts()
        #expect(counts.blocked == 1 && counts.identified == 2)
        #expect(try list.remove([10, 11]) == PersonList.Change(rowsBefore: 2, rows: 1))
        #expect(try entries(list) == [NumberEntry(20, label: "new")])
    }

    @Test("of one kind all entries go, and the others stay") func clearing() throws {
        let list = PersonList(in: try directory())
        let both = changes { changes in
            changes.add(1, isBlocked: true)
            changes.add(2, isBlocked: true, label: "two")
            changes.add(3, label: "three")
        }
        _ = try list.change(both)
        try list.removeAll(of: .blocking)
        #expect(try entries(list) == [NumberEntry(2, label: "two"), NumberEntry(3, label: "three")])
        _ = try list.change(both)
        try list.removeAll(of: .identification)
        #expect(try entries(list) == [NumberEntry(1, isBlocked: true), NumberEntry(2, isBlocked: true)])
        try list.removeAll(of: nil)
        #expect(try list.table() == nil)
    }

    @Test("a list that is damaged is never written over, but by clearing it", arguments: [0, 70])
    func damage(from start: Int) throws {
        let list = PersonList(in: try directory())
        let one = changes { $0.add(4_930_123, isBlocked: true) }
        _ = try list.change(one)
        folder.damage("state/directory/list.numbers", from: start)
        #expect(throws: NoTable.self) { try list.table() }
        for attempt in [{ try list.change(one) }, { try list.remove([1]) }] as [() throws -> PersonList.Change] {
            do {
                _ = try attempt()
                Issue.record("it was changed")
            } catch let ListFailure.damaged(detail) {
                #expect(detail.contains("list.numbers"))
            }
        }
        #expect(throws: ListFailure.self) { try list.removeAll(of: .blocking) }
        try list.removeAll(of: nil)
        #expect(try list.change(one).rows == 1)
    }
}
