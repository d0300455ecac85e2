import BelfryAppGroup
import BelfryBus
import BelfryEventLoop
import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import CallLedger
import GroupLedger
import Showing

/// `org.belfry.Calls1` on the session bus: what a desktop's own programs ask of calls, and its
/// signals about them.
final class CallsInterface {
    static let name = "org.belfry.Calls1"
    static let path = "/org/belfry/Calls1"
    static let version = "1"

    /// The properties that change, each change with a signal.
    struct State: Equatable {
        var ringingCount = 0
        var missedCount = 0
        var doNotDisturb = "off"

        fileprivate var properties: [(String, BusValue)] {
            [
                ("RingingCount", .uint32(UInt32(clamping: ringingCount))),
                ("MissedCount", .uint32(UInt32(clamping: missedCount))), ("DoNotDisturb", .string(doNotDisturb)),
            ]
        }
    }

    private let calls: GroupCalls
    /// The group that "" means.
    var configured: GroupName
    /// How a call rings while another does.
    var secondCall: RingMode
    private let place: Place
    private var bus: SessionBus?
    private var state = State()

    /// The calls that go on, as was signalled last.
    var ongoing: [ShownOngoingCall] = []
    /// Has this done with the call that goes on at that connection.
    var choose: (Int64, CallCommand) -> Void = { _, _ in }
    /// Called after each question, which keeps the process for a while.
    var onAsked: () -> Void = {}

    /// Who answers.
    enum Place {
        /// The process that workers say their calls to: it has the name as soon as it asks for it.
        case desktop
        /// One that the bus has started, and that nobody says anything to: until that one comes.
        case standIn

        /// `DBUS_NAME_FLAG_REPLACE_EXISTING`; else `ALLOW_REPLACEMENT` and `DO_NOT_QUEUE`.
        fileprivate var flags: UInt32 { self == .desktop ? 2 : 1 | 4 }
    }

    /// - Parameters:
    ///   - configured: the group that "" means.
    ///   - secondCall: how a call rings while another does.
    init(calls: GroupCalls, configured: GroupName, secondCall: RingMode, as place: Place) {
        self.calls = calls
        self.configured = configured
        self.secondCall = secondCall
        self.place = place
    }

    /// Takes the name on `bus`, or queues for it while another such process has it; `refused` if another has it whom
    /// this one only stands in for.
    func connected(to bus: SessionBus, refused: @escaping () -> Void) {
        self.bus = bus
        let place = place
        bus.callBus("RequestName", [.string(Self.name), .uint32(place.flags)]) { answer in
            // 3: there is one, and this one does not wait.
            if place == .standIn, (try? answer.get())?.first?.number == 3 { refused() }
        }
    }

    /// Whether `message` says that another process has the name now.
    func hasLost(_ message: BusMessage) -> Bool {
        message.interface == "org.freedesktop.DBus" && message.member == "NameLost"
            && message.arguments.first?.text == Self.name
    }

    /// The bus is lost.
    func lost() { bus = nil }

    // MARK: Signals

    /// `call` rings.
    func rings(_ call: ShownCallID, _ caller: ShownCaller, mode: String, since: Instant, until: Instant) {
        let values = Self.describe(
            call.call, caller, mode: mode, since: since, until: until, picture: nil)
        emit("Ringing", [.string(call.group.text), .properties(values)])
    }

    /// `call` rings on in `mode`.
    func changed(_ call: ShownCallID, to mode: String) {
        emit("ModeChanged", [.string(call.group.text), .string(call.call), .string(mode)])
    }

    /// Who calls as `call` is `caller`, as its app says.
    func changed(_ call: ShownCallID, to caller: ShownCaller) {
        emit(
            "CallerChanged",
            [
                .string(call.group.text), .string(call.call), .string(caller.name), .string(caller.handle),
                .bool(caller.hasVideo),
            ])
    }

    /// `call` rings no longer.
    func ended(_ call: ShownCallID, _ reason: EndReason) {
        ended(call, reason: reason.rawValue)
        if reason == .answered { emit("AnswerPending", [.string(call.group.text), .string(call.call)]) }
    }

    /// `call`, whose worker died, has ended as the ledger says.
    func ended(_ call: ShownCallID, _ state: CallState) {
        ended(call, reason: state == .missed ? MissedReason.died.rawValue : state.rawValue)
    }

    private func ended(_ call: ShownCallID, reason: String) {
        emit("Ended", [.string(call.group.text), .string(call.call), .string(reason)])
    }

    /// The missed calls of `group` may be others than before.
    func missedChanged(in group: GroupName) {
        let count = calls.file(of: group).read()?.missedCalls.count ?? 0
        emit("MissedChanged", [.string(group.text), .uint32(UInt32(clamping: count))])
        if group == configured { update { $0.missedCount = count } }
    }

