import BelfryProtocol
import BelfryTerms
import Testing

@Suite struct RejectionTests {
    @Test(
        arguments: [
            ("", .empty),
            (" \r\n\t", .empty),
            ("hello", .notJSON),
            ("{", .notJSON),
            (#"{"aps":{}"#, .notJSON),
            (#"{"aps":{}}x"#, .notJSON),
            (#"{"aps":{"badge":NaN}}"#, .notJSON),
            (#"{"aps":{"badge":1e400}}"#, .notJSON),
            (#"{"aps":{},"aps":{}}"#, .notJSON),
            (#"{"aps":{"alert":"a","alert":"b"}}"#, .notJSON),
            (#"{"aps":{"alert":"\ud800"}}"#, .notJSON),
            ("[]", .notAnObject),
            ("[{\"aps\":{}}]", .notAnObject),
            ("\"aps\"", .notAnObject),
            ("null", .notAnObject),
            ("5", .notAnObject),
            ("{}", .noAps),
            (#"{"info":{"type":1}}"#, .noAps),
            (#"{"aps":null}"#, .noAps),
            (#"{"payload":{}}"#, .noAps),
            (#"{"payload":{"info":{"type":1}}}"#, .noAps),
            (#"{"payload":{"info":{"type":1}},"pushType":"alert"}"#, .noAps),
            (#"{"aps":"x"}"#, .badField),
            (#"{"aps":[]}"#, .badField),
            (#"{"payload":null}"#, .badField),
            (#"{"payload":"{}"}"#, .badField),
            (#"{"payload":{"aps":5}}"#, .badField),
        ] as [(String, RejectionReason)])
    func R16_whatIsNoNotificationIsRefused(text: String, reason: RejectionReason) {
        #expect(rejection(text)?.reason == reason)
        #expect(rejection(text)?.detail.isEmpty == false)
    }

    @Test(
        arguments: [
            (#""id":"x""#, .badField), (#""id":5"#, .badField),
            (#""id":"{01234567-89ab-4cde-8f01-23456789abcd}""#, .badField),
            (#""id":"01234567-89ab-4cde-8f01-23456789abc/""#, .badField),
            (#""id":"../../../../../../../../../../../../""#, .badField),
            (#""pushType":"liveactivity""#, .badField), (#""pushType":1"#, .badField),
            (#""sentAt":"now""#, .badField), (#""sentAt":true"#, .badField), (#""sentAt":[]"#, .badField),
            (#""expiration":"0""#, .badField), (#""expiration":-1"#, .badField), (#""expiration":-1e300"#, .badField),
            (#""collapseId":5"#, .badField),
            (#""collapseId":"\#(String(repeating: "é", count: 32))x""#, .badField),
            (#""appGroup":5"#, .badAppGroup), (#""appGroup":"""#, .badAppGroup),
            (#""appGroup":".hidden""#, .badAppGroup),
            (#""appGroup":"-x""#, .badAppGroup), (#""appGroup":"../x""#, .badAppGroup),
            (#""appGroup":"a/b""#, .badAppGroup),
            (#""appGroup":"a\u0000""#, .badAppGroup), (#""appGroup":"grüße""#, .badAppGroup),
            (#""appGroup":"\#(String(repeating: "a", count: 129))""#, .badAppGroup),
        ] as [(String, RejectionReason)])
    func R16_anEnvelopeThatCannotBeHonouredIsRefusedByItsField(field: String, reason: RejectionReason) throws {
        let refused = try #require(rejection(#"{"payload":{"aps":{"alert":"x"}},\#(field)}"#))
        #expect(refused.reason == reason)
        let name = field.dropFirst().prefix { $0 != "\"" }
        #expect(refused.detail.hasPrefix("\(name): found "))
        #expect(refused.detail.contains("expected"))
    }

    @Test func R16_whatIsNotUTF8IsRefused() {
        #expect(rejection(Array(#"{"aps":{"alert":""#.utf8) + [0xFF] + Array(#""}}"#.utf8))?.reason == .notUTF8)
    }

    @Test func R16_deepNestingIsRefused() {
        for depth in [31, 100, 20_000] {
            let opening = String(repeating: "[", count: depth)
            let closing = String(repeating: "]", count: depth)
            #expect(rejection(#"{"aps":{},"a":\#(opening)\#(closing)}"#)?.reason == (depth == 31 ? nil : .tooDeep))
        }
        #expect(rejection(String(repeating: #"{"aps":"#, count: 9_000))?.reason == .tooDeep)
    }

    @Test(
        arguments: [
            (4096, nil), (4097, .payloadTooLarge),
        ] as [(Int, RejectionReason?)])
    func thePayloadIsBoundedInBytesAsItCame(count: Int, reason: RejectionReason?) {
        let frame = #"{"aps":{"alert":""}}"#
        let text = String(repeating: "a", count: count - frame.utf8.count)
        let payload = #"{"aps":{"alert":"\#(text)"}}"#
        #expect(rejection(payload)?.reason == reason)
        // White space around it does not count, white space in it does.
        #expect(rejection("\n\n  \(payload)\n")?.reason == reason)
        let spaced = #"{ "aps" : {"alert":"\#(text.dropLast(3))"}}"#
        #expect(rejection(spaced)?.reason == reason)
        // An escape has the bytes that it is written with: Python writes é so.
        let escaped = #"{"aps":{"alert":"\#(text.dropLast(6))\u00e9"}}"#
        #expect(rejection(escaped)?.reason == reason)
        // The envelope does not count, wherever the payload stands in it, and however its key is spelled.
        #expect(rejection(#"{"payload":\#(payload),"topic":"com.example","pushType":"alert"}"#)?.reason == reason)
        #expect(rejection(#"{"topic":"\"{payload\": [","\u0070ayload" : \#(escaped) }"#)?.reason == reason)
    }

    @Test(arguments: [(5120, nil), (5121, .payloadTooLarge)] as [(Int, RejectionReason?)])
    func thePayloadOfAVoipPushMayBeLarger(count: Int, reason: RejectionReason?) {
        let text = String(repeating: "a", count: count - #"{"callerName":""}"#.utf8.count)
        #expect(rejection(#"{"payload":{"callerName":"\#(text)"},"pushType":"voip"}"#)?.reason == reason)
    }

    @Test func theWholeNotificationIsBounded() {
        let payload = #"{"aps":{"alert":"x"}}"#
        let space = String(repeating: " ", count: 65_536 - payload.utf8.count)
        #expect(rejection(payload + space) == nil)
        #expect(rejection(payload + space + " ")?.reason == .payloadTooLarge)
        #expect(rejection(Array(repeating: 0x7B, count: 1 << 20))?.reason == .payloadTooLarge)
    }

    @Test func theNumberOfValuesIsBounded() {
        let many = Array(repeating: "1", count: 10_001).joined(separator: ",")
        #expect(rejection(#"{"payload":{"aps":{}},"x":[\#(many)]}"#)?.reason == .payloadTooLarge)
    }

    @Test func foreignTextInDetailsIsShortAndCannotMoveACursor() throws {
        let hostile = #"\u001b[2J\u202e\n"# + String(repeating: "A", count: 3000)
        for field in ["id", "pushType", "collapseId", "appGroup", "sentAt", "sentUntil"] {
            let refused = try #require(rejection(#"{"payload":{"aps":{}},"\#(field)":"\#(hostile)"}"#))
            #expect(refused.detail.utf8.count < 400)
            #expect(refused.detail.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x202E })
        }
    }

    @Test(
        "what is no payload says where one would go: a request to FCM, and a voip push without its envelope",
        arguments: [
            (#"{"message":{"token":"t","data":{"type":"call-request"}}}"#, "request to FCM", "fields of its data"),
            (#"{"message":{"token":"t","apns":{"payload":{"aps":{}}}}}"#, "request to FCM", "message.apns.payload"),
            (#"{"to":"t","notification":{"title":"a"}}"#, "request to FCM", "fields of its data"),
            (#"{"twi_call_sid":"CA1"}"#, "neither", #"{"pushType": "voip", "payload": {…}}"#),
            (#"{"message":"text"}"#, "neither", "voip"), (#"{"to":"t"}"#, "neither", "voip"),
        ])
    func R16_whereAPayloadGoes(text: String, what: String, advice: String) throws {
        let refused = try #require(rejection(text))
        #expect(refused.reason == .noAps && refused.detail.contains(what) && refused.detail.contains(advice))
    }
}
