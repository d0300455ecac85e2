public import BelfryDevices
import BelfryJSON
public import BelfryTerms

/// What the bucket of a fleet has at a machine's device: an app there that push servers can reach.
public struct DeviceEntry: Hashable, Sendable {
    /// The app's bundle identifier.
    public let bundleID: String
    /// Where its notifications go; nil is the group that the machine's configuration names.
    public let appGroup: GroupName?
    /// Its environment.
    public let environment: APNsEnvironment
    /// The known names by which its server describes calls; nil for those that the machine's configuration names.
    public let callPayload: CallPayload?
    /// The token of everything but calls.
    public let alertToken: DeviceToken
    /// The token of calls: another one.
    public let voipToken: DeviceToken
    /// When it was added.
    public let addedAt: WallTime
    /// When it was removed; nil for one that is in use.
    public var removedAt: WallTime?
    /// Whether it was switched off, so that nothing reaches it.
    public var isOffline: Bool
    /// The number at which the bucket had these tokens of this device first; nil for the entry that is the first.
    ///
    /// Who has a token is whose entry came first, and an entry that is written again has a later number.
    public private(set) var since: UInt64?
    /// Whether its machine's name is shared, so that it goes with its agent's last word.
    public var isShared = false

    /// A device that is in use.
    public init(
        bundleID: String, appGroup: GroupName?, environment: APNsEnvironment, callPayload: CallPayload? = nil,
        alertToken: DeviceToken, voipToken: DeviceToken, addedAt: WallTime, removedAt: WallTime? = nil,
        isOffline: Bool = false
    ) {
        self.init(
            bundleID: bundleID, appGroup: appGroup, environment: environment, callPayload: callPayload,
            alertToken: alertToken, voipToken: voipToken, addedAt: addedAt, removedAt: removedAt, isOffline: isOffline,
            since: nil)
    }

    init(
        bundleID: String, appGroup: GroupName?, environment: APNsEnvironment, callPayload: CallPayload?,
        alertToken: DeviceToken, voipToken: DeviceToken, addedAt: WallTime, removedAt: WallTime?, isOffline: Bool,
        since: UInt64?
    ) {
        self.bundleID = bundleID
        self.appGroup = appGroup
        self.environment = environment
        self.callPayload = callPayload
        self.alertToken = alertToken
        self.voipToken = voipToken
        self.addedAt = addedAt
        self.removedAt = removedAt
        self.isOffline = isOffline
        self.since = since
    }

    /// What is written in the place of `earlier`, which the bucket has at the number `sequence`: a device keeps its
    /// place among those that claim its tokens, unless it has others now.
    public func replacing(_ earlier: DeviceEntry, at sequence: UInt64) -> DeviceEntry {
        var entry = self
        entry.since = hasTokens(of: earlier) ? earlier.since ?? sequence : nil
        return entry
    }

    /// The same device as an entry that is the first with its tokens: a machine's word is no proof of an earlier one,
    /// and numbers of another bucket say nothing.
    public var asFirst: DeviceEntry {
        var entry = self
        entry.since = nil
        return entry
    }

    /// Whether it has the same tokens.
    func hasTokens(of other: DeviceEntry) -> Bool {
        alertToken == other.alertToken && voipToken == other.voipToken
    }

    /// Whether it says the same of the device, wherever the bucket has it.
    func isSameDevice(as other: DeviceEntry) -> Bool {
        var other = other
        other.since = since
        return self == other
    }

    /// As the bucket has it.
    public var bytes: [UInt8] { FleetMessage.written(fields) }

    /// Reads ``bytes``.
    public init(bytes: [UInt8]) throws(FleetMessageError) {
        self = try FleetMessage.read(bytes) { (fields) throws(JSONFieldError) in try DeviceEntry(fields) }
    }
}

// As part of a message.
extension DeviceEntry {
    /// Its fields, without those that say nothing.
    var fields: JSONObject {
        var fields: JSONObject = [
            "bundle": .string(bundleID), "environment": .string(environment.rawValue),
            "alert": .string(alertToken.hex), "voip": .string(voipToken.hex), "added": .integer(addedAt.microseconds),
        ]
        fields["group"] = appGroup.map { .string($0.text) }
        fields["payload"] = callPayload.map { .string($0.rawValue) }
        fields["removed"] = removedAt.map { .integer($0.microseconds) }
        if isOffline { fields["offline"] = true }
        if isShared { fields["shared"] = true }
        fields["since"] = since.flatMap { Int64(exactly: $0) }.map { .integer($0) }
        return fields
    }

