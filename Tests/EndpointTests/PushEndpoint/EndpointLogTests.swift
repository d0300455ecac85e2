import BelfryEventLoop
import BelfryJSON
import BelfryServe
import BelfrySyscalls
import Support
import Testing

/// What the program itself writes into its log of pushes, and what testers can have it do; curl is the push server.
@Suite struct EndpointLogTests {
    private let folder = TemporaryFolder()
    private let loop: Loop
    private let endpoint: ServedEndpoint
    private let values: [String: String]

    init() throws {
        let environment = [
            "PATH": "/usr/bin:/bin", "BELFRY_STATE_DIRECTORY": "\(folder.path)/state", "BELFRY_SOCKET": "/nowhere",
            "TZ": "UTC",
        ]
        loop = try Loop()
        endpoint = try ServedEndpoint(
            testedProgram("belfry-apns"), environment: environment, runtimePath: "\(folder.path)/run", on: loop)
        values = Dictionary(endpoint.variables.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
    }

    private func stop() {
        endpoint.stop { [loop] in loop.stop() }
        loop.run()
    }

    private func value(_ name: String) throws -> String { try #require(values["BELFRY_APNS_\(name)"]) }

    private func apns(_ words: String...) throws -> ProgramRun {
        try ProgramRun(
            testedProgram("belfry-apns"), ["apns"] + words,
            environment: [
                "BELFRY_STATE_DIRECTORY": "\(folder.path)/state", "BELFRY_APNS_SOCKET": try value("SOCKET"),
                "TZ": "UTC",
            ])
    }

    /// What curl prints: bodies, and a status behind each.
    @discardableResult
    private func curl(_ arguments: String...) throws -> String {
        let run = try ProgramRun(
            "/usr/bin/curl",
            [
                "--silent", "--cacert", try value("CA"), "--write-out", "%{http_code}\n", "--data", "{\"aps\":{}}",
            ] + arguments)
        return run.lines().joined(separator: "\n")
    }

    private func url() throws -> String { "\(try value("URL"))/3/device/\(try value("TOKEN"))" }

    /// The next line of `log` behind date and time that holds `part`.
    private func line(of log: ProgramRun, with part: String) -> String? {
        while let line = log.line(within: 10_000) {
            if line.contains(part) { return line.split(separator: " ").dropFirst(2).joined(separator: " ") }
        }
        return nil
    }

    @Test("the log tells why requests were refused and connections ended, of strangers the first and how many more")
    func told() throws {
        defer { stop() }
        let log = try apns("log", "--follow")
        // First of all, since they are counted from the first stranger on.
        try curl(try url(), try url(), try url())
        #expect(line(of: log, with: "MissingProviderToken")?.hasSuffix("there is no authorization header") == true)
        #expect(line(of: log, with: "and 2 more") == "refused 403 MissingProviderToken: and 2 more")
        try curl(try value("URL").replacing("https", with: "http"))
        #expect(line(of: log, with: "no-tls")?.hasPrefix("disconnected no-tls: the client speaks no TLS") == true)
        let certificate = try value("CERTIFICATE")
        try curl("--cert", certificate, "--header", "apns-topic: com.other", try url())
        let refused = line(of: log, with: "TopicDisallowed") ?? ""
        #expect(refused.contains(" refused 400 TopicDisallowed com.other device \(try value("DEVICE")): certificate "))
        let fingerprint = try #require(refused.split(separator: " ").drop { $0 != "certificate" }.dropFirst().first)
        #expect(try apns("revoke", String(fingerprint.prefix(16))).lines().count == 1)
        try curl("--cert", certificate, try url())
        #expect(
            line(of: log, with: "certificate-revoked")
                == "disconnected certificate-revoked: certificate \(fingerprint) was revoked")
        try log.child.signal(9)
        _ = try log.child.waitUntilExit()
        let lines = try apns("log", "--json").lines()
        let objects = lines.compactMap { try? JSONValue.parse(Array($0.utf8)).objectValue }
        let ended = objects.first { $0["code"] == "certificate-revoked" }
        #expect(ended?["certificate"]?.stringValue == String(fingerprint) && ended?["id"] == nil, "\(lines)")
        #expect(objects.compactMap { $0["more"]?.integerValue } == [2])
        #expect(!lines.joined().contains(try value("TOKEN")))
    }

    @Test("list shows what failure is set and how often still, and fail --clear takes it back")
    func failures() throws {
        defer { stop() }
        let fresh = try apns("list").lines()
        #expect(try apns("fail", "--status", "503", "--reason", "Invented", "--times", "3").lines().isEmpty)
        let token = try value("VOIP_TOKEN")
        #expect(try apns("fail", "--status", "200", "--token", token, "--delay", "0.5").lines().isEmpty)
        try curl(try url())
        #expect(
            try apns("list").lines() == fresh + [
                "fail 503 Invented, 2 times", "fail 200, once, token \(token), 0.5 s late",
            ])
        let json = try apns("list", "--json").lines().first ?? ""
        let listed = try JSONValue.parse(Array(json.utf8)).objectValue?["failures"]?.arrayValue
        #expect(listed?.first?.objectValue == ["status": 503, "reason": "Invented", "times": 2, "seconds": .real(0)])
        #expect(try apns("fail", "--clear", "--times", "2").complaints().first?.contains("no other option") == true)
        #expect(try apns("fail", "--clear").complaints().isEmpty)
        #expect(try apns("list").lines() == fresh)
        #expect(try curl(try url()).contains("MissingProviderToken"))
    }
}
