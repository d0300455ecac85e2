import BelfryAppGroup
import BelfryPropertyList
import BelfryProtocol
import BelfryTerms
import Intents
import Support
import Testing
import UserNotifications

/// Communication notifications: an intent is donated, and content is updated from it.
@Suite(.onPhone) struct IntentTests {
    private let folder = TemporaryFolder()

    private func person(_ name: String?, image: INImage? = nil) -> INPerson {
        var components = PersonNameComponents()
        components.givenName = "Ann"
        components.familyName = "Lee"
        return INPerson(
            personHandle: INPersonHandle(value: "ann@example.com", type: .emailAddress), nameComponents: components,
            displayName: name, image: image, contactIdentifier: nil, customIdentifier: "7")
    }

    private func message(from sender: INPerson?, group: String? = nil) -> INSendMessageIntent {
        INSendMessageIntent(
            recipients: nil, outgoingMessageType: .outgoingMessageText, content: "hello",
            speakableGroupName: group.map { INSpeakableString(spokenPhrase: $0) }, conversationIdentifier: "c",
            serviceName: nil, sender: sender, attachments: nil)
    }

    @Test("a message's sender is the title, its group the subtitle, its picture no attachment") func message() throws {
        let content = UNMutableNotificationContent()
        (content.title, content.body) = ("New message", "hello")
        let intent = message(from: person("Ann"), group: "Family")
        intent.setImage(INImage(imageData: Data(SmallPNG.bytes())), forParameterNamed: \.speakableGroupName)
        let updated = try #require(try content.updating(from: intent) as? UNMutableNotificationContent)
        #expect(updated.title == "Ann" && updated.subtitle == "Family" && updated.body == "hello")
        #expect(updated.threadIdentifier == "c" && content.title == "New message" && content.attachments.isEmpty)
        let picture = try #require(updated.value.picture)
        #expect(picture.type == "public.png" && FileManager.default.fileExists(atPath: picture.path))
        try FileManager.default.removeItem(atPath: picture.path)
        // What the app attaches afterwards takes nothing of it away.
        updated.attachments = []
        #expect((updated.mutableCopy() as? UNNotificationContent)?.value.picture == picture)
        let fixed = try #require(content.copy() as? UNNotificationContent)
        #expect(try !(fixed.updating(from: message(from: person(nil))) is UNMutableNotificationContent))
        #expect(try fixed.updating(from: message(from: person(nil))).title == "Ann Lee")
    }

    @Test("a call's people are the title; a picture in a file counts, one in the net does not") func call() throws {
        let file = URL(fileURLWithPath: folder.write(SmallPNG.bytes(), to: "a"))
        func call(_ image: INImage?) -> INStartCallIntent {
            INStartCallIntent(
                callRecordFilter: nil, callRecordToCallBack: nil, audioRoute: .unknown, destinationType: .normal,
                contacts: [person("Ann", image: image), person("Bob")], callCapability: .audioCall)
        }
        let updated = try UNMutableNotificationContent().updating(from: call(INImage(url: file)))
        #expect(updated.title == "Ann, Bob" && updated.attachments.isEmpty)
        try FileManager.default.removeItem(atPath: try #require(updated.value.picture).path)
        let web = try UNMutableNotificationContent().updating(
            from: call(INImage(url: try #require(URL(string: "https://a.b/c.png")))))
        #expect(web.value.picture == nil)
    }

    @Test("a WebP is a picture as any other; what is none is warned of") func formats() throws {
        let intent = message(from: person("Ann"))
        func picture(_ data: Data) throws -> NotificationAttachment? {
            intent.setImage(INImage(imageData: data), forParameterNamed: \.sender)
            return try UNMutableNotificationContent().updating(from: intent).value.picture
        }
        let webp = try #require(try picture(Data("RIFF\0\0\0\0WEBPVP8 ".utf8)))
        #expect(webp.type == "org.webmproject.webp" && webp.path.hasSuffix(".webp"))
        try FileManager.default.removeItem(atPath: webp.path)
        #expect(try picture(Data("text".utf8)) == nil)
        #expect(Phone.warnings(.attachmentDropped).contains { $0.contains("neither PNG, JPEG, GIF nor WebP") })
    }

    @Test("an intent without a sender provides nothing, and what is no intent may not") func refuses() throws {
        final class Other: NSObject, UNNotificationContentProviding {}
        let content = UNMutableNotificationContent()
        #expect(throws: UNError.self) { try content.updating(from: message(from: nil)) }
        do {
            _ = try content.updating(from: Other())
        } catch {
            #expect((error as? UNError)?.code == .contentProvidingObjectNotAllowed)
        }
        let rich = UNNotificationAttributedMessageContext(
            sendMessageIntent: message(from: person("Ann")), attributedContent: NSAttributedString(string: "bold"))
        #expect(try content.updating(from: rich).body == "bold")
    }

    /// What is kept of this in each donation.
    private func kept(_ key: String) -> [String] {
        let state = StateDirectory(path: "\(Phone.state.path)/donations")
        let groups = (try? state.groups()) ?? []
        return groups.flatMap { group in
            let root = GroupFile(state: state, group: group).snapshot().root
            return (root["donations"]?.arrayValue ?? []).compactMap { $0.dictionaryValue?[key]?.stringValue }
        }
    }

    @Test("what is donated is told and kept, until it is deleted") func donations() async throws {
        let interaction = INInteraction(intent: message(from: person("Ann")), response: nil)
        interaction.direction = .incoming
        interaction.groupIdentifier = "family"
        try await interaction.donate()
        #expect(Phone.asked.contains { $0.contains("donate") && $0.contains("INSendMessage") })
        #expect(kept("sender") == ["Ann"] && kept("direction") == ["incoming"])
        let call = INStartCallIntent(
            callRecordFilter: nil, callRecordToCallBack: nil, audioRoute: .unknown, destinationType: .normal,
            contacts: [person("Bob"), person("Cid")], callCapability: .audioCall)
        let other = INInteraction(intent: call, response: nil)
        try await other.donate()
        #expect(kept("contacts") == ["Bob, Cid"])
        try await INInteraction.delete(with: ["none"])
        #expect(kept("identifier") == [interaction.identifier, other.identifier])
        try await INInteraction.delete(with: [other.identifier])
        #expect(kept("identifier") == [interaction.identifier])
        try await INInteraction.delete(with: "family")
        #expect(kept("identifier") == [])
    }

    @Test("what came of calls has Apple's bits; a message says of itself nothing that the app does not")
    func values() {
        let types: [INCallRecordTypeOptions] = [.outgoing, .missed, .received, .latest]
        #expect(types.map(\.rawValue) == [1, 2, 4, 8])
        let metadata = INSendMessageIntentDonationMetadata()
        #expect(!metadata.mentionsCurrentUser && !metadata.isReplyToCurrentUser && !metadata.notifyRecipientAnyway)
        #expect(metadata.recipientCount == 0)
    }
}
