import BelfryAppGroup
import BelfryCommandLine
import BelfryDevices
import BelfryJSON
import BelfrySyscalls
import BelfryTLS
import BelfryTerms
import DeviceRegistry
import Glibc
import PushAPI
import PushEndpoint

/// `belfry apns setup`, `key`, `certificate`, `credentials`, `list` and `revoke`: which servers may push. They work
/// whether or not the endpoint runs.
struct CredentialCommands {
    /// Where they print.
    let output: Output

    /// What `--help` prints.
    static let help = """
        Usage: belfry apns setup
               belfry apns key add AuthKey_….p8 --team ID [--key-id ID] [--topic TOPIC,…] [--related ID]
                                                [--environment production|development]
               belfry apns certificate add FILE.pem
               belfry apns credentials new --bundle-id ID [--team ID] [--environment production|development] [--json]
               belfry apns list [--json]
               belfry apns revoke KEY|FINGERPRINT
        Makes the endpoint's certificate, and says which push servers may use it. The endpoint sees what is changed.

        Of a key its public half alone is kept. A certificate says itself which topics and environments it is for.
        credentials new makes both, in Apple's shape, for servers that have none, as in CI.
        """

    /// The commands, by their first words.
    static let verbs = ["setup", "key", "certificate", "credentials", "list", "revoke"]
    /// The options that they take.
    static let options = [
        Option("team", "ID", "the team that a key is of"), Option("key-id", "ID", "the key's identifier"),
        Option("topic", "TOPICS", "the topics that a key is for"), Option("related", "ID", "the key's other half"),
        Option("environment", "ENVIRONMENT", "the one environment of a key"), Option("bundle-id", "ID", "the app"),
        Option("json", "print JSON"), Option("help", "show the help"),
    ]
    private static let teamOfOurs = "BELFRYTEAM"

    /// Runs the command in `words`, from the verb on.
    func run(_ words: [String], state: StateDirectory) throws(CommandError) {
        let words = try OptionParser.parse(words, Self.options, stopsAtFirstArgument: false)
        guard !words.has("help") else { return output.line(Self.help) }
        let store = try orFailure { () throws(CredentialError) in try CredentialStore(state: state) }
        let arguments = words.arguments
        switch (arguments.first, arguments.dropFirst().first, arguments.count) {
        case ("setup", nil, 1): try setUp(store)
        case ("key", "add", 3): try addKey(store, arguments[2], words)
        case ("certificate", "add", 3): try addCertificate(store, arguments[2])
        case ("credentials", "new", 2): try mint(store, words)
        case ("list", nil, 1): try list(store, asJSON: words.has("json"))
        case ("revoke", let name?, 2):
            let what = try orFailure { () throws(CredentialError) in try store.revoke(name, at: now) }
            output.line("revoked \(Printable.escaped(what))")
        default: throw CommandError(.usage, "belfry apns \(arguments.joined(separator: " "))", "see belfry apns --help")
        }
    }

    private func setUp(_ store: CredentialStore) throws(CommandError) {
        let isNew = try orFailure { () throws(CredentialError) in try store.setUp(hostName: hostName()) }
        let authority = store.path(of: CredentialStore.authorityName)
        let standing = isNew ? "which is new: no client has it yet" : "as before"
        output.line(
            """
            The endpoint has a certificate with Apple's names, localhost and \(hostName() ?? "no name of this machine").
            Clients trust it by \(authority), \(standing).

            curl         curl --cacert \(authority) --connect-to api.push.apple.com:443:127.0.0.1:2197 …
                         or CURL_CA_BUNDLE=\(authority) curl … https://localhost:2197/3/device/…
            httpx        SSL_CERT_FILE=\(authority), any URL with port 2197
            aioapns      SSL_CERT_FILE=\(authority), and api.push.apple.com in /etc/hosts, port 443
            kalyke       SSL_CERT_FILE=\(authority), and api.push.apple.com in /etc/hosts, port 443
            apns2 (Go)   client.Host = "https://localhost:2197", SSL_CERT_FILE=\(authority)
            node-apn     address: "localhost", port: 2197, ca: "\(authority)"
            pushy        setApnsServer("localhost", 2197), setTrustedServerCertificateChain(new File("\(authority)"))
            APNSwift     environment: .custom(url: "https://localhost:2197"), \(authority) in its TLS configuration
            dotAPNS      UseBackupPort(), and api.push.apple.com in /etc/hosts
            a container  --add-host api.push.apple.com:ADDRESS, and the authority in the container's own store
            any, in CI   unshare --user --map-root-user --net --mount, api.push.apple.com in its /etc/hosts, port 443

            Start it:    systemctl --user enable --now belfry-apns.socket
            A phone:     belfry device add --bundle-id com.example.phone
            Who pushes:  belfry apns key add, certificate add, or credentials new
            """)
    }

