import BelfryAppGroup
import BelfryDevices
import BelfryJSON
import BelfryTerms
import DeviceRegistry
import PushEndpoint
import Support
import Testing

/// Push servers' clients as Debian has them, with nothing changed: Apple's names, in a network of their own, and
/// belfry-apns itself (Tests/Servers/apns-clients.py).
@Suite struct RealClientTests {
    /// What every client is answered, and that it goes on after a GOAWAY and after a new start.
    private static let ofAll: JSONObject = [
        "good": "200", "none": "400 BadDeviceToken", "removed": "410 Unregistered", "large": "413 PayloadTooLarge",
        "TooManyRequests": "429 TooManyRequests", "InternalServerError": "500 InternalServerError",
        "ServiceUnavailable": "503 ServiceUnavailable", "goaway": "200", "restart": "200",
    ]

    /// What those are answered besides that let their user choose path and method.
    private static let ofPrograms: JSONObject = ["path": "404 BadPath", "method": "405 MethodNotAllowed"]

    private static func expected(_ more: JSONObject...) -> JSONObject {
        var all = ofAll
        for member in more.flatMap(\.members) { all[member.key] = member.value }
        return all
    }

    @Test("aioapns, httpx, nghttp and curl: 200, each class of error, GOAWAY, reconnection")
    func clients() throws {
        let folder = TemporaryFolder()
        let state = StateDirectory(path: folder.path + "/state")
        let store = try CredentialStore(state: state)
        try store.setUp(hostName: nil)
        let minted = try store.mint(
            bundleID: "com.example.phone", team: "TEAMTEAM01", environments: [.production, .development])
        let registry = try TokenRegistry(state: state)
        let now = WallTime(microseconds: 1_790_000_000_000_000)
        let devices = try (0..<3).map { _ in
            try registry.add(bundleID: "com.example.phone", appGroup: nil, environment: .production, at: now)
        }
        #expect(try registry.remove(devices[1].id, at: now))
        let run = try ProgramRun(
            "/usr/bin/unshare",
            [
                "--user", "--map-root-user", "--net", "--mount", "/usr/bin/python3",
                sourceFile("Tests/Servers/apns-clients.py"), testedProgram("belfry-apns"), state.path,
                "com.example.phone",
            ] + devices.map(\.alertToken.hex) + [minted.keyPath, minted.keyID, minted.team, minted.certificatePath])
        let said = run.lines()
        let found = (try? JSONValue.parse(Array((said.last ?? "").utf8)))?.objectValue ?? JSONObject()
        let certificate: JSONObject = ["forbidden": "403 BadCertificate"]
        let key: JSONObject = ["forbidden": "403 InvalidProviderToken"]
        let expected: [(String, JSONObject)] = [
            ("aioapns", Self.expected(key, ["many": "200"])),
            ("httpx", Self.expected(certificate, Self.ofPrograms, ["development": "400 BadDeviceToken"])),
            (
                "nghttp",
                Self.expected(certificate, Self.ofPrograms, ["goaway": #"200 503 {"reason":"Shutdown"}"#])
            ),
            ("curl PEM", Self.expected(certificate, Self.ofPrograms, ["goaway": "200 503 200 over 2"])),
            ("curl JWT", Self.expected(key, Self.ofPrograms, ["goaway": "200 503 200 over 2"])),
        ]
        for (name, answers) in expected {
            let got = found[name]?.objectValue ?? JSONObject()
            for member in answers.members {
                #expect(got[member.key] == member.value, "\(name), \(member.key): \(got)")
            }
            #expect(got.members.count == answers.members.count, "\(name): \(got)")
        }
        // Where there are more clients than Debian's, they play too.
        let unknown = Set(found.members.map(\.key)).subtracting(expected.map(\.0) + ["kalyke"])
        #expect(unknown.isEmpty, "\(unknown) \(run.complaints())")
    }
}
