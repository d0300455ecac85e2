public import BelfryProtocol
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
    /// Say over `link` what the person wants done with the call that goes on there.
    case choose(link: Int64, CallCommand)
}

/// What the desktop shows of calls and alerts: events in, effects out, no clock and no I/O.
///
/// A call is shown while it rings, and becomes its caller's missed calls or goes; an app's is shown while it goes on.
/// What a server really shows is ``NoticeBoard``'s.
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
        case .ongoing: ongoingMax
        case .more, .moreOngoing: 1
        }
    }

    struct RingingCall: Sendable {
        let id: ShownCallID
        var caller: ShownCaller
        var until: Instant
        var isSilenced = false
        var picture: String?
        /// The worker that rings it; nil if it is known from the ledger alone.
        var link: Int64?
    }

    let words: NoticeWords
    /// Whether a missed call can be called back; counts for what is shown already with the next input.
    public var callsBack: Bool
    /// Whether a ring is silenced whose notification the person closes.
    public var closeSilences: Bool
    private var calls: [RingingCall] = []
    /// Calls whose worker left without their end, to be found out.
    private var lost: [RingingCall] = []
    private var missed = MissedCallers()
    /// Whether a server may take what is no call that rings, and not show it.
    private var isDisturbed = false
    /// Whether it does so, so that missed calls wait, and what changes of calls that go on.
    private(set) var holdsMissed = false
    /// Whether a click on an alert does anything.
    public var opensAlerts = false
    private var alerts: [ShownAlert] = []
    var board = NoticeBoard()
    var ongoingCalls = OngoingCalls()
    /// Notifications of calls that go on in which the person has chosen what has not come about yet: a server that
    /// closes them for that is to show them again.
    var chosenIn: Set<NoticeSubject> = []
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
            let missed = missed.entry(of: subject)
            let alert = alerts.first { $0.subject == subject }
            return KeptNotice(
                subject: subject, id: id, caller: missed?.caller, count: missed?.count ?? 0, alert: alert)
        }
    }

    /// The server that shows it; nil if none is there.
    public var server: NoticeServer? { if case .present(let server) = board.server { server } else { nil } }

    /// Whether something is to be shown, and there is no server to show it.
    public var lacksServer: Bool { board.lacksServer }

    /// Whether missed calls wait for a server, or for the end of do-not-disturb.
    public var waits: Bool { !missed.entries.isEmpty && (holdsMissed || server == nil) }

    /// The groups whose missed calls are shown, or wait to be.
    public var groupsOfMissed: Set<GroupName> {
        Set(
            missed.entries.compactMap { entry in
                if case .missed(let group, _) = entry.subject { group } else { nil }
            })
    }

    /// The missed calls that the person has closed, and that are still listed: for a process that comes after this one.
    public var dismissed: Set<MissedMark> { missed.dismissed }

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

    /// Who calls as `id` is `caller`, as an app says.
    public mutating func caller(_ caller: ShownCaller, of id: ShownCallID) -> [ShowingEffect] {
        guard let index = calls.firstIndex(where: { $0.id == id }) else { return [] }
        calls[index].caller = caller
        return show()
    }

    /// The picture of who calls as `id` is in the file `path`.
    public mutating func picture(_ path: String, of id: ShownCallID) -> [ShowingEffect] {
        if let index = calls.firstIndex(where: { $0.id == id }) { calls[index].picture = path }
        missed.illustrate(id, with: path)
        return show()
    }

    /// The ring of `id` is over; the person missed it if `isMissed`, at the Unix second `at`, which people read as
    /// `time`; 0 and "" if that is not known.
    public mutating func ended(
        _ id: ShownCallID, missed isMissed: Bool, at missed: Int64 = 0, time: String = ""
    ) -> [ShowingEffect] {
        guard let index = calls.firstIndex(where: { $0.id == id }) else { return [] }
        let call = calls.remove(at: index)
        if isMissed { note(call, at: missed, time) } else { board.drop(.call(id)) }
        return show()
    }

    /// `id` was missed without having rung, when ``ended(_:missed:at:time:)`` says.
    public mutating func missed(
        _ id: ShownCallID, _ caller: ShownCaller, at missed: Int64 = 0, time: String = ""
    ) -> [ShowingEffect] {
        guard !self.missed.knows(MissedMark(id: id, missed: missed)) else { return [] }
        note(
            RingingCall(id: id, caller: caller, until: Instant(microseconds: 0), picture: nil, link: nil),
            at: missed, time)
        return show()
    }

    /// Of `group` these missed calls are listed now, the latest last: those alone are shown, and what an event has
    /// said before the list did.
    public mutating func lists(_ listed: [ListedCall], of group: GroupName) -> [ShowingEffect] {
        let held = Set((calls + lost).map(\.id))
        for subject in missed.list(listed, of: group, isHeldBack: held.contains) { board.drop(subject) }
        for subject in missed.dropOldest(beyond: Self.missedMax) { board.drop(subject) }
        return show()
    }

    /// An earlier process has noted that the person closed these.
    public mutating func dismissed(_ marks: [MissedMark]) { missed.dismiss(marks) }

    /// Whether do-not-disturb `isOn`, and `hides` what is no call that rings. A server that is not to disturb takes
    /// what would replace a call, and leaves the call on the screen: there the call is closed first.
    public mutating func disturbed(isOn: Bool, hides: Bool) -> [ShowingEffect] {
        (isDisturbed, holdsMissed) = (isOn, hides)
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

    /// How `id`, which was to be found out or is known from the ledger alone, has ended; when it was missed is as in
    /// ``ended(_:missed:at:time:)``.
    public mutating func settled(
        _ id: ShownCallID, missed isMissed: Bool, at missed: Int64 = 0, time: String = ""
    ) -> [ShowingEffect] {
        if let index = lost.firstIndex(where: { $0.id == id }) {
            let call = lost.remove(at: index)
            if isMissed { note(call, at: missed, time) }
            return show()
        }
        guard calls.contains(where: { $0.id == id && $0.link == nil }) else { return [] }
        return ended(id, missed: isMissed, at: missed, time: time)
    }

    private mutating func note(_ call: RingingCall, at missed: Int64, _ time: String) {
        let mark = MissedMark(id: call.id, missed: missed)
        let subject = self.missed.note(ListedCall(mark, call.caller, time: time, picture: call.picture))
        for oldest in self.missed.dropOldest(beyond: Self.missedMax) { board.drop(oldest) }
        // The place of the one that goes is free for it.
        if isDisturbed || holdsMissed { board.drop(.call(call.id)) } else { board.turn(.call(call.id), into: subject) }
    }

    // MARK: Alerts

    /// An ordinary notification says this; it replaces what has the same name in its group.
    public mutating func alert(_ alert: ShownAlert, link: Int64?) -> [ShowingEffect] {
        alerts.removeAll { $0.subject == alert.subject }
        alerts.append(alert)
        if alerts.count > Self.alertsMax { board.drop(alerts.removeFirst().subject) }
        board.want(notice(of: alert), for: alert.subject, link: link)
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

    private mutating func adopt(_ kept: [KeptNotice], of server: NoticeServer) {
        for notice in kept {
            switch notice.subject {
            case .missed:
                board.adopt(notice.subject, id: notice.id)
                guard let caller = notice.caller else { continue }
                missed.adopt(notice.subject, caller, count: notice.count)
                // Also while missed calls wait: what is shown already stays.
                guard let entry = missed.entry(of: notice.subject) else { continue }
                board.want(self.notice(of: entry), for: notice.subject, link: nil)
            // It stays as it is: shown anew it would interrupt once more. One of which nothing else is known is left
            // to the server.
            case .alert:
                guard let alert = notice.alert, !alerts.contains(where: { $0.subject == alert.subject }) else { break }
                alerts.append(alert)
                board.adopt(alert.subject, id: notice.id, showing: self.notice(of: alert, server.hasActions))
            case .ongoing:
                board.adopt(notice.subject, id: notice.id)
                // Also while those wait: it is what is shown already.
                guard let call = ongoingCalls[notice.subject] else { continue }
                board.want(self.notice(of: call), for: notice.subject, link: nil)
            case .call, .more, .moreOngoing: board.adopt(notice.subject, id: notice.id)
            }
        }
    }

    /// The server is `server` now.
    public mutating func serverIs(_ server: NoticeServer) -> [ShowingEffect] {
        if let inherited {
            self.inherited = nil
            // Before the board knows the server: to it, what there is by then was shown by that.
            if inherited.owner == server.owner { adopt(inherited.notices, of: server) }
        }
        if self.server?.owner != server.owner { missed.serverChanged() }
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
        guard let subject = board.closed(id, byPerson: byPerson) else { return [] }
        let link = board.link(of: subject)
        switch subject {
        case .missed:
            missed.close(subject, byPerson: byPerson)
            board.drop(subject)
        case .alert:
            alerts.removeAll { $0.subject == subject }
            board.drop(subject)
        case .ongoing: if chosenIn.remove(subject) != nil { board.reopen(subject) }
        case .call, .more, .moreOngoing: break
        }
        let report = link.map { [ShowingEffect.report(link: $0, .closed, detail: "")] } ?? []
        return report + (byPerson ? silenced(subject) : []) + show()
    }

    /// What has to be done as the person waves `subject` away.
    private func silenced(_ subject: NoticeSubject) -> [ShowingEffect] {
        guard closeSilences else { return [] }
        return calls.filter { call in
            guard !call.isSilenced else { return false }
            return subject == .call(call.id) || subject == .more && !board.knows(.call(call.id))
        }.map { .silence($0.id) }
    }

    /// The person chose `key` in `id`. What is no choice of ours decides nothing.
    public mutating func chosen(_ key: String, in id: UInt32) -> [ShowingEffect] {
        guard let subject = board.subject(of: id), let action = NoticeAction(rawValue: key) else { return [] }
        switch (action, subject) {
        case (.accept, .call(let call)): return [.answer(call)]
        case (.holdAndAccept, .call(let call)): return accept(call, holds: true)
        case (.endAndAccept, .call(let call)): return accept(call, holds: false)
        case (_, .ongoing): return chosen(action, ongoing: subject)
        case (.decline, .call(let call)): return [.decline(call)]
        case (.silence, .call(let call)): return [.silence(call)]
        // Elsewhere it is a click beside the buttons.
        case (.standard, .call(let call)): return server?.lacksMenu == true ? [.answer(call)] : []
        case (.callBack, .missed):
            guard let entry = missed.entry(of: subject), let call = entry.calls.last?.mark.id else { return [] }
            return [.callBack(call, entry.caller)] + forget(subject)
        case (.seen, .missed): return forget(subject)
        case (.standard, .alert):
            guard let alert = alerts.first(where: { $0.subject == subject }) else { return [] }
            alerts.removeAll { $0.subject == subject }
            board.drop(subject)
            return [.open(alert)] + show()
        case (_, .call), (_, .missed), (_, .alert), (_, .more), (_, .moreOngoing): return []
        }
    }

    private mutating func forget(_ subject: NoticeSubject) -> [ShowingEffect] {
        let calls = missed.entry(of: subject)?.calls.map(\.mark.id) ?? []
        missed.remove(subject)
        board.drop(subject)
        return (calls.isEmpty ? [] : [.seen(calls)]) + show()
    }

    // MARK: What is wanted

    /// When the ring ends by itself that began last; nil if nothing rings.
    var lastRing: Instant? { calls.last?.until }

    mutating func show() -> [ShowingEffect] {
        // What a person has closed leaves its place to the next.
        let open = calls.filter { !board.isClosed(.call($0.id)) }
        for call in open.prefix(Self.callsMax) {
            board.want(notice(of: call), for: .call(call.id), link: call.link)
        }
        for call in open.dropFirst(Self.callsMax) { board.drop(.call(call.id)) }
        let hidden = open.count - Self.callsMax
        if hidden > 0 { board.want(notice(ofMore: hidden), for: .more, link: nil) } else { board.drop(.more) }
        wantOngoing()
        // What is shown already is not brought up to date meanwhile either.
        if !holdsMissed { for entry in missed.entries { board.want(notice(of: entry), for: entry.subject, link: nil) } }
        return board.reconcile()
    }
}