    private func addKey(_ store: CredentialStore, _ path: String, _ words: ParsedOptions) throws(CommandError) {
        guard let team = words["team"] else {
            throw CommandError(.usage, "a key is a team's", "--team ID, as Apple's portal shows it")
        }
        let name = path.split(separator: "/").last.map(String.init) ?? ""
        let ofName =
            name.hasPrefix("AuthKey_") && name.hasSuffix(".p8")
            ? String(name.dropFirst("AuthKey_".utf8.count).dropLast(".p8".utf8.count)) : nil
        guard let id = words["key-id"] ?? ofName else {
            throw CommandError(.usage, "the file's name does not tell the key's id", "--key-id ID")
        }
        let environment = try environment(words)
        let topics = words["topic"]?.split(separator: ",").map(String.init)
        let pem = try file(path)
        try orFailure { () throws(CredentialError) in
            try store.addKey(
                pem: pem, id: id, team: team, topics: topics, environment: environment, relatedKey: words["related"])
        }
        output.line("key \(id) of team \(team) may push")
    }

    private func addCertificate(_ store: CredentialStore, _ path: String) throws(CommandError) {
        let pem = try file(path)
        let added = try orFailure { () throws(CredentialError) in try store.addCertificate(pem: pem) }
        output.line(Printable.escaped("certificate \(added.fingerprint.prefix(16)) \(added.name) may push"))
        for topic in added.topics { output.line("  \(topic)") }
        output.line("  in \(added.environments.map(\.rawValue).sorted().joined(separator: " and "))")
        if added.expiresAt < now {
            output.complaint("belfry: warning: it has expired: its handshakes end with an alert")
        }
    }

    private func mint(_ store: CredentialStore, _ words: ParsedOptions) throws(CommandError) {
        guard let bundleID = words["bundle-id"] else {
            throw CommandError(.usage, "credentials are for an app", "--bundle-id com.example.phone")
        }
        guard TokenRegistry.isBundleID(bundleID) else {
            throw CommandError(.usage, "\(bundleID) is no bundle identifier, of letters, digits, dots and hyphens")
        }
        let environments = try environment(words).map { [$0] } ?? APNsEnvironment.allCases
        let minted = try orFailure { () throws(CredentialError) in
            try store.mint(
                bundleID: bundleID, team: words["team"] ?? Self.teamOfOurs, environments: Set(environments))
        }
        let authority = store.path(of: CredentialStore.authorityName)
        guard !words.has("json") else {
            output.json(
                [
                    "key": .string(minted.keyPath), "keyId": .string(minted.keyID), "team": .string(minted.team),
                    "certificate": .string(minted.certificatePath), "authority": .string(authority),
                ])
            return
        }
        output.line("key          \(minted.keyPath)")
        output.line("key id       \(minted.keyID)")
        output.line("team         \(minted.team)")
        output.line("certificate  \(minted.certificatePath)")
        output.line("authority    \(authority)")
    }

    private func list(_ store: CredentialStore, asJSON: Bool) throws(CommandError) {
        let credentials = try orFailure { () throws(CredentialError) in try store.credentials() }
        guard !asJSON else { return output.json(credentials.json) }
        for key in credentials.keys.values.sorted(by: { $0.id < $1.id }) {
            let topics = key.topics?.joined(separator: ",") ?? "all topics"
            let environment = key.environment?.rawValue ?? "both environments"
            let end = key.revokedAt == nil ? "" : " revoked"
            output.line(Printable.escaped("key \(key.id) team \(key.team) \(topics) \(environment)\(end)"))
        }
        for certificate in credentials.certificates.values.sorted(by: { $0.fingerprint < $1.fingerprint }) {
            let environments = certificate.environments.map(\.rawValue).sorted().joined(separator: ",")
            let end =
                certificate.revokedAt != nil ? " revoked" : certificate.expiresAt < now ? " expired" : ""
            output.line(
                Printable.escaped(
                    "certificate \(certificate.fingerprint.prefix(16)) \(certificate.topics.joined(separator: ",")) "
                        + environments + end))
        }
    }

    private var now: WallTime { WallTime(microseconds: wallTimeMicroseconds()) }

    private func environment(_ words: ParsedOptions) throws(CommandError) -> APNsEnvironment? {
        guard let word = words["environment"] else { return nil }
        guard let environment = APNsEnvironment(word: word) else {
            throw CommandError(.usage, "--environment is production or development")
        }
        return environment
    }

    private func file(_ path: String) throws(CommandError) -> [UInt8] {
        do throws(SystemError) {
            return try readFile(at: path, bytesMax: SigningKey.fileBytesMax).bytes
        } catch {
            throw CommandError(.notFound, "\(error)")
        }
    }

    private func orFailure<Answer>(
        _ body: () throws(CredentialError) -> Answer
    ) throws(CommandError) -> Answer {
        do throws(CredentialError) { return try body() } catch { throw CommandError(.unavailable, "\(error)") }
    }
}

/// The machine's name on its network; nil if it has none.
func hostName() -> String? {
    var name = [CChar](repeating: 0, count: 256)
    guard unsafe gethostname(&name, name.count - 1) == 0 else { return nil }
    let text = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return text.isEmpty || text == "localhost" ? nil : text
}
