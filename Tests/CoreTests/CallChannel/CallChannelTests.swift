import BelfryProtocol
import BelfryTerms
import CallChannel
import Testing

@Suite("What apps, workers and commands say to belfry-calls, and it to them") struct CallChannelTests {
    private static let a = uuid("A")

    private static func uuid(_ digit: Character) -> CallUUID {
        let groups = [8, 4, 4, 4, 12].map { String(repeating: digit, count: $0) }
        return CallUUID(groups.joined(separator: "-")) ?? { preconditionFailure("\(digit) is no digit") }()
    }

    private static let group = GroupName("group.a") ?? { preconditionFailure("no group") }()

    /// Text as nobody should write it: quotes, newlines, and characters that turn the direction.
    private static let text = "Ada \"\\\n\u{202E}\u{0}é"

    private static var update: CallUpdate {
        var update = CallUpdate()
        update.handle = CallHandle(.emailAddress, text)
        (update.name, update.hasVideo) = (text, false)
        (update.supportsHolding, update.supportsGrouping) = (true, false)
        (update.supportsUngrouping, update.supportsDTMF) = (true, false)
        return update
    }

    private static var start: CallStart {
        var start = CallStart(CallHandle(.phoneNumber, text))
        (start.hasVideo, start.contact) = (true, text)
        return start
    }

    private static var settings: ProviderSettings {
        var settings = ProviderSettings()
        (settings.localizedName, settings.ringtoneSound) = (text, "ring.caf")
        settings.icon = [0, 9, 10, 254, 255]
        (settings.maximumCallGroups, settings.maximumCallsPerCallGroup) = (1, 2)
        (settings.includesCallsInRecents, settings.supportsVideo) = (false, true)
        settings.supportedHandleTypes = [.generic, .phoneNumber]
        return settings
    }

    private static var ongoing: OngoingCall {
        var call = OngoingCall(call: text, uuid: a.text, app: "org.belfry.phone")
        (call.appName, call.name, call.handle, call.hasVideo, call.isOutgoing) = (text, text, text, true, true)
        (call.state, call.isMuted, call.group, call.canHold) = (.held, true, 7, true)
        call.icon = text
        call.since = Instant(microseconds: 5)
        return call
    }

    private static var hello: AppHello {
        var hello = AppHello(id: "org.belfry.phone", pid: 7)
        (hello.version, hello.name, hello.hasVoIPMode, hello.environment) = (2, text, true, "production")
        return hello
    }

    // MARK: There and back

    private static let appMessages: [AppMessage] =
        [
            .hello(hello), .hello(AppHello(id: "", pid: -1)), .provider(settings), .provider(ProviderSettings()),
            .tone(""), .tone(text), .invalidated, .registry([]), .registry(["voip", text]),
            .report(CallReport(.max, of: a, update, push: .min)),
            .report(CallReport(0, of: a, CallUpdate())), .update(a, update), .update(a, CallUpdate()),
            .end(a, .failed, at: nil), .request(1, transaction: a, []),
            .request(
                1, transaction: a,
                [
                    CallAction(.answer, of: a, uuid: uuid("B")), CallAction(.end, of: nil, uuid: uuid("C")),
                    CallAction(.start(start), of: a, uuid: uuid("D")), CallAction(.hold(true), of: a, uuid: a),
                    CallAction(.start(CallStart(CallHandle(.generic, ""))), of: a, uuid: a),
                    CallAction(.hold(false), of: a, uuid: a), CallAction(.mute(true), of: a, uuid: a),
                    CallAction(.mute(false), of: a, uuid: a), CallAction(.group(with: uuid("B")), of: a, uuid: a),
                    CallAction(.group(with: nil), of: a, uuid: a), CallAction(.other("CXAction"), of: a, uuid: a),
                ] + (1...3).map { CallAction(.dtmf(CallDigits(text, type: $0)), of: a, uuid: a) }),
            .outgoing(a, .connecting, at: nil), .outgoing(a, .connected, at: WallTime(microseconds: 3)),
            .performed(a, isImplemented: true), .performed(a, isImplemented: false),
            .outcome(a, isFulfilled: true, at: WallTime(microseconds: 1)), .outcome(a, isFulfilled: false, at: nil),
            .directory(1, .reload(text)), .directory(.min, .status("")), .directory(0, .settings),
            .completed(push: 3), .warning(CodeWord(.mainBlocked), detail: text),
            .warning(CodeWord(rawValue: "later"), detail: ""),
        ] + CallEndedReason.allCases.map { .end(a, $0, at: WallTime(microseconds: -5)) }
        + ReceiveForm.allCases.map { .returned(push: 1, form: $0) }

