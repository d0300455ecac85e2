import AudioToolbox
import Support
import Synchronization
import UserNotifications

/// Counts in the group, and says which notification of its object's this is.
final class Numbered: UNNotificationServiceExtension {
    private var count = 0

    override func didReceive(
        _ request: UNNotificationRequest, withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
    ) {
        count += 1
        let defaults = UserNotifications.UserDefaults(suiteName: "group.count")
        defaults?.set((defaults?.integer(forKey: "count") ?? 0) + 1, forKey: "count")
        let content = UNMutableNotificationContent()
        content.title = request.content.title + " [modified]"
        content.subtitle = "\(count)"
        contentHandler(content)
    }
}

/// Replies when it is told that its time is nearly over.
final class Waiting: UNNotificationServiceExtension {
    private var contentHandler: ((UNNotificationContent) -> Void)?

    override func didReceive(
        _ request: UNNotificationRequest, withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
    ) {
        self.contentHandler = contentHandler
    }

    override func serviceExtensionTimeWillExpire() {
        let content = UNMutableNotificationContent()
        content.title = "best attempt"
        contentHandler?(content)
    }
}

/// What a test has an extension wait for.
final class Gate: Sendable {
    private let isOpen = DispatchSemaphore(value: 0)
    private let (left, leaves) = AsyncStream<Void>.makeStream()

    func wait() { isOpen.wait() }
    func open() { isOpen.signal() }
    func leave() { leaves.yield() }

    func waitForLeft() async {
        for await _ in left { return }
    }
}

/// Blocks at a gate, perhaps after its reply, and then says and writes something.
final class Blocking: UNNotificationServiceExtension {
    private let gate: Gate
    private let replies: Bool

    init(_ gate: Gate, replies: Bool = false) {
        self.gate = gate
        self.replies = replies
    }

    override func didReceive(
        _ request: UNNotificationRequest, withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
    ) {
        let defaults = UserNotifications.UserDefaults(suiteName: "group.count")
        if replies { contentHandler(request.content) }
        gate.wait()
        defaults?.set(1, forKey: "late")
        AudioServicesPlaySystemSound(kSystemSoundID_Vibrate)
        if !replies { contentHandler(request.content) }
        gate.leave()
    }
}

/// Attaches a picture and sets the badge.
final class Attaching: UNNotificationServiceExtension {
    override func didReceive(
        _ request: UNNotificationRequest, withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
    ) {
        let file = URL(fileURLWithPath: NSTemporaryDirectory() + UUID().uuidString + ".png")
        try? Data(SmallPNG.bytes()).write(to: file)
        UNUserNotificationCenter.current().setBadgeCount(3)
        let content = UNMutableNotificationContent()
        content.title = "with a picture"
        if let picture = try? UNNotificationAttachment(identifier: "picture", url: file) {
            content.attachments = [picture]
        }
        contentHandler(content)
    }
}
