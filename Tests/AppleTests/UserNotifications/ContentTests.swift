import BelfryJSON
import BelfryProtocol
import BelfryTerms
import ForeignExtension
import Foundation
import Testing
@testable import UserNotifications

/// Content as an extension sees and changes it.
@Suite(.onPhone) struct ContentTests {
    private static let full: NotificationContent = {
        var content = NotificationContent()
        content.title = "Ada"
        content.subtitle = "calls"
        content.body = "é"
        content.badge = 3
        content.sound = NotificationSound(name: "ring.wav", isCritical: true, volume: 0.5, isRingtone: true)
        content.categoryIdentifier = "CALL"
        content.threadIdentifier = "calls"
        content.interruptionLevel = .timeSensitive
        content.relevanceScore = 0.25
        content.targetContentIdentifier = "window"
        content.launchImageName = "launch"
        content.filterCriteria = "work"
        content.summaryArgument = "Ada"
        content.summaryArgumentCount = 2
        let clip = AttachmentThumbnail.Clip(x: 0.25, y: 0, width: 0.5, height: 1)
        content.attachments = [
            NotificationAttachment(
                id: "film", path: "/own/a.avi", type: "public.avi",
                thumbnail: AttachmentThumbnail(isHidden: true, clip: clip, time: 2.5))
        ]
        content.userInfo = ["aps": ["alert": "x", "n": .integer(.max), "r": 3.0], "z": .null]
        return content
    }()

    @Test("empty content has Apple's defaults")
    func defaults() {
        let content = UNMutableNotificationContent()
        #expect(content.title.isEmpty && content.subtitle.isEmpty && content.body.isEmpty && content.userInfo.isEmpty)
        #expect(content.badge == nil && content.sound == nil && content.attachments.isEmpty)
        #expect(content.categoryIdentifier.isEmpty && content.threadIdentifier.isEmpty)
        #expect(content.launchImageName.isEmpty && content.summaryArgument.isEmpty)
        #expect(content.summaryArgumentCount == 1 && content.relevanceScore == 0)
        #expect(content.interruptionLevel == .active && content.interruptionLevel.rawValue == 1)
        #expect(content.targetContentIdentifier == nil && content.filterCriteria == nil)
        #expect(content.value == NotificationContent())
    }

    @Test("content survives the way in and out, copied, mutated or archived")
    func survives() throws {
        let content = UNNotificationContent(Self.full)
        #expect(content.value == Self.full)
        let mutable = try #require(content.mutableCopy() as? UNMutableNotificationContent)
        #expect(mutable.value == Self.full && mutable.isEqual(content) && mutable.hash == content.hash)
        let archive = try NSKeyedArchiver.archivedData(withRootObject: content, requiringSecureCoding: true)
        let read = try NSKeyedUnarchiver.unarchivedObject(ofClass: UNNotificationContent.self, from: archive)
        #expect(read == content)
        mutable.userInfo["when"] = Date(timeIntervalSinceReferenceDate: 1)
        let later = try NSKeyedArchiver.archivedData(withRootObject: mutable, requiringSecureCoding: true)
        let dated = try NSKeyedUnarchiver.unarchivedObject(ofClass: UNMutableNotificationContent.self, from: later)
        #expect(dated?.userInfo["when"] as? Date == Date(timeIntervalSinceReferenceDate: 1))
    }

