public import BelfryAppGroup
public import BelfryEventLoop
import BelfryJSON
public import BelfrySyscalls
public import BelfryTLS
public import PushAPI

/// Why something about credentials cannot be done.
public struct CredentialError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What it is about.
    public enum Kind: Hashable, Sendable {
        /// The store, or the machine.
        case store
        /// What was asked for is not there.
        case absent
        /// What was given is no such thing.
        case unusable
        /// What was given has a passphrase, and this was another one or none.
        case locked
    }

    /// What it is about.
    public let kind: Kind
    /// What is wrong, for people.
    public let description: String

    /// A failure.
    public init(_ description: String, _ kind: Kind = .store) {
        self.description = description
        self.kind = kind
    }
}

/// The credentials of push servers, and the endpoint's own: files of the state directory, for their owner alone.
///
/// Commands change them whether or not the service runs, and the service sees it. It belongs to its thread.
public final class CredentialStore {
    /// The certificate that clients have to trust.
    public static let authorityName = "ca.pem"
    static let authorityKeyName = "ca.key"
    static let serverName = "server.pem"
    static let serverKeyName = "server.key"
    /// The names that were added to the endpoint's own, one a line.
    static let namesName = "names"
    private static let listName = "credentials.json"
    private static let lockName = "lock"
    /// A key has 400 topics at most, and there are 200 of them.
    private static let listBytesMax = 16 << 20

    private let directory: Directory

    /// The store below `state`, made if it is missing.
    public init(state: StateDirectory) throws(CredentialError) {
        do throws(SystemError) {
            directory = try Directory.open(path: state.path, makes: true).openDirectory("credentials", makes: true)
        } catch {
            throw CredentialError("the folder of credentials cannot be opened: \(error)")
        }
    }

    /// Where the file `name` is.
    public func path(of name: String) -> String { "\(directory.path)/\(name)" }

    /// The keys and certificates that were added.
    public func credentials() throws(CredentialError) -> EndpointCredentials {
        guard let bytes = try read(Self.listName, bytesMax: Self.listBytesMax) else { return EndpointCredentials() }
        let limits = JSONLimits(bytesMax: Self.listBytesMax, valuesMax: 1_000_000)
        guard let object = (try? JSONValue.parse(bytes, limits: limits))?.objectValue,
            let credentials = EndpointCredentials(json: object)
        else { throw CredentialError("\(path(of: Self.listName)) is damaged") }
        return credentials
    }

    /// Changes the keys and certificates, one change after the other.
    public func change<Value>(
        _ body: (inout EndpointCredentials) throws(CredentialError) -> Value
    ) throws(CredentialError) -> Value {
        let lock = try lock()
        defer { withExtendedLifetime(lock) {} }
        var credentials = try credentials()
        let value = try body(&credentials)
        try write(credentials.json.serialized(), as: Self.listName)
        return value
    }

    private func lock() throws(CredentialError) -> FileLock {
        do throws(SystemError) {
            if let lock = try FileLock.tryTake(Self.lockName, in: directory) { return lock }
        } catch {
            throw CredentialError("the credentials cannot be locked: \(error)")
        }
        throw CredentialError("another command is changing the credentials; try again")
    }

    /// What the server shows to its clients; throws if there is nothing yet.
    public func tlsServer() throws(CredentialError) -> TLSServer {
        guard let chain = try read(Self.serverName, bytesMax: SigningKey.fileBytesMax),
            let key = try read(Self.serverKeyName, bytesMax: SigningKey.fileBytesMax)
        else { throw CredentialError("the endpoint has no certificate yet: belfry apns setup") }
        do throws(TLSFailure) {
            return try TLSServer(chain: chain, key: SigningKey(pem: key))
        } catch {
            throw CredentialError("the endpoint's certificate cannot be used: \(error)")
        }
    }

    /// Calls `changed` after any process has changed something, until it is cancelled.
    public func watch(on loop: Loop, _ changed: @escaping () -> Void) throws(SystemError) -> DirectorySource {
        try loop.watchDirectory(directory.descriptor.number, description: "credentials", changed)
    }

    /// The bytes of the file `name`; nil if there is none.
    func read(_ name: String, bytesMax: Int) throws(CredentialError) -> [UInt8]? {
        do throws(SystemError) {
            return try directory.read(name, bytesMax: bytesMax)?.bytes
        } catch {
            throw CredentialError("\(error)")
        }
    }

    /// Writes the file `name`, for its owner alone, so that it outlives a power cut.
    func write(_ bytes: [UInt8], as name: String) throws(CredentialError) {
        do throws(SystemError) {
            // A command that was killed may have left one, and replacing fails if it exists.
            try directory.remove("\(name).new")
            try directory.replace(name, with: bytes, temporaryName: "\(name).new", in: directory, isDurable: true)
        } catch {
            throw CredentialError("\(error)")
        }
    }
}
