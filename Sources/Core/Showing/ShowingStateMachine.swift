public import BelfryTerms

/// What has to be done so that a person sees the calls that ring and those that were missed.
public enum ShowingEffect: Hashable, Sendable {
    /// Have the server show this in place of `replaces`, 0 for nothing; feed ``ShowingStateMachine/shown(_:as:)`` or
    /// ``ShowingStateMachine/refused(_:_:)`` with the token, however late.
    case notify(token: Int64, replaces: UInt32, Notice)
    /// Have the server close this.
    case close(id: UInt32)
    /// Report to the worker behind `link` what became of its notification.
    case report(link: Int64, NotificationState, detail: String)
    /// Ask who rings the call to answer it.
    case answer(ShownCallID)
    /// Ask who rings the call to decline it.
    case decline(ShownCallID)
    /// Ask who rings the call to silence it.
    case silence(ShownCallID)
    /// Find out how the call ended, whose worker left without its end; feed ``ShowingStateMachine/settled(_:missed:)``.
    case findOut(ShownCallID)
    /// Call back who was missed.
    case callBack(ShownCallID, ShownCaller)
    /// The person has seen these missed calls.
    case seen([ShownCallID])
    /// The person has clicked this alert.
    case open(ShownAlert)
}

/// What the desktop shows of calls and alerts: events in, effects out, no clock and no I/O.
///
/// A call is shown while it rings, and becomes its caller's missed calls or goes. What a server really shows is
/// ``NoticeBoard``'s.
public struct ShowingStateMachine: Sendable {
    /// How many calls are shown; of more only the number is.
    public static let callsMax = 5
    /// How long a call's notification outlasts its ring, if it is not closed.
    public static let grace = TimeSpan.seconds(5)
    /// How many callers' missed calls are shown; with more the oldest go.
    public static let missedMax = 20
    /// How many alerts are shown at once; with more the oldest go.
    public static let alertsMax = 20

    /// How many of `kind` are shown at once.
    static func places(of kind: NoticeSubject.Kind) -> Int {
        switch kind {
        case .call: callsMax
        case .missed: missedMax
        case .alert: alertsMax
        case .more: 1
        }
    }

    private struct RingingCall: Sendable {
        let id: ShownCallID
        var caller: ShownCaller
        var until: Instant
        var isSilenced = false
        var picture: String?
        /// The worker that rings it; nil if it is known from the ledger alone.
        var link: Int64?
    }

    private struct MissedCalls: Sendable {
        let subject: NoticeSubject
        var caller: ShownCaller
        var picture: String?
        var calls: [ShownCallID]
        var count: Int
    }

    private let words: NoticeWords
    private let callsBack: Bool
    private let closeSilences: Bool
    private var calls: [RingingCall] = []
    /// Calls whose worker left without their end, to be found out.
    private var lost: [RingingCall] = []
    private var missed: [MissedCalls] = []
    /// Whether a click on an alert does anything.
    public var opensAlerts = false
    private var alerts: [ShownAlert] = []
    private var board = NoticeBoard()
    /// What an earlier process has shown, and the unique name of the server that shows it.
    private var inherited: (owner: String, notices: [KeptNotice])?

    /// A machine that shows nothing yet, and speaks with `words`.
    ///
    /// - Parameters:
    ///   - callsBack: whether a missed call can be called back.
    ///   - closeSilences: whether a ring is silenced whose notification the person closes.
    public init(words: NoticeWords, callsBack: Bool, closeSilences: Bool) {
        self.words = words
        self.callsBack = callsBack
        self.closeSilences = closeSilences
    }

    /// The calls that ring, the oldest first.
    public var ringing: [ShownCallID] { calls.map(\.id) }

    /// When the ring of `id` ends by itself; nil if it does not ring.
    public func end(of id: ShownCallID) -> Instant? { calls.first { $0.id == id }?.until }

    /// Whether a call rings, has to be found out, or something is shown that a click would reach this process by.
    public var isBusy: Bool { !calls.isEmpty || !lost.isEmpty || board.isNeeded }

