import BelfryTesting
import FoundationEssentials
import ServerUnderTest
import Testing

/// One import of a bell beside a server's own types, which may have any name.
@Suite struct NameTests {
    /// Far longer than anything here takes, on a loaded machine too.
    private static let patience = Duration.seconds(60)

    @Test("the server's own types keep their names beside a bell") func ownTypes() {
        let event: Event = Event(title: "a")
        #expect(event.title == "a" && JSONValue.text("a") == .text("a") && JSONObject() == JSONObject())
        #expect(Push() == Push() && Envelope() == Envelope() && Instant() == Instant())
        #expect(CallRequest() == CallRequest() && Hangup() == Hangup() && HangupReason.tired == .tired)
        #expect(NotificationContent() == NotificationContent() && PushSession() == PushSession())
        #expect(CallLog() == CallLog())
    }

    @Test("the bell's types have names of their own, and their members come with one import")
    func bellsTypes() async throws {
        try await Belfry.running(settings: BellSettings(secondCall: .silent)) { bell in
            let request = Belfry.CallRequest(callID: "a", callerName: "Ann", duration: Duration.seconds(20))
            let call = try await bell.push(request)
            let ringing: Belfry.Event = try await call.waitFor(.ringing, within: Self.patience)
            #expect(ringing.ringing?.duration == 20 && ringing.callID == "a")
            #expect([ringing.ringing?.mode] == [.loud])
            try await bell.push(Belfry.Hangup(callID: "a", reason: .busy))
            let end = try await call.waitFor(.missed, within: Self.patience)
            let content: Belfry.Content? = end.content
            #expect(end.missed == "a" && content?.title == "Ann")
        }
    }

    @Test("a request, a hangup and an envelope take a test's dates and durations") func times() async throws {
        let past = Date(timeIntervalSince1970: 1)
        try await Belfry.running { bell in
            let stale = try await bell.push(Belfry.CallRequest(callID: "a", sentAt: past))
            #expect(try await stale.waitFor(.silent, within: Self.patience).silence == .stale)
            let late = try await bell.push(Belfry.CallRequest(callID: "b"), in: Belfry.Envelope(sentAt: past))
            #expect(try await late.waitFor(.silent, within: Self.patience).silence == .stale)
            let payload: Belfry.JSONObject = ["aps": ["alert": "Hi", "mutable-content": 1]]
            let gone = try await bell.push(payload: payload, in: Belfry.Envelope(expiration: past))
            #expect(try await gone.waitFor(.received, within: Self.patience).received?.why == .expired)
            let none: Date? = nil
            #expect(Belfry.Hangup(callID: "c", sentAt: none).sentAt == nil)
            #expect(Belfry.Hangup(callID: "c", sentAt: past).sentAt == Belfry.Envelope(sentAt: past).sentAt)
        }
    }
}
