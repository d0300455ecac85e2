import BelfryAppDoor
public import Foundation

/// A kind of push. Source: Apple, `PKPushType`.
public struct PKPushType: RawRepresentable, Hashable, Sendable {
    /// Its name.
    public let rawValue: String

    /// The kind of that name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The kind of that name.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// Calls come in.
    public static let voIP = PKPushType(rawValue: "PKPushTypeVoIP")
    /// A file provider's content has changed; none comes here.
    public static let fileProvider = PKPushType(rawValue: "PKPushTypeFileProvider")
    /// A watch's complication has news; none comes here.
    @available(*, deprecated, message: "none comes since iOS 13")
    public static let complication = PKPushType(rawValue: "PKPushTypeComplication")
}

/// Where a push server reaches the app with one kind of push. Source: Apple, `PKPushCredentials`.
open class PKPushCredentials: NSObject, @unchecked Sendable {
    /// The kind.
    public let type: PKPushType
    /// The device token, in bytes: servers take it as hexadecimal digits.
    public let token: Data

    init(_ type: PKPushType, token: Data) {
        self.type = type
        self.token = token
        super.init()
    }
}

/// What a push server sent. Source: Apple, `PKPushPayload`.
open class PKPushPayload: NSObject, @unchecked Sendable {
    /// The kind of push.
    public let type: PKPushType
    /// The payload, in the types of `JSONSerialization`.
    public let dictionaryPayload: [AnyHashable: Any]
    /// Set while the delegate is called with it: whether the delegate has that method.
    var isReceived = true

    init(_ type: PKPushType, _ payload: [AnyHashable: Any]) {
        self.type = type
        dictionaryPayload = payload
        super.init()
    }
}

/// What the system wants of the app for a voip push. Source: Apple, `PKVoIPPushMetadata` of iOS 26.4.
open class PKVoIPPushMetadata: NSObject, @unchecked Sendable {
    /// Whether the app has to report a call before its receive method returns.
    public let mustReport: Bool

    init(mustReport: Bool) {
        self.mustReport = mustReport
        super.init()
    }
}

/// Asks for pushes of some kinds. Source: Apple, `PKPushRegistry`.
///
/// An app makes one at each launch and keeps it. Any thread may use it.
open class PKPushRegistry: NSObject, @unchecked Sendable {
    private let system: PushSystem
    let desk: RegistryDesk

    /// A registry whose delegate is called on `queue`; nil for the main one.
    public init(queue: DispatchQueue?) {
        system = AppDoor.current.listener { PushSystem($0) }
        desk = RegistryDesk(queue ?? .main, system.door)
        super.init()
        desk.registry = self
    }

    deinit { system.leave(desk) }

    /// Hears of tokens and pushes; not kept alive. To be set before ``desiredPushTypes``.
    open weak var delegate: (any PKPushRegistryDelegate)? {
        get { desk.delegate }
        set { desk.set(newValue) }
    }

    /// Which kinds of pushes are wanted; setting it registers, and then the token comes.
    open var desiredPushTypes: Set<PKPushType>? {
        get { desk.desired }
        set { system.desire(newValue, desk) }
    }

    /// The token for that kind; nil before it has come.
    open func pushToken(for type: PKPushType) -> Data? { system.token(for: type, desk) }
}
