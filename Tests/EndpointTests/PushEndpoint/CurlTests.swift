import BelfryDevices
import BelfryJSON
import BelfrySyscalls
import BelfryTLS
import BelfryTerms
import HTTP2Server
import PushAPI
import PushEndpoint
import Support
import Testing

/// curl as it is, with a certificate and with a token, pointed at an endpoint by its name alone.
@Suite struct CurlTests {
    let bench: EndpointBench

    init() throws { bench = try EndpointBench() }

    private var certificate: [String] { ["--cert", bench.minted.certificatePath] }
    private let topic = ["--header", "apns-topic: com.example.phone"]

    @Test("credentials are made for the longest identifier of an app")
    func longestIdentifier() throws {
        let bundleID = "com.example." + String(repeating: "a", count: 228)
        let minted = try bench.store.mint(bundleID: bundleID, team: EndpointBench.team, environments: [.production])
        let said = try bench.curl(
            ["--cert", minted.certificatePath, "--header", "apns-topic: \(bundleID)"], to: bench.alertToken)
        #expect(said.contains("DeviceTokenNotForTopic"), "\(said)")
    }

    @Test("a certificate that is made here is good for a year, as Apple's are")
    func year() throws {
        let certificate = try #require(try bench.store.credentials().certificates.values.first)
        let left = certificate.expiresAt.microseconds - wallTimeMicroseconds()
        let day: Int64 = 86_400_000_000
        #expect((left + day / 2) / day == 365)
    }

    @Test("what a command that was killed had half written is in nobody's way")
    func halfWritten() throws {
        for name in ["credentials.json", "server.key", "server.pem"] {
            bench.folder.write([1], to: "state/credentials/\(name).new")
        }
        try bench.store.setUp(hostName: nil)
        _ = try bench.store.mint(bundleID: "com.example.other", team: EndpointBench.team, environments: [.production])
        #expect(try bench.store.credentials().certificates.count == 2)
        #expect(try bench.curl(certificate + topic) == "200 2\n")
    }

    @Test("a call with a certificate in a PEM file is taken as it was sent")
    func certificateCall() throws {
        let payload = #"{"callId":"1","callerName":"Anna","handle":"+49","hasVideo":true,"callerAvatar":"https://a/b"}"#
        let said = try bench.curl(
            certificate + [
                "--header", "apns-topic: com.example.phone.voip", "--header", "apns-push-type: voip", "--header",
                "apns-priority: 10", "--header", "apns-expiration: 0",
            ], to: bench.voipToken, payload: payload)
        #expect(said == "200 2\n")
        let push = try #require(bench.pushes.first)
        #expect(push.pushType == .voip && push.payload == Array(payload.utf8) && push.token == bench.voipToken)
        #expect(push.expiration == WallTime(microseconds: 0) && push.priority == .immediate)
    }

    @Test("a push with a key's token, answered with its apns-id and no body")
    func tokenPush() throws {
        let id = "AAAAAAAA-bbbb-cccc-DDDD-eeeeeeeeeeee"
        let said = try bench.curl(
            topic + ["--header", try bench.bearer(), "--header", "apns-id: \(id)", "--dump-header", "-"])
        #expect(said == "HTTP/2 200 \r\napns-id: \(id)\r\n\r\n200 2\n")
        #expect(bench.pushes.map(\.apnsID) == [id])
    }