    @Test("what an app says is one line, and read back is the same", arguments: appMessages)
    func appSays(message: AppMessage) throws {
        #expect(isOneLine(message.line))
        #expect(try AppMessage.read(Array(message.line.dropLast())) == message)
    }

    private static let words: [AppWord] = [
        .welcome(AppWelcome(stateDirectory: "/a b", contactsFile: text)), .welcome(AppWelcome(stateDirectory: "")),
        .refused(text), .token([]), .token([0, 255]), .tokenInvalid, .push(1, payload: text, mustReport: true),
        .push(.max, payload: "{}", mustReport: false), .reported(1, error: nil), .reported(1, error: 2),
        .requested(1, error: nil), .requested(1, error: 6),
        .perform(CallAction(.answer, of: a, uuid: uuid("B")), transaction: uuid("C"), timeout: .seconds(60)),
        .timedOut(a), .audio(isActive: true), .audio(isActive: false), .reset, .calls([]),
        .calls([ObservedCall(a), ended]), .stop, .directory(1, isEnabled: nil, error: nil),
        .directory(.max, isEnabled: true, error: nil), .directory(2, isEnabled: false, error: 6),
    ]

    private static var ended: ObservedCall {
        var call = ObservedCall(uuid("B"))
        (call.isOutgoing, call.isOnHold, call.hasConnected, call.hasEnded) = (true, true, true, true)
        return call
    }

    @Test("what an app hears is one line, and read back is the same", arguments: words)
    func appHears(word: AppWord) throws {
        #expect(isOneLine(word.line))
        #expect(try AppWord.read(Array(word.line.dropLast())) == word)
    }

    private static var push: VoIPPush {
        var push = VoIPPush(
            id: "p", group: group, kind: .hangup, payload: "{\"a\":1.0}\n", until: Instant(microseconds: 5))
        (push.topic, push.bundle, push.call) = ("org.belfry.phone.voip", text, text)
        return push
    }

    private static let workerMessages: [WorkerMessage] = [
        .push(push),
        .push(VoIPPush(id: "", group: group, kind: .callRequest, payload: "", until: Instant(microseconds: -1))),
        .event(Event(at: 1.5, boot: 2, id: "p", body: .silent(call: "c", why: .busy))),
        .event(Event(at: 0, boot: 2, id: "p", body: .warning(code: .badClock, detail: text))),
    ]

    @Test("what a worker says is one line, and read back is the same", arguments: workerMessages)
    func workerSays(message: WorkerMessage) throws {
        #expect(isOneLine(message.line))
        #expect(try WorkerMessage.read(Array(message.line.dropLast())) == message)
    }

    private static var caller: ReportedCaller {
        var caller = ReportedCaller()
        (caller.name, caller.handle, caller.hasVideo) = (text, "", true)
        return caller
    }

    private static var labelled: ReportedCaller {
        var caller = caller
        caller.label = NumberLabel(text, from: text)
        return caller
    }

    private static let orders: [WorkerOrder] =
        [
            .none, .wait(app: "org.belfry.phone"), .tone(text), .tone(""), .ring(nil), .ring(caller),
            .ring(ReportedCaller()), .caller(caller), .ring(labelled), .caller(labelled),
            .silent(CodeWord(.blocked), label: NumberLabel(text, from: "")),
            .silent(CodeWord(.busy)), .silent(CodeWord(rawValue: "later")), .handed, .end(.answer), .end(.decline),
            .end(.timeOut), .warning(CodeWord(.pushNotReported), detail: text),
        ] + HangupReason.allCases.map { .end(.hangUp($0)) }

    @Test("what a worker hears is one line, and read back is the same", arguments: orders)
    func workerHears(order: WorkerOrder) throws {
        #expect(isOneLine(order.line))
        #expect(try WorkerOrder.read(Array(order.line.dropLast())) == order)
    }

    private static let commands: [ClientMessage] =
        [.watch, .listApps, .startApp("a"), .stopApp(text), .becomesApp("a", pid: .max), .listCalls]
        + wishes.flatMap { [.command($0, call: text), .command($0, call: nil)] }

    private static let wishes: [CallCommand] = [
        .end, .hold(true), .hold(false), .mute(true), .mute(false), .keypad(text), .merge, .split,
        .giveWay(to: text, holds: true), .giveWay(to: "", holds: false),
    ]

    @Test("what a command says is one line, and read back is the same", arguments: commands)
    func commandSays(message: ClientMessage) throws {
        #expect(isOneLine(message.line))
        #expect(try ClientMessage.read(Array(message.line.dropLast())) == message)
    }

