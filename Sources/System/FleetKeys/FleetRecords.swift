public import BelfryDevices
import BelfryJSON
public import BelfryTerms
public import Fleet

/// A credential that was made for somebody.
public struct EnrolledCredential: Hashable, Sendable {
    /// Whose it is.
    public let name: FleetName
    /// What they are.
    public let role: FleetRole
    /// Its public key.
    public let key: String
    /// When it ends; nil if never.
    public let endsAt: WallTime?
    /// When it was revoked; nil if it was not.
    public var revokedAt: WallTime?

    init(name: FleetName, role: FleetRole, key: String, endsAt: WallTime?) {
        self.name = name
        self.role = role
        self.key = key
        self.endsAt = endsAt
    }

    fileprivate init?(json: JSONValue) {
        guard let object = json.objectValue, let name = object["name"]?.stringValue.flatMap({ FleetName($0) }),
            let role = object["role"]?.stringValue.flatMap(FleetRole.init), let key = object["key"]?.stringValue
        else { return nil }
        self.init(name: name, role: role, key: key, endsAt: Self.time(object["endsAt"]))
        revokedAt = Self.time(object["revokedAt"])
    }

    fileprivate var json: JSONValue {
        var object: JSONObject = [
            "name": .string(name.text), "role": .string(role.rawValue), "key": .string(key),
        ]
        if let endsAt { object["endsAt"] = .integer(endsAt.unixSecond) }
        if let revokedAt { object["revokedAt"] = .integer(revokedAt.unixSecond) }
        return .object(object)
    }

    private static func time(_ value: JSONValue?) -> WallTime? {
        value?.integerValue.map { WallTime(microseconds: TimeSpan.seconds($0).microseconds) }
    }
}

/// What was set up and who was enrolled, as one file.
struct FleetRecords: Hashable {
    /// The most credentials that are revoked and have not ended: the account's token, which names them, has to be one
    /// message of the brokers.
    static let revokedMax = 400
    /// The most credentials that are known.
    static let credentialsMax = 100_000
    private static let limits = JSONLimits(bytesMax: bytesMax, depthMax: 8, valuesMax: 1_000_000)
    /// A hundred thousand credentials, and what they are called.
    static let bytesMax = 32 << 20

    var brokers: [Broker] = []
    var credentials: [EnrolledCredential] = []
    /// When the account's last token was made: brokers take none that is older.
    var accountTokenAt: WallTime

    init(accountTokenAt: WallTime) { self.accountTokenAt = accountTokenAt }

    /// The records that `bytes` are; nil if they are damaged.
    init?(file bytes: [UInt8]) {
        guard let object = (try? JSONValue.parse(bytes, limits: Self.limits))?.objectValue, object["version"] == 1,
            let brokers = object["brokers"]?.arrayValue, let credentials = object["credentials"]?.arrayValue,
            let second = object["accountTokenAt"]?.integerValue
        else { return nil }
        self.brokers = brokers.compactMap(Broker.init)
        self.credentials = credentials.compactMap(EnrolledCredential.init)
        guard self.brokers.count == brokers.count, self.credentials.count == credentials.count else { return nil }
        accountTokenAt = WallTime(microseconds: TimeSpan.seconds(second).microseconds)
    }

    var file: [UInt8] {
        let object: JSONObject = [
            "version": 1, "accountTokenAt": .integer(accountTokenAt.unixSecond),
            "brokers": .array(brokers.map(\.json)), "credentials": .array(credentials.map(\.json)),
        ]
        return object.serialized() + [UInt8(ascii: "\n")]
    }

    /// Those that a broker must not let in, by their keys: revoked, and not ended by themselves at `now`.
    func revoked(at now: WallTime) -> [String: WallTime] {
        credentials.reduce(into: [:]) { revoked, credential in
            guard let time = credential.revokedAt, credential.endsAt.map({ $0 > now }) ?? true else { return }
            revoked[credential.key] = time
        }
    }
}
