import BelfryJSON
import BelfryProtocol
import BelfryTerms
import Testing

@Suite struct EnvelopeTests {
    @Test func everyFieldIsRead() throws {
        let push = try push(
            #"""
            {"payload":{"aps":{"alert":"x"},"Simulator Target Bundle":"com.example.app"},
             "id":"01234567-89AB-4CDE-8F01-23456789ABCD","pushType":"voip","topic":"com.example.voip",
             "sentAt":1795190000.25,"sentUntil":1795190002,"expiration":0,"collapseId":"c","appGroup":"group.a-1"}
            """#)
        let envelope = push.envelope
        #expect(envelope.id == "01234567-89ab-4cde-8f01-23456789abcd")
        #expect(push.request.id == envelope.id && push.request.identifier == "c")
        #expect(push.pushType == .voip)
        #expect(envelope.topic == "com.example.voip")
        #expect(envelope.sentAt == WallTime(microseconds: 1_795_190_000_250_000))
        #expect(envelope.sentUntil == WallTime(microseconds: 1_795_190_002_000_000))
        #expect(envelope.expiration == WallTime(microseconds: 0))
        #expect(envelope.collapseID == "c")
        #expect(envelope.appGroup == "group.a-1")
        #expect(envelope.simulatorTargetBundle == "com.example.app")
        #expect(push.notes.isEmpty)
    }

    @Test("R8 where clocks differ a hangup was sent as late as can be, and a call was not; a payload is exact")
    func clocks() throws {
        func sentAt(_ fields: String) throws -> WallTime? {
            switch try push(#"{"payload":{"aps":{},\#(fields)},"sentAt":10,"sentUntil":12}"#).call {
            case .hangup(let hangup)?: hangup.sentAt
            case .request(let request)?: request.sentAt
            case nil: nil
            }
        }
        let (call, hangup) = (#""type":"call-request","callId":"c""#, #""type":"hangup","callId":"c""#)
        #expect(try sentAt(call) == WallTime(microseconds: 10_000_000))
        #expect(try sentAt(hangup) == WallTime(microseconds: 12_000_000))
        #expect(try sentAt(hangup + #","sentAt":11"#) == WallTime(microseconds: 11_000_000))
    }

    @Test func anAPNsPayloadNeedsNoEnvelope() throws {
        let push = try push(
            #"{"Simulator Target Bundle":"com.example.app","aps":{"alert":"x"},"payload":{"a":1},"id":5}"#)
        #expect(push.envelope.id == generatedID && push.request.identifier == generatedID)
        #expect(push.envelope.simulatorTargetBundle == "com.example.app")
        #expect(push.request.content.userInfo["payload"] == ["a": 1])
        #expect(push.request.content.userInfo["Simulator Target Bundle"] == "com.example.app")
        #expect(push.notes.isEmpty)
    }

    @Test func thePayloadsBundleCountsOverTheEnvelopes() throws {
        let push = try push(
            #"{"payload":{"aps":{"alert":"x"},"Simulator Target Bundle":"a"},"Simulator Target Bundle":"b"}"#)
        #expect(push.envelope.simulatorTargetBundle == "a")
    }

    @Test func nullFieldsAreAbsent() throws {
        let push = try push(
            #"""
            {"payload":{"aps":{"alert":"x"}},"id":null,"pushType":null,"topic":null,"sentAt":null,"expiration":null,
             "collapseId":null,"appGroup":null}
            """#)
        #expect(push.envelope == Envelope(id: generatedID))
        #expect(push.notes.isEmpty)
    }

    @Test func whatNobodyAskedForIsNoted() throws {
        let push = try push(#"{"payload":{"aps":{"alert":"x"}},"pushtype":"voip","topic":7,"collapseId":""}"#)
        #expect(push.envelope == Envelope(id: generatedID))
        #expect(push.notes.count == 2)
        #expect(push.notes[0].contains("pushtype"))
        #expect(push.notes[1].hasPrefix("topic: found the number 7, expected a string"))
    }

    @Test(arguments: [
        ("1e300", TimeSpan.longest.microseconds), ("9223372036854775808", TimeSpan.longest.microseconds),
        ("1795190000", 1_795_190_000_000_000), ("0.5", 500_000),
    ])
    func R18_numbersBeyondAnyTimeAreBounded(number: String, microseconds: Int64) throws {
        let push = try push(#"{"payload":{"aps":{}},"sentAt":\#(number),"expiration":\#(number)}"#)
        #expect(push.envelope.sentAt == WallTime(microseconds: microseconds))
        #expect(push.envelope.expiration == WallTime(microseconds: microseconds))
    }

    @Test(arguments: ["0", "-0", "-0.0", "-5", "-1e300", "-9223372036854775809"])
    func R9_aTimeBeforeTheEpochIsNoTimeOfSending(number: String) throws {
        let push = try push(#"{"payload":{"aps":{}},"sentAt":\#(number)}"#)
        #expect(push.envelope.sentAt == nil)
        #expect(push.notes.count == 1)
    }

    @Test(arguments: ["0", "-0", "-0.0"])
    func R9_expirationZeroIsTryOnce(number: String) throws {
        let push = try push(#"{"payload":{"aps":{}},"expiration":\#(number)}"#)
        #expect(push.envelope.expiration == WallTime(microseconds: 0))
    }

    @Test(arguments: [64, 128])
    func theLongestNamesAreTaken(count: Int) throws {
        let push = try push(
            #"""
            {"payload":{"aps":{}},"collapseId":"\#(String(repeating: "c", count: min(count, 64)))",
             "appGroup":"\#(String(repeating: "a", count: count))"}
            """#)
        #expect(push.envelope.collapseID?.utf8.count == 64)
        #expect(push.envelope.appGroup?.utf8.count == count)
    }

    @Test(arguments: [
        (#"{"alert":"x"}"#, PushType.alert), ("{}", .alert), (#"{"content-available":1}"#, .background),
        (#"{"content-available":1,"alert":""}"#, .background), (#"{"content-available":1,"badge":0}"#, .alert),
        (#"{"content-available":1,"sound":"default"}"#, .alert), (#"{"content-available":1,"alert":"x"}"#, .alert),
        (#"{"content-available":0}"#, .alert),
    ])
    func thePushTypeFollowsFromThePayloadWhereNoneIsStated(aps: String, type: PushType) throws {
        #expect(try push(#"{"aps":\#(aps)}"#).pushType == type)
        #expect(try push(#"{"payload":{"aps":\#(aps)},"pushType":"voip"}"#).pushType == .voip)
    }

    @Test func randomIDsAreUUIDsOfVersionFour() throws {
        var ids: Set<String> = []
        for _ in 0..<1000 {
            let id = randomUUID()
            ids.insert(id)
            let push = try push(#"{"payload":{"aps":{}},"id":"\#(id)"}"#)
            #expect(push.envelope.id == id)
            #expect(Array(id.utf8)[14] == UInt8(ascii: "4"))
            #expect("89ab".utf8.contains(Array(id.utf8)[19]))
        }
        #expect(ids.count == 1000)
    }
}