    private static var listed: ListedApp {
        var app = ListedApp(id: "org.belfry.phone")
        (app.name, app.path, app.pid, app.isRegistered) = (text, "/a.app", 7, true)
        (app.calls, app.problem) = (3, text)
        return app
    }

    @Test(
        "what a command hears is one line, and read back is the same",
        arguments: [
            ClientAnswer.apps([]), .apps([listed, ListedApp(id: "")]), .done, .failed(text), .noCall(text),
            .calls([ongoing, OngoingCall(call: "", uuid: "", app: "")]),
        ])
    func commandHears(answer: ClientAnswer) throws {
        #expect(isOneLine(answer.line))
        #expect(try ClientAnswer.read(Array(answer.line.dropLast())) == answer)
    }

    private func isOneLine(_ line: [UInt8]) -> Bool {
        line.last == UInt8(ascii: "\n") && line.count { $0 == UInt8(ascii: "\n") } == 1
    }

    // MARK: What cannot be read

    @Test(
        "what is no message is an error, at each end",
        arguments: [
            "", "{", "[]", "{}", "null", #"{"say":1}"#, "\u{0}", #"{"say":"hello","say":"hello"}"#,
            "{\"say\":\"\u{1}\"}",
        ])
    func garbage(text: String) {
        let line = Array(text.utf8)
        #expect(throws: CallChannelError.self) { try AppMessage.read(line) }
        #expect(throws: CallChannelError.self) { try AppWord.read(line) }
        #expect(throws: CallChannelError.self) { try WorkerMessage.read(line) }
        #expect(throws: CallChannelError.self) { try WorkerOrder.read(line) }
        #expect(throws: CallChannelError.self) { try ClientMessage.read(line) }
        #expect(throws: CallChannelError.self) { try ClientAnswer.read(line) }
    }

    @Test("half a line, and bytes that are no UTF-8, are errors")
    func halfALine() {
        let line = AppMessage.report(CallReport(1, of: Self.a, Self.update)).line
        #expect(throws: CallChannelError.self) { try AppMessage.read(Array(line.prefix(line.count / 2))) }
        var invalidated = AppMessage.invalidated.line
        invalidated[9] = 0xFF
        #expect(throws: CallChannelError.self) { try AppMessage.read(invalidated) }
    }

