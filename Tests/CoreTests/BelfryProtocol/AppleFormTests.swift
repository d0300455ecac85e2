import BelfryJSON
import BelfryProtocol
import BelfryTerms
import Testing

/// Payloads and headers as Apple's pages spell them.
@Suite struct AppleFormTests {
    private func push(_ text: String) throws -> Push { try Push.parse(Array(text.utf8)) }

    @Test("an alert's launch image and summary, and what a Focus filters by, are in the content")
    func content() throws {
        let alert = #""title":"t","launch-image":"l.png","summary-arg":"Ada","summary-arg-count":3"#
        let content = try push(#"{"aps":{"alert":{\#(alert)},"filter-criteria":"work"}}"#).request.content
        #expect(content.launchImageName == "l.png" && content.filterCriteria == "work")
        #expect(content.summaryArgument == "Ada" && content.summaryArgumentCount == 3)
        let plain = try push(#"{"aps":{"alert":{"title":"t","launch-image":1,"summary-arg-count":-1}}}"#)
        #expect(plain.request.content.launchImageName.isEmpty && plain.request.content.summaryArgumentCount == 1)
        #expect(plain.notes.count == 2)
    }

    @Test("APNs' headers are taken as the envelope's fields, which come first")
    func headers() throws {
        let id = "01234567-89AB-4CDE-8F01-23456789ABCD"
        let envelope = try push(
            #"{"payload":{"aps":{}},"apns-push-type":"voip","apns-topic":"com.example.voip","apns-expiration":"0","#
                + #""apns-priority":"10","apns-collapse-id":"c","apns-id":"\#(id)"}"#)
        #expect(envelope.pushType == .voip && envelope.envelope.topic == "com.example.voip")
        #expect(envelope.envelope.expiration == WallTime(unixSeconds: 0) && envelope.envelope.collapseID == "c")
        #expect(envelope.envelope.id == id.lowercased() && envelope.notes.isEmpty)
        let both = try push(#"{"payload":{"aps":{}},"pushType":"alert","apns-push-type":"voip"}"#)
        #expect(both.pushType == .alert)
    }

    @Test(
        "a kind of push that reaches no notification is refused as one that is not supported",
        arguments: [
            "complication", "controls", "fileprovider", "liveactivity", "location", "mdm", "pushtotalk", "widgets",
        ])
    func otherTypes(type: String) throws {
        let refused = #expect(throws: Rejection.self) {
            try push(#"{"payload":{"aps":{}},"pushType":"\#(type)"}"#)
        }
        #expect(refused?.reason == .badField && refused?.detail.hasSuffix("it is not supported here") == true)
    }

    @Test(
        "a call that is spelled wrongly is told how to be spelled",
        arguments: [
            (#""info":{"type":"call_request"}"#, "info.type", #"perhaps "call-request""#),
            (#""type":"1""#, "type", #"perhaps "call-request""#),
            (#""type":"2""#, "type", #"perhaps "hangup""#),
            (#""type":1"#, "type", #"perhaps "call-request", or the number inside info"#),
            (#""data":{"type":"call-request"}"#, "data.type", "a call inside info"),
            (#""data":{"type":2}"#, "data.type", "a call inside info"),
        ])
    func misspelledCalls(field: String, name: String, expected: String) throws {
        let push = try push(#"{"aps":{"alert":"x"},\#(field)}"#)
        #expect(push.call == nil && push.notes.count == 1)
        #expect(push.notes.first?.hasPrefix("\(name): found ") == true)
        #expect(push.notes.first?.hasSuffix("expected \(expected): ignored") == true)
    }

    @Test(
        "what has a type or data of its own is no call, and told nothing",
        arguments: [
            #""type":3"#, #""type":"promotion""#, #""data":{"type":"promotion"}"#, #""data":{"type":7}"#,
            #""data":[1]"#,
        ])
    func foreignFields(field: String) throws {
        #expect(try push(#"{"aps":{"alert":"x"},\#(field)}"#).notes.isEmpty)
    }

    @Test(
        "a hangup whose call id is misspelled is refused: it would end the anonymous call",
        arguments: [
            #""info":{"type":"hangup","callid":"c"}"#, #""info":{"type":2},"callID":"c""#,
        ])
    func misspelledHangup(fields: String) throws {
        let refused = #expect(throws: Rejection.self) { try push(#"{"aps":{"alert":"x"},\#(fields)}"#) }
        #expect(refused?.reason == .badField && refused?.detail.hasSuffix("did you mean callId?") == true)
        #expect(try push(#"{"aps":{"alert":"x"},"info":{"type":"hangup"}}"#).call?.callID == "")
    }
}
