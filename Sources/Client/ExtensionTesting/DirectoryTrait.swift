import BelfryAppGroup
import BelfrySyscalls
import Glibc
public import Testing
import UserNotifications

/// Gives each test, and the handlers of the call directory that it loads, groups of their own, which are empty at first
/// and gone afterwards: what the test writes to `UserDefaults(suiteName:)`, to a group's container or to a
/// `NumberStore` is there for its handlers.
public struct DirectoryTrait: SuiteTrait, TestTrait, TestScoping {
    /// Whether a suite's tests, and those of suites in it, have it too.
    public var isRecursive: Bool { true }

    /// Runs a test, or one case of it, with groups of its own.
    @concurrent
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let state = DirectoryTestState.makePath()
        let door = KeeperDoor.openForApp(stateDirectory: state)
        defer {
            door.close()
            try? FileManager.default.removeItem(atPath: state)
        }
        try await door.run { try await function() }
    }
}

extension Trait where Self == DirectoryTrait {
    /// Groups of its own for each test that loads a call directory's extension; see ``DirectoryTesting``.
    public static var callDirectory: Self { Self() }
}

/// The state that the code of tests has, where nobody has given it one.
enum DirectoryTestState {
    /// A folder of this process for handlers of tests that have none of their own.
    private static let path = makePath()

    /// Stays open, since code of a handler may go on after its test.
    private static let door: KeeperDoor = {
        atexit { try? FileManager.default.removeItem(atPath: DirectoryTestState.path) }
        return KeeperDoor.openForApp(stateDirectory: path)
    }()

    /// The door of the calling test, unless that leads to what the developer's programs have stored.
    static var current: KeeperDoor {
        let names: [StaticString] = ["BELFRY_STATE_DIRECTORY=", "XDG_STATE_HOME=", "HOME="]
        let environment = Environment.ofThisProcess(startingWith: names)
        if environment["BELFRY_STATE_DIRECTORY"]?.utf8.isEmpty == false { return .current }
        return KeeperDoor.stateDirectory == StateDirectory(environment: environment) ? door : .current
    }

    static func makePath() -> String {
        FileManager.default.temporaryDirectory.appendingPathComponent("belfry-\(UUID().uuidString)").path
    }
}
