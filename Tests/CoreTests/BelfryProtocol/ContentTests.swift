import BelfryJSON
import BelfryProtocol
import BelfryTerms
import Testing

/// Apple's device-side parsing, line by line.
@Suite struct ContentTests {
    @Test func everyKeyIsRead() throws {
        let text = #"""
            {"aps":{"alert":{"title":"T","subtitle":"S","body":"B","launch-image":"L"},"badge":3,
             "sound":{"critical":1,"name":"ring.caf","volume":0.5},"thread-id":"th","category":"cat",
             "target-content-id":"win","interruption-level":"time-sensitive","relevance-score":0.75,
             "mutable-content":1,"content-available":1},"own":[1,{"a":2.0}]}
            """#
        let push = try push(text)
        let content = push.request.content
        #expect(content.title == "T")
        #expect(content.subtitle == "S")
        #expect(content.body == "B")
        #expect(content.badge == 3)
        #expect(content.sound == NotificationSound(name: "ring.caf", isCritical: true, volume: 0.5))
        #expect(content.threadIdentifier == "th")
        #expect(content.categoryIdentifier == "cat")
        #expect(content.targetContentIdentifier == "win")
        #expect(content.interruptionLevel == .timeSensitive)
        #expect(content.relevanceScore == 0.75)
        #expect(.object(content.userInfo) == (try JSONValue.parse(Array(text.utf8))))
        #expect(push.isMutableContent)
        #expect(push.isContentAvailable)
        #expect(push.alertHasText)
        #expect(push.call == nil)
        #expect(push.notes.isEmpty)
    }

    @Test func anEmptyApsShowsNothing() throws {
        let push = try push(#"{"aps":{}}"#)
        var expected = NotificationContent()
        expected.userInfo = ["aps": [:]]
        #expect(push.request.content == expected)
        #expect(!push.isMutableContent && !push.isContentAvailable && !push.alertHasText)
    }

    @Test(arguments: [
        (#""Hello""#, "", "", "Hello"), (#""""#, "", "", ""), ("{}", "", "", ""), ("5", "", "", ""), ("[]", "", "", ""),
        ("null", "", "", ""), ("true", "", "", ""), (#"{"title":"T"}"#, "T", "", ""),
        (#"{"title":5,"subtitle":[],"body":{}}"#, "", "", ""), (#"{"title":"","body":"B"}"#, "", "", "B"),
        (#"{"loc-key":"CALL_FROM"}"#, "", "", "CALL_FROM"),
        (#"{"loc-key":"%@ calls %@","loc-args":["Ada","Bob"]}"#, "", "", "Ada calls Bob"),
        (#"{"loc-key":"%2$@ called by %1$@, 100%%","loc-args":["Ada","Bob"]}"#, "", "", "Bob called by Ada, 100%"),
        (#"{"loc-key":"%@|%@","loc-args":["Ada",5]}"#, "", "", "Ada|"),
        (#"{"loc-key":"%@|%@|%9$@|%0$@","loc-args":["%@"]}"#, "", "", "%@|%@|%9$@|%0$@"),
        (#"{"loc-key":"%s%n%d%x%p%99999999999$@%","loc-args":["Ada"]}"#, "", "", "%s%n%d%x%p%99999999999$@%"),
        (#"{"loc-key":"%@","loc-args":"Ada"}"#, "", "", "%@"), (#"{"loc-key":"%@%%","loc-args":[]}"#, "", "", "%@%%"),
        (
            #"{"title-loc-key":"T %@","title-loc-args":["1"],"subtitle-loc-key":"S %@","subtitle-loc-args":["2"]}"#,
            "T 1", "S 2", ""
        ),
        (#"{"body":"B","loc-key":"K"}"#, "", "", "B"), (#"{"body":"","loc-key":"K"}"#, "", "", "K"),
    ])
    func S4_theAlertIsReadAsADeviceDoes(alert: String, title: String, subtitle: String, body: String) throws {
        let content = try content(aps: #"{"alert":\#(alert)}"#)
        #expect([content.title, content.subtitle, content.body] == [title, subtitle, body])
        #expect(content.hasAlertText == !(title + subtitle + body).isEmpty)
    }

    @Test("S4 the first 64 arguments count, each by its number")
    func arguments() throws {
        let arguments = (1...65).map { "\"<\($0)>\"" }.joined(separator: ",")
        let key = "%1$@ %9$@ %10$@ %64$@ %65$@ %0$@ %:$@ %@"
        let content = try content(aps: #"{"alert":{"loc-key":"\#(key)","loc-args":[\#(arguments)]}}"#)
        #expect(content.body == "<1> <9> <10> <64> %65$@ %0$@ %:$@ <1>")
    }

    @Test("a null is no field, of which nothing is said")
    func nulls() throws {
        let nothing = try push(
            #"{"aps":{"alert":null,"badge":null,"relevance-score":null,"sound":{"name":"a","volume":null}}}"#)
        #expect(nothing.notes.isEmpty)
    }

    @Test func S4_argumentsCannotMakeATextGrowWithoutBound() throws {
        let key = String(repeating: "%1$@", count: 400)
        for letter in ["é", "e"] {
            let argument = String(repeating: letter, count: 900)
            let content = try content(aps: #"{"alert":{"loc-key":"\#(key)","loc-args":["\#(argument)"]}}"#)
            #expect(content.body.utf8.count == 4096)
        }
    }

    @Test(arguments: [
        ("1", true), ("2.5", true), ("0.5", true), ("true", true), ("0", false), ("-0", false), ("0.0", false),
        ("false", false), ("-1", false), ("-1e300", false), ("1e300", true), ("9223372036854775808", true),
        (#""0""#, true), (#""""#, true), ("[]", true), ("{}", true), ("null", false),
    ])
    func flagsAreReadAsLooselyAsADeviceDoes(value: String, expected: Bool) throws {
        let push = try push(
            #"{"aps":{"mutable-content":\#(value),"content-available":\#(value),"sound":{"name":"a","critical":\#(value)}}}"#
        )
        #expect(push.isMutableContent == expected)
        #expect(push.isContentAvailable == expected)
        #expect(push.request.content.sound?.isCritical == expected)
    }

    @Test(
        arguments: [
            ("0", 0), ("7", 7), ("7.9", 7), ("-0", 0), ("-0.5", 0), ("true", 1), ("-1", nil), ("-1e300", nil),
            ("1e300", .max), ("9223372036854775808", .max), (#""7""#, nil), ("[]", nil), ("{}", nil), ("null", nil),
        ] as [(String, Int64?)])
    func theBadgeIsANumberFromZero(value: String, expected: Int64?) throws {
        #expect(try content(aps: #"{"badge":\#(value)}"#).badge == expected)
    }

    @Test(
        arguments: [
            (#""default""#, NotificationSound(name: "default")), (#""ring.caf""#, NotificationSound(name: "ring.caf")),
            (#""""#, nil), ("5", nil), ("null", nil), ("[]", nil), ("{}", nil), (#"{"name":5}"#, nil),
            (#"{"name":"a","volume":0.5}"#, NotificationSound(name: "a")),
            (#"{"name":"a","critical":0,"volume":0.5}"#, NotificationSound(name: "a")),
            (#"{"critical":1}"#, NotificationSound(name: "default", isCritical: true)),
            (#"{"name":"a","critical":1}"#, NotificationSound(name: "a", isCritical: true)),
            (#"{"name":"a","critical":1,"volume":7}"#, NotificationSound(name: "a", isCritical: true)),
            (#"{"name":"a","critical":1,"volume":-1e300}"#, NotificationSound(name: "a", isCritical: true, volume: 0)),
            (#"{"name":"a","critical":1,"volume":-0}"#, NotificationSound(name: "a", isCritical: true, volume: 0)),
            (#"{"name":"a","critical":1,"volume":"x"}"#, NotificationSound(name: "a", isCritical: true)),
        ] as [(String, NotificationSound?)])
    func theSoundIsAStringOrADictionary(sound: String, expected: NotificationSound?) throws {
        #expect(try content(aps: #"{"sound":\#(sound)}"#).sound == expected)
    }

    @Test func aCriticalLevelMakesTheSoundCritical() throws {
        let content = try content(aps: #"{"sound":"default","interruption-level":"critical"}"#)
        #expect(content.sound == NotificationSound(name: "default", isCritical: true))
        #expect(content.interruptionLevel == .critical)
    }

    @Test(arguments: [
        (#""passive""#, InterruptionLevel.passive), (#""active""#, .active), (#""time-sensitive""#, .timeSensitive),
        (#""critical""#, .critical), (#""loud""#, .active), (#""""#, .active), ("3", .active), ("null", .active),
    ])
    func anUnknownLevelIsActive(level: String, expected: InterruptionLevel) throws {
        #expect(try content(aps: #"{"interruption-level":\#(level)}"#).interruptionLevel == expected)
    }

    @Test(arguments: [
        ("0.5", 0.5), ("7", 1), ("-7", 0), ("1e300", 1), ("-0", 0), ("9223372036854775808", 1), ("true", 1),
        (#""1""#, 0),
        ("[]", 0), ("null", 0),
    ])
    func relevanceIsBroughtIntoItsRange(score: String, expected: Double) throws {
        #expect(try content(aps: #"{"relevance-score":\#(score)}"#).relevanceScore == expected)
    }

    @Test(arguments: ["5", #""""#, "null", "[]", "{}", "false"])
    func identifiersOfAnotherTypeAreDropped(value: String) throws {
        let content = try content(
            aps: #"{"thread-id":\#(value),"category":\#(value),"target-content-id":\#(value)}"#)
        #expect(content.threadIdentifier.isEmpty)
        #expect(content.categoryIdentifier.isEmpty)
        #expect(content.targetContentIdentifier == nil)
    }

    @Test func whatIsDroppedIsNotedWithFieldFoundAndExpected() throws {
        let push = try push(#"{"aps":{"alert":5,"badge":"\u001b7","category":[],"mutable-content":"0"}}"#)
        #expect(
            push.notes == [
                "aps.alert: found the number 5, expected a string or an object: ignored",
                #"aps.badge: found the string "\u{1b}7", expected a number from 0: ignored"#,
                "aps.category: found an empty array, expected a string: ignored",
                #"aps.mutable-content: found the string "0", expected 1: a device takes it for 1"#,
            ])
    }

    @Test func S4_anArgumentHasAtMostFourDigitsAndATextSixtyFourArguments() throws {
        func body(_ key: String, _ count: Int) throws -> String {
            let arguments = (1...count).map { "\"a\($0)\"" }.joined(separator: ",")
            return try content(aps: #"{"alert":{"loc-key":"\#(key)","loc-args":[\#(arguments)]}}"#).body
        }
        #expect(try body("%64$@ %65$@ %0003$@", 70) == "a64 %65$@ a3")
        #expect(try body("%00003$@", 3) == "%00003$@")
    }

    @Test func notesDoNotGrowWithoutBound() throws {
        let fields = (0..<200).map { #","x\#($0)":1"# }.joined()
        let notes = try push(#"{"payload":{"aps":{}}\#(fields)}"#).notes
        #expect(notes.count == 17 && notes.last == "more fields were ignored")
    }
}
