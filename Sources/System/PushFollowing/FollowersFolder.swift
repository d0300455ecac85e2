public import BelfryProtocol
public import BelfrySyscalls
import Glibc
public import RingEar

/// The folder in which those listen who follow the pushes of a phone, each at a socket of its own: for this user alone,
/// and missing as long as nobody does, which costs who asks one system call.
public struct FollowersFolder: Sendable {
    /// How many may follow at once. The others are passed over.
    public static let followersMax = 16

    private let path: String

    /// That of the phone whose runtime directory is `runtime`.
    public init(in runtime: RuntimeDirectory) { path = runtime.followersPath }

    /// Connects to each that listens now, without waiting, and hands `take` the connections.
    public func connect(_ take: (consuming OwnedDescriptor) -> Void) {
        guard let directory = try? Directory.open(path: path, makes: false),
            let names = try? directory.names(max: Self.followersMax)
        else { return }
        for name in names {
            // However long the folder's path is. One that is dead or full is passed over.
            let address = "/proc/self/fd/\(directory.descriptor.number)/\(name)"
            if let connection = try? connectStream(to: address, waits: false) { take(connection) }
        }
    }

    /// Sends `record` to each that listens now, on a connection of its own: what the kernel does not take at once is
    /// lost.
    public func send(_ record: @autoclosure () -> PushRecord) {
        var line: [UInt8]?
        connect { connection in
            let bytes = line ?? record().line
            line = bytes
            _ = sendSome(bytes[...], passing: nil, to: connection.number)
        }
    }
}