    /// Changes the properties, and signals those that are different then.
    func update(_ change: (inout State) -> Void) {
        let before = state
        change(&state)
        let old = before.properties
        let changed = zip(old, state.properties).filter { $0.0.1 != $0.1.1 }.map { $0.1 }
        guard !changed.isEmpty else { return }
        bus?.emit(
            Self.path, "org.freedesktop.DBus.Properties", "PropertiesChanged",
            [.string(Self.name), .properties(changed), .strings([])])
    }

    func emit(_ member: String, _ values: [BusValue]) { bus?.emit(Self.path, Self.name, member, values) }

    private static func describe(
        _ call: String, _ caller: ShownCaller, mode: String, since: Instant, until: Instant, picture: String?
    ) -> [(String, BusValue)] {
        [
            ("call", .string(call)), ("name", .string(caller.name)), ("handle", .string(caller.handle)),
            ("video", .bool(caller.hasVideo)), ("mode", .string(mode)),
            ("state", .string("ringing")), ("since", .uint64(UInt64(clamping: since.microseconds))),
            ("until", .uint64(UInt64(clamping: until.microseconds))), ("picture", .string(picture ?? "")),
        ] + label(caller.label)
    }

    /// Who has a caller's number: nothing if that is not known.
    static func label(_ label: NumberLabel?) -> [(String, BusValue)] {
        label.map { [("label", .string($0.text)), ("labelFrom", .string($0.source))] } ?? []
    }

    // MARK: Methods

    /// Takes a method call; false if it is not for this object.
    func take(_ message: BusMessage) -> Bool {
        guard message.kind == .call else { return false }
        guard message.path == Self.path else { return introspectAbove(message) }
        onAsked()
        switch (message.interface, message.member) {
        case ("org.freedesktop.DBus.Introspectable", "Introspect"): message.reply([.string(Self.introspection)])
        case ("org.freedesktop.DBus.Properties", let member): takeProperties(message, member)
        case (Self.name, _), ("", _): takeMethod(message)
        // sd-bus itself answers for what every connection has, and refuses the rest.
        default: return false
        }
        return true
    }

    /// Answers introspection of the paths above the object, so that a browser finds it.
    private func introspectAbove(_ message: BusMessage) -> Bool {
        guard message.member == "Introspect", message.path == "/" || Self.path.hasPrefix(message.path + "/") else {
            return false
        }
        let above = message.path == "/" ? 1 : message.path.utf8.count + 1
        let next = String(decoding: Array(Self.path.utf8.dropFirst(above)), as: UTF8.self).prefix { $0 != "/" }
        message.reply([.string("<node><node name=\"\(next)\"/></node>")])
        return true
    }

    private func takeProperties(_ message: BusMessage, _ member: String) {
        let missedCount = calls.file(of: configured).read()?.missedCalls.count ?? 0
        update { $0.missedCount = missedCount }
        // Without workers the ledger alone knows.
        if place == .standIn { update { $0.ringingCount = calls.rings().count } }
        let properties = [("Version", BusValue.string(Self.version))] + state.properties
        switch (member, message.arguments.dropFirst().first?.text) {
        case ("GetAll", _): message.reply([.properties(properties)])
        case ("Get", let name?):
            guard let value = properties.first(where: { $0.0 == name })?.1 else {
                return message.fail("org.freedesktop.DBus.Error.UnknownProperty", "there is no \(name)")
            }
            message.reply([.variant(value)])
        case ("Set", let name?):
            message.fail("org.freedesktop.DBus.Error.PropertyReadOnly", "\(name) can only be read")
        default: message.fail("org.freedesktop.DBus.Error.UnknownMethod", "there is no \(member) with such arguments")
        }
    }

