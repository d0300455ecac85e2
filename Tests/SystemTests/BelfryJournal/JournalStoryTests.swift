import BelfryJSON
@testable import BelfryJournal
import BelfryProtocol
import BelfryTerms
import Testing

@Suite struct JournalStoryTests {
    static let id = "01234567-89ab-4cde-8f01-23456789abcd"

    func event(_ body: Event.Body) -> Event { Event(at: 1.5, boot: 100, id: Self.id, body: body) }

    func value(_ name: String, _ entry: JournalEntry) -> String? {
        entry.fields.first { $0.name == name }.map { String(decoding: $0.value, as: UTF8.self) }
    }

    /// One event of each kind.
    static let bodies: [Event.Body] = [
        .received(.init(type: .callRequest, call: "c-1", why: nil)),
        .ringing(.init(call: "c-1", mode: .loud, duration: 30, interval: 1, sound: "ring", vibrate: true)),
        .silent(call: "c-1", why: .duplicate), .tick(n: 1, late: 0.0001), .sound(state: .playing, detail: "ring"),
        .attachment(.init(url: "https://a.example/b?c", outcome: .skipped(reason: .httpStatus, detail: "404"))),
        .delivered(by: .extension, content: NotificationContent()),
        .ended(.init(call: "c-1", reason: .hangup, hangupReason: .cancelled, rang: 2.25, ticks: 2)),
        .missed(call: "c-1", content: NotificationContent()), .warning(code: .badClock, detail: "an hour ahead"),
        .rejected(reason: .noAps, detail: "expected an object with aps"),
        .extensionProcess(.init(state: .ended, exit: 0, seconds: 1, memory: 1 << 20)),
        .asked(.init(what: CodeWord(.vibration), n: 1, detail: "")),
        .caller(.init(call: "c-1", name: "Anna Müller", handle: "555 9876", hasVideo: false)),
        .app(.init(.started, app: "com.example.phone")),
        .call(.init(.ended, call: "c-1", uuid: id, app: "com.example.phone", by: .remote)),
        .action(.init(.answer, .fulfilled, call: "c-1", uuid: id, app: "com.example.phone", seconds: 0.5)),
        .notification(state: .shown, detail: ""), .vibration(state: .unavailable, detail: "nothing here vibrates"),
    ]

