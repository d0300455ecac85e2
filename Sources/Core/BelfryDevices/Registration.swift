public import BelfryTerms

/// Which of APNs' two worlds a token, a key or a certificate belongs to.
public enum APNsEnvironment: String, Hashable, Sendable, CaseIterable {
    /// Builds of App Store, TestFlight and ad hoc.
    case production
    /// Builds run from Xcode; `sandbox` in the host's name.
    case development

    /// The environment that people call `word`, `sandbox` being another word for development; nil if none is.
    public init?(word: String) {
        self.init(rawValue: word == "sandbox" ? Self.development.rawValue : word)
    }
}

/// What a token is for: an app has two different ones on a device.
public enum TokenKind: String, Hashable, Sendable, CaseIterable {
    /// Everything that goes to the app's own topic.
    case alert
    /// Calls, by the topic that ends in `.voip`.
    case voip
}

/// The app on a virtual device that a token belongs to.
public struct Registration: Hashable, Sendable {
    /// What a VoIP push's topic has behind the app's bundle identifier.
    public static let voipSuffix = ".voip"
    /// How long a bundle identifier may be, so that a topic has 255 bytes at most.
    public static let bundleIDBytesMax = 240

    /// The token.
    public let token: DeviceToken
    /// The device and app that it was issued for: a UUID in lower case, which an app's tokens share.
    public let deviceID: String
    /// What it is for.
    public let kind: TokenKind
    /// The app's bundle identifier.
    public let bundleID: String
    /// Where its notifications go; nil is the group that the worker's configuration names.
    public let appGroup: GroupName?
    /// Its environment.
    public let environment: APNsEnvironment
    /// The known names by which its server describes calls; nil for those that the worker's configuration names.
    public let callPayload: CallPayload?
    /// The machine of a fleet that has the device; nil for this one.
    public let machine: FleetName?

    /// A registration.
    public init(
        token: DeviceToken, deviceID: String, kind: TokenKind, bundleID: String, appGroup: GroupName?,
        environment: APNsEnvironment, callPayload: CallPayload? = nil, machine: FleetName? = nil
    ) {
        self.token = token
        self.deviceID = deviceID
        self.kind = kind
        self.bundleID = bundleID
        self.appGroup = appGroup
        self.environment = environment
        self.callPayload = callPayload
        self.machine = machine
    }

    /// Whether `text` can be what a device that is kept has as its bundle identifier. Once a dot could stand anywhere.
    public static func isBundleID(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= bundleIDBytesMax && !text.hasSuffix(voipSuffix)
            && text.utf8.allSatisfy { $0.isASCIILetterOrDigit || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") }
    }

    /// The topic that the token was issued for: the bundle identifier, for calls with `.voip` behind it.
    public var topic: String {
        switch kind {
        case .alert: bundleID
        case .voip: bundleID + Self.voipSuffix
        }
    }
}

/// What is known about a token.
public enum TokenStanding: Hashable, Sendable {
    /// It was never issued.
    case unknown
    /// It is in use.
    case registered(Registration)
    /// It was in use until that time: answered 410, which no other case is. It `isReplaced` if its app was given
    /// another one since.
    case removed(Registration, at: WallTime, isReplaced: Bool = false)
}

extension TokenStanding {
    /// The machine of a fleet that has the token's device; nil for this one, and for none.
    public var machine: FleetName? {
        switch self {
        case .unknown: nil
        case .registered(let registration), .removed(let registration, _, _): registration.machine
        }
    }
}