    @Test("every field that can be set is what leaves")
    func fields() {
        let content = UNMutableNotificationContent()
        content.title = "Ada"
        content.subtitle = "calls"
        content.body = "é"
        content.badge = 3
        content.sound = UNNotificationSound.criticalSoundNamed(
            UNNotificationSoundName("ring.wav"), withAudioVolume: 0.5)
        content.categoryIdentifier = "CALL"
        content.threadIdentifier = "calls"
        content.interruptionLevel = .timeSensitive
        content.relevanceScore = 0.25
        content.targetContentIdentifier = "window"
        content.launchImageName = "launch"
        content.filterCriteria = "work"
        content.summaryArgument = "Ada"
        content.summaryArgumentCount = 2
        content.attachments = UNNotificationContent(Self.full).attachments
        content.userInfo = UNNotificationContent(Self.full).userInfo
        var expected = Self.full
        expected.sound?.isRingtone = false
        var found = content.value
        // The developer's values leave in the order of their keys.
        found.userInfo = expected.userInfo
        #expect(found == expected)
        content.badge = -1
        content.relevanceScore = .nan
        content.summaryArgumentCount = -5
        #expect(
            content.value.badge == 0 && content.value.relevanceScore == 0 && content.value.summaryArgumentCount == 0)
    }

    @Test("a copy does not change, and a copy of what cannot change is itself")
    func copies() throws {
        let content = UNMutableNotificationContent()
        content.title = "before"
        let copy = try #require(content.copy() as? UNNotificationContent)
        content.title = "after"
        #expect(copy.title == "before" && !(copy is UNMutableNotificationContent))
        #expect(copy.copy() as? UNNotificationContent === copy)
        let request = UNNotificationRequest(identifier: "a", content: content, trigger: nil)
        content.title = "later"
        #expect(request.content.title == "after" && !(request.content is UNMutableNotificationContent))
    }

    @Test("each sound is what it says")
    func sounds() throws {
        let name = UNNotificationSoundName("a.caf")
        let table: [(UNNotificationSound, NotificationSound)] = [
            (.default, NotificationSound(name: "default")),
            (.defaultRingtone, NotificationSound(name: "default", isRingtone: true)),
            (.defaultCritical, NotificationSound(name: "default", isCritical: true)),
            (
                .defaultCriticalSound(withAudioVolume: 0.5),
                NotificationSound(name: "default", isCritical: true, volume: 0.5)
            ),
            (UNNotificationSound(named: name), NotificationSound(name: "a.caf")),
            (.ringtoneSoundNamed(name), NotificationSound(name: "a.caf", isRingtone: true)),
            (.criticalSoundNamed(name), NotificationSound(name: "a.caf", isCritical: true)),
            (.criticalSoundNamed(name, withAudioVolume: 7), NotificationSound(name: "a.caf", isCritical: true)),
        ]
        for (sound, value) in table {
            #expect(sound.value == value)
            let archive = try NSKeyedArchiver.archivedData(withRootObject: sound, requiringSecureCoding: true)
            #expect(try NSKeyedUnarchiver.unarchivedObject(ofClass: UNNotificationSound.self, from: archive) == sound)
        }
        #expect(UNNotificationSound.default == .default && UNNotificationSound.default != .defaultRingtone)
    }

    @Test("content is updated by intents alone, and stays mutable if it was")
    func updating() throws {
        final class Stranger: NSObject, UNNotificationContentProviding {}
        final class Intent: NSObject, ContentUpdating {
            func update(_ content: UNMutableNotificationContent) { content.title = "Ada" }
        }
        do {
            _ = try UNNotificationContent().updating(from: Stranger())
            Issue.record("a stranger provides content")
        } catch UNError.contentProvidingObjectNotAllowed {
        }
        let mutable = UNMutableNotificationContent()
        #expect((try mutable.updating(from: Intent()) as? UNMutableNotificationContent)?.title == "Ada")
        #expect(mutable.title.isEmpty)
        let fixed = try UNNotificationContent().updating(from: Intent())
        #expect(fixed.title == "Ada" && !(fixed is UNMutableNotificationContent))
    }

    @Test("the base class hands over what came; Xcode's template, in Swift 5, changes it")
    func services() {
        let request = UNNotificationRequest(pushed: "id", content: Self.full)
        #expect(request.trigger is UNPushNotificationTrigger && request.identifier == "id")
        var titles: [String] = []
        UNNotificationServiceExtension().didReceive(request) { titles.append($0.title) }
        let service = NotificationService()
        service.didReceive(request) { titles.append($0.title) }
        service.serviceExtensionTimeWillExpire()
        #expect(titles == ["Ada", "Ada [modified]", "Ada [modified]"])
    }
}
