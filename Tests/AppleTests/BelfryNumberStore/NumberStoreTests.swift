import BelfryAppGroup
import BelfryAppleGround
import BelfrySyscalls
import BelfryTerms
import Glibc
import Support
import Testing

@testable import BelfryNumberStore

/// The numbers that an app keeps for its call directory: eight operations on one file.
@Suite(.onPhone, .timeLimit(.minutes(10))) struct NumberStoreTests {
    private func path(_ group: String) -> String { "\(Phone.state.path)/groups/\(group)/Library/NumberStore" }

    private func bytes(_ group: String) -> [UInt8]? {
        try? readFile(at: "\(path(group))/numbers", bytesMax: 1 << 26).bytes
    }

    private func failure(_ body: () async throws -> Void) async -> NumberStoreError? {
        do {
            try await body()
            return nil
        } catch {
            return error as? NumberStoreError
        }
    }

    @Test("what is added is there, once and in order; what is added again is replaced; what is removed is gone")
    func operations() async throws {
        let store = NumberStore(group: "group.store")
        #expect(try await store.blockedNumbers == [])
        #expect(try await store.identifiedNumbers == [])
        try await store.addBlocked([3, 1, 2, 3])
        try await store.addBlocked([2, 999_999_999_999_999])
        #expect(try await store.blockedNumbers == [1, 2, 3, 999_999_999_999_999])
        try await store.removeBlocked([2, 7, -1, .min])
        #expect(try await store.blockedNumbers == [1, 3, 999_999_999_999_999])
        #expect(try await store.identifiedNumbers == [])
        let ada = IdentifiedNumber(1, label: "Ada")
        try await store.addIdentified([IdentifiedNumber(2, label: "Bob"), ada, IdentifiedNumber(2, label: "Bea")])
        #expect(try await store.identifiedNumbers == [ada, IdentifiedNumber(2, label: "Bea")])
        try await store.addIdentified([IdentifiedNumber(2, label: "Zoë\n")])
        try await store.removeIdentified([1, 5])
        try await store.removeAllBlocked()
        // Another object, as in another process.
        let other = NumberStore(group: "group.store")
        let zoe = IdentifiedNumber(2, label: "Zoë\n")
        #expect(try await other.identifiedNumbers == [zoe])
        #expect(try await other.blockedNumbers == [])
        try await other.addBlocked([2])
        try await other.removeAllIdentified()
        #expect(try await store.blockedNumbers == [2])
        #expect(try await store.identifiedNumbers == [])
    }

    @Test("a wrong number or label throws, and nothing is changed, not even by the right ones beside it")
    func wrong() async throws {
        let store = NumberStore(group: "group.wrong")
        try await store.addBlocked([5])
        let before = bytes("group.wrong")
        for number in [0, -1, .min, .max, 1_000_000_000_000_000] as [Int64] {
            #expect(await failure { try await store.addBlocked([6, number, 7]) } == .wrongNumber(number))
            let named = [IdentifiedNumber(6, label: "a"), IdentifiedNumber(number, label: "b")]
            #expect(await failure { try await store.addIdentified(named) } == .wrongNumber(number))
        }
        for label in ["", String(repeating: "é", count: 513)] {
            let named = [IdentifiedNumber(6, label: "a"), IdentifiedNumber(8, label: label)]
            #expect(await failure { try await store.addIdentified(named) } == .wrongLabel(8))
        }
        #expect(bytes("group.wrong") == before && before != nil)
        // What changes nothing writes nothing.
        try await store.addBlocked([5])
        try await store.removeBlocked([6])
        try await store.removeAllIdentified()
        #expect(bytes("group.wrong") == before)
        try await store.addIdentified([IdentifiedNumber(8, label: String(repeating: "é", count: 512))])
        #expect(try await store.identifiedNumbers.count == 1)
    }

    @Test("a group without a container, a file that is none, and a folder that cannot be written throw")
    func broken() async throws {
        guard case .noContainer? = await failure({ _ = try await NumberStore(group: "../x").blockedNumbers }) else {
            Issue.record("a name that no group has")
            return
        }
        let store = NumberStore(group: "group.broken")
        try await store.addBlocked([1, 2])
        let whole = try #require(bytes("group.broken"))
        let file = "\(path("group.broken"))/numbers"
        for count in 0..<whole.count {
            try Directory.open(path: path("group.broken"), makes: false).write(
                Array(whole.prefix(count)), as: "numbers", aside: "aside")
            guard case .damaged? = await failure({ try await store.addBlocked([3]) }) else {
                Issue.record("a file cut to \(count) bytes")
                return
            }
        }
        #expect(bytes("group.broken") == whole.dropLast(), "what cannot be read is left as it is")
        try Directory.open(path: path("group.broken"), makes: false).write(whole, as: "numbers", aside: "aside")
        // A writer that was killed has left its file.
        try Directory.open(path: path("group.broken"), makes: false).write([1], as: ".numbers.new", aside: "aside")
        try await store.addBlocked([3])
        #expect(try await store.blockedNumbers == [1, 2, 3])
        unsafe unlink(file)
        #expect(unsafe mkdir(file, 0o700) == 0)
        #expect(await failure { try await store.addBlocked([4]) } != nil)
    }

    /// Adds a hundred numbers from `first` on to a store, one at a time, in a process of its own.
    private static func add(from first: Int64, inStateDirectory path: String) async {
        await #expect(processExitsWith: .success) { [first = first as Int64, path = path as String] in
            try await KeeperDoor.openForApp(stateDirectory: path).run {
                let store = NumberStore(group: "group.both")
                for number in first...first + 99 {
                    try await store.addBlocked([number])
                    try await store.addIdentified([IdentifiedNumber(number, label: "\(first)")])
                }
            }
        }
    }

    @Test("of changes at once by an app's process and its extension's, none is lost") func processes() async throws {
        let folder = TemporaryFolder()
        let path = folder.path
        async let app: Void = Self.add(from: 1_000, inStateDirectory: path)
        async let other: Void = Self.add(from: 2_000, inStateDirectory: path)
        _ = await (app, other)
        let door = KeeperDoor.openForApp(stateDirectory: path)
        let (blocked, identified) = try await door.run {
            let store = NumberStore(group: "group.both")
            return (try await store.blockedNumbers, try await store.identifiedNumbers.map(\.number))
        }
        #expect(blocked == Array(1_000...1_099) + Array(2_000...2_099) && identified == blocked)
    }

    @Test("of changes at once by several, none is lost") func together() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for part in 0..<8 as Range<Int64> {
                group.addTask {
                    let store = NumberStore(group: "group.together")
                    for number in 1...10 as ClosedRange<Int64> {
                        try await store.addBlocked([100 * part + number])
                        try await store.addIdentified([IdentifiedNumber(100 * part + number, label: "\(part)")])
                        if number > 5 { try await store.removeBlocked([100 * part + number]) }
                    }
                }
            }
            try await group.waitForAll()
        }
        let store = NumberStore(group: "group.together")
        let blocked = try await store.blockedNumbers
        var expected: [Int64] = []
        for part in 0..<8 as Range<Int64> { expected += (1...5 as ClosedRange<Int64>).map { 100 * part + $0 } }
        #expect(blocked == expected)
        #expect(try await store.identifiedNumbers.count == 80)
    }

    @Test("a hundred thousand numbers are added, listed and removed") func many() async throws {
        let store = NumberStore(group: "group.many")
        let numbers = (0..<100_000).map { Int64(4_930_000_000 + 7 * $0) }
        try await store.addBlocked(numbers.reversed())
        #expect(try await store.blockedNumbers == numbers)
        try await store.addBlocked([1])
        try await store.removeBlocked(numbers)
        #expect(try await store.blockedNumbers == [1])
    }

    @Test("each change is later than the one before, whatever the clock says; what was removed is known as that")
    func changes() throws {
        var content = NumberStoreContent(id: 1)
        try content.blocked.set([(1, ""), (2, "")], at: 10)
        try content.identified.set([(1, "a"), (2, "b")], at: 10)
        try content.identified.set([(1, "a"), (2, "c"), (3, "d")], at: 11)
        content.blocked.remove([2, 9], at: 12)
        #expect(content.blocked.changes(since: 10).map(\.number) == [2])
        #expect(content.blocked.changes(since: 10).map(\.isRemoved) == [true])
        #expect(content.identified.changes(since: 10).map(\.number) == [2, 3])
        #expect(content.blocked.changes(since: 12).isEmpty)
        try content.blocked.set([(2, "")], at: 13)
        #expect(content.blocked.changes(since: 12).map(\.isRemoved) == [false])
        content.changed = 13
        #expect(NumberStoreContent(bytes: content.bytes) == content)
        #expect(NumberStoreContent(bytes: content.bytes + [0]) == nil)

        let group = try #require(GroupName("group.clock"))
        let folder = NumberStoreFolder(state: Phone.state, group: group)
        let future = Int64.max - 10
        #expect(
            try folder.change { content, _ throws(NumberStoreError) in try content.blocked.set([(1, "")], at: 1) })
        #expect(
            try folder.change { content, _ throws(NumberStoreError) in
                content.changed = future
                try content.blocked.set([(2, "")], at: future)
            })
        let first = try folder.read().changed
        var dates: [Int64] = [first]
        for number in 3...5 as ClosedRange<Int64> {
            #expect(
                try folder.change { content, date throws(NumberStoreError) in
                    try content.blocked.set([(number, "")], at: date)
                })
            dates.append(try folder.read().changed)
        }
        #expect(dates == dates.sorted() && Set(dates).count == dates.count)
    }

    @Test("how far an extension has loaded is kept for each; of too many removals none is, and the store is another")
    func loaded() throws {
        let group = try #require(GroupName("group.loaded"))
        let folder = NumberStoreFolder(state: Phone.state, group: group)
        let (one, two) = (try #require(GroupName("a.one")), try #require(GroupName("a.two")))
        #expect(folder.loaded(by: one) == nil)
        for date in [7, -1] as [Int64] { try folder.note(.init(id: .max, changed: date), by: one) }
        try folder.note(.init(id: 1, changed: 2), by: two)
        #expect(folder.loaded(by: one) == .init(id: .max, changed: -1) && folder.loaded(by: two)?.id == 1)
        let directory = try Directory.open(path: path("group.loaded"), makes: false)
        try directory.write(Array("x".utf8), as: "a.one.loaded", aside: "a")
        #expect(folder.loaded(by: one) == nil)

        func set(_ numbers: ClosedRange<Int64>) throws {
            #expect(
                try folder.change { content, date throws(NumberStoreError) in
                    content.blocked.removeAll(at: date)
                    try content.blocked.set(numbers.map { ($0, "") }, at: date)
                })
        }
        try set(1...100_000)
        let before = try folder.read()
        try set(100_001...200_000)
        let kept = try folder.read()
        #expect(kept.id == before.id && kept.blocked.removedCount == 100_000)
        try set(200_001...200_002)
        let after = try folder.read()
        #expect(after.id != before.id && after.blocked.removedCount == 0 && after.blocked.numbers.count == 2)
    }
}
