import BelfryJSON
import BelfrySyscalls
import Glibc

/// Debian's nats-server, unpacked and not installed, with TLS on 127.0.0.1 and for the users of an account: one that
/// lasts as long as this object. Its ports are what the system gave it, the same after each start.
public final class Broker {
    /// Why there is none.
    public struct Missing: Error, CustomStringConvertible {
        /// For people.
        public let description: String
    }

    /// What makes it listen, and who may connect to it.
    public struct Manner {
        let account: PlayedAccount
        let certificate: BrokerCertificate
        /// Where another one of its cluster listens; nil if it is the first.
        let route: String?
        /// Whether it has streams, and is alone.
        let hasStreams: Bool

        /// Of `account`, with `certificate`, in the cluster of the one at `route`.
        public init(_ account: PlayedAccount, _ certificate: BrokerCertificate, route: String? = nil) {
            (self.account, self.certificate, self.route, hasStreams) = (account, certificate, route, false)
        }

        /// One alone, which keeps streams of `account`.
        public init(withStreamsOf account: PlayedAccount, _ certificate: BrokerCertificate) {
            (self.account, self.certificate, route, hasStreams) = (account, certificate, nil, true)
        }
    }

    /// The port for clients.
    public private(set) var port: UInt16 = 0
    /// Where others of its cluster connect to.
    public private(set) var route = ""
    private let folder = TemporaryFolder()
    private let manner: Manner
    private var child: ChildProcess?

    /// Starts it, and waits until it listens.
    public init(_ manner: Manner) throws {
        self.manner = manner
        try start()
    }

    deinit { kill() }

    /// The program; `BELFRY_TEST_NATS`, else where the Makefile unpacks it.
    public static var program: String {
        Environment.allOfThisProcess()["BELFRY_TEST_NATS"] ?? sourceFile(".build/nats/usr/sbin/nats-server")
    }

    /// Three of one cluster.
    public static func cluster(_ account: PlayedAccount, _ certificate: BrokerCertificate) throws -> [Broker] {
        let first = try Broker(Manner(account, certificate))
        let others = try (0..<2).map { _ in try Broker(Manner(account, certificate, route: first.route)) }
        return [first] + others
    }

    /// Starts it again, on its ports.
    public func start() throws {
        let ports = folder.makeFolder("ports")
        let route = self.route.isEmpty ? "127.0.0.1:-1" : self.route
        let others =
            manner.hasStreams
            ? "jetstream { store_dir: \"\(folder.path)/streams\" }"
            : """
            cluster { name: played, listen: "\(route)", routes: [\(manner.route.map { "\"nats://\($0)\"" } ?? "")] }
            """
        let file = folder.write(
            Array(
                """
                listen: "127.0.0.1:\(port == 0 ? "-1" : "\(port)")"
                ports_file_dir: "\(ports)"
                max_payload: 65536
                \(manner.account.configuration)
                tls { cert_file: "\(manner.certificate.file)", key_file: "\(manner.certificate.keyFile)", timeout: 10 }
                \(others)

                """.utf8), to: "nats.conf")
        let log = unsafe open("\(folder.path)/log", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        defer { close(log) }
        let child = try ChildProcess(
            ChildCommand(
                path: Self.program, arguments: ["--config", file],
                streams: [0: .null, 1: .descriptor(log), 2: .descriptor(log)]))
        self.child = child
        try readPorts(of: child, in: ports)
    }

    private func readPorts(of child: ChildProcess, in ports: String) throws {
        let path = "\(ports)/nats-server_\(child.pid).ports"
        for _ in 0..<1_000 {
            // What is being written is no whole object yet.
            let said = readKernelFile(path).flatMap { try? JSONValue.parse($0) }?.objectValue
            let found = { (kind: String) in
                said?[kind]?.arrayValue?.first?.stringValue?.split(separator: "/").last.map(String.init)
            }
            let route = manner.hasStreams ? "" : found("cluster")
            if let client = found("nats"), let route {
                (port, self.route) = (client.split(separator: ":").last.flatMap { UInt16($0) } ?? 0, route)
                return
            }
            guard try child.reap() == nil else { break }
            poll(nil, 0, 10)
        }
        let log = readKernelFile("\(folder.path)/log") ?? []
        throw Missing(description: "\(Self.program) does not listen: \(String(decoding: log, as: UTF8.self))")
    }

    /// Kills it, and waits until it is gone.
    public func kill() {
        try? child?.signal(SIGKILL)
        _ = try? child?.waitUntilExit()
        child = nil
    }

    /// Stops it where it is (SIGSTOP), and waits until it stands: one of its threads takes the signal, and until then
    /// the others go on.
    public func stop() throws {
        guard let child else { return }
        try child.signal(SIGSTOP)
        let tasks = "/proc/\(child.pid)/task"
        while try Directory.names(at: tasks, max: 1_000).contains(where: { Self.goesOn("\(tasks)/\($0)/stat") }) {
            _ = poll(nil, 0, 1)
        }
    }

    private static func goesOn(_ path: String) -> Bool {
        let words = String(decoding: readKernelFile(path) ?? [], as: UTF8.self).split(separator: ")").last
        return words.map { !$0.hasPrefix(" T") } ?? false
    }

    /// Has it go on (SIGCONT).
    public func goOn() throws { try child?.signal(SIGCONT) }

    /// What it wrote to its log.
    public var log: String { String(decoding: readKernelFile("\(folder.path)/log") ?? [], as: UTF8.self) }
}

/// A certificate for 127.0.0.1 and localhost, and the authority that signed it, made by openssl.
public final class BrokerCertificate {
    private let folder = TemporaryFolder()
    /// The authority's certificate, as PEM.
    public let authority: [UInt8]

    /// Makes it.
    public init(names: String = "IP:127.0.0.1,DNS:localhost") throws {
        let path = folder.path
        let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
        try Self.openSSL(
            ["req", "-x509", "-subj", "/CN=played authority", "-keyout", "\(path)/ca.key", "-out", "\(path)/ca.pem"]
                + key)
        try Self.openSSL(
            [
                "req", "-x509", "-subj", "/CN=played broker", "-addext", "subjectAltName=\(names)", "-addext",
                "basicConstraints=critical,CA:FALSE", "-CA", "\(path)/ca.pem", "-CAkey", "\(path)/ca.key", "-keyout",
                "\(path)/server.key", "-out", "\(path)/server.pem",
            ] + key)
        authority = readKernelFile("\(path)/ca.pem") ?? []
    }

    /// The broker's file.
    public var file: String { "\(folder.path)/server.pem" }
    /// The file of its key.
    public var keyFile: String { "\(folder.path)/server.key" }

    private static func openSSL(_ arguments: [String]) throws {
        let run = try ProgramRun("/usr/bin/openssl", arguments)
        let complaints = run.complaints()
        guard try run.child.waitUntilExit().isSuccess else {
            throw Broker.Missing(description: complaints.joined(separator: "\n"))
        }
    }
}
