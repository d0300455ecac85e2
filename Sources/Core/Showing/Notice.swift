public import BelfryTerms

/// Who calls, as the push says.
public struct ShownCaller: Hashable, Sendable {
    /// The name; empty if it is not known.
    public var name: String
    /// The number or address; empty if it is not known.
    public var handle: String
    /// Whether it is a video call.
    public var hasVideo: Bool
    /// Who has that number; nil if no source of the person's says.
    public var label: NumberLabel?

    /// A caller.
    public init(name: String, handle: String, hasVideo: Bool, label: NumberLabel? = nil) {
        self.name = name
        self.handle = handle
        self.hasVideo = hasVideo
        self.label = label
    }
}

/// Which call of which group.
public struct ShownCallID: Hashable, Sendable {
    /// The group.
    public let group: GroupName
    /// The call's id; empty for the group's anonymous call.
    public let call: String

    /// The call `call` of `group`.
    public init(group: GroupName, call: String) {
        self.group = group
        self.call = call
    }

    /// Compares bytes, as ids are compared everywhere.
    public static func == (left: ShownCallID, right: ShownCallID) -> Bool {
        left.group == right.group && left.call.utf8.elementsEqual(right.call.utf8)
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(group)
        for byte in call.utf8 { hasher.combine(byte) }
    }
}

/// What a notification is about.
public enum NoticeSubject: Hashable, Sendable {
    /// A call that rings.
    case call(ShownCallID)
    /// The missed calls of one caller in a group.
    case missed(GroupName, caller: String)
    /// An ordinary alert: those with the same name replace one another.
    case alert(GroupName, name: String)
    /// Calls that ring beyond those that are shown.
    case more
    /// A call that goes on.
    case ongoing(uuid: String)
    /// Calls that go on beyond those that are shown.
    case moreOngoing

    /// Subjects of a kind have so many places on the screen.
    enum Kind: Hashable, Sendable {
        /// Calls that ring.
        case call
        /// Missed calls of a caller.
        case missed
        /// Ordinary alerts.
        case alert
        /// The number of the other calls.
        case more
        /// Calls that go on.
        case ongoing
        /// The number of the others that go on.
        case moreOngoing
    }

    /// Its kind.
    var kind: Kind {
        switch self {
        case .call: .call
        case .missed: .missed
        case .alert: .alert
        case .more: .more
        case .ongoing: .ongoing
        case .moreOngoing: .moreOngoing
        }
    }
}

/// What a person can choose in a notification.
public enum NoticeAction: String, Hashable, Sendable, CaseIterable {
    /// Answers the call.
    case accept = "call.accept"
    /// Answers the call, and has the one held that is on.
    case holdAndAccept = "call.hold-accept"
    /// Answers the call, and ends the one that is on.
    case endAndAccept = "call.end-accept"
    /// Declines it.
    case decline = "call.decline"
    /// Silences the ring, which goes on.
    case silence = "call.silence"
    /// Calls back who called.
    case callBack = "call.back"
    /// Forgets the missed call.
    case seen = "call.seen"
    /// Lets the person not be heard in the call that goes on.
    case mute = "call.mute"
    /// Lets the person be heard again.
    case unmute = "call.unmute"
    /// Holds the call.
    case hold = "call.hold"
    /// Goes on with it.
    case resume = "call.resume"
    /// Ends it.
    case end = "call.end"
    /// A click on the notification itself, by the specification's key, and no button: opens an alert, and answers a
    /// call where a server has no way to choose.
    case standard = "default"
}

/// One notification as a server is asked to show it: texts are clean, but not escaped.
public struct Notice: Hashable, Sendable {
    /// How much it presses, in the numbers of the notification specification.
    public enum Urgency: UInt8, Sendable {
        /// A passive alert.
        case low = 0
        /// An alert, a missed call, or one that goes on.
        case normal = 1
        /// A call that rings, or a critical alert.
        case critical = 2
    }

    /// The first line.
    public var summary: String
    /// The lines below.
    public var body: String
    /// The buttons, with their labels, in this order.
    public var actions: [Label]
    /// The specification's category; empty for none.
    public var category: String
    /// How much it presses.
    public var urgency: Urgency
    /// When it goes by itself; nil for never.
    public var until: Instant?
    /// The file of the caller's picture; nil for none.
    public var picture: String?

    /// An action and what its button says.
    public struct Label: Hashable, Sendable {
        /// What it does.
        public let action: NoticeAction
        /// What the button says.
        public let text: String
    }

    /// Whether it is a ringing call: the server makes no sound of its own, and keeps it after a click.
    public var isRinging: Bool { category == "call.incoming" }

    /// The category of a call that goes on.
    static let ongoing = "call"

    /// Whether it is a call that goes on: the server makes no sound, and keeps it after a click.
    public var isOngoing: Bool { category == Self.ongoing }

    /// Whether it is about a call, and stays until somebody closes it; how long an alert stays its server knows.
    public var isCall: Bool { isOngoing || category.hasPrefix("call.") }
}

/// A notification server that is there.
public struct NoticeServer: Hashable, Sendable {
    /// Its connection's unique name: ids that it gave count as long as that is the same.
    public let owner: String
    /// Whether it can show buttons.
    public let hasActions: Bool
    /// Whether it reads markup in a body.
    public let readsMarkup: Bool
    /// Whether it takes actions, and the program is missing in which a person would choose one.
    public let lacksMenu: Bool

    /// A server.
    public init(owner: String, hasActions: Bool, readsMarkup: Bool, lacksMenu: Bool = false) {
        self.owner = owner
        self.hasActions = hasActions
        self.readsMarkup = readsMarkup
        self.lacksMenu = lacksMenu
    }
}

/// A notification that is shown, as it is kept for a process that comes after this one.
public struct KeptNotice: Hashable, Sendable {
    /// What it is about.
    public let subject: NoticeSubject
    /// The number that the server gave it.
    public let id: UInt32
    /// Of missed calls: who called, and how often.
    public let caller: ShownCaller?
    /// How many missed calls it stands for.
    public let count: Int
    /// Of an alert: what it says.
    public let alert: ShownAlert?

    /// A notification.
    public init(
        subject: NoticeSubject, id: UInt32, caller: ShownCaller? = nil, count: Int = 0, alert: ShownAlert? = nil
    ) {
        self.subject = subject
        self.id = id
        self.caller = caller
        self.count = count
        self.alert = alert
    }
}
