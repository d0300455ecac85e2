public import BootTime

/// What the operator has tuned of callers' pictures.
public struct AvatarSettings: Hashable, Sendable {
    /// How long a picture may take; zero turns pictures off.
    public var timeout: TimeSpan
    /// Bytes of a picture as it arrives, at most.
    public var bytesMax: Int
    /// Hosts and networks exempt from the ban on private addresses.
    public var allow: [String]
    /// The only hosts that pictures may come from; empty for any.
    public var from: [String]

    /// Settings.
    public init(timeout: TimeSpan, bytesMax: Int, allow: [String], from: [String]) {
        self.timeout = timeout
        self.bytesMax = bytesMax
        self.allow = allow
        self.from = from
    }
}
