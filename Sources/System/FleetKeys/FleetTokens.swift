import BelfryDevices
import BelfryCrypto
import BelfryJSON
import BelfryTerms
import Fleet

/// What a role may do, for its signing key's template: a broker puts the name of a user's token in place of
/// `{{name()}}`.
struct FleetRights {
    private static let bucket = BucketStream.name
    /// How many subscriptions one connection may have.
    private static let subscriptionsMax: Int64 = 8

    /// The subjects that it may publish to.
    let published: [String]
    /// Those that it may subscribe to.
    let heard: [String]

    /// Of a machine, or of the agents that share a machine's name.
    static let machine = FleetRights(
        published: ["belfry.here.{{name()}}", "belfry.device.{{name()}}", "belfry.said.{{name()}}.>"],
        heard: ["belfry.push.{{name()}}", "belfry.answer.{{name()}}.>"])

    /// Of a gateway: of JetStream's requests it may make those alone that follow the bucket of devices, since any of
    /// `$JS.>` may empty and remove what is there (CVE-2025-30215).
    static let gateway = FleetRights(
        published: [
            "belfry.push.*", "belfry.answer.>", "$KV.\(bucket).>", "$JS.API.STREAM.INFO.KV_\(bucket)",
            "$JS.API.CONSUMER.CREATE.KV_\(bucket)", "$JS.API.CONSUMER.CREATE.KV_\(bucket).>",
            "$JS.API.CONSUMER.DELETE.KV_\(bucket).*", "$JS.FC.KV_\(bucket).>",
        ],
        heard: ["belfry.here.*", "belfry.device.*", "belfry.said.*.{{name()}}.*", "_INBOX.{{name()}}.>"])

    /// As an account's token has it, for the signing key `key`.
    func scope(of key: NATSKey, role: FleetRole) -> JSONValue {
        func allowed(_ subjects: [String]) -> JSONValue {
            .object(["allow": .array(subjects.map { .string($0) })])
        }
        return .object([
            "kind": "user_scope", "key": .string(key.name), "role": .string(role.rawValue),
            "template": .object([
                "pub": allowed(published), "sub": allowed(heard), "subs": .integer(Self.subscriptionsMax), "data": -1,
                "payload": -1,
            ]),
        ])
    }
}

extension FleetKeySet {
    /// The operator's token, which each broker has.
    func operatorToken(at time: WallTime) throws(CryptoFailure) -> String {
        try NATSToken(
            name: "belfry", key: operation.name,
            content: ["type": "operator", "version": 2, "system_account": .string(system.name)]
        ).signed(by: operation, at: time)
    }

    /// The token of the brokers' own account.
    func systemToken(at time: WallTime) throws(CryptoFailure) -> String {
        try NATSToken(
            name: "system", key: system.name,
            content: ["type": "account", "version": 2, "limits": .object(Self.limits(withStore: false))]
        ).signed(by: operation, at: time)
    }

    /// The token of the fleet's account, which says what its signing keys are for, and lets those of the public keys
    /// `revoked` in no more whose tokens were made until then.
    func accountToken(revoked: [String: WallTime], at time: WallTime) throws(CryptoFailure) -> String {
        var content: JSONObject = [
            "type": "account", "version": 2, "limits": .object(Self.limits(withStore: true)),
            "signing_keys": .array([
                FleetRights.machine.scope(of: machine, role: .machine),
                FleetRights.gateway.scope(of: gateway, role: .gateway),
            ]),
        ]
        var revocations = JSONObject()
        for (key, time) in revoked.sorted(by: { $0.key < $1.key }) { revocations[key] = .integer(time.unixSecond) }
        if !revoked.isEmpty { content["revocations"] = .object(revocations) }
        return try NATSToken(name: "belfry", key: account.name, content: content).signed(by: operation, at: time)
    }

    /// The token of the user `key`, whose rights are those of its role alone.
    func userToken(
        _ name: FleetName, _ role: FleetRole, key: NATSKey, from begin: WallTime, until end: WallTime?,
        at time: WallTime
    ) throws(CryptoFailure) -> String {
        try NATSToken(
            name: name.text, key: key.name,
            content: ["type": "user", "version": 2, "issuer_account": .string(account.name)], beginsAt: begin,
            endsAt: end
        ).signed(by: signer(of: role), at: time)
    }

    /// The token of a user of `account`, which may do all that this may, and ends soon. Machines and gateways have
    /// none.
    func ownUserToken(of account: NATSKey, key: NATSKey, at time: WallTime) throws(CryptoFailure) -> String {
        try NATSToken(
            name: "setup", key: key.name,
            content: ["type": "user", "version": 2, "subs": -1, "data": -1, "payload": -1],
            endsAt: time + .seconds(120)
        ).signed(by: account, at: time)
    }

    /// Nothing of another account's, no leaf node; what is stored, on disks alone.
    private static func limits(withStore: Bool) -> JSONObject {
        var limits: JSONObject = [
            "subs": -1, "data": -1, "payload": -1, "imports": 0, "exports": 0, "wildcards": true, "conn": -1,
        ]
        if withStore { for limit in ["disk_storage", "streams", "consumer"] { limits[limit] = -1 } }
        return limits
    }
}
