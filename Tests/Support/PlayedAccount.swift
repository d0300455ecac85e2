import BelfryCrypto
import BelfryJSON

/// The keys of an operator of brokers and of one account, and users that it signs, written by hand: what a fleet's
/// keys are held against.
public struct PlayedAccount {
    /// A key of NATS.
    private struct Key {
        let seed: [UInt8]
        let text: String

        init(prefix: UInt8) {
            seed = Curve25519Use.signing.makePrivateKey()
            guard let key = try? Curve25519Use.signing.publicKey(of: seed) else { preconditionFailure("no key") }
            text = encoded([prefix] + key)
        }
    }

    private static let (operatorPrefix, accountPrefix, userPrefix): (UInt8, UInt8, UInt8) = (14 << 3, 0, 20 << 3)
    private let owner = Key(prefix: operatorPrefix)
    private let account = Key(prefix: accountPrefix)
    /// Of the broker's own account, without which it keeps no streams.
    private let system = Key(prefix: accountPrefix)

    /// New keys.
    public init() {}

    /// The operator's JWT, and the account's name and JWT, as a broker's configuration has them.
    public var configuration: String {
        let limits: JSONObject = [
            "subs": -1, "data": -1, "payload": -1, "conn": -1, "leaf": -1, "wildcards": true, "disk_storage": -1,
            "mem_storage": -1, "streams": -1, "consumer": -1,
        ]
        return """
            operator: "\(token(of: owner, by: owner, ["type": "operator", "version": 2]))"
            system_account: \(system.text)
            resolver: MEMORY
            resolver_preload: {
              \(system.text): "\(token(of: system, by: owner, ["type": "account", "version": 2]))"
              \(account.text): "\(token(of: account, by: owner, [
                "type": "account", "version": 2, "limits": .object(limits)]))"
            }

            """
    }

    /// A user that may listen to `heard` and publish to `said`, everything if they are nil; by the JWT and the
    /// private key.
    public func user(heard: [String]? = nil, said: [String]? = nil) -> (jwt: String, key: [UInt8]) {
        let key = Key(prefix: Self.userPrefix)
        let allowed = { (subjects: [String]?) -> JSONValue in
            guard let subjects else { return .object([:]) }
            return .object(["allow": .array(subjects.map { .string($0) })])
        }
        let rights: JSONObject = [
            "type": "user", "version": 2, "subs": -1, "data": -1, "payload": -1, "sub": allowed(heard),
            "pub": allowed(said),
        ]
        return (token(of: key, by: account, rights), key.seed)
    }

    private func token(of key: Key, by signer: Key, _ rights: JSONObject) -> String {
        let claims: JSONObject = [
            "jti": "played", "iat": 1_700_000_000, "iss": .string(signer.text), "sub": .string(key.text),
            "name": "played", "nats": .object(rights),
        ]
        let head = Array(#"{"typ":"JWT","alg":"ed25519-nkey"}"#.utf8)
        let signed = "\(inBase64(head)).\(inBase64(claims.serialized()))"
        guard let signature = try? curve25519Signature(Array(signed.utf8), key: signer.seed) else {
            preconditionFailure("no signature")
        }
        return "\(signed).\(inBase64(signature))"
    }
}

/// A key's bytes and their check sum, in base 32.
private func encoded(_ bytes: [UInt8]) -> String {
    var sum: UInt16 = 0
    for byte in bytes {
        sum ^= UInt16(byte) << 8
        for _ in 0..<8 { sum = sum & 0x8000 == 0 ? sum << 1 : sum << 1 ^ 0x1021 }
    }
    return text(
        of: bytes + [UInt8(truncatingIfNeeded: sum), UInt8(sum >> 8)], bits: 5,
        alphabet: "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
}

private func inBase64(_ bytes: [UInt8]) -> String {
    text(of: bytes, bits: 6, alphabet: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
}

/// `bytes`, so many bits a letter.
private func text(of bytes: [UInt8], bits: Int, alphabet: String) -> String {
    let letters = Array(alphabet)
    var text = ""
    var (held, heldBits) = (0, 0)
    for byte in bytes {
        (held, heldBits) = (held << 8 | Int(byte), heldBits + 8)
        while heldBits >= bits {
            heldBits -= bits
            text.append(letters[held >> heldBits])
            held &= 1 << heldBits - 1
        }
    }
    if heldBits > 0 { text.append(letters[held << (bits - heldBits)]) }
    return text
}
