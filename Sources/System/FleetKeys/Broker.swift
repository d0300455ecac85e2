import BelfryJSON
public import Fleet

/// A broker of a fleet: where it listens to gateways and machines, and where to the other brokers.
public struct Broker: Hashable, Sendable {
    /// The port that NATS has for other brokers.
    public static let usualRoutePort: UInt16 = 6222
    /// What one is, for error messages.
    public static let rule = "HOST, HOST:PORT or HOST:PORT:ROUTEPORT, the host a name or an address"

    /// Where it listens to gateways and machines.
    public let address: BrokerAddress
    /// Where it listens to the other brokers, on the same host.
    public let routePort: UInt16

    /// The one that ``rule`` writes so; nil if it is none.
    public init?(_ text: String) {
        guard let parts = BrokerAddress.parts(of: text), parts.numbers.count <= 2,
            let address = BrokerAddress(host: parts.host, port: parts.numbers.first ?? BrokerAddress.usualPort)
        else { return nil }
        self.init(address: address, routePort: parts.numbers.count > 1 ? parts.numbers[1] : Self.usualRoutePort)
    }

    private init?(address: BrokerAddress, routePort: UInt16) {
        guard address.port != routePort else { return nil }
        self.address = address
        self.routePort = routePort
    }

    init?(json: JSONValue) {
        guard let object = json.objectValue, let text = object["address"]?.stringValue,
            let address = BrokerAddress(text), let port = object["routePort"]?.boundedInteger(in: 1...65_535)
        else { return nil }
        self.init(address: address, routePort: UInt16(port))
    }

    var json: JSONValue { .object(["address": .string(address.description), "routePort": .integer(Int64(routePort))]) }

    /// What it is called among brokers: several may be on one host.
    var name: String {
        address.port == BrokerAddress.usualPort ? address.host : "\(address.host)-\(address.port)"
    }

    /// What its folder is called.
    var folderName: String { "broker-\(name)" }
}
