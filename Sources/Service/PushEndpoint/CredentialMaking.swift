public import BelfryDevices
import BelfrySyscalls
public import BelfryTLS
public import BelfryTerms
public import PushAPI

/// What was made for a push server that has neither key nor certificate, as in CI.
public struct MintedCredentials: Hashable, Sendable {
    /// The key's identifier.
    public let keyID: String
    /// The team.
    public let team: String
    /// Where the key is, as Apple hands it out.
    public let keyPath: String
    /// Where the certificate and its private key are, in one file.
    public let certificatePath: String
}

extension CredentialStore {
    /// For how many days an authority of ours is good.
    private static let authorityDays = 3_650
    /// For how many days the endpoint's certificate is good.
    private static let serverDays = 820
    /// For how many days a push server's certificate is good, as Apple's is.
    private static let clientDays = 365

    /// How many names can be added to the endpoint's own.
    public static let namesMax = 64

    /// Makes a certificate for the endpoint, with Apple's names, `localhost`, `hostName`, and the names and addresses
    /// `more`, which the certificates made later have too; and the authority that signs it, unless there is one, since
    /// clients trust that. Returns whether the authority is new.
    @discardableResult
    public func setUp(hostName: String?, adding more: [String] = []) throws(CredentialError) -> Bool {
        let added = try addNames(more)
        let (authority, authorityKey, isNew) = try authority()
        let dns = APNsHostNames.names + ["localhost"] + (hostName.map { HostName.isName($0) ? [$0] : [] } ?? [])
        let own = dns.map { "DNS:\($0)" } + ["IP:127.0.0.1", "IP:::1"]
        let names = own + added.map { HostName.isAddress($0) ? "IP:\($0)" : "DNS:\($0)" }.filter { !own.contains($0) }
        let request = CertificateRequest(
            commonName: "Belfry APNs endpoint", use: .server(names: names), days: Self.serverDays)
        let (key, certificate) = try tls("the endpoint's certificate cannot be made") { () throws(TLSFailure) in
            let key = try SigningKey()
            let made = try Certificate.make(request, for: key, issuer: authority, issuerKey: authorityKey)
            return (try key.pem(), try made.pem())
        }
        // The service reads both when either has changed, and waits for the one that belongs to the other.
        try write(key, as: Self.serverKeyName)
        try write(certificate, as: Self.serverName)
        return isNew
    }

    /// The names and addresses that were added to the endpoint's own, in order.
    public func addedNames() throws(CredentialError) -> [String] {
        let bytes = try read(Self.namesName, bytesMax: Self.namesMax * 256) ?? []
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
        // A person may have edited it.
        return lines.filter { HostName.isName($0) || HostName.isAddress($0) }
    }

    private func addNames(_ more: [String]) throws(CredentialError) -> [String] {
        let known = try addedNames()
        guard !more.isEmpty else { return known }
        var names = known
        for name in more {
            guard HostName.isName(name) || HostName.isAddress(name) else {
                throw CredentialError("\(name) is neither a host's name nor an address", .unusable)
            }
            let name = name.lowercased()
            if !names.contains(name) { names.append(name) }
        }
        guard names.count <= Self.namesMax else {
            throw CredentialError("\(path(of: Self.namesName)) has \(Self.namesMax) names at most", .unusable)
        }
        try write(Array(names.map { $0 + "\n" }.joined().utf8), as: Self.namesName)
        return names
    }

    /// Adds the key in the file `pem`, of which the public half alone is kept.
    public func addKey(
        pem: [UInt8], id: String, team: String, topics: [String]?, environment: APNsEnvironment?, relatedKey: String?
    ) throws(CredentialError) {
        guard Self.isWord(id), Self.isWord(team) else {
            throw CredentialError(
                "a key and a team are called by letters and digits, as Apple's portal shows them", .unusable)
        }
        let point = try tls("the key cannot be used", .unusable) { () throws(TLSFailure) in
            try SigningKey(pem: pem).publicPoint()
        }
        try change { credentials throws(CredentialError) in
            credentials.keys[id] = EndpointKey(
                id: id, team: team, publicPoint: point, topics: topics, environment: environment,
                relatedKey: relatedKey)
        }
    }