    /// What is shown, for a process that comes after this one.
    public var kept: [KeptNotice] {
        board.shown.map { subject, id in
            let missed = missed.first { $0.subject == subject }
            return KeptNotice(subject: subject, id: id, caller: missed?.caller, count: missed?.count ?? 0)
        }
    }

    /// The server that shows it; nil if none is there.
    public var server: NoticeServer? { if case .present(let server) = board.server { server } else { nil } }

    /// Whether something is to be shown, and there is no server to show it.
    public var lacksServer: Bool { board.lacksServer }

    // MARK: Calls

    /// `id` rings until `until`, as the worker behind `link` says, or the ledger if that is nil; `isSilenced` if the
    /// person has silenced it.
    public mutating func rings(
        _ id: ShownCallID, _ caller: ShownCaller, until: Instant, isSilenced: Bool = false, link: Int64?
    ) -> [ShowingEffect] {
        lost.removeAll { $0.id == id }
        if let index = calls.firstIndex(where: { $0.id == id }) {
            if let link { calls[index].link = link }
            calls[index].caller = caller
            calls[index].until = until
            calls[index].isSilenced = isSilenced
        } else {
            calls.append(RingingCall(id: id, caller: caller, until: until, isSilenced: isSilenced, link: link))
        }
        return show()
    }

    /// The picture of who calls as `id` is in the file `path`.
    public mutating func picture(_ path: String, of id: ShownCallID) -> [ShowingEffect] {
        if let index = calls.firstIndex(where: { $0.id == id }) { calls[index].picture = path }
        for index in missed.indices where missed[index].calls.last == id { missed[index].picture = path }
        return show()
    }

    /// The ring of `id` is over; the person missed it if `isMissed`.
    public mutating func ended(_ id: ShownCallID, missed isMissed: Bool) -> [ShowingEffect] {
        guard let index = calls.firstIndex(where: { $0.id == id }) else { return [] }
        let call = calls.remove(at: index)
        if isMissed { note(call) } else { board.drop(.call(id)) }
        return show()
    }

    /// `id` was missed without having rung.
    public mutating func missed(_ id: ShownCallID, _ caller: ShownCaller) -> [ShowingEffect] {
        guard !missed.contains(where: { $0.calls.contains(id) }) else { return [] }
        note(RingingCall(id: id, caller: caller, until: Instant(microseconds: 0), picture: nil, link: nil))
        return show()
    }

    /// The worker behind `link` is gone. A call that it still rang is over, and how is to be found out.
    public mutating func left(_ link: Int64) -> [ShowingEffect] {
        let over = calls.filter { $0.link == link }
        calls.removeAll { $0.link == link }
        for call in over { board.drop(.call(call.id)) }
        lost += over
        let effects = show()
        board.forget(link: link)
        return effects + over.map { .findOut($0.id) }
    }

    /// How `id`, which was to be found out or is known from the ledger alone, has ended.
    public mutating func settled(_ id: ShownCallID, missed isMissed: Bool) -> [ShowingEffect] {
        if let index = lost.firstIndex(where: { $0.id == id }) {
            let call = lost.remove(at: index)
            if isMissed { note(call) }
            return show()
        }
        guard calls.contains(where: { $0.id == id && $0.link == nil }) else { return [] }
        return ended(id, missed: isMissed)
    }

    private mutating func note(_ call: RingingCall) {
        let caller = call.caller.handle.isEmpty ? call.caller.name : call.caller.handle
        let subject = NoticeSubject.missed(call.id.group, caller: caller)
        var entry = MissedCalls(
            subject: subject, caller: call.caller, picture: call.picture, calls: [call.id], count: 1)
        if let index = missed.firstIndex(where: { $0.subject == subject }) {
            let earlier = missed.remove(at: index)
            entry.count += earlier.count
            entry.calls = earlier.calls + entry.calls
            entry.picture = entry.picture ?? earlier.picture
        }
        missed.append(entry)
        if missed.count > Self.missedMax { board.drop(missed.removeFirst().subject) }
        // The place of the one that goes is free for it.
        board.turn(.call(call.id), into: subject)
    }