    @Test("what a later version says is passed over, at each end")
    func later() throws {
        let line = Array(#"{"say":"later","x":[1]}"#.utf8)
        #expect(try AppMessage.read(line) == nil)
        #expect(try AppWord.read(line) == nil)
        #expect(try WorkerMessage.read(line) == nil)
        #expect(try WorkerOrder.read(line) == nil)
        #expect(try ClientMessage.read(line) == nil)
        #expect(try ClientAnswer.read(line) == nil)
    }

    private static let broken: [(line: String, says: String)] = [
        (#"{"say":"hello","pid":1}"#, "id"), (#"{"say":"end","uuid":"A","reason":1}"#, "uuid"),
        (#"{"say":"end","uuid":"\#(a.text)","reason":0}"#, "reason"),
        (#"{"say":"end","uuid":"\#(a.text)","reason":6}"#, "reason"),
        (#"{"say":"end","uuid":"\#(a.text)","reason":1,"at":"now"}"#, "at"),
        (#"{"say":"report","n":1.5,"uuid":"\#(a.text)","update":{}}"#, "n"),
        (#"{"say":"report","n":1,"uuid":"\#(a.text)"}"#, "update"),
        (
            #"{"say":"report","n":1,"uuid":"\#(a.text)","update":{"handle":{"type":4,"value":""}}}"#,
            "update.handle.type"
        ),
        (#"{"say":"report","n":1,"uuid":"\#(a.text)","update":{"video":1}}"#, "update.video"),
        (#"{"say":"request","n":1,"transaction":"\#(a.text)","actions":[1]}"#, "actions[0]"),
        (#"{"say":"request","n":1,"transaction":"\#(a.text)","actions":[{"kind":"end"}]}"#, "actions[0]."),
        (#"{"say":"registry","types":[1]}"#, "types"), (#"{"say":"returned","push":1,"form":"later"}"#, "form"),
        (#"{"say":"completed","push":9223372036854775808}"#, "push"),
        (#"{"say":"provider","configuration":[]}"#, "configuration"),
        (#"{"say":"outcome","action":"\#(a.text)"}"#, "fulfilled"),
        (#"{"say":"warning","code":"\#(long(257))","detail":""}"#, "code"),
        (
            #"{"say":"request","n":1,"transaction":"\#(a.text)","actions":[{"kind":"\#(long(257))"}]}"#,
            "actions[0].kind"
        ),
        (#"{"say":"hello","id":"a","pid":1,"version":1,"name":"\#(long(1_025))","voip":true}"#, "name"),
    ]

    @Test("a field that is missing, or of another kind, is an error that names it", arguments: broken)
    func brokenField(line: String, says: String) {
        let error = #expect(throws: CallChannelError.self) { try AppMessage.read(Array(line.utf8)) }
        #expect(error?.detail.contains(says) == true)
    }

    private static let brokenOfWorkers: [String] = [
        #"{"say":"voip","id":"p","group":"a/b","call":"","kind":"hangup","payload":"","until":1}"#,
        #"{"say":"voip","id":"p","group":"a","call":"","kind":"alert","payload":"","until":1}"#,
        #"{"say":"voip","id":"p","group":"a","call":"","kind":"hangup","payload":{},"until":1}"#,
        #"{"say":"voip","id":"p","group":"a","call":"","kind":"hangup","payload":""}"#,
        voip(id: 257), voip(call: 257), voip(payload: 5_121),
    ]

    private static func voip(id: Int = 256, call: Int = 256, payload: Int = 5_120) -> String {
        #"{"say":"voip","id":"\#(long(id))","group":"a","call":"\#(long(call))","kind":"hangup","#
            + #""payload":"\#(long(payload))","until":1}"#
    }

    private static func long(_ count: Int) -> String { String(repeating: "x", count: count) }

    @Test("a push may have what APNs lets it have")
    func longest() throws { #expect(try WorkerMessage.read(Array(Self.voip().utf8)) != nil) }

    @Test("a push that cannot be read is an error", arguments: brokenOfWorkers)
    func brokenPush(line: String) {
        #expect(throws: CallChannelError.self) { try WorkerMessage.read(Array(line.utf8)) }
    }

    @Test(
        "a worker that hears half an order hears none",
        arguments: [
            #"{"say":"wait"}"#, #"{"say":"end"}"#, #"{"say":"end","as":"later"}"#, #"{"say":"end","as":"hangup"}"#,
            #"{"say":"ring","caller":1}"#, #"{"say":"caller"}"#, #"{"say":"silent"}"#, #"{"say":"warning","code":"x"}"#,
        ])
    func brokenOrder(line: String) {
        #expect(throws: CallChannelError.self) { try WorkerOrder.read(Array(line.utf8)) }
    }

    @Test("a byte of a token is a byte")
    func token() {
        for bytes in ["[256]", "[-1]", "[\"a\"]", "[1.5]"] {
            #expect(throws: CallChannelError.self) {
                try AppWord.read(Array("{\"say\":\"token\",\"bytes\":\(bytes)}".utf8))
            }
        }
    }

    // MARK: UUIDs and limits

    @Test("a UUID is read in small letters and capitals, and is the same; what is none is nil")
    func uuids() {
        #expect(CallUUID("abcdef01-2345-6789-abcd-ef0123456789")?.text == "ABCDEF01-2345-6789-ABCD-EF0123456789")
        for text in [
            "", "A", "ABCDEF01-2345-6789-ABCD-EF012345678", "ABCDEF0123456789ABCDEF0123456789",
            "ABCDEF01-2345-6789-ABCD-EF012345678G", "ABCDEF01-2345-6789-ABCD-EF012345678\u{FF11}",
            "ABCDEF012-345-6789-ABCD-EF0123456789", "ABCDEF01-2345-6789-ABCD-EF0123456789-",
        ] {
            #expect(CallUUID(text) == nil, "\(text)")
        }
        #expect(CallUUID("00000000-0000-0000-0000-000000000000")?.isNil == true)
        #expect(!Self.a.isNil)
        let made = CallUUID.random()
        #expect(CallUUID(made.text) == made && made != CallUUID.random())
    }

    @Test("a line may have a mebibyte, and 64 KiB may wait for a peer that does not read")
    func limits() throws {
        #expect(CallLimits.lineBytesMax == 1 << 20 && CallLimits.unsentBytesMax == 1 << 22)
        #expect(CallLimits.liveCallsMax == 100 && CallLimits.openActionsMax == 1_000)
        var update = CallUpdate()
        update.handle = CallHandle(.generic, String(repeating: "1", count: (1 << 20) - 300))
        let line = AppMessage.report(CallReport(1, of: Self.a, update)).line
        #expect(line.count < CallLimits.lineBytesMax)
        #expect(try AppMessage.read(Array(line.dropLast())) != nil)
    }
}
