import AudioToolbox
import CallKit
import Glibc
import Synchronization
import UserNotifications
import os

/// How many objects this process has made: statics stay, objects do not.
private let made = Atomic<Int>(0)

/// What a notification of another process, or the end of a sound, sets going.
private let waiting = Mutex<(@Sendable () -> Void)?>(nil)

/// Does what `do` in `userInfo` says.
final class SampleService: UNNotificationServiceExtension {
    private var handler: ((UNNotificationContent) -> Void)?
    private let number: Int

    override init() {
        number = made.add(1, ordering: .relaxed).newValue
        super.init()
    }

    override func didReceive(
        _ request: UNNotificationRequest, withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
    ) {
        handler = contentHandler
        guard let content = request.content.mutableCopy() as? UNMutableNotificationContent else { return }
        content.title = "\(content.title) \(number)"
        nonisolated(unsafe) let (reply, changed) = (contentHandler, content)
        switch content.userInfo["do"] as? String {
        case "twice":
            contentHandler(content)
            content.title = "too late"
            contentHandler(content)
        case "wait": break
        case "block":
            contentHandler(content)
            DispatchSemaphore(value: 0).wait()
        case "crash": preconditionFailure("as it was told")
        case "exit": exit(0)
        case "long", "huge":
            let isHuge = content.userInfo["do"] as? String == "huge"
            content.body = String(repeating: "x", count: isHuge ? 2 << 20 : 900_000)
            contentHandler(content)
        case "later": Thread.detachNewThread { unsafe reply(changed) }
        case "main": replyOnMain(content, contentHandler)
        case "timer":
            content.subtitle = "main thread: \(Thread.isMainThread)"
            let timer = Timer(timeInterval: 0.001, repeats: false) { _ in unsafe reply(changed) }
            RunLoop.main.add(timer, forMode: .default)
        case "sound", "walk":
            if content.userInfo["do"] as? String == "walk" { FeatureWalk().describe(in: content) }
            play(content.userInfo["path"]) { count in
                unsafe changed.summaryArgumentCount = count
                unsafe changed.subtitle = "played"
                OperationQueue.main.addOperation { unsafe reply(changed) }
            }
        case "call": reportCall(content, contentHandler)
        case "attach":
            content.attachments = attachments()
            contentHandler(content)
        case "late":
            answerSound {
                unsafe changed.subtitle = "\(made.load(ordering: .relaxed))"
                unsafe reply(changed)
            }
        case "add", "remove": contentHandler(change(content.userInfo["do"], content.userInfo["name"] as? String))
        case "notice": answerNotice { unsafe reply(changed) }
        case "ring", "dispose":
            let sound = sound(content.userInfo["path"])
            AudioServicesPlaySystemSound(sound)
            guard content.userInfo["do"] as? String == "dispose" else {
                contentHandler(content)
                return DispatchSemaphore(value: 0).wait()
            }
            AudioServicesPlaySystemSoundWithCompletion(self.sound(content.userInfo["short"])) {
                AudioServicesDisposeSystemSoundID(sound)
                unsafe reply(changed)
            }
        case "state":
            print("a line")
            UserNotifications.UserDefaults(suiteName: "group.sample")?.set(number, forKey: "made")
            UNUserNotificationCenter.current().setBadgeCount(4)
            Logger(subsystem: "app", category: "push").error("object \(self.number)")
            contentHandler(content)
            UNUserNotificationCenter.current().setBadgeCount(5)
        default: contentHandler(content)
        }
    }

    private func replyOnMain(
        _ content: UNMutableNotificationContent, _ contentHandler: @escaping (UNNotificationContent) -> Void
    ) {
        nonisolated(unsafe) let (reply, changed) = (contentHandler, content)
        OperationQueue.main.addOperation {
            unsafe changed.subtitle = "main thread: \(Thread.isMainThread)"
            unsafe reply(changed)
        }
    }

