import BelfryAppGroup
import BelfryTerms
import Glibc
import HostChannel
import Support
import Synchronization
import UserNotifications

/// The machine of these tests: one state directory, and a host that hears what the modules say.
enum Phone {
    nonisolated(unsafe) private static var folder: TemporaryFolder? = TemporaryFolder()
    private static let heard = Mutex<[HostDoor.Word]>([])

    /// The state directory; the first who asks opens the host's door, with a notification that has no reply yet.
    static let state: StateDirectory = {
        let path = unsafe folder?.path ?? ""
        atexit { unsafe folder = nil }
        HostDoor.open(HostGreeting(stateDirectory: path, memoryBytesMax: 1)) { word in
            heard.withLock { $0.append(word) }
        }
        HostDoor.requestBegan()
        return StateDirectory(path: path)
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