    @Test("a refusal, with the reason and its kind")
    func refusal() throws {
        let said = try bench.curl(
            topic + ["--header", try bench.bearer(), "--dump-header", "-"], to: bench.removedToken)
        #expect(said.hasPrefix("HTTP/2 410 \r\napns-id: "))
        let id = String(said.dropFirst("HTTP/2 410 \napns-id: ".count).prefix(36))
        #expect(isUUID(id) && id == id.uppercased(), "made here: upper case, as seen")
        #expect(
            said.hasSuffix(
                "content-type: application/json\r\n\r\n{\"reason\":\"Unregistered\",\"timestamp\":1700000000123}410 2\n"
            ))
        #expect(bench.refusals == [.unregistered])
    }

    @Test("the development environment answers with apns-unique-id, and has tokens of its own")
    func development() throws {
        let said = try bench.curl(
            topic + ["--header", try bench.bearer()], host: "api.sandbox.push.apple.com")
        #expect(said.hasSuffix("{\"reason\":\"BadEnvironmentKeyInToken\"}403 2\n"))
    }

    @Test(
        "tokens as other libraries make them: DER, base64 in either alphabet and with padding, seconds with a fraction",
        arguments: ["der", "base64", "padded", "padded-url", "fraction", "exponent"])
    func otherTokens(_ kind: String) throws {
        #expect(try bench.curl(topic + ["--header", try bench.bearer(kind)]) == "200 2\n")
    }

    @Test(
        "tokens that are none, whoever signed them",
        arguments: [
            "none", "hs256", "der-and-more", "zero", "order", "curve", "p384", "duplicate", "milliseconds",
            "milliseconds-fraction", "text", "huge", "ahead",
        ])
    func wrongTokens(_ kind: String) throws {
        let said = try bench.curl(topic + ["--header", try bench.bearer(kind)])
        #expect(said == "{\"reason\":\"InvalidProviderToken\"}403 2\n")
    }

    @Test("a token that is too old, by a negative time too", arguments: ["old", "old-fraction", "negative"])
    func oldTokens(_ kind: String) throws {
        let said = try bench.curl(topic + ["--header", try bench.bearer(kind)])
        #expect(said == "{\"reason\":\"ExpiredProviderToken\"}403 2\n")
    }

    @Test("a certificate of the other environment is sent away with the reason")
    func otherEnvironment() throws {
        let said = try bench.curl(
            certificate + topic + ["--verbose"], host: "api.development.push.apple.com")
        #expect(said.contains("000 ") && bench.pushes.isEmpty, "\(said)")
        #expect(bench.ends.first?.why == .badCertificateEnvironment)
        #expect(bench.ends.first?.detail.hasSuffix("is for production, and the client asked for development") == true)
        #expect(bench.endpoint.connectionCount == 0)
        let shown = try bench.play(
            "shown", environment: ["CERTIFICATE": bench.minted.certificatePath, "NAME": "api.sandbox.push.apple.com"])
        let goaway = shown["goaway"]?.objectValue
        #expect(goaway?["data"] == #"{"reason":"BadCertificateEnvironment"}"#, "\(shown)")
        #expect(goaway?["last"] == 0 && goaway?["code"] == 0 && shown["closed"] == true, "\(shown)")
    }

    @Test("a certificate with several topics needs one to be named, and may not use others")
    func topics() throws {
        #expect(try bench.curl(certificate) == "{\"reason\":\"MissingTopic\"}400 2\n")
        #expect(
            try bench.curl(certificate + ["--header", "apns-topic: com.example.other"])
                == "{\"reason\":\"TopicDisallowed\"}400 2\n")
        #expect(
            try bench.curl(topic + certificate, to: bench.voipToken) == "{\"reason\":\"DeviceTokenNotForTopic\"}400 2\n"
        )
    }

    @Test("a certificate that was not added here")
    func foreign() throws {
        let key = "\(bench.folder.path)/foreign.pem"
        _ = try bench.run(
            "/usr/bin/openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj",
                "/UID=com.example.phone",
                "-keyout", key, "-out", key + ".cert",
            ])
        let said = try bench.curl(topic + ["--cert", key + ".cert", "--key", key])
        #expect(said == "{\"reason\":\"BadCertificate\"}403 2\n")
        #expect(bench.refused.first?.refusal.detail.contains("was not added: see belfry apns list") == true)
    }

    /// A certificate of the app's, good from now on for `days`, with its key in one file; it was added.
    private func made(days: Int, beginsInDays: Int = 0) throws -> String {
        let key = try SigningKey()
        let production = CertificateRequest.ExtensionValue(number: PushTopics.productionNumber, der: [5, 0])
        var request = CertificateRequest(
            commonName: "Apple Push Services: \(EndpointBench.bundleID)", userID: EndpointBench.bundleID,
            unit: EndpointBench.team, use: .client(extensions: [production]), days: days)
        request.beginsInDays = beginsInDays
        let made = try Certificate.make(request, for: key, issuerKey: key)
        _ = try bench.store.addCertificate(file: made.pem())
        return bench.folder.write(try made.pem() + key.pem(), to: "made\(days).pem")
    }

    @Test("a certificate that has expired ends its handshake")
    func expired() throws {
        let said = try bench.curl(topic + ["--cert", try made(days: -1)])
        #expect(said.contains("expired") && bench.pushes.isEmpty, "\(said)")
        let end = try #require(bench.ends.first)
        #expect(end.why == .certificateExpired && bench.ends.count == 1)
        let fingerprint = try #require(end.fingerprint)
        #expect(try bench.store.credentials().certificates[fingerprint]?.listedTopics == [])
        #expect(end.detail == "certificate \(fingerprint) has expired, 24 h ago")
    }

    @Test("so does one that is not valid yet")
    func notYet() throws {
        let said = try bench.curl(topic + ["--cert", try made(days: 3, beginsInDays: 1)])
        #expect(said.contains("expired") && bench.pushes.isEmpty, "\(said)")
        #expect(bench.ends.map(\.why) == [.certificateNotYet] && bench.ends.first?.fingerprint != nil)
    }

    @Test("a name that was added is among the endpoint's own, in the certificates made later too")
    func names() throws {
        try bench.store.setUp(hostName: nil, adding: ["VM.local", "192.168.1.7", "fe80::1", "vm.local"])
        try bench.store.setUp(hostName: "example.test")
        #expect(try bench.store.addedNames() == ["vm.local", "192.168.1.7", "fe80::1"])
        let text = try ProgramRun(
            "/usr/bin/openssl",
            ["x509", "-noout", "-ext", "subjectAltName", "-in", bench.folder.path + "/state/credentials/server.pem"]
        ).lines().joined()
        for name in ["DNS:vm.local", "IP Address:192.168.1.7", "IP Address:FE80:0:0:0:0:0:0:1", "DNS:example.test"] {
            #expect(text.contains(name), "\(text)")
        }
    }

    @Test(
        "what is neither a name nor an address is not added", arguments: ["a,DNS:b", "", "a b", "a..b", "[::1]", "é"])
    func noName(_ name: String) throws {
        #expect(throws: CredentialError("\(name) is neither a host's name nor an address", .unusable)) {
            try bench.store.setUp(hostName: nil, adding: ["good.test", name])
        }
        #expect(try bench.store.addedNames().isEmpty)
    }

    @Test("no more names are added than there may be")
    func tooManyNames() throws {
        let names = (1...CredentialStore.namesMax).map { "host\($0).test" }
        try bench.store.setUp(hostName: nil, adding: names)
        #expect(throws: CredentialError.self) { try bench.store.setUp(hostName: nil, adding: ["one.more"]) }
        #expect(try bench.store.addedNames() == names)
    }

    @Test("a key that is made for an app is good for that app's topics, and no others")
    func keyOfAnApp() throws {
        let second = try bench.store.mint(
            bundleID: "com.example.other", team: "TEAMTEAM02", environments: [.production])
        let bearer = ["--header", try bench.bearer(key: second.keyPath, id: second.keyID, team: "TEAMTEAM02")]
        #expect(try bench.curl(topic + bearer) == "{\"reason\":\"TopicDisallowed\"}400 2\n")
        let topics = try #require(try bench.store.credentials().keys[second.keyID]?.topics)
        #expect(topics.count == 9 && topics.first == "com.example.other" && topics[1] == "com.example.other.voip")
    }

    @Test("a certificate without a list is for its subject's topic alone, which need not be named")
    func singleTopic() throws {
        let certificate = ["--cert", try made(days: 1)]
        #expect(try bench.curl(certificate) == "200 2\n")
        #expect(try bench.curl(certificate + topic) == "200 2\n")
        #expect(
            try bench.curl(certificate + ["--header", "apns-topic: com.example.phone.voip"], to: bench.voipToken)
                == "{\"reason\":\"TopicDisallowed\"}400 2\n")
    }

    @Test("what was revoked counts at once: a key is Forbidden, a certificate ends its handshake")
    func revoked() throws {
        let now = WallTime(microseconds: 1_790_000_000_000_000)
        let bearer = try bench.bearer()
        #expect(try bench.curl(topic + ["--header", bearer]) == "200 2\n")
        _ = try bench.store.revoke(bench.minted.keyID, at: now)
        #expect(try bench.curl(topic + ["--header", bearer]) == "{\"reason\":\"Forbidden\"}403 2\n")
        let fingerprint = try #require(try bench.store.credentials().certificates.keys.first)
        #expect(try bench.curl(topic + certificate) == "200 2\n")
        _ = try bench.store.revoke(String(fingerprint.prefix(12)), at: now)
        let said = try bench.curl(topic + certificate)
        #expect(said.contains("revoked") && bench.pushes.count == 2, "\(said)")
        #expect(bench.ends.map(\.why) == [.certificateRevoked] && bench.ends.first?.fingerprint == fingerprint)
    }

    @Test("a key that is added while the endpoint serves is known from then on")
    func added() throws {
        let second = try bench.store.mint(
            bundleID: "com.example.phone", team: "TEAMTEAM02", environments: [.production, .development])
        let bearer = try bench.bearer(key: second.keyPath, id: second.keyID, team: "TEAMTEAM02")
        #expect(try bench.curl(topic + ["--header", bearer]) == "200 2\n")
    }

    @Test(
        "whom the endpoint cannot keep a push for is told what it is",
        arguments: [
            (EndpointReason.tooManyRequests, "429"), (.serviceUnavailable, "503"), (.internalServerError, "500"),
        ])
    func unkept(_ reason: EndpointReason, status: String) throws {
        bench.outcome = reason
        let said = try bench.curl(topic + ["--header", try bench.bearer()])
        #expect(said == "{\"reason\":\"\(reason.rawValue)\"}\(status) 2\n")
    }

    @Test("the next answers are what a tester wants, as often as they want it")
    func faults() throws {
        let fault = AnswerFault(
            token: bench.alertToken, status: 503, reason: "Invented", times: 2, delay: .milliseconds(1))
        #expect(bench.endpoint.add(fault))
        let arguments = topic + ["--header", try bench.bearer()]
        // Whatever is wrong with the request, as with the second.
        #expect(try bench.curl(arguments) == "{\"reason\":\"Invented\"}503 2\n")
        #expect(try bench.curl([]) == "{\"reason\":\"Invented\"}503 2\n")
        #expect(bench.faults.map(\.reason) == ["Invented", "Invented"] && bench.refusals.isEmpty)
        #expect(try bench.curl(arguments) == "200 2\n")
        #expect(bench.pushes.count == 1)
    }

    @Test("a fault is for the device that it names, and one of 200 is a push that never arrives")
    func faultsOfOne() throws {
        func fault(_ token: DeviceToken?, _ status: Int) -> AnswerFault {
            AnswerFault(token: token, status: status, reason: "", times: 1, delay: .zero)
        }
        #expect(bench.endpoint.add(fault(bench.removedToken, 200)) && bench.endpoint.add(fault(bench.voipToken, 410)))
        let arguments = topic + ["--header", try bench.bearer()]
        #expect(try bench.curl(arguments) == "200 2\n")
        #expect(bench.pushes.count == 1)
        #expect(try bench.curl(arguments, to: bench.removedToken) == "200 2\n")
        let gone = try bench.curl(arguments, to: bench.voipToken)
        #expect(gone.hasPrefix(#"{"reason":"","timestamp":1"#) && gone.hasSuffix("}410 2\n"), "\(gone)")
        #expect(bench.pushes.count == 1)
        #expect(bench.endpoint.add(fault(nil, 200)))
        #expect(try bench.curl([], to: .random()) == "200 2\n")
        #expect(bench.faults.map(\.status) == [200, 410, 200])
    }
}
