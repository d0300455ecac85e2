import BelfryAppGroup
import BelfryTerms
import Glibc
import KeeperChannel
import Support
import Synchronization
import Testing
import UserNotifications

/// The machine of these tests: one state directory, and a host that hears what the modules say.
enum Phone {
    nonisolated(unsafe) private static var folder: TemporaryFolder? = TemporaryFolder()
    private static let heard = Mutex<[KeeperDoor.Word]>([])

    /// The state directory.
    static let state: StateDirectory = {
        atexit { unsafe folder = nil }
        return StateDirectory(path: unsafe folder?.path ?? "")
    }()

    /// The host's door, with a notification that has no reply yet.
    static let door: KeeperDoor = {
        let door = KeeperDoor.open(KeeperGreeting(stateDirectory: state.path, memoryBytesMax: 1)) { word in
            heard.withLock { $0.append(word) }
        }
        door.requestBegan()
        return door
    }()

    /// What the modules have asked for so far.
    static var asked: [String] {
        heard.withLock { $0 }.compactMap { word in
            if case .asked(let asked) = word { "\(asked.what) \(asked.count ?? 0) \(asked.detail)" } else { nil }
        }
    }

    /// The warnings with this code so far.
    static func warnings(_ code: WarningCode) -> [String] {
        heard.withLock { $0 }.compactMap { word in
            if case .warning(code, let detail) = word { detail } else { nil }
        }
    }

    /// A group that no other test uses, and its file as another process has it.
    static func group(_ name: String) -> (defaults: UserNotifications.UserDefaults, file: GroupFile) {
        guard let group = GroupName(name) else { preconditionFailure("\(name) is no group's name") }
        let file = GroupFile(state: state, group: group)
        guard let defaults = UserNotifications.UserDefaults(suiteName: name) else {
            preconditionFailure("\(name) has no defaults")
        }
        return (defaults, file)
    }
}

/// Has the code of a test run as that of an extension of the phone's.
struct PhoneTrait: SuiteTrait, TestTrait, TestScoping {
    var isRecursive: Bool { true }

    @concurrent
    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await Phone.door.run { try await function() }
    }
}

extension Trait where Self == PhoneTrait {
    /// Behind the phone's door.
    static var onPhone: Self { PhoneTrait() }
}