    private func takeMethod(_ message: BusMessage) {
        let values = message.arguments
        guard let signature = Self.methods.first(where: { $0.name == message.member })?.takes else {
            return message.fail("org.freedesktop.DBus.Error.UnknownMethod", "there is no method \(message.member)")
        }
        guard values.map(\.signature).joined() == signature.joined(), let text = values.first?.text else {
            return message.fail(
                "org.freedesktop.DBus.Error.InvalidArgs", "\(message.member) takes \(signature.joined())")
        }
        guard let group = text.isEmpty ? configured : GroupName(text) else {
            return message.fail("\(Self.error).BadGroup", "an app group is \(GroupName.rule)")
        }
        if takeOngoing(message, group) { return }
        let file = calls.file(of: group)
        if case .unreadable(let detail) = file.file.snapshot().status, file.read() == nil {
            return message.fail("\(Self.error).GroupUnusable", "\(file.file.path): \(detail)")
        }
        let call = values.count > 1 ? values[1].text : nil
        guard calls.isThere(group) else { return answerForNothing(message, group, call ?? "") }
        switch message.member {
        case "ListActive": message.reply([listActive(file.read()?.activeCalls ?? [])])
        case "List": message.reply([list(file.read()?.rings(secondCall: secondCall) ?? [], listOngoing(of: group))])
        case "Answer": end(message, group, call, as: .answer())
        case "AnswerFor": answer(message, group, call, for: values.last?.number ?? 0)
        case "Decline": end(message, group, call, as: .decline)
        case "Silence": silence(message, group, call)
        case "ListMissed": message.reply([.array(of: "a{sv}", (file.read()?.missedCalls ?? []).map(Self.describe))])
        case "ClearMissed": clearMissed(message, group, values.count > 1 ? values[1].texts ?? [] : [])
        case "ListAnswers": message.reply([.array(of: "a{sv}", (file.read()?.answers ?? []).map(Self.describe))])
        default: collect(message, group, call ?? "")
        }
    }

    /// Answers for a group of which there is nothing: a change would make its folder, and hold it open.
    private func answerForNothing(_ message: BusMessage, _ group: GroupName, _ call: String) {
        switch message.member {
        case "List", "ListActive", "ListMissed", "ListAnswers": message.reply([.array(of: "a{sv}", [])])
        case "ClearMissed": message.reply()
        default: message.fail("\(Self.error).NoSuchCall", "there is no call \(call) in \(group.text)")
        }
    }

    static let error = "org.belfry.Error"

    private func list(_ rings: [(call: Call, mode: RingMode)], _ ongoing: [BusValue]) -> BusValue {
        .array(
            of: "a{sv}",
            rings.map { ring, mode in
                .properties(
                    Self.describe(
                        ring.key.text, ShownCaller(ring), mode: mode.rawValue, since: ring.since, until: ring.until,
                        picture: ring.picture))
            } + ongoing)
    }

    private func end(_ message: BusMessage, _ group: GroupName, _ call: String?, as end: PersonalEnd) {
        // "" is the call that rings loud, as without an id on the command line.
        let named = call.flatMap { $0.isEmpty ? nil : CallKey($0) }
        calls.end(named, in: group, as: end) { [calls] ended in
            let ledger = calls.file(of: group).read()
            let known = named.flatMap { named in ledger.flatMap { $0.call($0.key(of: named)) } }
            guard let state = ended?.state ?? known?.state, state != .ringing else {
                return message.fail("\(Self.error).NoSuchCall", Self.nothingRings(call, in: group))
            }
            guard ended?.state == end.state else {
                return message.fail("\(Self.error).AlreadyEnded", state.rawValue)
            }
            message.reply()
        }
    }

    /// Answers for a process, which holds the call from then on.
    private func answer(_ message: BusMessage, _ group: GroupName, _ call: String?, for pid: UInt32) {
        guard let holder = Int32(exactly: pid).flatMap({ ProcessIdentity(livingPID: $0) }) else {
            return message.fail("\(Self.error).NoSuchProcess", "no process \(pid) runs")
        }
        end(message, group, call, as: .answer(heldBy: Owner(holder)))
    }

    private func listActive(_ calls: [Call]) -> BusValue {
        let now = Instant(microseconds: bootTimeMicroseconds())
        return .array(
            of: "a{sv}",
            calls.map { call in
                let since = call.answeredAt ?? call.since
                return .properties(
                    [
                        ("call", .string(call.key.text)), ("name", .string(call.name)),
                        ("handle", .string(call.handle)), ("video", .bool(call.hasVideo)),
                        ("since", .uint64(UInt64(clamping: since.microseconds))),
                        ("duration", .uint64(UInt64(clamping: (now - since).microseconds))),
                        ("pids", .array(of: "u", call.holders.map { .uint32(UInt32(clamping: $0.pid)) })),
                        ("picture", .string(call.picture ?? "")),
                    ] + Self.label(call.label))
            })
    }

    private func silence(_ message: BusMessage, _ group: GroupName, _ call: String?) {
        calls.silence(call.flatMap { $0.isEmpty ? nil : CallKey($0) }, in: group) { silenced in
            guard silenced != nil else {
                return message.fail("\(Self.error).NoSuchCall", Self.nothingRings(call, in: group))
            }
            message.reply()
        }
    }

    private static func nothingRings(_ call: String?, in group: GroupName) -> String {
        let named = call.flatMap { $0.isEmpty ? nil : $0 }
        return named.map { "no call \($0) rings in \(group.text)" } ?? "nothing rings in \(group.text)"
    }

