import BelfryAppGroup
import BelfryAppleGround
import BelfrySyscalls
import BelfryTesting
import CallKit
import ExtensionTesting
import Testing
import UserNotifications

/// What an app's developer writes to test a handler.
@Suite struct DirectoryTestingTests {
    /// A handler that does what a test says.
    private final class Handler: CXCallDirectoryProvider, CXCallDirectoryExtensionContextDelegate, @unchecked Sendable {
        let body: @Sendable (CXCallDirectoryExtensionContext) -> Void

        init(_ body: @escaping @Sendable (CXCallDirectoryExtensionContext) -> Void) {
            self.body = body
            super.init()
        }

        override func beginRequest(with context: CXCallDirectoryExtensionContext) {
            context.delegate = self
            body(context)
        }

        func requestFailed(for extensionContext: CXCallDirectoryExtensionContext, withError error: any Error) {}
    }

    @Test("rows of a load, and of a difference to it")
    func loads() async throws {
        let first = try await DirectoryTesting.load(
            Handler { context in
                for number in [4_930_000_001, 4_930_000_002] as [CXCallDirectoryPhoneNumber] {
                    context.addBlockingEntry(withNextSequentialPhoneNumber: number)
                }
                context.addIdentificationEntry(withNextSequentialPhoneNumber: 4_930_000_002, label: "Shop")
                context.completeRequest()
            })
        #expect(first.error == nil && !first.isIncremental && first.warnings.isEmpty)
        #expect(first.blocked == [4_930_000_001, 4_930_000_002] && first.identified == [4_930_000_002: "Shop"])
        let second = try await DirectoryTesting.load(
            Handler { context in
                if context.isIncremental { context.removeBlockingEntry(withPhoneNumber: 4_930_000_002) }
                context.completeRequest()
            }, after: first)
        #expect(second.isIncremental && second.blocked == [4_930_000_001] && second.identified.count == 1)
        let third = try await DirectoryTesting.load(
            Handler { context in
                context.addBlockingEntry(withNextSequentialPhoneNumber: 4_930_000_009)
                context.completeRequest()
            }, after: second)
        #expect(!third.isIncremental && third.blocked == [4_930_000_009] && third.identified.isEmpty)
    }

    @Test("what fails says why, and leaves the rows of before")
    func fails() async throws {
        let first = try await DirectoryTesting.load(
            Handler { context in
                context.addBlockingEntry(withNextSequentialPhoneNumber: 4_930_000_001)
                context.completeRequest()
            })
        let unordered = try await DirectoryTesting.load(
            Handler { context in
                context.addBlockingEntry(withNextSequentialPhoneNumber: 4_930_000_002)
                context.addBlockingEntry(withNextSequentialPhoneNumber: 4_930_000_001)
                context.completeRequest()
            }, after: first)
        #expect(unordered.error == .entriesOutOfOrder && unordered.blocked == [4_930_000_001])
        #expect(unordered.warnings == ["directory-order"] && unordered.problem.contains("entry 2"))
        let tooMany = try await DirectoryTesting.load(
            Handler { context in
                for number in 4_930_000_001...4_930_000_004 as ClosedRange<CXCallDirectoryPhoneNumber> {
                    context.addBlockingEntry(withNextSequentialPhoneNumber: number)
                }
                context.completeRequest()
            }, entriesMax: 3)
        #expect(tooMany.error == .maximumEntriesExceeded && tooMany.blocked.isEmpty)
        let cancelled = try await DirectoryTesting.load(
            Handler { $0.cancelRequest(withError: NSError(domain: "app", code: 5)) }, after: first)
        #expect(cancelled.error == .unknown && cancelled.cancellation?.code == 5 && cancelled.blocked == first.blocked)
        let removed = try await DirectoryTesting.load(Handler { $0.removeAllBlockingEntries() })
        #expect(removed.error == .unexpectedIncrementalRemoval)
    }

    @Test("what never completes is given up; what is asynchronous is waited for")
    func completion() async throws {
        let never = try await DirectoryTesting.load(Handler { _ in }, patience: .milliseconds(100))
        #expect(never.error == .loadingInterrupted)
        let late = try await DirectoryTesting.load(
            Handler { context in
                Thread {
                    context.addBlockingEntry(withNextSequentialPhoneNumber: 4_930_000_001)
                    context.completeRequest()
                }.start()
            })
        #expect(late.error == nil && late.blocked == [4_930_000_001])
    }

    /// Blocks the numbers that its app has stored.
    private static func storedNumbers() -> Handler {
        Handler { context in
            let numbers = UserDefaults(suiteName: "group.directory.tests")?.array(forKey: "numbers") as? [Int] ?? []
            for number in numbers { context.addBlockingEntry(withNextSequentialPhoneNumber: Int64(number)) }
            context.completeRequest()
        }
    }

    @Test("what the test stores is there for the handler, and for no other test", .callDirectory, arguments: [1, 2])
    func ownGroups(last: Int) async throws {
        let defaults = try #require(UserDefaults(suiteName: "group.directory.tests"))
        #expect(defaults.array(forKey: "numbers") == nil)
        defaults.set([4_930_000_000 + last], forKey: "numbers")
        let load = try await DirectoryTesting.load(Self.storedNumbers())
        #expect(load.error == nil && load.blocked == [4_930_000_000 + Int64(last)])
    }

    @Test("a handler of a test without groups, and in a plain bell, has not those of the developer's programs")
    func noRealState() async throws {
        let path = LockedValue<[String?]>([])
        func load() async throws {
            let load = try await DirectoryTesting.load(
                Handler { context in
                    path.withLock { $0.append(KeeperDoor.stateDirectory?.path) }
                    context.completeRequest()
                })
            #expect(load.error == nil)
        }
        try await load()
        try await Belfry.running { _ in try await load() }
        let environment = Environment.ofThisProcess(startingWith: ["XDG_STATE_HOME=", "HOME="])
        let real = StateDirectory(environment: environment)
        #expect(real != nil && path.withLock { $0.count } == 2)
        #expect(path.withLock { paths in paths.allSatisfy { $0 != nil && $0 != real?.path } })
    }
}
