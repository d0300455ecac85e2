public import BelfryJSON
public import BelfrySyscalls
import Glibc

/// Tests/Servers/hostile-http.py, running for as long as this object lives.
public final class HostileServer {
    /// One for the tests that do not read its log. It ends with this process, when its standard input closes.
    public nonisolated(unsafe) static let shared = Result { () throws(SystemError) in try HostileServer() }

    private let ports: JSONObject
    private let child: ChildProcess
    private var input: OwnedDescriptor?

    /// Starts it and waits until it listens.
    public init() throws(SystemError) {
        let request = try DescriptorPair.pipe()
        let answer = try DescriptorPair.pipe()
        child = try ChildProcess(
            ChildCommand(
                path: "/usr/bin/python3", arguments: [sourceFile("Tests/Servers/hostile-http.py")],
                streams: [0: .descriptor(request.reading.number), 1: .descriptor(answer.writing.number)]))
        // With this end closed, a server that dies ends the line that is waited for.
        answer.writing.close()
        input = .some(request.writing)
        let line = LineReader(answer.reading).next(within: 30_000)
        guard let ports = (try? JSONValue.parse(Array((line ?? "").utf8)))?.objectValue else {
            throw SystemError(errno: EPROTO, call: "start", subject: "hostile-http.py, which said \(line ?? "nothing")")
        }
        self.ports = ports
    }

    deinit {
        // The end of its input ends it, and it tidies up.
        input = nil
        _ = try? child.waitUntilExit()
    }

    /// The file of its test CA.
    public var authority: String { ports["ca"]?.stringValue ?? "" }

    /// The port of `listener`: http, private, good, elsewhere, expired or untrusted.
    public func port(_ listener: String) -> Int64 { ports[listener]?.integerValue ?? 0 }

    /// The URL of `path` on the plain listener, which is 50 hosts, numbered from 1.
    public func url(_ path: String, host: Int = 1) -> String { "http://127.0.0.\(host):\(port("http"))/\(path)" }

    /// The URL of `path` on a TLS listener.
    public func secureURL(_ path: String, _ listener: String) -> String {
        "https://localhost:\(port(listener))/\(path)"
    }

    /// The environment of a program whose resolver and network change their mind, as Tests/Servers/resolver-stand-in.c
    /// describes it.
    public func standIn(answers: String, routes: String = "") -> [String: String] {
        ["LD_PRELOAD": ports["standIn"]?.stringValue ?? "", "STAND_IN_ANSWERS": answers, "STAND_IN_ROUTES": routes]
    }

    /// The requests it had, in order.
    public func requests() throws(SystemError) -> [JSONObject] {
        try log().filter { $0["kind"]?.stringValue == "request" }
    }

    /// How many requests of `path` it had.
    public func requestCount(of path: String) throws(SystemError) -> Int {
        try requests().count { $0["line"]?.stringValue?.hasPrefix("GET /\(path) ") == true }
    }

    /// How many connections `listener` took.
    public func connectionCount(_ listener: String) throws(SystemError) -> Int {
        try log().count { $0["kind"]?.stringValue == "connect" && $0["listener"]?.stringValue == listener }
    }

    private func log() throws(SystemError) -> [JSONObject] {
        let path = ports["log"]?.stringValue ?? ""
        let file = OwnedDescriptor(owning: try checked("open", on: path) { unsafe open(path, O_RDONLY | O_CLOEXEC) })
        let bytes = ScriptedWorker.readAll(file.number)
        return bytes.split(separator: UInt8(ascii: "\n")).compactMap { try? JSONValue.parse(Array($0)).objectValue }
    }
}
