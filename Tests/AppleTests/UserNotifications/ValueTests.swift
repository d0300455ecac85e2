import BelfryJSON
import BelfryProtocol
import Support
import Testing

@testable import UserNotifications

/// Values that hold what they were given: Apple's numbers, and what comes out of an archive.
@Suite struct ValueTests {
    @Test("options have Apple's bits") func options() {
        let actions: [UNNotificationActionOptions] = [.authenticationRequired, .destructive, .foreground]
        #expect(actions.map(\.rawValue) == [1, 2, 4])
        let categories: [UNNotificationCategoryOptions] = [
            .customDismissAction, .allowInCarPlay, .hiddenPreviewsShowTitle, .hiddenPreviewsShowSubtitle,
            .allowAnnouncement,
        ]
        #expect(categories.map(\.rawValue) == [1, 2, 4, 8, 16])
        let authorizations: [UNAuthorizationOptions] = [
            .badge, .sound, .alert, .carPlay, .criticalAlert, .providesAppNotificationSettings, .provisional,
            .announcement, .timeSensitive,
        ]
        #expect(authorizations.map(\.rawValue) == [1, 2, 4, 8, 16, 32, 64, 128, 256])
        let presentations: [UNNotificationPresentationOptions] = [.badge, .sound, .alert, .list, .banner]
        #expect(presentations.map(\.rawValue) == [1, 2, 4, 8, 16])
        #expect(NSFileCoordinator.ReadingOptions.withoutChanges.rawValue == 1)
        let pressure: [DispatchSource.MemoryPressureEvent] = [.normal, .warning, .critical, .all]
        #expect(pressure.map(\.rawValue) == [1, 2, 4, 7])
    }

    @Test("the names of errors are those of their codes") func errors() {
        let named: [UNError.Code] = [
            UNError.notificationsNotAllowed, UNError.attachmentInvalidURL, UNError.attachmentUnrecognizedType,
            UNError.attachmentInvalidFileSize, UNError.attachmentNotInDataStore,
            UNError.attachmentMoveIntoDataStoreFailed, UNError.attachmentCorrupt, UNError.notificationInvalidNoDate,
            UNError.notificationInvalidNoContent, UNError.contentProvidingObjectNotAllowed,
            UNError.contentProvidingInvalid, UNError.badgeInputInvalid,
        ]
        #expect(named == UNError.Code.allCases)
    }

    @Test("what there is, is on, unless the app may not notify; what this machine has not is not supported")
    func settings() throws {
        let statuses: [(UNAuthorizationStatus, UNNotificationSetting)] = [
            (.authorized, .enabled), (.denied, .disabled),
        ]
        for (status, setting) in statuses {
            let settings = try archived(UNNotificationSettings(authorizationStatus: status))
            #expect(settings.authorizationStatus == status)
            let there = [
                settings.soundSetting, settings.badgeSetting, settings.alertSetting, settings.notificationCenterSetting,
                settings.timeSensitiveSetting,
            ]
            #expect(there.allSatisfy { $0 == setting })
            let missing = [
                settings.lockScreenSetting, settings.carPlaySetting, settings.criticalAlertSetting,
                settings.announcementSetting, settings.scheduledDeliverySetting, settings.directMessagesSetting,
            ]
            #expect(missing.allSatisfy { $0 == .notSupported })
            #expect(settings.alertStyle == (status == .denied ? .none : .banner))
            #expect(settings.showPreviewsSetting == .always && !settings.providesAppNotificationSettings)
        }
    }

    private func archived<Object: NSObject & NSSecureCoding>(_ object: Object) throws -> Object {
        #expect(Object.supportsSecureCoding)
        let archive = try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
        return try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: Object.self, from: archive))
    }

    @Test("a category comes out of an archive as it went in") func categories() throws {
        let icon = UNNotificationActionIcon(systemImageName: "phone")
        let answer = UNNotificationAction(identifier: "a", title: "Answer", options: [.foreground], icon: icon)
        let say = UNTextInputNotificationAction(
            identifier: "b", title: "Say", options: [.destructive], textInputButtonTitle: "Send",
            textInputPlaceholder: "Text")
        let category = UNNotificationCategory(
            identifier: "call", actions: [answer, say], intentIdentifiers: ["i"], hiddenPreviewsBodyPlaceholder: "p",
            categorySummaryFormat: "f", options: [.allowAnnouncement])
        let read = try archived(category)
        #expect(read.identifier == "call" && read.intentIdentifiers == ["i"] && read.options == .allowAnnouncement)
        #expect(read.hiddenPreviewsBodyPlaceholder == "p" && read.categorySummaryFormat == "f")
        #expect(read.actions.map(\.identifier) == ["a", "b"] && read.actions.map(\.title) == ["Answer", "Say"])
        #expect(read.actions.map(\.options) == [.foreground, .destructive])
        #expect(read.actions[0].icon?.name == "phone" && read.actions[0].icon?.isSystemImage == true)
        let text = try #require(read.actions[1] as? UNTextInputNotificationAction)
        #expect(text.textInputButtonTitle == "Send" && text.textInputPlaceholder == "Text")
        let others = [
            UNNotificationCategory(identifier: "call", actions: [], intentIdentifiers: []),
            UNNotificationCategory(identifier: "other", actions: [answer, say], intentIdentifiers: ["i"]),
        ]
        #expect(category.isEqual(others[0]) && category.hash == others[0].hash)
        #expect(!category.isEqual(others[1]) && !category.isEqual("call"))
        #expect(others[0].hiddenPreviewsBodyPlaceholder.isEmpty && others[0].categorySummaryFormat.isEmpty)
    }

    @Test("so does a notification with its request") func notifications() throws {
        let content = UNMutableNotificationContent()
        content.title = "t"
        let request = UNNotificationRequest(
            identifier: "r", content: content,
            trigger: UNTimeIntervalNotificationTrigger(timeInterval: 60, repeats: true))
        let date = Date(timeIntervalSinceReferenceDate: 1_000)
        let read = try archived(UNNotification(date: date, request: request))
        #expect(read.date == date && read.request.identifier == "r" && read.request.content.title == "t")
        let trigger = try #require(read.request.trigger as? UNTimeIntervalNotificationTrigger)
        #expect(trigger.timeInterval == 60 && trigger.repeats)
        let soon = try archived(UNTimeIntervalNotificationTrigger(timeInterval: 30, repeats: false))
        #expect(soon.timeInterval == 30 && !soon.repeats)
    }

    @Test("a region tells of both ways, also one that is kept and does not say") func regions() throws {
        let region = CLCircularRegion(center: CLLocationCoordinate2D(), radius: 1, identifier: "here")
        #expect(region.notifyOnEntry && region.notifyOnExit)
        let kept = try #require(StoredRegion(["region": "here"]))
        #expect(kept.notifiesOnEntry && kept.notifiesOnExit)
        let silent = try #require(StoredRegion(["region": "here", "entry": false, "exit": false]))
        #expect(!silent.notifiesOnEntry && !silent.notifiesOnExit)
    }

    @Test("a thumbnail's clip is of the whole picture where it does not say") func clips() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appendingPathComponent("a.png")
        try Data(SmallPNG.bytes()).write(to: url)
        let options = [UNNotificationAttachmentOptionsThumbnailClippingRectKey: ["Width": 0.5]]
        let attachment = try UNNotificationAttachment(identifier: "a", url: url, options: options)
        let clip = try #require(attachment.value.thumbnail.clip)
        #expect([clip.x, clip.y, clip.width, clip.height] == [0, 0, 0.5, 1])
    }
}