    // MARK: Alerts

    /// An ordinary notification says this; it replaces what has the same name in its group.
    public mutating func alert(_ alert: ShownAlert, link: Int64?) -> [ShowingEffect] {
        alerts.removeAll { $0.subject == alert.subject }
        alerts.append(alert)
        if alerts.count > Self.alertsMax { board.drop(alerts.removeFirst().subject) }
        board.want(
            alert.notice(click: opensAlerts ? labels([.open]).first : nil), for: alert.subject, link: link)
        return show()
    }

    /// The notifications of `group` with one of `names`, or all if that is nil, are shown no longer.
    public mutating func withdraw(_ names: [String]?, in group: GroupName) -> [ShowingEffect] {
        let isGone = { (alert: ShownAlert) in alert.group == group && names?.contains(alert.name) ?? true }
        for alert in alerts where isGone(alert) { board.drop(alert.subject) }
        alerts.removeAll(where: isGone)
        return show()
    }

    // MARK: The server

    /// An earlier process had `notices` shown by the server that calls itself `owner`: taken over if that is the first
    /// that is there, since another one has given these numbers to something else (S6).
    public mutating func inherit(_ notices: [KeptNotice], from owner: String) { inherited = (owner, notices) }

    private mutating func adopt(_ kept: [KeptNotice]) {
        for notice in kept {
            board.adopt(notice.subject, id: notice.id)
            switch notice.subject {
            case .missed:
                guard let caller = notice.caller else { continue }
                missed.append(
                    MissedCalls(
                        subject: notice.subject, caller: caller, picture: nil, calls: [], count: max(1, notice.count)))
            // They are closed: what they say is not known any more.
            case .alert, .call, .more: break
            }
        }
    }

    /// The server is `server` now.
    public mutating func serverIs(_ server: NoticeServer) -> [ShowingEffect] {
        if let inherited {
            self.inherited = nil
            // Before the board knows the server: to it, what there is by then was shown by that.
            if inherited.owner == server.owner { adopt(inherited.notices) }
        }
        board.change(to: .present(server))
        return show()
    }

    /// There is no server, for the reason in `detail`.
    public mutating func serverIsAbsent(_ detail: String) -> [ShowingEffect] {
        board.change(to: .absent(detail))
        return show()
    }

    /// The server shows what `token` asked for as `id`. What is not wanted any more by then is closed.
    public mutating func shown(_ token: Int64, as id: UInt32) -> [ShowingEffect] {
        board.shown(token, as: id) + show()
    }

    /// The server answered `token` with an error.
    public mutating func refused(_ token: Int64, _ detail: String) -> [ShowingEffect] {
        board.refused(token, detail) + show()
    }

    /// The server closed `id`: the person did if `byPerson`, or its time was up.
    public mutating func closed(_ id: UInt32, byPerson: Bool) -> [ShowingEffect] {
        guard let subject = board.closed(id) else { return [] }
        let link = board.link(of: subject)
        switch subject {
        case .missed:
            missed.removeAll { $0.subject == subject }
            board.drop(subject)
        case .alert:
            alerts.removeAll { $0.subject == subject }
            board.drop(subject)
        case .call, .more: break
        }
        let report = link.map { [ShowingEffect.report(link: $0, .closed, detail: "")] } ?? []
        return report + (byPerson ? silenced(subject) : []) + show()
    }

    /// What has to be done as the person waves `subject` away.
    private func silenced(_ subject: NoticeSubject) -> [ShowingEffect] {
        guard closeSilences, case .call(let id) = subject, calls.contains(where: { $0.id == id && !$0.isSilenced })
        else { return [] }
        return [.silence(id)]
    }

