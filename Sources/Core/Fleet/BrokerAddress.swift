/// Where a broker takes its clients.
public struct BrokerAddress: Hashable, Sendable, CustomStringConvertible {
    /// The port that brokers have by themselves.
    public static let usualPort: UInt16 = 4222

    /// Its name, or its address without brackets.
    public let host: String
    /// The port for clients.
    public let port: UInt16

    /// The broker at `host`.
    public init(host: String, port: UInt16 = Self.usualPort) { (self.host, self.port) = (host, port) }

    /// As people write it: an address of IPv6 in brackets.
    public var description: String { host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
