import BelfryJSON
import BelfryProtocol
import BelfryTerms
import Testing

/// Each form of a payload that Apple's page on remote notifications has, whole, and the whole content that it gives.
@Suite struct PayloadFormTests {
    /// A payload, and what is made of it beside its `userInfo`, which is the payload itself.
    struct Form: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let payload: String
        var type = PushType.alert
        var isMutable = false
        var isContentAvailable = false
        let content: NotificationContent

        init(
            _ name: String, _ payload: String, type: PushType = .alert, isMutable: Bool = false,
            isContentAvailable: Bool = false, _ fill: (inout NotificationContent) -> Void
        ) {
            testDescription = name
            self.payload = payload
            self.type = type
            self.isMutable = isMutable
            self.isContentAvailable = isContentAvailable
            var content = NotificationContent()
            fill(&content)
            self.content = content
        }
    }

    static let forms: [Form] = [
        Form("a string alone", #"{"aps":{"alert":"The door bell rings"}}"#) { $0.body = "The door bell rings" },
        Form(
            "title, subtitle, body, and the app's own keys beside aps",
            #"{"aps":{"alert":{"title":"Chess","subtitle":"Your move","body":"Ada took a rook"},"category":"MOVE"},"#
                + #""gameID":"12345678","moves":[1,{"a":null}]}"#
        ) {
            $0.title = "Chess"
            $0.subtitle = "Your move"
            $0.body = "Ada took a rook"
            $0.categoryIdentifier = "MOVE"
        },
        Form("a badge and a sound, and nothing to read", #"{"aps":{"badge":9,"sound":"ping.aiff"},"messageID":"A"}"#) {
            $0.badge = 9
            $0.sound = NotificationSound(name: "ping.aiff")
        },
        Form("a badge taken away", #"{"aps":{"badge":0}}"#) { $0.badge = 0 },
        Form(
            "localized text, whose keys no table here has",
            #"{"aps":{"alert":{"title-loc-key":"FROM_%@","title-loc-args":["Ada"],"subtitle-loc-key":"S","#
                + #""loc-key":"%1$@ invites %2$@","loc-args":["Ada","Bob"]}}}"#
        ) {
            $0.title = "FROM_Ada"
            $0.subtitle = "S"
            $0.body = "Ada invites Bob"
        },
        Form(
            "a background update", #"{"aps":{"content-available":1},"a":"b","c":42}"#, type: .background,
            isContentAvailable: true
        ) { _ in },
        Form(
            "one that an extension may change",
            #"{"aps":{"mutable-content":1,"alert":{"title":"T","body":"B"}},"u":"v"}"#,
            isMutable: true
        ) {
            $0.title = "T"
            $0.body = "B"
        },
        Form(
            "a critical alert",
            #"{"aps":{"alert":"Smoke","sound":{"critical":1,"name":"alarm.aiff","volume":0.5},"#
                + #""interruption-level":"critical"}}"#
        ) {
            $0.body = "Smoke"
            $0.sound = NotificationSound(name: "alarm.aiff", isCritical: true, volume: 0.5)
            $0.interruptionLevel = .critical
        },
        Form("the device's own sound", #"{"aps":{"alert":"x","sound":"default"}}"#) {
            $0.body = "x"
            $0.sound = NotificationSound(name: "default")
        },
        Form(
            "how urgent and how relevant, of which thread, for which window and which Focus",
            #"{"aps":{"alert":"x","interruption-level":"time-sensitive","relevance-score":0.75,"thread-id":"t","#
                + #""target-content-id":"w","filter-criteria":"work"}}"#
        ) {
            $0.body = "x"
            $0.interruptionLevel = .timeSensitive
            $0.relevanceScore = 0.75
            $0.threadIdentifier = "t"
            $0.targetContentIdentifier = "w"
            $0.filterCriteria = "work"
        },
        Form("one that interrupts nobody", #"{"aps":{"alert":"x","interruption-level":"passive"}}"#) {
            $0.body = "x"
            $0.interruptionLevel = .passive
        },
        Form(
            "a launch image and a summary",
            #"{"aps":{"alert":{"body":"x","launch-image":"l.png","summary-arg":"Ada","summary-arg-count":3,"#
                + #""action-loc-key":"OPEN"}}}"#
        ) {
            $0.body = "x"
            $0.launchImageName = "l.png"
            $0.summaryArgument = "Ada"
            $0.summaryArgumentCount = 3
        },
        Form(
            "an alert that also wakes the app", #"{"aps":{"alert":"x","content-available":1}}"#,
            isContentAvailable: true
        ) { $0.body = "x" },
        Form(
            "what belongs to live activities is carried and no more",
            #"{"aps":{"alert":"x","event":"update","timestamp":1795190000,"content-state":{"n":1},"#
                + #""attributes":{},"attributes-type":"A","stale-date":1795190001,"dismissal-date":1795190002}}"#
        ) { $0.body = "x" },
    ]

    @Test("the payload is read as a device reads it, and nothing is said of it", arguments: forms)
    func form(_ form: Form) throws {
        var expected = form.content
        expected.userInfo = try #require(try JSONValue.parse(Array(form.payload.utf8)).objectValue)
        for text in [form.payload, #"{"payload":\#(form.payload),"topic":"com.example.app"}"#] {
            let push = try push(text)
            #expect(push.request.content == expected)
            #expect(push.pushType == form.type && push.isMutableContent == form.isMutable)
            #expect(push.isContentAvailable == form.isContentAvailable && push.call == nil)
            #expect(push.notes.isEmpty)
        }
    }

    @Test("a file for the simulator is such a payload with a bundle beside aps", arguments: forms)
    func simulatorFile(_ form: Form) throws {
        let file = #"{"Simulator Target Bundle":"com.example.app",\#(form.payload.dropFirst())"#
        let push = try push(file)
        #expect(push.envelope.simulatorTargetBundle == "com.example.app")
        var expected = form.content
        expected.userInfo = try #require(try JSONValue.parse(Array(file.utf8)).objectValue)
        #expect(push.request.content == expected)
    }
}
