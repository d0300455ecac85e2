import Synchronization

/// What a script has received, for the test that wrote the script.
public final class ReceivedBytes: Sendable {
    private let stored = Mutex<[UInt8]>([])

    /// Nothing yet.
    public init() {}

    /// What came.
    public var bytes: [UInt8] { stored.withLock { $0 } }

    /// Keeps `bytes`.
    public func set(_ bytes: [UInt8]) { stored.withLock { $0 = bytes } }
}
