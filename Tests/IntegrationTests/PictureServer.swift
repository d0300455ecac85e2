import BelfryJSON
import BelfrySyscalls
import Glibc
import Support
import Testing

/// Tests/Servers/hostile-http.py, running for as long as this object lives.
final class PictureServer {
    private let child: ChildProcess
    private let ports: JSONObject
    private var input: OwnedDescriptor?

    /// Starts it and waits until it listens.
    init() throws {
        let request = try DescriptorPair.pipe()
        let answer = try DescriptorPair.pipe()
        let root = try #require(Surroundings.value("BELFRY_TEST_ROOT"))
        child = try ChildProcess(
            ChildCommand(
                path: "/usr/bin/python3", arguments: ["\(root)/Tests/Servers/hostile-http.py"],
                streams: [0: .descriptor(request.reading.number), 1: .descriptor(answer.writing.number)]))
        answer.writing.close()
        input = .some(request.writing)
        let line = try #require(LineReader(answer.reading).next(within: 30_000))
        ports = try #require(JSONValue.parse(Array(line.utf8)).objectValue)
    }

    deinit {
        // The end of its input ends it, and it tidies up.
        input = nil
        _ = try? child.waitUntilExit()
    }

    /// The file of its test CA.
    var authority: String { ports["ca"]?.stringValue ?? "" }

    /// The URL of `path` on the plain listener.
    func url(_ path: String) -> String { "http://127.0.0.1:\(port("http"))/\(path)" }

    /// The URL of `path` on a TLS listener: good, elsewhere, expired or untrusted.
    func secureURL(_ path: String, _ listener: String) -> String { "https://localhost:\(port(listener))/\(path)" }

    /// Requests of `path` that it has had.
    func requests(of path: String) -> Int {
        contents(of: ports["log"]?.stringValue ?? "").split(separator: "\n").count {
            $0.contains("\"request\"") && $0.contains("GET /\(path) ")
        }
    }

    private func port(_ listener: String) -> Int64 { ports[listener]?.integerValue ?? 0 }
}