    private func clearMissed(_ message: BusMessage, _ group: GroupName, _ names: [String]) {
        calls.change(in: group) {
            $0.clearMissed(names.isEmpty ? nil : names.map { CallKey($0) })
        } done: { [weak self] _ in
            message.reply()
            self?.missedChanged(in: group)
        }
    }

    private func collect(_ message: BusMessage, _ group: GroupName, _ call: String) {
        // "" is the oldest that waits.
        calls.change(in: group) { ledger in
            let key = call.isEmpty ? ledger.answers.first?.key : CallKey(call)
            return key.map { ledger.collectAnswers($0) } ?? []
        } done: { answers in
            guard let answer = answers.first else {
                let named = call.isEmpty ? "" : "to \(call) "
                return message.fail("\(Self.error).NoSuchCall", "no answer \(named)waits in \(group.text)")
            }
            message.reply([Self.describe(answer)])
        }
    }

    private static func describe(_ missed: MissedRecord) -> BusValue {
        .properties(
            [
                ("call", .string(missed.key.text)), ("name", .string(missed.name)), ("handle", .string(missed.handle)),
                ("video", .bool(missed.hasVideo)), ("missed", .int64(missed.missed)),
                ("reason", .string(missed.reason.rawValue)), ("picture", .string(missed.picture ?? "")),
            ] + label(missed.label))
    }

    private static func describe(_ answer: PendingAnswer) -> BusValue {
        .properties([
            ("call", .string(answer.key.text)), ("name", .string(answer.name)), ("handle", .string(answer.handle)),
            ("video", .bool(answer.hasVideo)), ("answered", .int64(answer.answered)),
            ("picture", .string(answer.picture ?? "")),
        ])
    }

    // MARK: Introspection

    /// What it takes and gives, as signatures (D-Bus Specification, "Type System").
    private typealias Member = (name: String, takes: [String], gives: String)

    private static let methods: [Member] = [
        ("List", ["s"], "aa{sv}"), ("ListActive", ["s"], "aa{sv}"), ("Answer", ["s", "s"], ""),
        ("AnswerFor", ["s", "s", "u"], ""), ("Decline", ["s", "s"], ""), ("Silence", ["s", "s"], ""),
        ("ListMissed", ["s"], "aa{sv}"), ("ClearMissed", ["s", "as"], ""), ("ListAnswers", ["s"], "aa{sv}"),
        ("CollectAnswer", ["s", "s"], "a{sv}"), ("End", ["s", "s"], ""), ("Hold", ["s", "s", "b"], ""),
        ("Mute", ["s", "s", "b"], ""), ("Keypad", ["s", "s", "s"], ""),
    ]

    private static let signals: [(name: String, carries: [String])] = [
        ("Ringing", ["s", "a{sv}"]), ("ModeChanged", ["s", "s", "s"]), ("Ended", ["s", "s", "s"]),
        ("MissedChanged", ["s", "u"]), ("AnswerPending", ["s", "s"]),
        ("CallerChanged", ["s", "s", "s", "s", "b"]), ("CallChanged", ["s", "a{sv}"]),
    ]

    private static let properties: [(name: String, type: String)] = [
        ("Version", "s"), ("RingingCount", "u"), ("MissedCount", "u"), ("DoNotDisturb", "s"),
    ]

    private static let introspection: String = {
        let methodNodes = methods.map { method in
            let last = method.takes.last == "u" ? "pid" : method.takes.last == "b" ? "isOn" : "digits"
            let takes = zip(method.takes, ["group", method.takes.contains("as") ? "calls" : "call", last]).map {
                "<arg name=\"\($1)\" type=\"\($0)\" direction=\"in\"/>"
            }
            let given = method.gives.hasPrefix("aa") ? "calls" : "answer"
            let gives =
                method.gives.isEmpty ? "" : "<arg name=\"\(given)\" type=\"\(method.gives)\" direction=\"out\"/>"
            return "<method name=\"\(method.name)\">\(takes.joined())\(gives)</method>"
        }
        let signalNodes = signals.map { signal in
            let rest =
                switch signal.name {
                case "ModeChanged": ["mode"]
                case "CallerChanged": ["name", "handle", "video"]
                default: ["reason"]
                }
            let names = ["group", signal.name == "MissedChanged" ? "count" : "call"] + rest
            let values = zip(signal.carries, names).map { "<arg name=\"\($1)\" type=\"\($0)\"/>" }
            return "<signal name=\"\(signal.name)\">\(values.joined())</signal>"
        }
        let propertyNodes = properties.map { "<property name=\"\($0.name)\" type=\"\($0.type)\" access=\"read\"/>" }
        return """
            <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN" \
            "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
            <node><interface name="\(name)">\((methodNodes + signalNodes + propertyNodes).joined())</interface></node>
            """
    }()
}