    /// Reports a call, as only an app may, and says if that is refused.
    private func reportCall(
        _ content: UNMutableNotificationContent, _ contentHandler: @escaping (UNNotificationContent) -> Void
    ) {
        nonisolated(unsafe) let (reply, changed) = (contentHandler, content)
        let provider = CXProvider(configuration: CXProviderConfiguration())
        provider.reportNewIncomingCall(with: UUID(), update: CXCallUpdate()) { error in
            unsafe changed.subtitle =
                (error as? CXErrorCodeIncomingCallError)?.code == .unknown ? "refused" : "rings"
            unsafe reply(changed)
        }
    }

    /// Shows a notification of its own, or shows it no longer; without a name, all. Returns what says nothing.
    private func change(_ what: Any?, _ name: String?) -> UNNotificationContent {
        let centre = UNUserNotificationCenter.current()
        let content = UNMutableNotificationContent()
        switch (what as? String, name) {
        case ("add", let name?):
            content.title = "Added by the extension"
            content.body = name
            centre.add(UNNotificationRequest(identifier: name, content: content, trigger: nil))
        case (_, let name?): centre.removeDeliveredNotifications(withIdentifiers: [name])
        case (_, nil): centre.removeAllDeliveredNotifications()
        }
        return UNMutableNotificationContent()
    }

    /// Asks for a notice of another process, and answers once it comes.
    private func answerNotice(_ reply: @escaping @Sendable () -> Void) {
        waiting.withLock { $0 = reply }
        let centre = CFNotificationCenterGetDarwinNotifyCenter()
        unsafe CFNotificationCenterAddObserver(
            centre, nil,
            { _, _, name, _, _ in
                print("heard \(name?.rawValue ?? "nothing"), main thread: \(Thread.isMainThread)")
                waiting.withLock { $0 }?()
            }, "com.example.stop" as CFString, nil, .deliverImmediately)
        CFNotificationCenterPostNotification(
            centre, CFNotificationName("com.example.ready" as CFString), nil, nil, true)
    }

    /// A file that it makes.
    private func attachments() -> [UNNotificationAttachment] {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("ring.wav")
        try? Data("RIFF".utf8).write(to: url)
        return [try? UNNotificationAttachment(identifier: "a", url: url)].compactMap { $0 }
    }

    /// Vibrates, and plays a sound file; tells what Apple's number for that file is once it has been heard.
    private func play(_ path: Any?, _ played: @escaping @Sendable (Int) -> Void) {
        var sound: SystemSoundID = 0
        let url = URL(fileURLWithPath: path as? String ?? "") as CFURL
        let status = Int(unsafe AudioServicesCreateSystemSoundID(url, &sound))
        AudioServicesPlaySystemSound(kSystemSoundID_Vibrate)
        unsafe AudioServicesAddSystemSoundCompletion(
            sound, nil, nil, { _, _ in _ = made.add(10, ordering: .relaxed) }, nil)
        AudioServicesPlaySystemSoundWithCompletion(sound) { played(status) }
    }

    /// Vibrates, and answers when that is over: what was to be done then is changed meanwhile.
    private func answerSound(_ reply: @escaping @Sendable () -> Void) {
        let sound = kSystemSoundID_Vibrate
        waiting.withLock { $0 = reply }
        unsafe AudioServicesAddSystemSoundCompletion(
            sound, nil, nil, { _, _ in _ = made.add(10, ordering: .relaxed) }, nil)
        AudioServicesPlaySystemSound(sound)
        AudioServicesRemoveSystemSoundCompletion(sound)
        unsafe AudioServicesAddSystemSoundCompletion(sound, nil, nil, { _, _ in waiting.withLock { $0 }?() }, nil)
    }

    private func sound(_ path: Any?) -> SystemSoundID {
        var sound: SystemSoundID = 0
        _ = unsafe AudioServicesCreateSystemSoundID(URL(fileURLWithPath: path as? String ?? "") as CFURL, &sound)
        return sound
    }

    override func serviceExtensionTimeWillExpire() {
        let content = UNMutableNotificationContent()
        content.title = "best attempt"
        handler?(content)
    }
}