    @Test func everyKindButWhatIsFrequentHasItsEntryAndItsID() throws {
        var ids: Set<String> = []
        for body in Self.bodies {
            var story = JournalStory(group: "group.belfry")
            let event = event(body)
            guard let entry = story.entry(for: event) else {
                #expect(event.isFrequent)
                #expect(!JournalStory.hasEntry(for: event))
                continue
            }
            #expect(JournalStory.hasEntry(for: event))
            #expect(value("BELFRY_EVENT", entry) == event.name)
            #expect(value("BELFRY_ID", entry) == Self.id)
            #expect(value("BELFRY_GROUP", entry) == "group.belfry")
            ids.insert(try #require(value("MESSAGE_ID", entry)))
        }
        #expect(ids == Set(MessageID.allCases.map(\.rawValue)))
        #expect(ids.allSatisfy { $0.utf8.count == 32 && $0.allSatisfy(\.isHexDigit) })
    }

    @Test func everyEntryAfterReceivedNamesTheCall() {
        var story = JournalStory(group: "g")
        for body in Self.bodies {
            guard let entry = story.entry(for: event(body)) else { continue }
            #expect(value("BELFRY_CALL", entry) == "c-1")
            #expect(entry.message.hasPrefix("Call c-1: "))
        }
    }

    @Test func theAnonymousCallHasAnEmptyID() throws {
        var story = JournalStory(group: "g")
        let telling = story.entry(for: event(.silent(call: "", why: .duplicate)))
        let entry = try #require(telling)
        #expect(value("BELFRY_CALL", entry) == "")
        #expect(entry.message == "Anonymous call: does not ring: duplicate")
    }

    @Test("S3 R24 whose number it is stays out of the journal, and that a call was blocked is one entry's word")
    func labels() throws {
        let label = NumberLabel("Anna Müller", from: "Tellows")
        var ringing = Event.Ringing(call: "c-1", mode: .loud, duration: 1, interval: 1, sound: "", vibrate: false)
        ringing.label = label
        var caller = Event.Caller(call: "c-1", name: "", handle: "", hasVideo: false)
        caller.label = label
        let blocked = Event.Body.silent(call: "c-1", why: .blocked, label: label)
        let missed = Event.Body.missed(call: "c-1", content: NotificationContent(), label: label)
        for body in [blocked, .ringing(ringing), .caller(caller), missed] {
            let entry = try entry(body)
            let values = entry.fields.map { String(decoding: $0.value, as: UTF8.self) } + [entry.message]
            #expect(!values.contains { $0.contains("Anna") || $0.contains("Tellows") }, "\(values)")
        }
        #expect(try entry(blocked).message == "Call c-1: does not ring: blocked")
    }

    @Test func S3_theCallerIsNeverNamed() throws {
        var content = NotificationContent()
        content.title = "Anna Müller"
        content.body = "555 9876"
        content.userInfo = ["callerName": .string("Anna Müller")]
        let secrets: [Event.Body] = [
            .delivered(by: .extension, content: content), .missed(call: "c-1", content: content),
            .caller(.init(call: "c-1", name: "Anna Müller", handle: "555 9876", hasVideo: false)),
            .attachment(
                .init(
                    url: "https://a.example/Anna.png?k=9876",
                    outcome: .attached(path: "/run/Anna.png", type: "public.png", bytes: 1, seconds: 0.1))),
            .attachment(
                .init(
                    url: "https://a.example/Anna.png",
                    outcome: .skipped(reason: .connectFailed, detail: "https://a.example/Anna.png?9876 timed out"))),
            .warning(
                code: .fieldIgnored,
                detail: """
                    x: not known, ignored
                    callerName: found "Anna", expected a string: ignored
                    handle: found "x; Anna 9876", expected a string: ignored
                    """),
            .rejected(reason: .badField, detail: "callId: found \"Anna 9876\", expected 1 to 128 bytes"),
        ]
        for body in secrets {
            var story = JournalStory(group: "g")
            let telling = story.entry(for: event(body))
            let entry = try #require(telling)
            let text = String(decoding: entry.datagram(identifier: "x", lost: 0), as: UTF8.self)
            #expect(!text.contains("Anna") && !text.contains("9876"), "\(text)")
        }
    }

    @Test func S3_aHostileCallIDIsEscapedForPeopleAndKeptForFilters() throws {
        let call = "a\u{202E}b\u{2028}c"
        var story = JournalStory(group: "g")
        let telling = story.entry(for: event(.silent(call: call, why: .stale)))
        let entry = try #require(telling)
        #expect(entry.message == "Call a\\u{202e}b\\u{2028}c: does not ring: stale")
        #expect(value("BELFRY_CALL", entry).map { $0.utf8.elementsEqual(call.utf8) } == true)
    }

    @Test("all fields that were passed over are one entry, which names each")
    func ignoredFields() throws {
        let detail = "a: found the number 7, expected a string: ignored\nb: not known, ignored"
        var story = JournalStory(group: "g")
        let telling = story.entry(for: event(.warning(code: .fieldIgnored, detail: detail)))
        let entry = try #require(telling)
        #expect(
            entry.message
                == "Notification: warning: field-ignored: a: expected a string: ignored; b: not known, ignored")
    }

