public import BelfryDevices
public import BelfryTerms

/// An app on a device that push servers can reach: what `belfry device add` makes.
public struct VirtualDevice: Hashable, Sendable {
    /// A UUID in lower case.
    public let id: String
    /// The app's bundle identifier.
    public let bundleID: String
    /// Where its notifications go; nil is the configured group.
    public let appGroup: GroupName?
    /// Its environment.
    public let environment: APNsEnvironment
    /// The known names by which its server describes calls; nil for those that the worker's configuration names.
    public let callPayload: CallPayload?
    /// The token of everything but calls.
    public let alertToken: DeviceToken
    /// The token of calls.
    public let voipToken: DeviceToken
    /// The machine of a fleet that has it; nil for this one.
    public let machine: FleetName?
    /// When it was added.
    public let addedAt: WallTime
    /// When it was removed; nil for one that is in use.
    public let removedAt: WallTime?
    /// Whether it was switched off, so that nothing reaches it.
    public let isOffline: Bool

    /// A device.
    public init(
        id: String, bundleID: String, appGroup: GroupName?, environment: APNsEnvironment, callPayload: CallPayload?,
        alertToken: DeviceToken, voipToken: DeviceToken, machine: FleetName? = nil, addedAt: WallTime,
        removedAt: WallTime? = nil, isOffline: Bool = false
    ) {
        self.id = id
        self.bundleID = bundleID
        self.appGroup = appGroup
        self.environment = environment
        self.callPayload = callPayload
        self.alertToken = alertToken
        self.voipToken = voipToken
        self.machine = machine
        self.addedAt = addedAt
        self.removedAt = removedAt
        self.isOffline = isOffline
    }

    /// What its tokens are for.
    public var registrations: [Registration] { [registration(.alert), registration(.voip)] }

    /// What its token of `kind` is for.
    func registration(_ kind: TokenKind) -> Registration {
        Registration(
            token: kind == .alert ? alertToken : voipToken, deviceID: id, kind: kind, bundleID: bundleID,
            appGroup: appGroup, environment: environment, callPayload: callPayload, machine: machine)
    }
}

/// Why the registry did not do what was asked.
public struct RegistryError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, for people.
    public let description: String

    init(_ description: String) { self.description = description }
}
