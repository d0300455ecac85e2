import BelfryProtocol
import BelfryTerms
import Testing

/// Every field of a call with every type and every number that may stand there.
@Suite struct CallFieldTests {
    private static let longID = String(repeating: "é", count: 64)

    @Test(arguments: [
        (#""c""#, "c"), ("42", "42"), ("-42", "-42"), ("-0", "0"), ("9223372036854775807", "9223372036854775807"),
        ("9223372036854775808", "9223372036854775808"), ("18446744073709551615", "18446744073709551615"),
        ("18446744073709551616", "18446744073709551616"),
        ("-9223372036854775809", "-9223372036854775809"), (#""\#(longID)""#, longID), (#"" .:/\\\"x""#, #" .:/\"x"#),
    ])
    func aCallIDIsTextOrAnInteger(value: String, id: String) throws {
        let (request, notes) = try request(info: #""callId":\#(value)"#)
        #expect(request.callID.utf8.elementsEqual(id.utf8))
        #expect(notes.isEmpty)
        #expect(try hangup(info: #""call_id":\#(value)"#).hangup.callID.utf8.elementsEqual(id.utf8))
        #expect(try push(#"{"payload":{"call_id":\#(value)},"pushType":"voip"}"#).call?.callID == id)
    }

    @Test(arguments: [
        #""""#, #""\#(longID)x""#, #""a\u0000b""#, #""a\nb""#, #""\u001f""#, #""\u007f""#, #""\u0085""#, #""\u009f""#,
        #""a\ufffe""#, #""\uffffb""#,
        "1.5", "1.0", "1e300", "1e19", "true", "[]", "{}", "[\"c\"]",
        "\(String(repeating: "9", count: 129))",
    ])
    func everyOtherCallIDIsRefused(value: String) throws {
        for payload in [
            #"{"aps":{},"info":{"type":1,"callId":\#(value)}}"#, #"{"aps":{},"type":"hangup","call_id":\#(value)}"#,
        ] {
            let refused = try #require(rejection(payload))
            #expect(refused.reason == .badField)
            #expect(refused.detail.contains(payload.contains("info") ? "info.callId: found" : "call_id: found"))
        }
    }

    @Test func aBadCallIDIsNotReplacedByAnother() {
        #expect(rejection(#"{"aps":{},"callId":"outer","info":{"type":1,"callId":[]}}"#)?.reason == .badField)
        #expect(rejection(#"{"aps":{},"callId":"outer","info":{"type":1,"callId":null}}"#) == nil)
        #expect(rejection(#"{"aps":{},"callId":1.5,"info":{"type":1,"callId":9223372036854775808}}"#) == nil)
    }

    @Test("an info that is no object is noted, if there is a call all the same")
    func infoThatIsNone() throws {
        let push = try push(#"{"aps":{"alert":"x"},"type":"call-request","callId":"c","info":5}"#)
        #expect(push.call?.callID == "c" && push.notes == ["info: found the number 5, expected an object: ignored"])
        let nothing = #"{"aps":{"alert":"x"},"type":"call-request","callId":"c","info":null}"#
        #expect(try Push.parse(Array(nothing.utf8), makeID: { generatedID }).notes.isEmpty)
    }

    @Test func callIDsThatDifferOnlyInNormalisationDiffer() throws {
        let composed = try request(info: "\"callId\":\"\u{E9}\"").request.callID
        let decomposed = try request(info: "\"callId\":\"e\u{301}\"").request.callID
        #expect(!composed.utf8.elementsEqual(decomposed.utf8))
    }

    @Test(arguments: [
        ("true", true, 0), ("false", false, 0), ("1", true, 0), ("0", false, 0), ("-0", false, 0), ("1.0", true, 0),
        ("2", false, 1), ("1e300", false, 1), ("9223372036854775808", false, 1), (#""true""#, true, 0),
        (#""yes""#, false, 1),
        ("[]", false, 1),
        ("null", false, 0),
    ])
    func videoIsATruthValue(value: String, expected: Bool, noteCount: Int) throws {
        let (request, notes) = try request(info: #""hasVideo":\#(value)"#)
        #expect(request.hasVideo == expected)
        #expect(notes.count == noteCount)
    }

    @Test(
        arguments: [
            ("1", 1_000_000, 0), ("25", 25_000_000, 0), ("1.5", 1_500_000, 0),
            ("1e300", TimeSpan.longest.microseconds, 0),
            ("9223372036854775808", TimeSpan.longest.microseconds, 0), ("0", nil, 1), ("-0", nil, 1), ("0.9", nil, 1),
            ("-5", nil, 1), ("-1e300", nil, 1), (#""25""#, 25_000_000, 0), (#""0.5""#, nil, 1), ("true", nil, 1),
            ("[]", nil, 1), ("null", nil, 0),
        ] as [(String, Int64?, Int)])
    func aDurationIsSecondsFromOne(value: String, microseconds: Int64?, noteCount: Int) throws {
        let (request, notes) = try request(info: #""duration":\#(value)"#)
        #expect(request.duration?.microseconds == microseconds)
        #expect(notes.count == noteCount)
    }

    @Test(
        arguments: [
            ("1795190000.5", 1_795_190_000_500_000, 0), ("1e300", TimeSpan.longest.microseconds, 0),
            ("9223372036854775808", TimeSpan.longest.microseconds, 0), ("0", nil, 1), ("-0", nil, 1),
            ("-1e300", nil, 1),
            (#""1795190000""#, 1_795_190_000_000_000, 0), (#""soon""#, nil, 1), ("true", nil, 1), ("{}", nil, 1),
            ("null", nil, 0),
        ] as [(String, Int64?, Int)])
    func aTimeOfSendingIsUnixSeconds(value: String, microseconds: Int64?, noteCount: Int) throws {
        let (request, notes) = try request(info: #""sentAt":\#(value)"#)
        #expect(request.sentAt?.microseconds == microseconds)
        #expect(notes.count == noteCount)
    }

    @Test(
        arguments: [
            (#""Ada""#, "Ada", 0), (#""""#, nil, 0), ("4930", "4930", 0), ("1.5", nil, 1), ("1e300", nil, 1),
            ("-0", "0", 0),
            ("9223372036854775808", "9223372036854775808", 0), ("18446744073709551616", nil, 1), ("true", nil, 1),
            ("[]", nil, 1), ("null", nil, 0),
        ] as [(String, String?, Int)])
    func namesAndNumbersAreText(value: String, expected: String?, noteCount: Int) throws {
        let (request, notes) = try request(info: #""callerName":\#(value),"phone":\#(value)"#)
        #expect(request.callerName == expected)
        #expect(request.handle == expected)
        #expect(notes.count == 2 * noteCount)
    }

    @Test func anUnusableFieldGivesWayToTheOtherSpelling() throws {
        let (request, notes) = try request(
            info: #""callerName":[],"caller_name":"Ada","hasVideo":"x","has_video":true,"callerAvatar":"","#
                + #""caller_avatar":"http://h/a""#)
        #expect(request.callerName == "Ada")
        #expect(request.hasVideo)
        #expect(request.callerAvatar == .url("http://h/a"))
        #expect(notes.count == 2)
    }

    @Test(arguments: [
        "http://h", "https://example.com/a.png?x=1#y", "HTTPS://EXAMPLE.COM/", "http://[::1]:8080/a",
        // These are refused when they are asked for, each with its reason.
        "http://u:p@h/", "http://münchen.de/", "http://h:99999/", "http://10.0.0.1/a",
    ])
    func webAddressesArePictures(address: String) throws {
        #expect(try request(info: #""callerAvatar":"\#(address)""#).request.callerAvatar == .url(address))
    }

    @Test("an address of another scheme is refused when it is asked for, and gives way to one that may be fetched")
    func otherSchemes() throws {
        for address in ["file:///etc/passwd", "ftp://h/a", "data:image/png;base64,AAAA"] {
            let field = #""callerAvatar":"\#(address)""#
            #expect(try request(info: field).request.callerAvatar == .url(address))
            let both = try request(info: field + #","caller_avatar":"http://h/a""#)
            #expect(both.request.callerAvatar == .url("http://h/a"))
        }
    }

    @Test(arguments: [
        #""""#, #""x""#, #""file: //""#, #""C:\\a""#, #""http:/h""#, #""http://""#, #""http:///a""#,
        #""http://:80/""#, #""http://h/a b""#, #""http://h/\u0000""#, #""http://h/\r\nX: y""#, #""//h/a""#, "5", "true",
        "[]", "{}", #""http://h\\a""#, #""http://h/\#(String(repeating: "a", count: 2040))""#,
    ])
    func everyOtherPictureIsThereButUnusable(value: String) throws {
        let request = try request(info: #""callerAvatar":\#(value)"#).request
        guard case .unusable(let detail) = request.callerAvatar else {
            Issue.record("\(request.callerAvatar)")
            return
        }
        #expect(detail.hasPrefix("info.callerAvatar: found "))
        #expect(detail.utf8.count < 300)
    }

    @Test func ofTwoIDsTheFirstCountsHoweverLongItIs() throws {
        let digits = "123456789012345678901234567890"
        #expect(try request(info: #""callId":\#(digits),"call_id":7"#).request.callID == digits)
    }
}
