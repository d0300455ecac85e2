public import BelfryDevices
public import BelfryTerms

/// What lets a machine or a gateway into a fleet: who it is, where the brokers are and whom to trust about them, and
/// the token and seed of NATS that prove it. It is one file, which `enroll` writes.
///
/// The token's claims are read, and not believed: whether it was signed, brokers and `FleetKeys` find out.
public struct FleetCredential: Hashable, Sendable, CustomStringConvertible {
    /// The most bytes of a file.
    public static let bytesMax = 32 << 10
    /// The most brokers in one.
    public static let brokersMax = 8
    /// The version of the file that is written.
    static let version: Int64 = 1

    /// Who may use it.
    public let name: FleetName
    /// What they are.
    public let role: FleetRole
    /// Where the brokers are.
    public let brokers: [BrokerAddress]
    /// The token, a JWT of NATS.
    public let token: String
    /// What the token claims.
    public let claims: FleetClaims
    /// The seed of the key that the token is for.
    public let seed: String
    /// The certificate of the authority that brokers' certificates are signed by, DER.
    public let authority: [UInt8]

    /// A credential with a token; throws if its parts are none, or say different things.
    public init(
        name: FleetName, role: FleetRole, brokers: [BrokerAddress], token: String, seed: String, authority: [UInt8]
    ) throws(FleetCredentialError) {
        guard (1...Self.brokersMax).contains(brokers.count) else { throw .badBrokers }
        guard let claims = FleetClaims(token: token) else { throw .badToken }
        guard claims.name == name.text else { throw .otherName(claims.name) }
        self.name = name
        self.role = role
        self.brokers = brokers
        self.token = token
        self.claims = claims
        self.seed = seed
        self.authority = authority
    }

    /// Whose it is: nothing of it that is secret.
    public var description: String { "the credential of the \(role.rawValue) \(name.text)" }

    /// Throws if it is not valid at `now`.
    public func check(at now: WallTime) throws(FleetCredentialError) {
        if let begin = claims.beginsAt, now < begin { throw .notYetValid(begin) }
        if let end = claims.endsAt, end <= now { throw .ended(end) }
    }

    /// As a file.
    public var text: String {
        """
        # Whoever has this file is the \(role.rawValue) \(name.text) of a Belfry fleet.
        version: \(Self.version)
        name: \(name.text)
        role: \(role.rawValue)
        brokers: \(brokers.map(\.description).joined(separator: " "))

        \(CredentialBlock.token.text(token))
        \(CredentialBlock.seed.text(seed))
        \(authorityText)
        """
    }

    /// The authority's certificate as PEM.
    public var authorityText: String {
        let digits = Base64.encoded(authority.span)
        let lines = stride(from: 0, to: digits.count, by: CredentialBlock.certificateColumns).map { start in
            String(decoding: digits[start...].prefix(CredentialBlock.certificateColumns), as: UTF8.self)
        }
        return CredentialBlock.authority.text(lines.joined(separator: "\n"))
    }
}

/// A part of a credential's file, between two lines that are the same in each: those of NATS, and of a certificate.
enum CredentialBlock: String, CaseIterable {
    case token = "NATS USER JWT"
    case seed = "USER NKEY SEED"
    case authority = "CERTIFICATE"

    /// How long a line of a certificate is (RFC 7468, 2).
    static let certificateColumns = 64

    /// `content` between its lines.
    func text(_ content: String) -> String { "\(start)\n\(content)\n\(end)\n" }

    /// The line before it.
    var start: String { "-----BEGIN \(rawValue)-----" }

    /// The line after it. NATS' own have a hyphen more.
    var end: String { self == .authority ? "-----END \(rawValue)-----" : "------END \(rawValue)------" }
}

/// Why a file is no credential, or one that cannot be used.
public enum FleetCredentialError: Error, Hashable, Sendable, CustomStringConvertible {
    /// It is longer than any.
    case tooLong
    /// It does not begin as one.
    case other
    /// It ends before this part of it, or in it.
    case cutShort(String)
    /// It is of a later version.
    case laterVersion
    /// A line of it is none.
    case badLine(Int)
    /// Its name is none: a broker would take `*` for all names.
    case badName
    /// Its role is none.
    case badRole
    /// It names no broker, or too many, or what is no host and port.
    case badBrokers
    /// Its token is none.
    case badToken
    /// Its token is for this other name.
    case otherName(String)
    /// Its token is not for its key, or was signed by another one than it says.
    case otherKey
    /// Its seed is none.
    case badSeed
    /// It begins then.
    case notYetValid(WallTime)
    /// It ended then.
    case ended(WallTime)

    /// For people, without a full stop.
    public var description: String {
        switch self {
        case .tooLong: "it has more than \(FleetCredential.bytesMax) bytes"
        case .other: "it is no credential of a fleet: it does not begin as one"
        case .cutShort(let part): "it is cut short: there is no whole \(part)"
        case .laterVersion: "it is of a later version of Belfry"
        case .badLine(let number): "its line \(number) is none that a credential has"
        case .badName: "its name is none: a name is \(FleetName.rule)"
        case .badRole: "its role is none of machine, gateway and shared"
        case .badBrokers: "it does not name 1 to \(FleetCredential.brokersMax) brokers, each a host and a port"
        case .badToken: "its token is none of a user of NATS"
        case .otherName(let name): "its token is for another name: \(Printable.escaped(name))"
        case .otherKey: "its token is for another key than its seed, or signed by another than it names"
        case .badSeed: "its seed is none of a user of NATS"
        case .notYetValid: "it is not valid yet: is the clock right?"
        case .ended: "it has ended: belfry fleet enroll makes another"
        }
    }
}