    /// The person chose `key` in `id`. What is no choice of ours decides nothing.
    public mutating func chosen(_ key: String, in id: UInt32) -> [ShowingEffect] {
        guard let subject = board.subject(of: id), let action = NoticeAction(rawValue: key) else { return [] }
        switch (action, subject) {
        case (.accept, .call(let call)): return [.answer(call)]
        case (.decline, .call(let call)): return [.decline(call)]
        case (.silence, .call(let call)): return [.silence(call)]
        case (.callBack, .missed):
            guard let entry = missed.first(where: { $0.subject == subject }), let call = entry.calls.last else {
                return []
            }
            return [.callBack(call, entry.caller)] + forget(subject)
        case (.seen, .missed): return forget(subject)
        case (.open, .alert):
            guard let alert = alerts.first(where: { $0.subject == subject }) else { return [] }
            alerts.removeAll { $0.subject == subject }
            board.drop(subject)
            return [.open(alert)] + show()
        case (.accept, _), (.decline, _), (.silence, _), (.callBack, _), (.seen, _), (.open, _): return []
        }
    }

    private mutating func forget(_ subject: NoticeSubject) -> [ShowingEffect] {
        let calls = missed.first { $0.subject == subject }?.calls ?? []
        missed.removeAll { $0.subject == subject }
        board.drop(subject)
        return (calls.isEmpty ? [] : [.seen(calls)]) + show()
    }

    // MARK: What is wanted

    private mutating func show() -> [ShowingEffect] {
        for (index, call) in calls.enumerated() {
            if index < Self.callsMax {
                board.want(notice(of: call), for: .call(call.id), link: call.link)
            } else {
                board.drop(.call(call.id))
            }
        }
        let hidden = calls.count - Self.callsMax
        if hidden > 0 { board.want(notice(ofMore: hidden), for: .more, link: nil) } else { board.drop(.more) }
        for entry in missed { board.want(notice(of: entry), for: entry.subject, link: nil) }
        return board.reconcile()
    }

    private var hasActions: Bool { if case .present(let server) = board.server { server.hasActions } else { true } }

    private func notice(of call: RingingCall) -> Notice {
        let kind = call.caller.hasVideo ? words.incomingVideo : words.incoming
        var body = subtitle(of: call.caller, kind)
        if !hasActions {
            body += "\nbelfry answer" + (call.id.call.isEmpty ? "" : " \(NoticeText.clean(call.id.call))")
        }
        return Notice(
            summary: name(of: call.caller), body: body,
            actions: labels(call.isSilenced ? [.accept, .decline] : [.accept, .decline, .silence]),
            category: "call.incoming", urgency: .critical, until: call.until + Self.grace, picture: call.picture)
    }

    private func notice(of entry: MissedCalls) -> Notice {
        let kind =
            entry.count > 1
            ? NoticeWords.counted(words.missedMany, entry.count)
            : entry.caller.hasVideo ? words.missedVideo : words.missed
        return Notice(
            summary: name(of: entry.caller), body: subtitle(of: entry.caller, kind),
            actions: labels(callsBack ? [.callBack, .seen] : [.seen]), category: "call.unanswered", urgency: .normal,
            until: nil, picture: entry.picture)
    }

    private func notice(ofMore count: Int) -> Notice {
        Notice(
            summary: words.incoming, body: NoticeWords.counted(words.more, count), actions: [],
            category: "call.incoming", urgency: .critical, until: calls.last.map { $0.until + Self.grace }, picture: nil
        )
    }

    private func labels(_ actions: [NoticeAction]) -> [Notice.Label] {
        guard hasActions else { return [] }
        return actions.map { action in
            switch action {
            case .accept: Notice.Label(action: action, text: words.accept)
            case .decline: Notice.Label(action: action, text: words.decline)
            case .silence: Notice.Label(action: action, text: words.silence)
            case .callBack: Notice.Label(action: action, text: words.callBack)
            case .seen: Notice.Label(action: action, text: words.seen)
            case .open: Notice.Label(action: action, text: words.open)
            }
        }
    }

    private func name(of caller: ShownCaller) -> String {
        [caller.name, caller.handle].map { NoticeText.clean($0) }.first { !$0.isEmpty } ?? words.unknown
    }

    private func subtitle(of caller: ShownCaller, _ kind: String) -> String {
        let handle = NoticeText.clean(caller.handle)
        return handle.isEmpty || caller.name.isEmpty ? kind : "\(handle)\n\(kind)"
    }
}
