import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import CBelfryLinux
import Glibc
import KeeperChannel
import Support
import Synchronization
import Testing
import UserNotifications

/// Several extensions in one process: each has its own host, state and resources.
@Suite struct KeeperDoorTests {
    /// An extension with its state.
    private final class Lodger {
        let folder = TemporaryFolder()
        let door: KeeperDoor
        private let heard: LockedValue<[CodeWord<AskedKind>]>

        init() {
            let heard = LockedValue<[CodeWord<AskedKind>]>([])
            let greeting = KeeperGreeting(stateDirectory: "\(folder.path)/state", memoryBytesMax: 1 << 40)
            folder.makeFolder("A.appex")
            door = KeeperDoor.open(greeting, bundle: "\(folder.path)/A.appex") { word in
                if case .asked(let asked) = word { heard.withLock { $0.append(asked.what) } }
            }
            self.heard = heard
        }

        /// What its code has asked for.
        var asked: [AskedKind?] { heard.withLock { $0.map(\.known) } }
    }

    private var value: Any? { UserNotifications.UserDefaults(suiteName: "group.x")?.object(forKey: "key") }

    private func set() { UserNotifications.UserDefaults(suiteName: "group.x")?.set(1, forKey: "key") }

    @Test("code, its tasks and its completions go by its own door") func own() async {
        let (first, second) = (Lodger(), Lodger())
        defer { for lodger in [first, second] { lodger.door.close() } }
        first.door.run {
            set()
            #expect(value != nil && BelfryGlue.mainBundle.bundlePath == "\(first.folder.path)/A.appex")
        }
        second.door.run { #expect(value == nil) }
        await first.door.run { await Task { KeeperDoor.ask(Asked(CodeWord(.badge))) }.value }
        let door = first.door
        await withCheckedContinuation { continuation in
            let token = door.ask(Asked(CodeWord(.sound))) {
                KeeperDoor.ask(Asked(CodeWord(.vibration)))
                continuation.resume()
            }
            if let token { door.finished(token) }
        }
        #expect(first.asked == [.badge, .sound, .vibration] && second.asked == [])
    }

    @Test("defaults that were handed to a thread of the code's own making are its own there, too") func thread() async {
        let (first, second) = (Lodger(), Lodger())
        defer { for lodger in [first, second] { lodger.door.close() } }
        nonisolated(unsafe) let defaults = first.door.run { UserNotifications.UserDefaults(suiteName: "group.x") }
        await withCheckedContinuation { continuation in
            Thread {
                unsafe defaults?.set(1, forKey: "key")
                continuation.resume()
            }.start()
        }
        first.door.run { #expect(value != nil) }
        second.door.run { #expect(value == nil) }
    }

    @Test("behind a door that is closed there is neither a host nor a state") func closed() {
        let lodger = Lodger()
        let defaults = lodger.door.run { UserNotifications.UserDefaults(suiteName: "group.x") }
        lodger.door.close()
        lodger.door.run {
            defaults?.set(1, forKey: "key")
            KeeperDoor.ask(Asked(CodeWord(.badge)))
            #expect(defaults?.object(forKey: "key") == nil && value == nil)
        }
        #expect(lodger.asked == [])
        #expect(unsafe access("\(lodger.folder.path)/state", F_OK) != 0)
    }

    @Test("an app's warnings go where it says, each once") func appWarnings() {
        let folder = TemporaryFolder()
        let heard = LockedValue<[String]>([])
        let door = KeeperDoor.openForApp(stateDirectory: folder.path, bundle: folder.path) { code, detail in
            heard.withLock { $0.append("\(code.rawValue) \(detail)") }
        }
        door.run { for detail in ["a", "b", "a"] { KeeperDoor.warn(.unsupported, detail) } }
        door.close()
        #expect(heard.withLock { $0 } == ["unsupported a", "unsupported b"])
    }

    @Test("an app that goes takes its ear for Darwin notifications along") func ear() throws {
        let folder = TemporaryFolder()
        let door = KeeperDoor.openForApp(stateDirectory: folder.path, bundle: folder.path)
        door.run {
            unsafe CFNotificationCenterAddObserver(
                CFNotificationCenterGetDarwinNotifyCenter(), nil, { _, _, _, _, _ in }, "name" as CFString, nil,
                .deliverImmediately)
        }
        let notices = try Directory.open(path: "\(folder.path)/notices", makes: false)
        let name = try #require(try notices.names(max: 9).first { $0.hasSuffix(".pipe") })
        let number = unsafe open("\(folder.path)/notices/\(name)", O_WRONLY | O_NONBLOCK | O_CLOEXEC)
        try #require(number >= 0)
        let pipe = OwnedDescriptor(owning: number)
        door.close()
        // Whoever writes to a pipe is told that nobody reads it any more.
        var entry = pollfd(fd: pipe.number, events: 0, revents: 0)
        #expect(unsafe poll(&entry, 1, 60_000) == 1 && Int32(entry.revents) & Int32(POLLERR) != 0)
    }
}
