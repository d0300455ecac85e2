public import BootTime

/// What a push says about itself outside its payload: APNs' headers, and the virtual device it is for.
public struct Envelope: Hashable, Sendable {
    /// Most bytes of ``collapseID``, as APNs has it.
    public static let collapseIDBytesMax = 64
    /// Most characters of ``appGroup``.
    public static let appGroupCharactersMax = 128

    /// The request's identifier: a UUID in lower case.
    public var id: String
    /// The kind of push; where none was stated, `background` if it wakes the app and shows nothing, else `alert`.
    public var pushType: PushType
    /// The topic, usually the app's bundle identifier.
    public var topic: String?
    /// When the server sent it.
    public var sentAt: WallTime?
    /// When it is of no use any more; 1970 itself is "try once" and not past (R9).
    public var expiration: WallTime?
    /// What notifications of one matter share; 1 to 64 bytes.
    public var collapseID: String?
    /// The app group it is for; nil is the configured one.
    public var appGroup: String?
    /// `Simulator Target Bundle`, where a `simctl push` file names one.
    public var simulatorTargetBundle: String?

    /// An envelope; `id` must be a UUID, and is put in lower case.
    public init(
        id: String = Push.makeRandomID(),
        pushType: PushType = .alert,
        topic: String? = nil,
        sentAt: WallTime? = nil,
        expiration: WallTime? = nil,
        collapseID: String? = nil,
        appGroup: String? = nil,
        simulatorTargetBundle: String? = nil
    ) {
        self.id = id.lowercased()
        self.pushType = pushType
        self.topic = topic
        self.sentAt = sentAt
        self.expiration = expiration
        self.collapseID = collapseID
        self.appGroup = appGroup
        self.simulatorTargetBundle = simulatorTargetBundle
    }
}
