import BelfryJSON
import BelfrySyscalls
import BelfryTerms
import CallLedger
import Glibc
import Support
import Testing

extension IntegrationTests {
    /// `Tests/AppSample`, whose classes are those of an iOS app, started as a unit.
    @Suite("An app's own CallKit and PushKit code, from curl to didActivate") struct AppWalk {
        private static let id = "com.example.phone"
        private let folder = TemporaryFolder()
        /// On a disk, whatever is below `HOME`: in memory what a database writes can be seen at once.
        private let disk = TemporaryFolder(in: "/var/tmp")
        private let phone: Phone
        private let credentials: JSONObject

        init() throws {
            let path = folder.makeFolder("Phone.app")
            let text = """
                <plist version="1.0"><dict><key>CFBundleIdentifier</key><string>\(Self.id)</string>
                <key>TakesCalls</key><true/><key>aps-environment</key><string>development</string>
                <key>UIBackgroundModes</key><array><string>voip</string></array></dict></plist>
                """
            folder.write(Array(text.utf8), to: "Phone.app/Info.plist")
            let program = folder.write(bytes(of: builtProgram("AppSample")), to: "Phone.app/Phone")
            #expect(unsafe chmod(program, 0o755) == 0)
            phone = try Phone(
                ["BELFRY_APPS": path, "BELFRY_STATE_DIRECTORY": "\(disk.path)/state"], hasDesktop: true, hasApps: true)
            try phone.belfry("apns", "setup")
            let made = try phone.belfry("apns", "credentials", "new", "--bundle-id", Self.id, "--json")
            credentials = try #require(try JSONValue.parse(Array(made.output.utf8)).objectValue, "\(made.errors)")
            try phone.systemctl("start", "\(phone.name)-apns.socket")
        }

        /// What the app has heard and done, a line each.
        private var told: [String] { contents(of: "\(folder.path)/told").split(separator: "\n").map(String.init) }

        /// The token of the app, once `count` came.
        private func token(_ count: Int = 1) throws -> String {
            var tokens: [String] { told.filter { $0.hasPrefix("token ") } }
            #expect(waitUntil { tokens.count == count })
            return String(try #require(tokens.last).dropFirst("token ".count))
        }

        /// What curl is answered, with a certificate or with a token by the key.
        private func curl(_ fields: String, to token: String, byKey: Bool = false) throws -> String {
            let host = "api.sandbox.push.apple.com"
            let word = { (name: String) in try #require(credentials[name]?.stringValue) }
            var arguments = [
                "--silent", "--show-error", "--write-out", "%{http_code}", "--cacert", try word("authority"),
                "--connect-to", "\(host):443:127.0.0.1:\(phone.endpointPort)", "--header",
                "apns-topic: \(Self.id).voip", "--header", "apns-push-type: voip", "--data", "{\(fields)}",
                "https://\(host)/3/device/\(token)",
            ]
            if byKey {
                let script = """
                    base64url() { openssl base64 -e -A | tr '+/' '-_' | tr -d =; }
                    c=$(printf '{"alg":"ES256","kid":"%s"}' "$2" | base64url)
                    c=$c.$(printf '{"iss":"%s","iat":%d}' "$3" "$(date +%s)" | base64url)
                    printf %s "$c.$(printf %s "$c" | openssl dgst -binary -sha256 -sign "$1" | base64url)"
                    """
                let made = try run("/bin/sh", ["-c", script, "sh", word("key"), word("keyId"), word("team")])
                arguments += ["--header", "authorization: bearer \(made.output)"]
            } else {
                arguments += ["--cert", try word("certificate")]
            }
            let finished = try run("/usr/bin/curl", arguments)
            return finished.output + finished.errors
        }

        @Test("started for a push by certificate, and running for one by key: accepted by command, button and bus")
        func walk() throws {
            let server = try StubServer()
            let start = try phone.belfry("app", "start", Self.id)
            #expect(start.status == .exited(code: 0), "\(start.errors)")
            let token = try token()
            #expect(try phone.belfry("app", "stop", Self.id).status == .exited(code: 0))
            #expect(told.last == "terminating")
            #expect(try curl(#""callId": "cold""#, to: token) == "200")
            #expect(try waitUntil { try phone.rings().map(\.call) == ["cold"] })
            #expect(told.filter { $0 == "launched true" }.count == 2)
            #expect(waitUntil { phone.ledger().call(CallKey("cold"))?.name == "Jane" })
            try phone.belfry("answer", "cold")
            #expect(waitUntil { told.last == "active" }, "\(told)")
            #expect(told.filter { $0.hasPrefix("answer ") }.count == 1 && phone.ledger().answers.isEmpty)
            #expect(try curl(#""callId": "warm", "do": "update""#, to: token, byKey: true) == "200")
            var shown: StubServer.Asked?
            #expect(
                try server.shows { all in
                    shown = all.first { $0.summary.contains("Joan") && !$0.actions.isEmpty }
                    return shown != nil
                }, "the caller changes where the call is shown")
            server.obey("choose \(try #require(shown).id) call.accept")
            #expect(waitUntil { told.filter { $0.hasPrefix("answer ") }.count == 2 })
            #expect(try curl(#""callId": "bus""#, to: token, byKey: true) == "200")
            #expect(waitUntil { phone.ledger().call(CallKey("bus"))?.uuid.isEmpty == false })
            let uuid = try #require(phone.ledger().call(CallKey("bus"))?.uuid)
            // The calls that were answered go on.
            #expect(try waitUntil { try phone.rings().filter { $0.mode != "active" }.map(\.call) == ["bus"] })
            let answered = try Bus.call(
                "org.belfry.Calls1", "/org/belfry/Calls1", "org.belfry.Calls1.Answer", ["", uuid])
            #expect(answered.status == .exited(code: 0), "\(answered.errors)")
            #expect(waitUntil { told.last == "answer \(uuid)" }, "\(told)")
            #expect(waitUntil { phone.ledger().answers.isEmpty })
            #expect(told.filter { $0 == "active" }.count == 1, "the audio of three calls is one session")
            #expect(try phone.belfry("app", "stop", Self.id).status == .exited(code: 0))
        }

        @Test("a removed device is a reinstall: the app has another token, and the old one is gone")
        func reinstalled() throws {
            let start = try phone.belfry("app", "start", Self.id)
            #expect(start.status == .exited(code: 0), "\(start.errors)")
            let old = try token()
            let listed = try phone.belfry("device", "list", "--json").output
            let device = try #require(try JSONValue.parse(Array(listed.utf8)).objectValue?["id"]?.stringValue)
            #expect(try phone.belfry("device", "remove", device).status == .exited(code: 0))
            let new = try token(2)
            #expect(told.suffix(2).first == "invalid" && new != old)
            #expect(try curl(#""callId": "old""#, to: old).hasSuffix("410"))
            #expect(try phone.belfry("apns", "log").output.contains("its app was given another token"))
            #expect(try curl(#""callId": "new""#, to: new) == "200")
            #expect(try waitUntil { try phone.rings().map(\.call) == ["new"] })
            #expect(waitUntil { phone.ledger().call(CallKey("new"))?.uuid.isEmpty == false })
            try phone.belfry("hangup", phone.ledger().call(CallKey("new"))?.uuid ?? "")
            #expect(waitUntil { told.last?.hasPrefix("end ") == true }, "\(told)")
            #expect(try phone.belfry("app", "stop", Self.id).status == .exited(code: 0))
        }
    }
}