    /// The one that ``fields`` describe.
    init(_ fields: JSONFields) throws(JSONFieldError) {
        let alertToken = try fields.word("alert", DeviceToken.init(hex:), expected: "a token")
        self.init(
            bundleID: try Self.bundleID(fields), appGroup: try Self.appGroup(fields),
            environment: try Self.environment(fields), callPayload: try Self.callPayload(fields),
            alertToken: alertToken,
            voipToken: try fields.word(
                "voip", { DeviceToken(hex: $0).flatMap { $0 == alertToken ? nil : $0 } }, expected: "another token"),
            addedAt: WallTime(microseconds: try fields.integer("added")),
            removedAt: try fields.ifPresent("removed") { (key) throws(JSONFieldError) in
                WallTime(microseconds: try fields.integer(key))
            },
            isOffline: try fields.ifPresent("offline", fields.bool) ?? false)
        isShared = try fields.ifPresent("shared", fields.bool) ?? false
        since = try fields.ifPresent("since") { (key) throws(JSONFieldError) in
            UInt64(try fields.integer(key, in: 1...Int64.max))
        }
    }

    static func bundleID(_ fields: JSONFields) throws(JSONFieldError) -> String {
        try fields.word("bundle", { Registration.isBundleID($0) ? $0 : nil }, expected: "a bundle identifier")
    }

    static func appGroup(_ fields: JSONFields) throws(JSONFieldError) -> GroupName? {
        try fields.ifPresent("group") { (key) throws(JSONFieldError) in
            try fields.word(key, GroupName.init, expected: GroupName.rule)
        }
    }

    static func environment(_ fields: JSONFields) throws(JSONFieldError) -> APNsEnvironment {
        try fields.word("environment", APNsEnvironment.init(rawValue:))
    }

    /// A later version may know more of them.
    static func callPayload(_ fields: JSONFields) throws(JSONFieldError) -> CallPayload? {
        try fields.ifPresent("payload", fields.string).flatMap(CallPayload.init(rawValue:))
    }
}

/// What the bucket has in the place of a device that was removed so long ago that nobody knows it any more.
///
/// A key that is deleted says less: a gateway that was off meanwhile could not tell it from one that was lost.
public struct ForgottenDevice: Hashable, Sendable {
    /// When the device was removed.
    public let removedAt: WallTime

    /// One that was removed at that time.
    public init(removedAt: WallTime) { self.removedAt = removedAt }

    /// As the bucket has it.
    public var bytes: [UInt8] { FleetMessage.written(["forgotten": .integer(removedAt.microseconds)]) }

    /// Reads ``bytes``.
    public init(bytes: [UInt8]) throws(FleetMessageError) {
        self = try FleetMessage.read(bytes) { (fields) throws(JSONFieldError) in
            ForgottenDevice(removedAt: WallTime(microseconds: try fields.integer("forgotten")))
        }
    }
}

/// A machine's device with what it is called, as messages of machines and gateways have it.
public struct NamedDevice: Hashable, Sendable {
    /// How many are in one message at most, so that the longest fit in what brokers take.
    public static let perMessageMax = 64

    /// A UUID in lower case.
    public let id: String
    /// What the bucket has of it, or is to have.
    public let entry: DeviceEntry

    /// The device called `id`; nil if that is no UUID in lower case.
    public init?(_ id: String, _ entry: DeviceEntry) {
        guard DeviceKey.isDevice(id) else { return nil }
        (self.id, self.entry) = (id, entry)
    }

    /// The elements of an array of devices.
    static func written(_ devices: [NamedDevice]) -> JSONValue {
        precondition(devices.count <= perMessageMax, "\(devices.count) devices are too many for one message")
        return .array(devices.map { .object($0.entry.fields.with("id", .string($0.id))) })
    }

    /// The devices in the array `key`.
    static func read(_ key: String, _ fields: JSONFields) throws(JSONFieldError) -> [NamedDevice] {
        try each(key, fields) { (fields) throws(JSONFieldError) in
            let (id, entry) = (try deviceID("id", fields), try DeviceEntry(fields))
            return NamedDevice(id: id, entry: entry)
        }
    }

    /// What `read` finds in each object of the array `key`, which has ``perMessageMax`` at most.
    static func each<Element>(
        _ key: String, _ fields: JSONFields, _ read: (JSONFields) throws(JSONFieldError) -> Element
    ) throws(JSONFieldError) -> [Element] {
        var elements: [Element] = []
        for fields in try fields.fieldsOfEach(key, countMax: perMessageMax) { elements.append(try read(fields)) }
        return elements
    }

    /// What a device is called.
    static func deviceID(_ key: String, _ fields: JSONFields) throws(JSONFieldError) -> String {
        try fields.word(key, { DeviceKey.isDevice($0) ? $0 : nil }, expected: "a UUID in lower case")
    }

    private init(id: String, entry: DeviceEntry) { (self.id, self.entry) = (id, entry) }
}
