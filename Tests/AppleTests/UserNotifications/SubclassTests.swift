import Testing
import UserNotifications

/// What developers write on top of Apple's classes, in Swift 6: it compiles without a warning.
@Suite struct SubclassTests {
    private class Service: UNNotificationServiceExtension {
        private let name: String
        var handler: ((UNNotificationContent) -> Void)?

        override init() {
            name = "service"
            super.init()
        }

        override func didReceive(
            _ request: UNNotificationRequest,
            withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
        ) {
            handler = contentHandler
            guard let content = request.content.mutableCopy() as? UNMutableNotificationContent else { return }
            content.subtitle = name
            content.badge = 1
            content.sound = .default
            content.userInfo["by"] = name
            if #available(iOS 15.0, *) { content.interruptionLevel = .timeSensitive }
            contentHandler(content)
        }
    }

    private final class Delegate: NSObject, UNUserNotificationCenterDelegate {
        func userNotificationCenter(
            _ center: UNUserNotificationCenter, willPresent notification: UNNotification
        ) async -> UNNotificationPresentationOptions { [.banner, .sound] }
    }

    @Test("a service with a state of its own, and a delegate of one method")
    func subclasses() {
        let content = UNMutableNotificationContent()
        content.title = "t"
        var handedOver: UNNotificationContent?
        let service: UNNotificationServiceExtension = Service()
        service.didReceive(UNNotificationRequest(identifier: "a", content: content, trigger: nil)) { handedOver = $0 }
        #expect(handedOver?.subtitle == "service" && handedOver?.userInfo["by"] as? NSString == "service")
        #expect(handedOver?.sound == .default && handedOver?.interruptionLevel == .timeSensitive)
        let delegate = Delegate()
        UNUserNotificationCenter.current().delegate = delegate
        #expect(UNUserNotificationCenter.current().delegate === delegate)
        let options: UNAuthorizationOptions = [.badge, .sound, .alert, .carPlay, .criticalAlert, .provisional]
        #expect(options.rawValue == 1 | 2 | 4 | 8 | 16 | 64)
        #expect(UNNotificationPresentationOptions([.list, .banner]).rawValue == 24)
        #expect(UNAuthorizationStatus.ephemeral.rawValue == 4 && UNNotificationSetting.enabled.rawValue == 2)
    }
}
