public import BelfryAppGroup
import BelfryCrypto
import BelfrySyscalls
import BelfryTLS
public import BelfryTerms
import Fleet

/// What was written for a broker, to be copied to its host.
public struct BrokerFolder: Hashable, Sendable {
    /// How it was before.
    public enum Standing: Hashable, Sendable {
        /// There was none.
        case new
        /// Something of it was another, so that it has to be copied again.
        case changed
        /// It was the same.
        case same
    }

    /// Whose it is.
    public let broker: Broker
    /// Where it is.
    public let path: String
    /// How it was before.
    public let standing: Standing
}

/// A fleet as it was set up: its keys, its brokers' folders and who was enrolled, in files of the state directory, for
/// their owner alone. No broker is ever asked.
///
/// Keys are made once and never replaced: brokers and credentials hang on them. It belongs to its thread.
public final class FleetSetup {
    /// Where it is below the state directory.
    public static let folderNames = ["fleet", "setup"]
    static let keysName = "keys"
    static let authorityKeyName = "authority-key.pem"
    private static let authorityName = BrokerConfiguration.authorityName
    private static let recordsName = "fleet.json"
    private static let lockName = "lock"
    private static let keysBytesMax = 4_096
    private static let brokerFileBytesMax = 1 << 20
    /// For how many days the authority is good.
    private static let authorityDays = 3_650
    /// For how many days a broker's certificate is good.
    private static let certificateDays = 820
    /// How long before its end a broker's certificate is made anew.
    private static let renewal = TimeSpan.seconds(90 * 86_400)

    let directory: Directory

    /// The one below `state`, whose folder is made if it is missing.
    public init(state: StateDirectory) throws(FleetError) {
        do throws(SystemError) {
            var folder = try Directory.open(path: state.path, makes: true)
            for name in Self.folderNames { folder = try folder.openDirectory(name, makes: true) }
            directory = folder
        } catch {
            throw FleetError("the folder of the fleet's keys cannot be opened: \(error)")
        }
    }

    /// Where its files are.
    public var path: String { directory.path }

    /// Whether there is a fleet: keys, and a broker at least.
    public func isSetUp() throws(FleetError) -> Bool { try records() != nil }

    /// Adds `brokers`, makes keys unless there are some, and writes each broker's folder. A known broker's new port for
    /// the others replaces its old one; a certificate that ends within 90 days of `now` is made anew. Returns all
    /// folders.
    @discardableResult
    public func setUp(adding brokers: [Broker], at now: WallTime) throws(FleetError) -> [BrokerFolder] {
        let lock = try lock()
        defer { withExtendedLifetime(lock) {} }
        var records = try records() ?? FleetRecords(accountTokenAt: now)
        for broker in brokers {
            if let index = records.brokers.firstIndex(where: { $0.address == broker.address }) {
                records.brokers[index] = broker
            } else {
                records.brokers.append(broker)
            }
        }
        guard !records.brokers.isEmpty else { throw FleetError("a fleet has a broker at least", .unusable) }
        guard records.brokers.count <= FleetCredential.brokersMax else {
            throw FleetError("a fleet has \(FleetCredential.brokersMax) brokers at most", .unusable)
        }
        // Once something hangs on keys, missing ones are a loss that new ones would hide.
        let keys = try keys(makes: try self.records() == nil)
        let folders = try writeBrokers(records, keys, at: now)
        try write(records)
        return folders
    }

    /// Writes the folder of each broker, where something of it is new. Whoever has changed what the account's token
    /// says has made its time a later one.
    func writeBrokers(
        _ records: FleetRecords, _ keys: FleetKeySet, at now: WallTime
    ) throws(FleetError) -> [BrokerFolder] {
        let (authority, authorityKey) = try authority(makes: try self.records() == nil)
        let time = records.accountTokenAt
        let revoked = records.revoked(at: time)
        let tokens = try made { () throws(CryptoFailure) in
            (
                operation: try keys.operatorToken(at: time), system: try keys.systemToken(at: time),
                account: try keys.accountToken(revoked: revoked, at: time)
            )
        }
        var folders: [BrokerFolder] = []
        for broker in records.brokers {
            let folder = try openFolder(broker.folderName)
            let configuration = BrokerConfiguration(
                broker: broker, brokers: records.brokers, keys: keys, systemToken: tokens.system,
                accountToken: tokens.account)
            var hasChanged = try renewCertificate(of: configuration, in: folder, authority, authorityKey, at: now)
            let pem = try tls("the authority cannot be written") { () throws(TLSFailure) in try authority.pem() }
            let known = try read(BrokerConfiguration.fileName, bytesMax: Self.brokerFileBytesMax, in: folder)
            for (name, bytes) in [
                (BrokerConfiguration.authorityName, pem),
                (BrokerConfiguration.operatorName, Array(tokens.operation.utf8)),
                (BrokerConfiguration.fileName, Array(configuration.text.utf8)),
            ] where try read(name, bytesMax: Self.brokerFileBytesMax, in: folder) != bytes {
                try write(bytes, as: name, in: folder)
                hasChanged = true
            }
            let standing: BrokerFolder.Standing = known == nil ? .new : hasChanged ? .changed : .same
            folders.append(BrokerFolder(broker: broker, path: folder.path, standing: standing))
        }
        return folders
    }

