import BelfryProtocol
import BelfryTerms

// What a server is asked to show of each call.
extension ShowingStateMachine {
    private var hasActions: Bool { if case .present(let server) = board.server { server.hasActions } else { true } }

    private var lacksMenu: Bool { server?.lacksMenu ?? false }

    func notice(of alert: ShownAlert, _ hasActions: Bool? = nil) -> Notice {
        let click = Notice.Label(action: .standard, text: words.open)
        return alert.notice(click: opensAlerts && hasActions ?? self.hasActions ? click : nil)
    }

    func notice(of call: RingingCall) -> Notice {
        let kind = call.caller.hasVideo ? words.incomingVideo : words.incoming
        var body = subtitle(of: call.caller, kind)
        if !hasActions || lacksMenu {
            body += "\nbelfry answer" + (call.id.call.isEmpty ? "" : " \(NoticeText.clean(call.id.call))")
        }
        return Notice(
            summary: name(of: call.caller), body: body,
            actions: labels((lacksMenu ? [.standard] : []) + choices(of: call)),
            category: "call.incoming", urgency: .critical, until: call.until + Self.grace, picture: call.picture)
    }

    /// Three at most: some servers have room for no more.
    private func choices(of call: RingingCall) -> [NoticeAction] {
        guard ongoingCalls.makingRoom(for: call.id, holds: false) != nil else {
            return [.accept, .decline] + (call.isSilenced ? [] : [.silence])
        }
        let hold = ongoingCalls.makingRoom(for: call.id, holds: true)
        return (hold == nil ? [] : [.holdAndAccept]) + [.endAndAccept, .decline]
    }

    func notice(of entry: MissedCallers.Entry) -> Notice {
        let kind =
            entry.count > 1
            ? NoticeWords.counted(words.missedMany, entry.count)
            : entry.caller.hasVideo ? words.missedVideo : words.missed
        return Notice(
            summary: name(of: entry.caller),
            body: subtitle(of: entry.caller, entry.time.isEmpty ? kind : "\(kind), \(entry.time)"),
            actions: labels(callsBack ? [.callBack, .seen] : [.seen]), category: "call.unanswered", urgency: .normal,
            until: nil, picture: entry.picture)
    }

    func notice(ofMore count: Int) -> Notice {
        Notice(
            summary: words.incoming, body: NoticeWords.counted(words.more, count), actions: [],
            category: "call.incoming", urgency: .critical, until: lastRing.map { $0 + Self.grace }, picture: nil)
    }

    // MARK: Calls that go on

    func notice(of call: ShownOngoingCall) -> Notice {
        let (known, words) = (call.call, words.ongoing)
        let caller = ShownCaller(
            name: known.name, handle: known.handle, hasVideo: known.hasVideo, label: known.label)
        let app = NoticeText.clean(known.appName)
        let state: [String?] = [
            app.isEmpty ? NoticeText.clean(known.app) : app,
            known.state == .connecting ? words.connecting : known.state == .held ? words.held : nil,
            call.time.isEmpty ? nil : words.since(call.time), known.isMuted ? words.muted : nil,
        ]
        var body = subtitle(of: caller, state.compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: " · "))
        if !hasActions || lacksMenu {
            body += commands(for: known).map { "\nbelfry \($0)" }.joined()
        }
        let hold: [NoticeAction] = known.canHold ? [known.state == .held ? .resume : .hold] : []
        return Notice(
            summary: name(of: caller), body: body,
            actions: labels([known.isMuted ? .unmute : .mute] + hold + [.end]),
            category: Notice.ongoing, urgency: .normal, until: nil, picture: known.icon.isEmpty ? nil : known.icon)
    }

    func notice(ofMoreOngoing count: Int) -> Notice {
        Notice(
            summary: words.ongoing.calls, body: NoticeWords.counted(words.more, count), actions: [],
            category: Notice.ongoing, urgency: .normal, until: nil, picture: nil)
    }

    /// What the person can type in the place of buttons.
    private func commands(for call: OngoingCall) -> [String] {
        // A name that a shell would read as anything else is none to type: the UUID is another one.
        let name = [call.call, call.uuid].first(where: NoticeText.isPlainWord).map { " \($0)" } ?? ""
        let hold = call.canHold ? [call.state == .held ? "hold --off" : "hold"] : []
        return ([call.isMuted ? "mute --off" : "mute"] + hold + ["end"]).map { "\($0)\(name)" }
    }

    // MARK: Words

    private func labels(_ actions: [NoticeAction]) -> [Notice.Label] {
        hasActions ? actions.map { Notice.Label(action: $0, text: words.label(of: $0)) } : []
    }

    private func name(of caller: ShownCaller) -> String {
        [caller.name, caller.label?.title ?? "", caller.handle].map { NoticeText.clean($0) }.first { !$0.isEmpty }
            ?? words.unknown
    }

    /// Below the name the number, and below that whose it is, if that is not the name: what a caller sends stands in
    /// one line each, and passes for no label (R24).
    private func subtitle(of caller: ShownCaller, _ kind: String) -> String {
        let handle = NoticeText.clean(caller.handle)
        guard !handle.isEmpty else { return kind }
        let label = NoticeText.clean(caller.label?.title ?? "")
        if caller.name.isEmpty { return label.isEmpty ? kind : "\(handle)\n\(kind)" }
        return [handle, label, kind].filter { !$0.isEmpty }.joined(separator: "\n")
    }
}
