public import BelfryDevices

/// The subjects by which gateways and machines reach each other through the brokers.
///
/// Whose message it is, the broker proves: each credential may publish under its own name alone.
public enum FleetSubject: Hashable, Sendable {
    /// A gateway's push for a machine, which it has reply on ``said(by:to:number:)``.
    case push(to: FleetName)
    /// What a machine says of the push that the gateway gave this number.
    case said(by: FleetName, to: FleetName, number: UInt64)
    /// A machine tells all gateways that it is there.
    case here(FleetName)
    /// A machine asks any gateway to write down a device of its own.
    case device(of: FleetName)
    /// What a gateway answers to a machine's question of that number.
    case answer(to: FleetName, number: UInt64)

    private static let root = "belfry"

    /// As a broker has it.
    public var text: String {
        switch self {
        case .push(let machine): "\(Self.root).push.\(machine.text)"
        case .said(let machine, let gateway, let number):
            "\(Self.root).said.\(machine.text).\(gateway.text).\(number)"
        case .here(let machine): "\(Self.root).here.\(machine.text)"
        case .device(let machine): "\(Self.root).device.\(machine.text)"
        case .answer(let machine, let number): "\(Self.root).answer.\(machine.text).\(number)"
        }
    }

    /// The subject `text`; nil if it is none of these.
    public init?(_ text: String) {
        let words = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map(Substring.init)
        guard words.count >= 3, words[0] == Self.root, let name = FleetName(words[2]) else { return nil }
        switch (words[1], words.count) {
        case ("push", 3): self = .push(to: name)
        case ("here", 3): self = .here(name)
        case ("device", 3): self = .device(of: name)
        case ("answer", 4):
            guard let number = Self.number(words[3]) else { return nil }
            self = .answer(to: name, number: number)
        case ("said", 5):
            guard let gateway = FleetName(words[3]), let number = Self.number(words[4]) else { return nil }
            self = .said(by: name, to: gateway, number: number)
        default: return nil
        }
    }

    /// Whether `text` is where a fleet's subjects are, whatever it goes on with.
    public static func isFleets(_ text: String) -> Bool { text.hasPrefix("\(root).") }

    /// Written one way alone: no sign, no zeros before it.
    private static func number(_ word: Substring) -> UInt64? {
        UInt64(word).flatMap { String($0) == word ? $0 : nil }
    }

    /// What a gateway listens to.
    public static func heard(byGateway gateway: FleetName) -> [String] {
        ["\(root).here.*", "\(root).device.*", "\(root).said.*.\(gateway.text).*"]
    }

    /// What a machine listens to.
    public static func heard(byMachine machine: FleetName) -> [String] {
        [push(to: machine).text, "\(root).answer.\(machine.text).>"]
    }
}
