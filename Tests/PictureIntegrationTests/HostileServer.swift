import BelfryJSON
import BelfrySyscalls
import Testing

/// Tests/Servers/hostile-http.py, running for as long as this object lives.
final class HostileServer {
    /// One for the tests that do not read its log. It ends with this process, when its standard input closes.
    nonisolated(unsafe) static let shared = Result { try HostileServer() }

    private let ports: JSONObject
    private let child: ChildProcess
    private var input: OwnedDescriptor?

    /// Starts it and waits until it listens.
    init() throws {
        let request = try DescriptorPair.pipe()
        let answer = try DescriptorPair.pipe()
        child = try ChildProcess(
            ChildCommand(
                path: "/usr/bin/python3",
                arguments: [SourceTree.file("Tests/Servers/hostile-http.py")],
                streams: [0: .descriptor(request.reading.number), 1: .descriptor(answer.writing.number)]))
        // Only its own end is left, so that a server that dies is seen.
        answer.writing.close()
        input = .some(request.writing)
        let line = try readLine(answer.reading.number)
        ports = try #require(JSONValue.parse(line).objectValue)
    }

    deinit {
        // The end of its input ends it, and it tidies up.
        input = nil
        _ = try? child.waitUntilExit()
    }

    /// The file of its test CA.
    var authority: String { ports["ca"]?.stringValue ?? "" }

    /// The port of `listener`: http, private, good, elsewhere, expired or untrusted.
    func port(_ listener: String) -> Int64 { ports[listener]?.integerValue ?? 0 }

    /// The URL of `path` on the plain listener.
    func url(_ path: String) -> String { "http://127.0.0.1:\(port("http"))/\(path)" }

    /// The URL of `path` on a TLS listener.
    func secureURL(_ path: String, _ listener: String) -> String { "https://localhost:\(port(listener))/\(path)" }

    /// The environment of a program whose resolver and network change their mind, as Tests/Servers/resolver-stand-in.c
    /// describes it.
    func standIn(answers: String, routes: String = "") -> [String: String] {
        ["LD_PRELOAD": ports["standIn"]?.stringValue ?? "", "STAND_IN_ANSWERS": answers, "STAND_IN_ROUTES": routes]
    }

    /// What it logged: connections and requests, in order.
    func log() throws -> [JSONObject] {
        try contents(of: ports["log"]?.stringValue ?? "").split(separator: UInt8(ascii: "\n")).compactMap {
            try JSONValue.parse(Array($0)).objectValue
        }
    }

    /// How many connections `listener` took.
    func connectionCount(_ listener: String) throws -> Int {
        try log().count { $0["kind"]?.stringValue == "connect" && $0["listener"]?.stringValue == listener }
    }
}