    /// Adds the certificate in the file `bytes`, in PEM, DER or PKCS #12, which names its topics and environments
    /// itself. Throws what is of the kind `.locked` if `passphrase` does not open it.
    public func addCertificate(file bytes: [UInt8], passphrase: String = "") throws(CredentialError) -> PushCertificate
    {
        let certificate: Certificate
        do throws(CertificateFileFailure) {
            certificate = try Certificate(file: bytes, passphrase: passphrase)
        } catch {
            switch error {
            case .locked: throw CredentialError("the password does not open the certificate's file", .locked)
            case .unreadable(let failure):
                throw CredentialError("the certificate cannot be used: \(failure)", .unusable)
            }
        }
        let added = try PushCertificate(certificate)
        try change { credentials throws(CredentialError) in credentials.certificates[added.fingerprint] = added }
        return added
    }

    /// How long a common name may be (RFC 5280, ub-common-name): it is for people, and the topics are elsewhere.
    private static let commonNameBytesMax = 64

    /// Makes a key and a certificate for the app `bundleID`, in Apple's shape, and adds both. The key is good for the
    /// app's topics, and the certificate's key is of the kind `certificateKey`.
    public func mint(
        bundleID: String, team: String, environments: Set<APNsEnvironment>, certificateKey: SigningKey.Kind = .rsa
    ) throws(CredentialError) -> MintedCredentials {
        guard Self.isWord(team) else { throw CredentialError("a team is called by letters and digits", .unusable) }
        let (authority, authorityKey, _) = try authority()
        var extensions = [
            CertificateRequest.ExtensionValue(
                number: PushTopics.topicsNumber, der: PushTopics.der(forApp: bundleID))
        ]
        for environment in environments {
            let number =
                environment == .production ? PushTopics.productionNumber : PushTopics.developmentNumber
            extensions.append(CertificateRequest.ExtensionValue(number: number, der: [5, 0]))
        }
        let request = CertificateRequest(
            commonName: String("Apple Push Services: \(bundleID)".prefix(Self.commonNameBytesMax)),
            userID: bundleID, unit: team, use: .client(extensions: extensions), days: Self.clientDays)
        let (key, certificate) = try tls("the credentials cannot be made") { () throws(TLSFailure) in
            let key = try SigningKey(certificateKey)
            let made = try Certificate.make(request, for: key, issuer: authority, issuerKey: authorityKey)
            return (try key.pem(), try made.pem())
        }
        let tokenKey = try tls("the key cannot be made") { () throws(TLSFailure) in try SigningKey().pem() }
        let keyID = Self.randomWord()
        // A name in a folder has 255 bytes at most, and while it is written four more.
        let (keyName, certificateName) = ("AuthKey_\(keyID).p8", "\(bundleID.prefix(200))-\(keyID).pem")
        try write(tokenKey, as: keyName)
        try write(certificate + key, as: certificateName)
        try addKey(
            pem: tokenKey, id: keyID, team: team, topics: PushTopics.all(ofApp: bundleID),
            environment: environments.count == 1 ? environments.first : nil, relatedKey: nil)
        _ = try addCertificate(file: certificate)
        return MintedCredentials(
            keyID: keyID, team: team, keyPath: path(of: keyName), certificatePath: path(of: certificateName))
    }

