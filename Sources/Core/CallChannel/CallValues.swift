import BelfryJSON
import BelfryTerms

/// The UUID of a call or an action, as an app made it up: 32 hexadecimal digits in capitals, in groups of 8, 4, 4, 4
/// and 12.
public struct CallUUID: Hashable, Sendable {
    /// The text, in capitals.
    public let text: String

    /// Reads it, in capitals or not; nil if `text` is none.
    public init?(_ text: String) {
        let groups = text.split(separator: "-", omittingEmptySubsequences: false)
        guard groups.map(\.utf8.count) == [8, 4, 4, 4, 12], groups.allSatisfy({ $0.allSatisfy(\.isHexDigit) }),
            text.utf8.count == 36
        else { return nil }
        self.text = text.uppercased()
    }

    /// A random one.
    public static func random() -> CallUUID {
        var generator = SystemRandomNumberGenerator()
        return CallUUID(made: randomUUID(using: &generator, isUpperCase: true))
    }

    private init(made text: String) { self.text = text }

    /// Whether all its digits are 0: a UUID that nobody made.
    public var isNil: Bool { text.allSatisfy { $0 == "0" || $0 == "-" } }
}

/// What identifies a person: `CXHandle`.
public struct CallHandle: Hashable, Sendable {
    /// What kind of handle: `CXHandle.HandleType`.
    public enum Kind: Int64, CaseIterable, Sendable {
        case generic = 1
        case phoneNumber
        case emailAddress
    }

    /// Its kind.
    public let kind: Kind
    /// The number, address or account.
    public let value: String

    /// A handle.
    public init(_ kind: Kind, _ value: String) {
        self.kind = kind
        self.value = value
    }
}

/// What an app says of a call: `CXCallUpdate`. What is nil was never assigned, and leaves the call as it is.
public struct CallUpdate: Hashable, Sendable {
    /// Who calls.
    public var handle: CallHandle?
    /// The caller's name.
    public var name: String?
    /// Whether it is a video call.
    public var hasVideo: Bool?
    /// Whether it can be held.
    public var supportsHolding: Bool?
    /// Whether it can join a group.
    public var supportsGrouping: Bool?
    /// Whether it can leave its group.
    public var supportsUngrouping: Bool?
    /// Whether it takes tones.
    public var supportsDTMF: Bool?

    /// An update that says nothing.
    public init() {}
}

/// What an app says of itself as a provider of calls: `CXProviderConfiguration`.
public struct ProviderSettings: Hashable, Sendable {
    /// The app's name for people; nil if it is the bundle's.
    public var localizedName: String?
    /// The sound file in the bundle that rings; nil if it is the system's.
    public var ringtoneSound: String?
    /// How many groups of calls there may be.
    public var maximumCallGroups: Int64 = 2
    /// How many calls a group may have.
    public var maximumCallsPerCallGroup: Int64 = 5
    /// Whether its calls are listed among recent ones.
    public var includesCallsInRecents = true
    /// Whether its calls may have video.
    public var supportsVideo = false
    /// Which kinds of handles it can call.
    public var supportedHandleTypes: Set<CallHandle.Kind> = []
    /// Its icon, a small PNG picture; empty if it has none.
    public var icon: [UInt8] = []

    /// Apple's defaults.
    public init() {}
}

/// Why a call ended that its app ends: `CXCallEndedReason`.
public enum CallEndedReason: Int64, CaseIterable, Sendable {
    case failed = 1
    case remoteEnded
    case unanswered
    case answeredElsewhere
    case declinedElsewhere
}

/// What is known of a call to every app: `CXCall`.
public struct ObservedCall: Hashable, Sendable {
    /// Its UUID.
    public let uuid: CallUUID
    /// Whether this side called.
    public var isOutgoing = false
    /// Whether it is held.
    public var isOnHold = false
    /// Whether it was connected.
    public var hasConnected = false
    /// Whether it is over.
    public var hasEnded = false

    /// An incoming call that rings.
    public init(_ uuid: CallUUID) { self.uuid = uuid }
}

/// Which of its receive methods a registry's delegate got a push by.
public enum ReceiveForm: String, CaseIterable, Sendable {
    case metadata, completion, async, deprecated
    /// It has none.
    case none
}

extension JSONFields {
    /// A call's or an action's UUID.
    func uuid(_ key: String) throws(JSONFieldError) -> CallUUID { try word(key, { CallUUID($0) }, expected: "a UUID") }

