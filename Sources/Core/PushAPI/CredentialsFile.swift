import BelfryDevices
public import BelfryJSON
import BelfryTerms

extension EndpointCredentials {
    /// The credentials as they are stored: one object, which ``init(json:)`` reads.
    public var json: JSONObject {
        let keys = keys.values.sorted { $0.id < $1.id }.map { JSONValue.object(Self.json(of: $0)) }
        let certificates = certificates.values.sorted { $0.fingerprint < $1.fingerprint }
            .map { JSONValue.object(Self.json(of: $0)) }
        return ["keys": .array(keys), "certificates": .array(certificates)]
    }

    /// The credentials in `json`; nil if any of them is not valid.
    public init?(json: JSONObject) {
        guard let keys = json["keys"]?.arrayValue, let certificates = json["certificates"]?.arrayValue else {
            return nil
        }
        for value in keys {
            guard let object = value.objectValue, let key = Self.key(in: object) else { return nil }
            self.keys[key.id] = key
        }
        for value in certificates {
            guard let object = value.objectValue, let certificate = Self.certificate(in: object) else { return nil }
            self.certificates[certificate.fingerprint] = certificate
        }
    }

    private static func json(of key: EndpointKey) -> JSONObject {
        var object: JSONObject = [
            "id": .string(key.id), "team": .string(key.team), "point": .string(Hexadecimal.text(of: key.publicPoint)),
        ]
        object["topics"] = key.topics.map { .array($0.map { .string($0) }) }
        object["environment"] = key.environment.map { .string($0.rawValue) }
        object["related"] = key.relatedKey.map { .string($0) }
        object["revoked"] = key.revokedAt.map { .integer($0.unixSecond) }
        return object
    }

    private static func key(in object: JSONObject) -> EndpointKey? {
        guard let id = object["id"]?.stringValue, let team = object["team"]?.stringValue,
            let point = object["point"]?.stringValue.flatMap(Hexadecimal.bytes)
        else { return nil }
        let topics = object["topics"]?.arrayValue
        return EndpointKey(
            id: id, team: team, publicPoint: point, topics: topics.map { $0.compactMap(\.stringValue) },
            environment: object["environment"]?.stringValue.flatMap(APNsEnvironment.init(rawValue:)),
            relatedKey: object["related"]?.stringValue, revokedAt: time(object["revoked"]))
    }

    private static func json(of certificate: PushCertificate) -> JSONObject {
        var object: JSONObject = [
            "fingerprint": .string(certificate.fingerprint), "name": .string(certificate.name),
            "subject": .string(certificate.subjectTopic),
            "topics": .array(certificate.listedTopics.map { .string($0) }),
            "environments": .array(certificate.environments.map(\.rawValue).sorted().map { .string($0) }),
            "begins": .integer(certificate.beginsAt.unixSecond),
            "expires": .integer(certificate.expiresAt.unixSecond),
        ]
        object["revoked"] = certificate.revokedAt.map { .integer($0.unixSecond) }
        return object
    }

    private static func certificate(in object: JSONObject) -> PushCertificate? {
        guard let fingerprint = object["fingerprint"]?.stringValue, let name = object["name"]?.stringValue,
            let subject = object["subject"]?.stringValue, let topics = object["topics"]?.arrayValue,
            let environments = object["environments"]?.arrayValue, let expires = time(object["expires"])
        else { return nil }
        return PushCertificate(
            fingerprint: fingerprint, name: name, subjectTopic: subject,
            listedTopics: topics.compactMap(\.stringValue),
            environments: Set(environments.compactMap { $0.stringValue.flatMap(APNsEnvironment.init(rawValue:)) }),
            beginsAt: time(object["begins"]) ?? WallTime(microseconds: 0), expiresAt: expires,
            revokedAt: time(object["revoked"]))
    }

    private static func time(_ value: JSONValue?) -> WallTime? {
        value?.integerValue.map { WallTime(microseconds: TimeSpan.seconds($0).microseconds) }
    }
}

/// Bytes as hexadecimal digits.
public enum Hexadecimal {
    /// Two digits of lower case for each of `bytes`.
    public static func text(of bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// The bytes that `text` spells, in either case; nil if it spells none.
    public static func bytes(_ text: String) -> [UInt8]? {
        let digits = text.utf8.map { Character(UnicodeScalar($0)).hexDigitValue.map { UInt8($0) } }
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digits[index], let low = digits[index + 1] else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }
}
