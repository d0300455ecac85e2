import BelfryCrypto
import Fleet

/// The keys of a fleet. Whoever has them is the fleet.
struct FleetKeySet {
    /// Signs the accounts; brokers know it by its token.
    let operation: NATSKey
    /// Of the brokers' own account, by which revocations reach them.
    let system: NATSKey
    /// Of the account that gateways and machines are users of.
    let account: NATSKey
    /// Signs machines: what they may do hangs on it.
    let machine: NATSKey
    /// Signs gateways.
    let gateway: NATSKey

    /// New ones.
    init() throws(CryptoFailure) {
        operation = try NATSKey(new: .operator)
        system = try NATSKey(new: .account)
        account = try NATSKey(new: .account)
        machine = try NATSKey(new: .account)
        gateway = try NATSKey(new: .account)
    }

    /// Those of ``text``; nil if one is missing.
    init?(text: String) {
        let words = text.split(separator: "\n").map { $0.split(separator: " ") }.filter { $0.count == 2 }
        func key(_ name: String, _ kind: NATSKey.Kind) -> NATSKey? {
            let found = words.first { $0[0] == name }.flatMap { NATSKey(seed: String($0[1])) }
            return found?.kind == kind ? found : nil
        }
        guard let operation = key("operator", .operator), let system = key("system", .account),
            let account = key("account", .account), let machine = key("machine", .account),
            let gateway = key("gateway", .account)
        else { return nil }
        self.operation = operation
        self.system = system
        self.account = account
        self.machine = machine
        self.gateway = gateway
    }

    /// Their seeds, each behind what it is, one a line.
    var text: String {
        let seeds = [
            ("operator", operation), ("system", system), ("account", account), ("machine", machine),
            ("gateway", gateway),
        ]
        return seeds.map { "\($0.0) \($0.1.seed)\n" }.joined()
    }

    /// The key that signs users of this role.
    func signer(of role: FleetRole) -> NATSKey { role.names == .gateway ? gateway : machine }
}
