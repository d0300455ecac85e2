public import BelfryProtocol
public import BelfryTerms

/// A call that goes on, as the connection says that shows it.
public struct ShownOngoingCall: Hashable, Sendable {
    /// The connection, over which the person's choice goes back.
    public let link: Int64
    /// The app group that it is asked for in.
    public let group: GroupName
    /// What is known of it.
    public let call: OngoingCall
    /// Since when it is connected, as people read it; empty if that is not known.
    public let time: String

    /// A call that goes on.
    public init(_ call: OngoingCall, link: Int64, group: GroupName, time: String) {
        (self.call, self.link, self.group, self.time) = (call, link, group, time)
    }

    var subject: NoticeSubject { .ongoing(uuid: call.uuid) }
}

/// The calls that go on, each as its connection has said last, the oldest first.
struct OngoingCalls: Sendable {
    private(set) var entries: [ShownOngoingCall] = []

    /// The call that makes room for `ring` once that is answered: of those that are not held the one since last, or if
    /// one is to be held, of those that can be. Nil if there is none: `ring` itself may go on already.
    func makingRoom(for ring: ShownCallID, holds: Bool) -> ShownOngoingCall? {
        entries.last {
            $0.call.state != .held && (!holds || $0.call.canHold) && !$0.call.call.utf8.elementsEqual(ring.call.utf8)
        }
    }

    /// The call of `subject`.
    subscript(subject: NoticeSubject) -> ShownOngoingCall? { entries.first { $0.subject == subject } }

    /// A connection says this. One that says another call than before shows that one from now on; a call that two
    /// connections say is the later one's.
    mutating func note(_ call: ShownOngoingCall) {
        entries.removeAll { $0.link == call.link && $0.subject != call.subject }
        if let index = entries.firstIndex(where: { $0.subject == call.subject }) {
            entries[index] = call
        } else {
            entries.append(call)
        }
    }

    /// The connection `link` has ended, whatever became of its call.
    mutating func left(_ link: Int64) { entries.removeAll { $0.link == link } }
}

// Calls that go on (C16).
extension ShowingStateMachine {
    /// How many calls that go on are shown; of more only the number is.
    static let ongoingMax = 5

    /// The calls that go on, the oldest first.
    public var ongoing: [ShownOngoingCall] { ongoingCalls.entries }

    /// A connection says that `call` goes on, for the first time or since something of it has changed.
    public mutating func goesOn(_ call: ShownOngoingCall) -> [ShowingEffect] {
        let before = ongoingCalls.entries
        ongoingCalls.note(call)
        return changeOngoing(from: before)
    }

    /// The connection `link` has ended: so has its call, or nobody here would learn of it.
    public mutating func goesOnNoLonger(_ link: Int64) -> [ShowingEffect] {
        let before = ongoingCalls.entries
        ongoingCalls.left(link)
        return changeOngoing(from: before)
    }

    private mutating func changeOngoing(from before: [ShownOngoingCall]) -> [ShowingEffect] {
        for call in before where ongoingCalls[call.subject] != call {
            // It changes as the person wants it: a server may close it from now on.
            chosenIn.remove(call.subject)
            if ongoingCalls[call.subject] == nil { board.drop(call.subject) }
        }
        return show()
    }

    /// What has to be done as the person chooses `action` in the notification of a call that goes on.
    mutating func chosen(_ action: NoticeAction, ongoing subject: NoticeSubject) -> [ShowingEffect] {
        guard let link = ongoingCalls[subject]?.link else { return [] }
        let command: CallCommand
        switch action {
        case .mute: command = .mute(true)
        case .unmute: command = .mute(false)
        case .hold: command = .hold(true)
        case .resume: command = .hold(false)
        case .end: return [.choose(link: link, .end)]
        case .accept, .holdAndAccept, .endAndAccept, .decline, .silence, .callBack, .seen, .standard: return []
        }
        chosenIn.insert(subject)
        return [.choose(link: link, command)]
    }

    /// What has to be done as the person accepts `call`, which rings, and has another one held or ended for it. That is
    /// said first: who hears it then does both at once. If no call is on any more, it is an answer like any other.
    func accept(_ call: ShownCallID, holds: Bool) -> [ShowingEffect] {
        let giveWay = ongoingCalls.makingRoom(for: call, holds: holds).map {
            ShowingEffect.choose(link: $0.link, .giveWay(to: call.call, holds: holds))
        }
        return (giveWay.map { [$0] } ?? []) + [.answer(call)]
    }

    /// Has the calls that go on shown.
    mutating func wantOngoing() {
        let open = ongoingCalls.entries.filter { !board.isClosed($0.subject) }
        for call in open.prefix(Self.ongoingMax) { wantOngoing(notice(of: call), for: call.subject) }
        for call in open.dropFirst(Self.ongoingMax) { board.drop(call.subject) }
        let hidden = open.count - Self.ongoingMax
        if hidden > 0 {
            wantOngoing(notice(ofMoreOngoing: hidden), for: .moreOngoing)
        } else {
            board.drop(.moreOngoing)
        }
    }
    /// Not while a server takes a notification, and does not show it: of what is shown already it would take a change,
    /// and leave on the screen what is so no longer.
    private mutating func wantOngoing(_ notice: Notice, for subject: NoticeSubject) {
        if holdsMissed, !board.isShowing(notice, for: subject) {
            board.drop(subject)
        } else {
            board.want(notice, for: subject, link: nil)
        }
    }
}