    private func renewCertificate(
        of configuration: BrokerConfiguration, in folder: borrowing Directory, _ authority: Certificate,
        _ authorityKey: SigningKey, at now: WallTime
    ) throws(FleetError) -> Bool {
        let known = try read(BrokerConfiguration.certificateName, bytesMax: SigningKey.fileBytesMax, in: folder)
        let key = try read(BrokerConfiguration.keyName, bytesMax: SigningKey.fileBytesMax, in: folder)
        if let known, key != nil, let end = (try? Certificate(pem: known))?.expiresAt, now + Self.renewal < end {
            return false
        }
        let request = CertificateRequest(
            commonName: "Belfry fleet broker", use: .peer(names: [configuration.certificateName]),
            days: Self.certificateDays)
        let (keyPEM, pem) = try tls("a broker's certificate cannot be made") { () throws(TLSFailure) in
            let key = try SigningKey()
            let made = try Certificate.make(request, for: key, issuer: authority, issuerKey: authorityKey)
            return (try key.pem(), try made.pem())
        }
        try write(keyPEM, as: BrokerConfiguration.keyName, in: folder)
        try write(pem, as: BrokerConfiguration.certificateName, in: folder)
        return true
    }

    /// The keys; new ones if there are none and `makes`.
    func keys(makes: Bool) throws(FleetError) -> FleetKeySet {
        if let bytes = try read(Self.keysName, bytesMax: Self.keysBytesMax, in: directory) {
            guard let keys = FleetKeySet(text: String(decoding: bytes, as: UTF8.self)) else {
                throw FleetError("\(path)/\(Self.keysName) is damaged")
            }
            return keys
        }
        guard makes else { throw lost(Self.keysName) }
        let keys = try made { () throws(CryptoFailure) in try FleetKeySet() }
        try write(Array(keys.text.utf8), as: Self.keysName, in: directory)
        return keys
    }

    /// The authority of the brokers' certificates; a new one if there is none and `makes`.
    func authority(makes: Bool) throws(FleetError) -> (Certificate, SigningKey) {
        let certificate = try read(Self.authorityName, bytesMax: SigningKey.fileBytesMax, in: directory)
        let key = try read(Self.authorityKeyName, bytesMax: SigningKey.fileBytesMax, in: directory)
        if let certificate, let key {
            return try tls("the authority cannot be used") { () throws(TLSFailure) in
                (try Certificate(pem: certificate), try SigningKey(pem: key))
            }
        }
        guard makes else { throw lost(certificate == nil ? Self.authorityName : Self.authorityKeyName) }
        let request = CertificateRequest(
            commonName: "Belfry's brokers, of this fleet alone", use: .authority, days: Self.authorityDays)
        let (made, newKey, keyPEM, pem) = try tls("no authority can be made") { () throws(TLSFailure) in
            let key = try SigningKey()
            let made = try Certificate.make(request, for: key, issuerKey: key)
            return (made, key, try key.pem(), try made.pem())
        }
        try write(keyPEM, as: Self.authorityKeyName, in: directory)
        try write(pem, as: Self.authorityName, in: directory)
        return (made, newKey)
    }

    private func lost(_ name: String) -> FleetError {
        FleetError("\(path)/\(name) is missing, on which all credentials hang: put it back from a copy")
    }
}

extension FleetSetup {
    func lock() throws(FleetError) -> FileLock {
        do throws(SystemError) {
            if let lock = try FileLock.tryTake(Self.lockName, in: directory) { return lock }
        } catch {
            throw FleetError("the fleet's keys cannot be locked: \(error)")
        }
        throw FleetError("another command is changing the fleet; try again")
    }

    /// What is known; nil if nothing was set up.
    func records() throws(FleetError) -> FleetRecords? {
        guard let bytes = try read(Self.recordsName, bytesMax: FleetRecords.bytesMax, in: directory) else { return nil }
        guard let records = FleetRecords(file: bytes) else {
            throw FleetError("\(path)/\(Self.recordsName) is damaged")
        }
        return records
    }

    func write(_ records: FleetRecords) throws(FleetError) {
        try write(records.file, as: Self.recordsName, in: directory)
    }

    func openFolder(_ name: String) throws(FleetError) -> Directory {
        do throws(SystemError) {
            return try directory.openDirectory(name, makes: true)
        } catch {
            throw FleetError("\(error)")
        }
    }

    private func read(_ name: String, bytesMax: Int, in folder: borrowing Directory) throws(FleetError) -> [UInt8]? {
        do throws(SystemError) {
            return try folder.read(name, bytesMax: bytesMax)?.bytes
        } catch {
            throw FleetError("\(error)")
        }
    }

    /// Writes the file `name`, for its owner alone, so that it outlives a power cut.
    func write(_ bytes: [UInt8], as name: String, in folder: borrowing Directory) throws(FleetError) {
        do throws(SystemError) {
            // A command that was killed may have left one, and replacing fails if it exists.
            try folder.remove("\(name).new")
            try folder.replace(name, with: bytes, temporaryName: "\(name).new", in: folder, isDurable: true)
        } catch {
            throw FleetError("\(error)")
        }
    }

    func made<Value>(_ body: () throws(CryptoFailure) -> Value) throws(FleetError) -> Value {
        do throws(CryptoFailure) {
            return try body()
        } catch {
            throw FleetError("libcrypto refuses a key")
        }
    }

    func tls<Value>(_ what: String, _ body: () throws(TLSFailure) -> Value) throws(FleetError) -> Value {
        do throws(TLSFailure) {
            return try body()
        } catch {
            throw FleetError("\(what): \(error)")
        }
    }
}
