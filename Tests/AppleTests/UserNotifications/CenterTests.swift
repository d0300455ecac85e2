import BelfryAppGroup
@testable import BelfryAppleGround
import BelfryPropertyList
import BelfryProtocol
import BelfryTerms
import Foundation
import Support
import Testing
@testable import UserNotifications

/// The notification centre: kept where every process sees it, and closed once a notification has its reply.
@Suite(.onPhone, .serialized) struct CenterTests {
    let center = UNUserNotificationCenter.current()

    init() {
        center.removeAllPendingNotificationRequests()
        center.removeAllDeliveredNotifications()
        center.setNotificationCategories([])
        center.finish()
    }

    private static func request(_ identifier: String, trigger: UNNotificationTrigger? = nil) -> UNNotificationRequest {
        let content = UNMutableNotificationContent()
        content.title = identifier
        content.userInfo = ["n": 1]
        return UNNotificationRequest(identifier: identifier, content: content, trigger: trigger)
    }

    /// What another process finds.
    private static var kept: CenterState {
        get throws {
            let state = StateDirectory(path: "\(Phone.state.path)/centers")
            let name = try #require(ProgramName.ofApp)
            return CenterState(GroupFile(state: state, group: name).snapshot().root)
        }
    }

    @Test("what is asked for is kept, shown at once or when its trigger says, and told to the host")
    func add() async throws {
        try await center.add(Self.request("now"))
        let trigger = UNTimeIntervalNotificationTrigger(timeInterval: 3_600, repeats: false)
        try await center.add(Self.request("later", trigger: trigger))
        #expect(await center.deliveredNotifications().map(\.request.identifier) == ["now"])
        let pending = await center.pendingNotificationRequests()
        #expect(pending.map(\.identifier) == ["later"] && pending.first?.content.userInfo["n"] as? Int32 == 1)
        #expect((pending.first?.trigger as? UNTimeIntervalNotificationTrigger)?.timeInterval == 3_600)
        #expect(
            try Self.kept.delivered.map(\.identifier) == ["now"] && Self.kept.pending.map(\.identifier) == ["later"])
        #expect(Phone.asked.contains("add 0 later"))
        try await center.add(Self.request("later"))
        #expect(await center.pendingNotificationRequests().isEmpty)
        #expect(await center.deliveredNotifications().map(\.request.identifier) == ["now", "later"])
    }

    @Test("a request for a place is kept as it is, and never shown: nobody knows where the device is")
    func location() async throws {
        let region = CLCircularRegion(
            center: CLLocationCoordinate2D(latitude: 47.4, longitude: 8.5), radius: 100, identifier: "home")
        region.notifyOnExit = false
        let trigger = UNLocationNotificationTrigger(region: region, repeats: true)
        try await center.add(Self.request("there", trigger: trigger))
        #expect(Phone.warnings(.unsupported).contains { $0.contains("UNLocationNotificationTrigger") })
        let pending = await center.pendingNotificationRequests().first?.trigger as? UNLocationNotificationTrigger
        let archive = try NSKeyedArchiver.archivedData(withRootObject: trigger, requiringSecureCoding: true)
        let unarchived = try NSKeyedUnarchiver.unarchivedObject(
            ofClass: UNLocationNotificationTrigger.self, from: archive)
        for found in [pending, unarchived] {
            let circle = try #require(found?.region as? CLCircularRegion)
            #expect(circle.center == region.center && circle.radius == 100 && circle.identifier == "home")
            #expect(circle.notifyOnEntry && !circle.notifyOnExit && found?.repeats == true)
        }
        #expect(await center.deliveredNotifications().isEmpty)
    }

    @Test("the same by completion handlers")
    func handlers() async throws {
        await withCheckedContinuation { continuation in
            center.add(Self.request("a")) { error in
                #expect(error == nil)
                continuation.resume()
            }
        }
        await withCheckedContinuation { continuation in
            center.getDeliveredNotifications {
                #expect($0.map(\.request.identifier) == ["a"])
                continuation.resume()
            }
        }
        center.removeDeliveredNotifications(withIdentifiers: ["a", "b"])
        #expect(await center.deliveredNotifications().isEmpty)
        #expect(try await center.requestAuthorization(options: [.alert, .badge]))
        #expect(await center.notificationSettings().authorizationStatus == .authorized)
    }

    @Test("what was due while nobody looked is shown since its time")
    func due() throws {
        var state = CenterState([:])
        let start = Date(timeIntervalSinceReferenceDate: 1_000)
        let once = UNTimeIntervalNotificationTrigger(timeInterval: 10, repeats: false)
        let again = UNTimeIntervalNotificationTrigger(timeInterval: 60, repeats: true)
        state.add(StoredRequest(Self.request("once", trigger: once), at: start))
        state.add(StoredRequest(Self.request("again", trigger: again), at: start))
        state.settle(at: start + 9)
        #expect(state.delivered.isEmpty && state.pending.count == 2)
        state.settle(at: start + 61)
        #expect(state.delivered.map(\.identifier) == ["once", "again"] && state.delivered[0].date == start + 10)
        #expect(state.pending.map(\.identifier) == ["again"])
        #expect(again.nextDate(after: start + 61, askedAt: start) == start + 120)
        let noon = UNCalendarNotificationTrigger(dateMatching: DateComponents(hour: 12), repeats: true)
        #expect(try #require(noon.nextTriggerDate()) > Date())
    }

    @Test("as many wait and are shown as on iOS, the soonest and the newest")
    func limits() {
        var state = CenterState([:])
        let start = Date(timeIntervalSinceReferenceDate: 0)
        for number in 0..<100 {
            let trigger = UNTimeIntervalNotificationTrigger(timeInterval: Double(1_000 - number), repeats: false)
            state.add(StoredRequest(Self.request("p\(number)", trigger: trigger), at: start))
            state.add(StoredRequest(Self.request("d\(number)"), at: start))
        }
        #expect(state.pending.count == 64 && state.pending.first?.identifier == "p99")
        #expect(state.delivered.count == 64 && state.delivered.first?.identifier == "d36")
    }

    @Test("what is kept has room in the file, however large it is; then the oldest go")
    func large() {
        var state = CenterState([:])
        let content = UNMutableNotificationContent()
        content.body = String(repeating: "x", count: 32 << 10)
        for number in 0..<10 {
            let request = UNNotificationRequest(identifier: "\(number)", content: content, trigger: nil)
            state.add(StoredRequest(request, at: Date()))
        }
        content.body = String(repeating: "x", count: 2 << 20)
        state.add(StoredRequest(UNNotificationRequest(identifier: "a", content: content, trigger: nil), at: Date()))
        var root: PropertyListDictionary = [:]
        state.write(to: &root)
        #expect(CenterState(root).delivered.map(\.identifier) == ["5", "6", "7", "8", "9"])
        #expect(root.serializedXML().count < GroupFile.bytesMax)
    }

    @Test("content that nobody could see, and a date that never comes, are refused with Apple's numbers")
    func refused() async throws {
        let empty = UNNotificationRequest(identifier: "e", content: UNNotificationContent(), trigger: nil)
        await #expect(throws: UNError(.notificationInvalidNoContent)) { try await center.add(empty) }
        let never = UNCalendarNotificationTrigger(dateMatching: DateComponents(year: 2001), repeats: false)
        await #expect(throws: UNError(.notificationInvalidNoDate)) {
            try await center.add(Self.request("never", trigger: never))
        }
        await #expect(throws: UNError(.badgeInputInvalid)) { try await center.setBadgeCount(-1) }
    }

    @Test("badge and categories are kept; what the host shows counts as shown")
    func rest() async throws {
        try await center.setBadgeCount(7)
        #expect(try Self.kept.badge == 7 && Phone.asked.contains("badge 7 7"))
        let reply = UNTextInputNotificationAction(
            identifier: "reply", title: "Reply", options: [.authenticationRequired],
            icon: UNNotificationActionIcon(systemImageName: "pen"), textInputButtonTitle: "Send",
            textInputPlaceholder: "…")
        let stop = UNNotificationAction(identifier: "stop", title: "Stop", options: .destructive)
        let category = UNNotificationCategory(
            identifier: "CALL", actions: [reply, stop], intentIdentifiers: ["i"], hiddenPreviewsBodyPlaceholder: "p",
            categorySummaryFormat: "s", options: .customDismissAction)
        center.setNotificationCategories([category])
        let read = try #require(await center.notificationCategories().first)
        #expect(read == category && read.intentIdentifiers == ["i"] && read.options == .customDismissAction)
        #expect(read.hiddenPreviewsBodyPlaceholder == "p" && read.categorySummaryFormat == "s")
        let action = try #require(read.actions.first as? UNTextInputNotificationAction)
        #expect(action.textInputButtonTitle == "Send" && action.options == .authenticationRequired)
        #expect(action.icon?.name == "pen" && read.actions.last?.identifier == "stop")
        let content = UNMutableNotificationContent()
        content.badge = 9
        center.showed("pushed", content)
        #expect(await center.deliveredNotifications().first?.request.trigger is UNPushNotificationTrigger)
        #expect(try Self.kept.badge == 9)
    }

    @Test("after the reply the centre is closed: errors where there can be, and a warning always")
    func afterTheReply() async throws {
        try await center.add(Self.request("before"))
        Phone.door.requestReplied()
        defer { Phone.door.requestBegan() }
        await #expect(throws: UNError(.notificationsNotAllowed)) { try await center.add(Self.request("after")) }
        await #expect(throws: UNError(.notificationsNotAllowed)) { try await center.setBadgeCount(1) }
        center.removeAllDeliveredNotifications()
        #expect(await center.deliveredNotifications().map(\.request.identifier) == ["before"])
        let warnings = Phone.warnings(.centerAfterReply)
        #expect(warnings.contains("UNUserNotificationCenter.add"))
        #expect(warnings.contains("UNUserNotificationCenter.removeAllDeliveredNotifications"))
    }

    @Test("R18 what is broken in the file is passed over")
    func broken() {
        var state = CenterState([
            "pending": .array([.data([1]), .string("x"), .data(Array("{}".utf8))]), "delivered": .integer(1),
            "badge": .real(.nan), "categories": .array([.data([0xFF])]),
        ])
        #expect(state.pending.isEmpty && state.delivered.isEmpty && state.badge == 0)
        #expect(state.categories.compactMap(UNNotificationCategory.init).isEmpty)
        let bad = #"{"identifier":"a","date":1e308,"content":{"title":"t"},"trigger":{"seconds":-1}}"#
        #expect(StoredRequest(Array(bad.utf8)) == nil)
        for trigger in [#""push""#, #"{"seconds":1e300,"repeats":true}"#, #"{"components":"{\"month\":99}"}"#] {
            let text = "{\"identifier\":\"a\",\"date\":1e300,\"content\":{\"title\":\"t\"},\"trigger\":\(trigger)}"
            if let request = StoredRequest(Array(text.utf8)) { state.add(request) }
        }
        state.settle(at: Date())
    }
}
