import ExtensionTesting
import Intents
import Support
import Testing
import UserNotifications

/// Says on which thread it is called, and on which its task runs.
@MainActor final class OnMainActor: MainActorServiceExtension {
    private var content: UNMutableNotificationContent?

    nonisolated override init() { super.init() }

    override func didReceive(
        _ request: UNNotificationRequest, withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
    ) {
        content = request.content.mutableCopy() as? UNMutableNotificationContent
        let isMain = Thread.isMainThread
        Task { finish(isMain, contentHandler) }
    }

    private func finish(_ wasMain: Bool, _ contentHandler: (UNNotificationContent) -> Void) {
        MainActor.preconditionIsolated()
        content?.subtitle = wasMain ? "called there" : "called elsewhere"
        if let content { contentHandler(content) }
    }
}

/// Shows nothing, and asks for what it may not have: defaults by its own name.
private final class Emptying: UNNotificationServiceExtension {
    override func didReceive(
        _ request: UNNotificationRequest, withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
    ) {
        if UserNotifications.UserDefaults(suiteName: "com.example.own") == nil {
            contentHandler(UNNotificationContent())
        }
    }
}

/// Has the picture of a sender, a WebP, before it attaches its own.
private final class Picturing: UNNotificationServiceExtension {
    override func didReceive(
        _ request: UNNotificationRequest, withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
    ) {
        let ann = INPerson(
            personHandle: INPersonHandle(value: "ann", type: .unknown), nameComponents: nil, displayName: "Ann",
            image: INImage(imageData: Data("RIFF\0\0\0\0WEBPVP8 ".utf8)), contactIdentifier: nil, customIdentifier: nil)
        let intent = INSendMessageIntent(
            recipients: nil, outgoingMessageType: .outgoingMessageText, content: nil, speakableGroupName: nil,
            conversationIdentifier: nil, serviceName: nil, sender: ann, attachments: nil)
        let updated = try? request.content.updating(from: intent).mutableCopy() as? UNMutableNotificationContent
        updated?.attachments = []
        contentHandler(updated ?? UNNotificationContent())
    }
}

/// What code of its kinds gets, behind real workers.
@Suite struct KindTests {
    private static let patience = Duration.seconds(60)
    private static let alert = #"{"aps":{"alert":{"title":"Hello"},"mutable-content":1}}"#

    private func resources(_ keys: String, in folder: TemporaryFolder) -> String {
        folder.makeFolder("Resources")
        let identifier = "<key>CFBundleIdentifier</key><string>com.example.own</string>"
        let plist = "<plist version=\"1.0\"><dict>\(identifier)\(keys)</dict></plist>"
        folder.write(Array(plist.utf8), to: "Resources/Info.plist")
        return folder.write([], to: "Test.swift")
    }

    @Test("a service on the main actor is called on another thread, and its tasks run there") func mainActor()
        async
        throws
    {
        try await Belfry.running(OnMainActor()) { bell in
            let push = try await bell.push(Self.alert)
            let content = try await push.waitFor(.delivered, within: Self.patience).content
            #expect(content?.subtitle == "called elsewhere" && content?.title == "Hello")
        }
    }

    @Test(
        "R2 with the entitlement an empty reply shows nothing; the centre has what was shown", arguments: [true, false])
    func centre(isEntitled: Bool) async throws {
        let folder = TemporaryFolder()
        let key = "<key>com.apple.developer.usernotifications.filtering</key><true/>"
        let source = resources(isEntitled ? key : "", in: folder)
        try await Belfry.running(Emptying(), resources: "Resources", source: source) { bell in
            let plain = try await bell.push(#"{"aps":{"alert":{"title":"Plain"}}}"#)
            #expect(try await plain.waitFor(.delivered, within: Self.patience).isShown == true)
            let push = try await bell.push(Self.alert)
            #expect(try await push.waitFor(.delivered, within: Self.patience).isShown == !isEntitled)
            let warning = try await push.waitFor(.warning, within: Self.patience) { $0.warning == .unsupported }
            #expect("\(warning.body)".contains("UserDefaults.standard has it"))
            let shown = await UNUserNotificationCenter.current().deliveredNotifications()
            #expect(shown.map(\.request.content.title) == (isEntitled ? ["Plain"] : ["Plain", "Hello"]))
        }
    }

    @Test("an intent's picture is kept beside the attachments, which are the app's own") func picture() async throws {
        try await Belfry.running(Picturing()) { bell in
            let push = try await bell.push(Self.alert)
            let content = try await push.waitFor(.delivered, within: Self.patience).content
            let picture = try #require(content?.picture)
            #expect(picture.type == "org.webmproject.webp" && content?.attachments.isEmpty == true)
            #expect(FileManager.default.contents(atPath: picture.path)?.count == 16)
        }
    }
}
