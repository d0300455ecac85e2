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
        Usage: belfry apns setup [--name HOST|ADDRESS]...
               belfry apns key add AuthKey_….p8 --team ID [--key-id ID] [--topic TOPIC,…] [--related ID]
                                                [--environment production|development]
               belfry apns certificate add FILE.pem|FILE.p12|FILE.cer [--password-file FILE]
               belfry apns credentials new --bundle-id ID [--team ID] [--environment production|development]
                                           [--key-type rsa|ec] [--json]
               belfry apns list [--json]
               belfry apns revoke KEY|FINGERPRINT
        Makes the endpoint's certificate, and says which push servers may use it. The endpoint sees what is changed.

        Of a key its public half alone is kept. A certificate says itself which topics and environments it is for.
        credentials new makes both, in Apple's shape, for servers that have none, as in CI; both are for that app.
        A name that setup has added stays among the endpoint's own. list also says which answers belfry apns fail has
        asked for that are still to come.
        """

    /// The commands, by their first words.
    static let verbs = ["setup", "key", "certificate", "credentials", "list", "revoke"]
    /// The options that they take.
    static let options = [
        Option("team", "ID", "the team that a key is of"), Option("key-id", "ID", "the key's identifier"),
        Option("topic", "TOPICS", "the topics that a key is for"), Option("related", "ID", "the key's other half"),
        Option("environment", "ENVIRONMENT", "the one environment of a key"), Option("bundle-id", "ID", "the app"),
        Option("key-type", "TYPE", "what a new certificate's key is"),
        Option("name", "NAME", "one more name of the endpoint"),
        Option("password-file", "FILE", "what opens a .p12 file"),
        Option("json", "print JSON"), Option("help", "show the help"),
    ]
    private static let teamOfOurs = "BELFRYTEAM"
    /// How many letters and digits Apple's identifiers of keys and teams have.
    private static let appleWordBytes = 10

    /// Runs the command in `words`, from the verb on.
    func run(_ words: [String], state: StateDirectory, environment: Environment) throws(CommandError) {
        let words = try OptionParser.parse(words, Self.options, stopsAtFirstArgument: false)
        guard !words.has("help") else { return output.line(Self.help) }
        let store = try orFailure { () throws(CredentialError) in try CredentialStore(state: state) }
        let arguments = words.arguments
        switch (arguments.first, arguments.dropFirst().first, arguments.count) {
        case ("setup", nil, 1): try setUp(store, words)
        case ("key", "add", 3): try addKey(store, arguments[2], words)
        case ("certificate", "add", 3): try addCertificate(store, arguments[2], words)
        case ("credentials", "new", 2): try mint(store, words)
        case ("list", nil, 1): try list(store, asJSON: words.has("json"), environment: environment)
        case ("revoke", let name?, 2):
            let what = try orFailure { () throws(CredentialError) in try store.revoke(name, at: now) }
            output.line("revoked \(Printable.escaped(what))")
        default: throw CommandError(.usage, "belfry apns \(arguments.joined(separator: " "))", "see belfry apns --help")
        }
    }

    private func setUp(_ store: CredentialStore, _ words: ParsedOptions) throws(CommandError) {
        let (isNew, added) = try orFailure { () throws(CredentialError) in
            let isNew = try store.setUp(hostName: hostName(), adding: words.lists["name"] ?? [])
            return (isNew, try store.addedNames())
        }
        let authority = store.path(of: CredentialStore.authorityName)
        let own = ["localhost", hostName() ?? "no name of this machine"] + added
        let names = "\(own.dropLast().joined(separator: ", ")) and \(own[own.count - 1])"
        let standing = isNew ? "which is new: no client has it yet" : "as before"
        output.line(
            """
            The endpoint has a certificate with Apple's names, \(names).
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
            ? String(name.dropFirst("AuthKey_".utf8.count).dropLast(".p8".utf8.count)) : ""
        // A browser calls the second download `AuthKey_….p8 (1)`, or puts the number before the dot.
        let isWord = !ofName.isEmpty && ofName.utf8.allSatisfy(\.isASCIILetterOrDigit)
        guard let id = words["key-id"] ?? (isWord ? ofName : nil) else {
            throw CommandError(.usage, "the name \(name) does not tell the key's id", "--key-id ID")
        }
        let environment = try environment(words)
        let topics = words["topic"]?.split(separator: ",").map(String.init)
        let pem = try file(path)
        try orFailure { () throws(CredentialError) in
            try store.addKey(
                pem: pem, id: id, team: team, topics: topics, environment: environment, relatedKey: words["related"])
        }
        output.line("key \(id) of team \(team) may push")
        for (what, word) in [("key id", id), ("team", team)] where word.utf8.count != Self.appleWordBytes {
            let shape = "\(Self.appleWordBytes) letters and digits, as Apple's have"
            output.complaint("belfry: warning: the \(what) \(word) has not \(shape)")
        }
    }

    private func addCertificate(
        _ store: CredentialStore, _ path: String, _ words: ParsedOptions
    ) throws(CommandError) {
        let bytes = try file(path)
        let passphrase = try words["password-file"].map { path throws(CommandError) in try Password.line(of: file(path))
        }
        let added: PushCertificate
        do throws(CredentialError) {
            added = try store.addCertificate(file: bytes, passphrase: passphrase ?? "")
        } catch  where error.kind == .locked && passphrase == nil {
            guard let asked = Password.ask(for: path) else {
                throw CommandError(.usage, "\(path) has a password, and there is no terminal", "--password-file FILE")
            }
            added = try orFailure { () throws(CredentialError) in
                try store.addCertificate(file: bytes, passphrase: asked)
            }
        } catch {
            throw Self.error(error)
        }
        output.line(Printable.escaped("certificate \(added.fingerprint.prefix(16)) \(added.name) may push"))
        for topic in added.topics { output.line(Printable.escaped("  \(topic)")) }
        output.line("  in \(added.environments.map(\.rawValue).sorted().joined(separator: " and "))")
        if let wrong = added.expiresAt < now ? "has expired" : added.beginsAt > now ? "is not valid yet" : nil {
            output.complaint("belfry: warning: it \(wrong): its handshakes end with an alert")
        }
    }

    private func mint(_ store: CredentialStore, _ words: ParsedOptions) throws(CommandError) {
        guard let bundleID = words["bundle-id"] else {
            throw CommandError(.usage, "credentials are for an app", "--bundle-id com.example.phone")
        }
        if let fault = TokenRegistry.fault(inBundleID: bundleID) { throw CommandError(.usage, fault) }
        guard let keyKind = SigningKey.Kind(rawValue: words["key-type"] ?? SigningKey.Kind.rsa.rawValue) else {
            throw CommandError(.usage, "--key-type is rsa or ec")
        }
        let environments = try environment(words).map { [$0] } ?? APNsEnvironment.allCases
        let minted = try orFailure { () throws(CredentialError) in
            try store.mint(
                bundleID: bundleID, team: words["team"] ?? Self.teamOfOurs, environments: Set(environments),
                certificateKey: keyKind)
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

    private func list(
        _ store: CredentialStore, asJSON: Bool, environment: Environment
    ) throws(CommandError) {
        let credentials = try orFailure { () throws(CredentialError) in try store.credentials() }
        // An endpoint that does not run has none to come.
        let failures = FailureList(try? RunningEndpoint.ask(.listFaults, environment: environment))
        guard !asJSON else {
            var object = credentials.json
            object["failures"] = failures.json
            return output.json(object)
        }
        for key in credentials.keys.values.sorted(by: { $0.id < $1.id }) {
            let topics = key.topics?.joined(separator: ",") ?? "all topics"
            let environment = key.environment?.rawValue ?? "both environments"
            let end = key.revokedAt == nil ? "" : " revoked"
            output.line(Printable.escaped("key \(key.id) team \(key.team) \(topics) \(environment)\(end)"))
        }
        for certificate in credentials.certificates.values.sorted(by: { $0.fingerprint < $1.fingerprint }) {
            let environments = certificate.environments.map(\.rawValue).sorted().joined(separator: ",")
            let end =
                certificate.revokedAt != nil
                ? " revoked" : certificate.expiresAt < now ? " expired" : certificate.beginsAt > now ? " not-yet" : ""
            output.line(
                Printable.escaped(
                    "certificate \(certificate.fingerprint.prefix(16)) \(certificate.topics.joined(separator: ",")) "
                        + environments + end))
        }
        for line in failures.lines { output.line(Printable.escaped(line)) }
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
        do throws(CredentialError) { return try body() } catch { throw Self.error(error) }
    }

    private static func error(_ error: CredentialError) -> CommandError {
        let status: ProgramStatus =
            switch error.kind {
            case .store: .unavailable
            case .absent: .notFound
            case .unusable, .locked: .badNotification
            }
        return CommandError(status, "\(error)")
    }
}

/// The machine's name on its network; nil if it has none.
func hostName() -> String? {
    var name = [CChar](repeating: 0, count: 256)
    guard unsafe gethostname(&name, name.count - 1) == 0 else { return nil }
    let text = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return text.isEmpty || text == "localhost" ? nil : text
}