    @Test func theMessagesTellAStory() {
        var story = JournalStory(group: "g")
        let messages = Self.bodies.compactMap { story.entry(for: event($0))?.message }
        #expect(
            messages == [
                "Call c-1: received call-request", "Call c-1: rings loud for 30.0s",
                "Call c-1: does not ring: duplicate", "Call c-1: sound playing: ring",
                "Call c-1: picture from https://a.example skipped: http-status: 404",
                "Call c-1: delivered by extension",
                "Call c-1: ended after 2.25s: hangup (cancelled)", "Call c-1: missed",
                "Call c-1: warning: bad-clock: an hour ahead",
                "Call c-1: rejected: NoAps: expected an object with aps",
                "Call c-1: extension ended after 1.0s with status 0", "Call c-1: the app named another caller",
                "Call c-1: app com.example.phone started", "Call c-1: call ended (remote)",
                "Call c-1: action answer fulfilled", "Call c-1: notification shown",
                "Call c-1: vibration unavailable: nothing here vibrates",
            ]
        )
    }

    @Test("each event has its fields in the journal, and no other: of texts only what is named there")
    func fields() throws {
        let attached = Event.Attachment.Outcome.attached(path: "/p", type: "public.png", bytes: 7, seconds: 0.5)
        let muted = Event.Ringing(
            call: "c-1", mode: .silent, why: .quietHours, duration: 1.5, interval: 1, sound: "none", vibrate: false)
        let bodies = Self.bodies + [.attachment(.init(url: "https://a.example/b", outcome: attached)), .ringing(muted)]
        let own = try bodies.filter { JournalStory.hasEntry(for: event($0)) }.map { body in
            try entry(body).fields.map { "\($0.name)=\(String(decoding: $0.value, as: UTF8.self))" }.filter { field in
                !["MESSAGE_ID=", "BELFRY_EVENT=", "BELFRY_ID=", "BELFRY_GROUP=", "BELFRY_CALL="]
                    .contains { field.hasPrefix($0) }
            }.sorted().map { $0.replacing("BELFRY_", with: "") }.joined(separator: " ")
        }
        #expect(
            own == [
                "TYPE=call-request", "DURATION=30.0s MODE=loud SOUND=ring", "WHY=duplicate",
                "DETAIL=ring STATE=playing",
                "DETAIL=404 REASON=http-status STATE=skipped URL=https://a.example", "ATTACHMENTS=0 BY=extension",
                "HANGUP_REASON=cancelled RANG=2.25s REASON=hangup TICKS=2", "",
                "CODE=bad-clock DETAIL=an hour ahead", "DETAIL=expected an object with aps REASON=NoAps",
                "EXIT=0 MEMORY=1048576 STATE=ended", "", "APP=com.example.phone DETAIL= STATE=started",
                "APP=com.example.phone BY=remote STATE=ended UUID=\(Self.id)",
                "APP=com.example.phone KIND=answer STATE=fulfilled UUID=\(Self.id)", "DETAIL= STATE=shown",
                "DETAIL=nothing here vibrates STATE=unavailable",
                "BYTES=7 STATE=attached TYPE=public.png URL=https://a.example",
                "DURATION=1.5s MODE=silent SOUND=none WHY=quiet-hours",
            ])
    }

    private func entry(_ body: Event.Body) throws -> JournalEntry {
        var story = JournalStory(group: "g")
        let entry = story.entry(for: event(body))
        return try #require(entry)
    }

    @Test func whyAndHowAreFieldsAndWhatIsAsItShouldBeIsNoNotice() throws {
        let received = try entry(.received(.init(type: .alert, call: nil, why: .noAlertText)))
        #expect(value("BELFRY_WHY", received) == "no-alert-text")
        let ended = Event.Ended(call: "c", reason: .hangup, hangupReason: .busy, rang: 1, ticks: 0)
        let hangup = try entry(.ended(ended))
        #expect(value("BELFRY_HANGUP_REASON", hangup) == "busy" && hangup.message.hasSuffix("hangup (busy)"))
        let attached = Event.Attachment.Outcome.attached(path: "/p", type: "public.png", bytes: 7, seconds: 0.5)
        let picture = try entry(.attachment(.init(url: "https://a.example/b", outcome: attached)))
        #expect(picture.priority == .info && value("MESSAGE_ID", picture) == MessageID.attachment.rawValue)
        let skipped = Event.Attachment.Outcome.skipped(reason: CodeWord(.timeout), detail: "")
        let without = try entry(.attachment(.init(url: "https://a.example/b", outcome: skipped)))
        #expect(without.priority == .notice)
    }
}
