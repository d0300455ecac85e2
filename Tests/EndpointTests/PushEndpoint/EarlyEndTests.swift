import BelfryDevices
import BelfryEventLoop
import BelfryTLS
import BelfryTerms
import HTTP2Server
import PushAPI
import PushEndpoint
import Support
import Testing

/// What is told of connections that ended before a request, and of strangers' requests.
@Suite struct EarlyEndTests {
    private let topic = ["--header", "apns-topic: com.example.phone"]

    @Test(
        "a connection that ends before a request is told, with why",
        arguments: [
            ("plain-http", [ConnectionEnd.noTLS]), ("alpn-http1", [.noHTTP2]), ("http1", [.badHTTP2]),
            ("settings-large", [.badHTTP2]), ("ordinary", []), ("malformed", []),
        ])
    func scenarios(_ scenario: String, _ expected: [ConnectionEnd]) throws {
        let bench = try EndpointBench()
        _ = try bench.play(scenario)
        // A busy machine may take more than a second for two of a kind.
        #expect(Set(bench.ends.map(\.why)) == Set(expected) && bench.ends.allSatisfy { $0.fingerprint == nil })
    }

    @Test("so is one of which nothing comes for too long")
    func slow() throws {
        let bench = try EndpointBench { $0.handshakeTime = .milliseconds(500) }
        _ = try bench.play("slow-handshake")
        // On a busy machine other clients of the scenario may be slow, too.
        #expect(bench.ends.contains { $0.why == .timeout })
    }

    @Test("so is one whose client does not trust the endpoint, and one whose client goes by itself")
    func clientsWhoLeave() throws {
        let bench = try EndpointBench()
        let said = try bench.run("/usr/bin/curl", ["--silent", "--show-error", "https://localhost:\(bench.port)/"])
        #expect(said.contains("certificate") && bench.ends.map(\.why) == [.untrusted], "\(said)")
        let client = "exec 3<>/dev/tcp/127.0.0.1/\(bench.port); exec 3>&-; sleep 0.1"
        _ = try bench.run("/bin/bash", ["-c", client])
        #expect(bench.ends.map(\.why) == [.untrusted, .left])
        let after = "openssl s_client -alpn h2 -connect 127.0.0.1:\(bench.port) </dev/null >/dev/null 2>&1; sleep 0.1"
        _ = try bench.run("/bin/bash", ["-c", "sleep 1; \(after)"])
        #expect(bench.ends.map(\.why) == [.untrusted, .left, .left])
    }

    @Test("and one whose place goes to another, but not one that is sent away")
    func placesAndFarewells() throws {
        let crowded = try EndpointBench { $0.strangersMax = 3 }
        _ = try crowded.run(
            "/bin/bash",
            ["-c", "for i in 1 2 3 4 5; do exec {n}<>/dev/tcp/127.0.0.1/\(crowded.port); sleep 0.05; done; sleep 1.2"])
        #expect(crowded.ends.first?.why == .crowded)
        #expect(crowded.more.first { $0.code == "crowded" }?.count == 1, "\(crowded.more)")
        let bench = try EndpointBench()
        let begins = "printf 'PRI * HTTP/2.0\\r\\n\\r\\nSM\\r\\n\\r\\n\\0\\0\\0\\4\\0\\0\\0\\0\\0'; sleep 2"
        let client = "(\(begins)) | openssl s_client -alpn h2 -quiet -connect 127.0.0.1:\(bench.port) 2>/dev/null"
        _ = try bench.run("/bin/bash", ["-c", client]) { bench.endpoint.sendAway(.shutdown) }
        #expect(bench.ends.isEmpty, "\(bench.ends)")
    }

    @Test("a flood of strangers is one line in full of each kind in a second, and one more; of a server all is told")
    func flood() throws {
        let bench = try EndpointBench()
        let urls = (0..<20).map { _ in "https://api.push.apple.com/3/device/\(bench.alertToken.hex)" }
        _ = try bench.curl(topic + urls)
        _ = try bench.run("/bin/sleep", ["1.2"])
        // They are 21, in one second, or two or three of a busy machine.
        let strangers = bench.refused.count
        #expect(strangers <= 3 && strangers + bench.more.map(\.count).reduce(0, +) == 21)
        #expect(Set(bench.refusals) == [.missingProviderToken] && bench.more.last?.code == "MissingProviderToken")
        let told = try #require(bench.refused.first)
        #expect(told.request.token == nil && told.request.topic == "com.example.phone", "nothing is looked up")
        #expect(told.refusal.detail.contains("no authorization header"))
        let bearer = ["--header", try bench.bearer()]
        _ = try bench.curl(topic + bearer + urls, to: bench.removedToken, payload: "[]")
        #expect(bench.refused.count == strangers + 21)
        #expect(bench.refused.last?.request.token == bench.alertToken)
    }

    @Test("what was not told yet is told as the endpoint stops")
    func stopped() throws {
        let bench = try EndpointBench()
        let bearer = ["--header", try bench.bearer("none")]
        let url = "https://api.push.apple.com/3/device/\(bench.alertToken.hex)"
        _ = try bench.curl(topic + bearer + [url, url])
        bench.endpoint.stop { [loop = bench.loop] in loop.stop() }
        bench.loop.run()
        #expect(bench.refused.count + bench.more.map(\.count).reduce(0, +) == 3)
        #expect(bench.more.map(\.code) == ["InvalidProviderToken"])
    }
}
