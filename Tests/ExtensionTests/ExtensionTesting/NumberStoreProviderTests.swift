import BelfryAppleGround
import BelfryNumberStore
import CallKit
import ExtensionTesting
import BelfrySyscalls
import Support
import Testing

/// The ready extension of a number store, loaded by the system's rules.
@Suite(.timeLimit(.minutes(10))) struct NumberStoreProviderTests {
    private static let group = "group.com.example.numbers"
    private let store = NumberStore(group: group)

    /// Runs a test with a state directory of its own.
    private func alone(_ body: (_ folder: String) async throws -> Void) async throws {
        let folder = TemporaryFolder()
        let door = KeeperDoor.openForApp(stateDirectory: folder.path)
        defer { door.close() }
        try await door.run { try await body("\(folder.path)/groups/\(Self.group)/Library/NumberStore") }
    }

    private func load(after previous: LoadedDirectory? = nil) async throws -> LoadedDirectory {
        try await DirectoryTesting.load(NumberStoreProvider(group: Self.group), after: previous)
    }

    private func identified(_ numbers: [Int64: String]) -> [IdentifiedNumber] {
        numbers.map { IdentifiedNumber($0.key, label: $0.value) }
    }

    @Test("an empty store loads, and a filled one in order, however it was filled") func whole() async throws {
        try await alone { _ in
            let empty = try await load()
            #expect(empty.error == nil && empty.blocked.isEmpty && !empty.isIncremental)
            try await store.addBlocked([4_930_999_999, 14_085_555_555, 4_930_111_111])
            try await store.addIdentified(identified([14_085_555_555: "Ada", 18_005_555_555: "Telemarketer"]))
            let full = try await load()
            #expect(full.error == nil && full.blocked == [4_930_111_111, 4_930_999_999, 14_085_555_555])
            #expect(full.identified == [14_085_555_555: "Ada", 18_005_555_555: "Telemarketer"])
            #expect(full.warnings.isEmpty)
        }
    }

    @Test("an incremental load gives what has changed since the last that succeeded, and no more")
    func difference() async throws {
        try await alone { _ in
            try await store.addBlocked([4_930_111_111, 4_930_222_222])
            try await store.addIdentified(identified([4_930_111_111: "one", 4_930_333_333: "three"]))
            let first = try await load()
            try await store.removeBlocked([4_930_111_111])
            try await store.addBlocked([4_930_555_555])
            try await store.addIdentified(identified([4_930_333_333: "three again", 4_930_444_444: "four"]))
            try await store.removeIdentified([4_930_111_111])
            let second = try await load(after: first)
            #expect(second.isIncremental && second.error == nil && second.warnings.isEmpty)
            #expect(second.blocked == [4_930_222_222, 4_930_555_555])
            #expect(second.identified == [4_930_333_333: "three again", 4_930_444_444: "four"])
            // Nothing has changed since: over the rows of the first load nothing of the second comes.
            let third = try await load(after: first)
            #expect(third.isIncremental && third.blocked == first.blocked && third.identified == first.identified)
            try await store.removeAllBlocked()
            try await store.removeAllIdentified()
            let last = try await load(after: second)
            #expect(last.isIncremental && last.blocked.isEmpty && last.identified.isEmpty)
        }
    }

    @Test("after a load that failed, what it had is given again") func failed() async throws {
        try await alone { _ in
            try await store.addBlocked([4_930_111_111])
            let first = try await load()
            try await store.addBlocked([4_930_222_222, 4_930_333_333])
            let failed = try await DirectoryTesting.load(
                NumberStoreProvider(group: Self.group), after: first, entriesMax: 1)
            #expect(failed.error == .maximumEntriesExceeded && failed.blocked == first.blocked)
            let again = try await load(after: failed)
            #expect(again.error == nil && again.isIncremental && again.blocked.count == 3)
        }
    }

    @Test("if it is not known what was loaded, all is given anew, and what was there goes") func unknown() async throws
    {
        try await alone { folder in
            try await store.addBlocked([4_930_111_111])
            try await store.addIdentified(identified([4_930_111_111: "one"]))
            let first = try await load()
            try Directory.open(path: folder, makes: false).removeContents(depthMax: 1)
            try await store.addBlocked([4_930_222_222])
            let second = try await load(after: first)
            #expect(second.isIncremental && second.blocked == [4_930_222_222] && second.identified.isEmpty)
            // Another store in its place, while the note is the old one's.
            try Directory.open(path: folder, makes: false).remove("numbers")
            try await store.addBlocked([4_930_333_333])
            #expect(try await load(after: second).blocked == [4_930_333_333])
        }
    }

    @Test("a store that cannot be read cancels the load, and the old numbers stay") func damaged() async throws {
        try await alone { folder in
            try await store.addBlocked([4_930_111_111])
            let first = try await load()
            try Directory.open(path: folder, makes: false).write(Array("garbage".utf8), as: "numbers", aside: "aside")
            let second = try await load(after: first)
            #expect(second.error != nil && second.cancellation != nil && second.blocked == first.blocked)
        }
    }
}