    /// Revokes the key called `name`, or the one certificate whose fingerprint begins so; what it was, for people.
    public func revoke(_ name: String, at now: WallTime) throws(CredentialError) -> String {
        try change { credentials throws(CredentialError) in
            if credentials.keys[name] != nil {
                credentials.keys[name]?.revokedAt = now
                return "the key \(name)"
            }
            let found = credentials.certificates.keys.filter { name.utf8.count >= 8 && $0.hasPrefix(name.lowercased()) }
            guard found.count == 1 else {
                throw CredentialError(
                    "there is no key \(name), nor one certificate whose fingerprint begins so", .absent)
            }
            credentials.certificates[found[0]]?.revokedAt = now
            return "the certificate \(credentials.certificates[found[0]]?.name ?? "")"
        }
    }

    private func authority() throws(CredentialError) -> (Certificate, SigningKey, isNew: Bool) {
        if let certificate = try read(Self.authorityName, bytesMax: SigningKey.fileBytesMax),
            let key = try read(Self.authorityKeyName, bytesMax: SigningKey.fileBytesMax)
        {
            return try tls("the authority cannot be used") { () throws(TLSFailure) in
                (try Certificate(pem: certificate), try SigningKey(pem: key), false)
            }
        }
        let request = CertificateRequest(
            commonName: "Belfry's certificates, of this machine alone", use: .authority, days: Self.authorityDays)
        let (certificate, key) = try tls("no authority can be made") { () throws(TLSFailure) in
            let key = try SigningKey()
            return (try Certificate.make(request, for: key, issuerKey: key), key)
        }
        let (keyPEM, pem) = try tls("the authority cannot be written") { () throws(TLSFailure) in
            (try key.pem(), try certificate.pem())
        }
        try write(keyPEM, as: Self.authorityKeyName)
        try write(pem, as: Self.authorityName)
        return (certificate, key, true)
    }

    private func tls<Value>(
        _ what: String, _ kind: CredentialError.Kind = .store, _ body: () throws(TLSFailure) -> Value
    ) throws(CredentialError) -> Value {
        do throws(TLSFailure) {
            return try body()
        } catch {
            throw CredentialError("\(what): \(error)", kind)
        }
    }

    private static func isWord(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 64 && text.utf8.allSatisfy(\.isASCIILetterOrDigit)
    }

    /// Ten letters and digits, as Apple's key identifiers are.
    private static func randomWord() -> String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
        return String((0..<10).map { _ in letters[Int.random(in: 0..<letters.count)] })
    }
}

extension PushCertificate {
    /// What `certificate` says that a push server may do with it.
    init(_ certificate: Certificate) throws(CredentialError) {
        guard let subjectTopic = certificate.userID, let beginsAt = certificate.beginsAt,
            let expiresAt = certificate.expiresAt
        else { throw CredentialError("it is no push certificate: its subject has no UID", .unusable) }
        guard
            let listed = PushTopics.listed(
                topicsValue: certificate.extensionValue(PushTopics.topicsNumber),
                voipValue: certificate.extensionValue(PushTopics.voipNumber), subjectTopic: subjectTopic)
        else { throw CredentialError("it is no push certificate: its topics are not as Apple writes them", .unusable) }
        var environments: Set<APNsEnvironment> = []
        if certificate.extensionValue(PushTopics.productionNumber) != nil { environments.insert(.production) }
        if certificate.extensionValue(PushTopics.developmentNumber) != nil { environments.insert(.development) }
        guard !environments.isEmpty else {
            throw CredentialError("it is no push certificate: it is for neither environment", .unusable)
        }
        let topics = listed.isEmpty ? [subjectTopic] : listed
        guard topics.contains(where: PushTopics.isUsable) else {
            throw CredentialError("it can never be used: no topic of it is one that certificates are for", .unusable)
        }
        guard beginsAt < expiresAt else {
            throw CredentialError("it can never be used: it expires before it begins", .unusable)
        }
        self.init(
            fingerprint: Hexadecimal.text(of: certificate.fingerprint), name: certificate.commonName ?? subjectTopic,
            subjectTopic: subjectTopic, listedTopics: listed, environments: environments, beginsAt: beginsAt,
            expiresAt: expiresAt)
    }
}