    /// A point in time.
    func wallTime(_ key: String) throws(JSONFieldError) -> WallTime { WallTime(microseconds: try integer(key)) }

    func update(_ key: String) throws(JSONFieldError) -> CallUpdate {
        let said = try fields(key)
        var update = CallUpdate()
        update.handle = try said.ifPresent("handle", said.handle)
        update.name = try said.ifPresent("name", said.string)
        update.hasVideo = try said.ifPresent("video", said.bool)
        update.supportsHolding = try said.ifPresent("holding", said.bool)
        update.supportsGrouping = try said.ifPresent("grouping", said.bool)
        update.supportsUngrouping = try said.ifPresent("ungrouping", said.bool)
        update.supportsDTMF = try said.ifPresent("dtmf", said.bool)
        return update
    }

    func handle(_ key: String) throws(JSONFieldError) -> CallHandle {
        let said = try fields(key)
        return CallHandle(
            CallHandle.Kind(rawValue: try said.integer("type", in: 1...3)) ?? .generic, try said.string("value"))
    }

    func action(_ key: String) throws(JSONFieldError) -> CallAction { try CallAction(fields(key)) }

    /// A text of at most `bytesMax` bytes: it goes to others, who are to have room for it.
    func short(_ key: String, bytesMax: Int = CallLimits.wordBytesMax) throws(JSONFieldError) -> String {
        try word(key, { $0.utf8.count <= bytesMax ? $0 : nil }, expected: "at most \(bytesMax) bytes")
    }
}

extension CallHandle {
    var json: JSONValue { .object(["type": .integer(kind.rawValue), "value": .string(value)]) }
}

extension CallUpdate {
    var json: JSONValue {
        var object = JSONObject()
        if let handle { object["handle"] = handle.json }
        if let name { object["name"] = .string(name) }
        let flags = [
            ("video", hasVideo), ("holding", supportsHolding), ("grouping", supportsGrouping),
            ("ungrouping", supportsUngrouping), ("dtmf", supportsDTMF),
        ]
        for case (let key, let flag?) in flags { object[key] = .bool(flag) }
        return .object(object)
    }
}

extension ProviderSettings {
    init(_ said: JSONFields) throws(JSONFieldError) {
        self.init()
        localizedName = try said.ifPresent("name", said.string)
        ringtoneSound = try said.ifPresent("ringtone", said.string)
        maximumCallGroups = try said.integer("groups")
        maximumCallsPerCallGroup = try said.integer("callsPerGroup")
        includesCallsInRecents = try said.bool("recents")
        supportsVideo = try said.bool("video")
        for kind in try said.array("handles") {
            if let kind = kind.integerValue.flatMap(CallHandle.Kind.init) { supportedHandleTypes.insert(kind) }
        }
        let icon = try said.ifPresent("icon") { (key) throws(JSONFieldError) in
            try said.short(key, bytesMax: 2 * CallLimits.iconBytesMax)
        }
        self.icon = icon?.bytesOfHexadecimal ?? []
    }

    var json: JSONValue {
        .object([
            "name": localizedName.map { .string($0) } ?? .null, "ringtone": ringtoneSound.map { .string($0) } ?? .null,
            "groups": .integer(maximumCallGroups), "callsPerGroup": .integer(maximumCallsPerCallGroup),
            "recents": .bool(includesCallsInRecents), "video": .bool(supportsVideo),
            "handles": .array(supportedHandleTypes.map(\.rawValue).sorted().map { .integer($0) }),
            "icon": .string(icon.hexadecimal),
        ])
    }
}

extension ObservedCall {
    init(_ said: JSONFields) throws(JSONFieldError) {
        self.init(try said.uuid("uuid"))
        isOutgoing = try said.bool("outgoing")
        isOnHold = try said.bool("held")
        hasConnected = try said.bool("connected")
        hasEnded = try said.bool("ended")
    }

    var json: JSONValue {
        .object([
            "uuid": .string(uuid.text), "outgoing": .bool(isOutgoing), "held": .bool(isOnHold),
            "connected": .bool(hasConnected), "ended": .bool(hasEnded),
        ])
    }
}

extension [UInt8] {
    /// The bytes, two digits each.
    fileprivate var hexadecimal: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}

extension String {
    /// The bytes of which these are the digits; none if one of them is no digit, or is left over.
    fileprivate var bytesOfHexadecimal: [UInt8] {
        let values = utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
        guard values.count == utf8.count, values.count % 2 == 0 else { return [] }
        return stride(from: 0, to: values.count, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) }
    }
}
