public import BelfryDevices
import BelfryCrypto
import BelfrySyscalls
import BelfryTLS
public import BelfryTerms
public import Fleet

extension FleetSetup {
    /// The folder of the files that ``enroll(_:as:until:again:at:)`` wrote.
    private static let credentialsName = "credentials"
    /// How long before now a credential begins, since clocks differ.
    private static let headStart = TimeSpan.seconds(3_600)

    /// Makes a credential, which ends then, in a file of its own, whose path it returns. One that was enrolled before
    /// gets another only if `again`; the first one stays good until it is revoked.
    public func enroll(
        _ name: FleetName, as role: FleetRole, until end: WallTime?, again: Bool, at now: WallTime
    ) throws(FleetError) -> String {
        let lock = try lock()
        defer { withExtendedLifetime(lock) {} }
        guard var records = try records() else { throw Self.nothing }
        if let known = records.credentials.last(where: { $0.name == name && $0.role.names == role.names }) {
            guard again else {
                throw FleetError("the \(known.role.rawValue) \(name.text) is enrolled already", .present)
            }
        }
        guard records.credentials.count < FleetRecords.credentialsMax else {
            throw FleetError("a fleet has \(FleetRecords.credentialsMax) credentials at most", .unusable)
        }
        let keys = try keys(makes: false)
        let (authority, _) = try authority(makes: false)
        let certificate = try tls("the authority cannot be written") { () throws(TLSFailure) in try authority.der() }
        let (key, token) = try made { () throws(CryptoFailure) in
            let key = try NATSKey(new: .user)
            let token = try keys.userToken(
                name, role, key: key, from: now + Self.headStart * -1, until: end, at: now)
            return (key, token)
        }
        let text: String
        do throws(FleetCredentialError) {
            text = try FleetCredential(
                name: name, role: role, brokers: records.brokers.map(\.address), token: token, seed: key.seed,
                authority: certificate
            ).text
            // As whoever gets it will read it.
            _ = try FleetCredential(bytes: Array(text.utf8)).key(at: now)
        } catch {
            throw FleetError("the credential cannot be made: \(error)", .unusable)
        }
        // Known before it exists: one that was handed out can always be revoked.
        records.credentials.append(EnrolledCredential(name: name, role: role, key: key.name, endsAt: end))
        try write(records)
        let folder = try openFolder(Self.credentialsName)
        let file = "\(role.rawValue)-\(name.text).credential"
        try write(Array(text.utf8), as: file, in: folder)
        return "\(folder.path)/\(file)"
    }

    /// Revokes all credentials of that name, of machines or of gateways where `role` says so, and writes the brokers'
    /// folders anew. Returns the roles of whom it revoked, and the folders.
    public func revoke(
        _ name: FleetName, as role: FleetRole?, at now: WallTime
    ) throws(FleetError) -> (roles: Set<FleetRole>, folders: [BrokerFolder]) {
        let lock = try lock()
        defer { withExtendedLifetime(lock) {} }
        guard var records = try records() else { throw Self.nothing }
        let found = records.credentials.indices.filter { index in
            let credential = records.credentials[index]
            return credential.name == name && (role.map { $0.names == credential.role.names } ?? true)
        }
        guard !found.isEmpty else { throw FleetError("nobody called \(name.text) is enrolled", .absent) }
        guard Set(found.map { records.credentials[$0].role.names }).count == 1 else {
            throw FleetError("there are a machine and a gateway called \(name.text)", .present)
        }
        for index in found where records.credentials[index].revokedAt == nil {
            records.credentials[index].revokedAt = now
        }
        // Brokers take none that was made earlier than theirs, whatever this clock says now.
        records.accountTokenAt = max(now, records.accountTokenAt + .seconds(1))
        guard records.revoked(at: records.accountTokenAt).count <= FleetRecords.revokedMax else {
            throw FleetError(
                "a fleet has \(FleetRecords.revokedMax) revoked credentials at most that have not ended", .unusable)
        }
        let folders = try writeBrokers(records, try keys(makes: false), at: now)
        try write(records)
        return (Set(found.map { records.credentials[$0].role }), folders)
    }

    /// Throws unless there was a machine called `name`, and none of its credentials is good any more.
    public func checkRevoked(_ name: FleetName, at now: WallTime) throws(FleetError) {
        guard let records = try records() else { throw Self.nothing }
        let found = records.credentials.filter { $0.name == name && $0.role.names == .machine }
        guard !found.isEmpty else { throw FleetError("no machine called \(name.text) is enrolled", .absent) }
        guard found.allSatisfy({ $0.revokedAt != nil || $0.endsAt.map { $0 <= now } ?? false }) else {
            throw FleetError("the machine \(name.text) is not revoked", .present)
        }
    }

    static var nothing: FleetError { FleetError("no fleet was set up here", .absent) }
}
