import BelfryAppGroup
import BelfryJSON
import BelfrySyscalls
import BelfryTerms
import CallLedger
import Glibc
import Support
import Testing

extension IntegrationTests {
    @Suite("A push server's client rings a phone") struct Endpoint {
        private let phone: Phone
        private let voip: String
        private let alert: String
        private let certificate: String

        /// On a disk, whatever is below `HOME`: in memory what a database writes can be seen at once.
        private let disk = TemporaryFolder(in: "/var/tmp")

        init() throws {
            phone = try Phone(["BELFRY_STATE_DIRECTORY": "\(disk.path)/state"])
            try phone.belfry("apns", "setup")
            let device = try object(phone.belfry("device", "add", "--bundle-id", "com.example.phone", "--json"))
            voip = try #require(device["voipToken"]?.stringValue)
            alert = try #require(device["alertToken"]?.stringValue)
            certificate = try phone.pushCertificate()
            try phone.systemctl("start", "\(phone.name)-apns.socket")
        }

        /// What curl is answered: status, and the body before it.
        private func curl(_ payload: String, to token: String, topic: String, _ more: String...) throws -> String {
            try phone.push(payload, to: token, topic: topic, by: certificate, more)
        }

        private func push(_ fields: String) throws -> String {
            try curl("{\(fields)}", to: voip, topic: "com.example.phone.voip", "--header", "apns-expiration: 0")
        }

        @Test("a call that curl sends with a certificate rings, and its hangup silences it") func rings() throws {
            #expect(try push(#""callId": "1", "callerName": "Ada", "handle": "+49""#) == "200")
            #expect(try waitUntil { try phone.rings().map(\.call) == ["1"] })
            #expect(try push(#""type": "hangup", "callId": "1""#) == "200")
            #expect(try waitUntil { try phone.rings().isEmpty && phone.ledger().call(CallKey("1"))?.state == .hangup })
            #expect(try !phone.hasFailedUnits())
        }

        @Test("the endpoint has given up what it does not need before it answers") func confined() throws {
            #expect(try curl("{}", to: "ab", topic: "com.example.phone") == #"{"reason":"BadDeviceToken"}400"#)
            let status = contents(of: "/proc/\(try #require(phone.endpoint))/status")
            #expect(status.contains("Seccomp:\t2") && status.contains("NoNewPrivs:\t1"), "\(status)")
        }

        @Test("connections wait while it is started anew, and what was kept is delivered") func restarted() throws {
            #expect(try push(#""callId": "1", "callerName": "Ada""#) == "200")
            let first = try #require(phone.endpoint)
            try phone.systemctl("restart", "\(phone.name)-apns.service")
            #expect(try push(#""callId": "2", "callerName": "Ada""#) == "200")
            #expect(try #require(phone.endpoint) != first)
            #expect(try waitUntil { try Set(phone.rings().map(\.call)) == ["1", "2"] })
            #expect(kill(try #require(phone.endpoint), SIGKILL) == 0)
            #expect(try waitUntil { try push(#""type": "hangup", "callId": "1""#) == "200" })
            #expect(try waitUntil { try phone.rings().map(\.call) == ["2"] })
        }

        @Test("a client that heeds the first GOAWAY loses nothing while the endpoint is started anew")
        func heeding() throws {
            let device = try #require(object(phone.belfry("device", "list", "--json"))["id"]?.stringValue)
            try phone.belfry("device", "offline", device)
            let input = try DescriptorPair.pipe()
            let output = try DescriptorPair.pipe()
            let child = try ChildProcess(
                ChildCommand(
                    path: "/usr/bin/python3",
                    arguments: scenario("heeding", "bearer \(newToken())"),
                    streams: [0: .descriptor(input.reading.number), 1: .descriptor(output.writing.number)]))
            output.writing.close()
            let lines = LineReader(output.reading)
            for _ in 0..<3 {
                #expect(lines.next(within: 60_000) == "ready")
                try phone.systemctl("restart", "\(phone.name)-apns.service")
            }
            #expect(lines.next(within: 60_000) == "ready")
            input.writing.close()
            let said = try JSONValue.parse(Array((lines.next(within: 60_000) ?? "").utf8)).objectValue
            #expect(said?["connections"] == 4 && said?["lost"] == 0 && said?["statuses"] == ["200"], "\(said ?? [:])")
            #expect(try child.waitUntilExit().isSuccess)
        }

        @Test("what was kept for a phone on a disk rings it once it comes back, and no other push has to come first")
        func cameBack() throws {
            let id = try #require(
                object(phone.belfry("device", "list", "--json"))["id"]?.stringValue)
            for call in 1...5 {
                #expect(try phone.belfry("device", "offline", id).status.isSuccess)
                let said = try curl(
                    #"{"callId": "\#(call)", "callerName": "Ada"}"#, to: voip, topic: "com.example.phone.voip",
                    "--header",
                    "apns-expiration: \(wallTimeMicroseconds() / 1_000_000 + 60)")
                #expect(said == "200")
                #expect(try phone.rings().isEmpty)
                #expect(try phone.belfry("device", "online", id).status.isSuccess)
                #expect(try waitUntil { try phone.rings().map(\.call) == ["\(call)"] }, "\(call)")
                #expect(try phone.belfry("answer", "\(call)").status.isSuccess)
            }
        }

        @Test("strangers' connections take no more memory than their limit, and nothing from who is served")
        func crowd() throws {
            #expect(try curl("{}", to: alert, topic: "com.example.phone") == "200")
            let process = try #require(phone.endpoint)
            let before = kibibytes("VmHWM", of: process)
            for scenario in ["declared-hello", "second-hello"] {
                let said = try play(scenario, "none")
                // Long before the ten seconds of a handshake.
                #expect((said["milliseconds"]?.integerValue ?? .max) < 5_000, "\(said)")
                #expect(said["isAsked"] != false)
            }
            // A thousand are accepted in a second: 10,000 are asked for by `make check`.
            let count = Surroundings.value("BELFRY_CROWD").flatMap { Int($0) } ?? 3_000
            let said = try play("crowd", "bearer \(newToken())", environment: ["COUNT": "\(count)"])
            #expect(said["before"] == 200 && said["between"] == [200], "\(said)")
            #expect((said["slowest"]?.integerValue ?? .max) <= 500, "\(said)")
            #expect(phone.endpoint == process)
            let used = kibibytes("VmHWM", of: process) - before
            print("\(count) hostile connections: at most \(used) KiB more; \(said)")
            #expect(used > 0 && used <= 64 << 10, "\(used) KiB")
            // What they held is given back.
            #expect(waitUntil { kibibytes("VmRSS", of: process) < before + 32 << 10 })
        }

        /// What became of a scenario of Tests/Servers/apns-client.py.
        private func play(
            _ scenario: String, _ authorization: String, environment: [String: String] = [:]
        ) throws -> JSONObject {
            try object(
                run("/usr/bin/python3", self.scenario(scenario, authorization), environment: environment))
        }

        private func scenario(_ name: String, _ authorization: String) -> [String] {
            [
                sourceFile("Tests/Servers/apns-client.py"), name, "\(phone.endpointPort)",
                "\(phone.state.path)/credentials/ca.pem", "com.example.phone", alert, authorization,
            ]
        }

        @Test("no attack takes more memory than its limit, nor anything from who is served")
        func attacked() throws {
            let authorization = try "bearer \(newToken())"
            #expect(try play("ordinary", authorization)["status"] == 200)
            let process = try #require(phone.endpoint)
            let before = kibibytes("VmHWM", of: process)
            for scenario in [
                "rapid-reset", "malformed", "continuation-flood", "settings-flood", "ping-flood", "headers-120k",
                "hpack-bomb", "never-finished", "never-reads", "window-zero-for-ever",
            ] {
                #expect(try play(scenario, authorization)["other"] == 200, "\(scenario)")
                print("\(scenario): at most \(kibibytes("VmHWM", of: process) - before) KiB more by now")
            }
            #expect(kibibytes("VmHWM", of: process) - before < 16 << 10)
            #expect(phone.endpoint == process)
        }

        /// A token of a key that is known here.
        private func newToken() throws -> String {
            let minted = try object(
                phone.belfry("apns", "credentials", "new", "--bundle-id", "com.example.phone", "--json"))
            let words = ["key", "keyId", "team"].map { minted[$0]?.stringValue ?? "" }
            return try run("/usr/bin/python3", [sourceFile("Tests/Servers/apns-client.py"), "token"] + words).output
                .filter { $0 != "\n" }
        }

        @Test("300 connections with a hundred requests each at once, all for one device: none is refused")
        func manyRequests() throws {
            let device = try object(phone.belfry("device", "add", "--bundle-id", "com.example.phone", "--json"))
            let token = try #require(device["alertToken"]?.stringValue)
            try phone.belfry("device", "offline", try #require(device["id"]?.stringValue))
            let folder = TemporaryFolder()
            let payload = folder.write(Array(#"{"aps":{"alert":"x"}}"#.utf8), to: "payload.json")
            let finished = try run(
                "/usr/bin/h2load",
                [
                    "--clients=300", "--max-concurrent-streams=100", "--requests=20000", "--data=\(payload)",
                    "--header=authorization: bearer \(newToken())", "--header=apns-topic: com.example.phone",
                    "--header=apns-expiration: 0", "https://127.0.0.1:\(phone.endpointPort)/3/device/\(token)",
                ])
            #expect(finished.output.contains("status codes: 20000 2xx,"), "\(finished.output)")
        }

        /// A number of /proc/PID/status.
        private func kibibytes(_ name: String, of process: Int32) -> Int {
            let line = contents(of: "/proc/\(process)/status").split(separator: "\n").first { $0.hasPrefix(name) }
            return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
        }

        @Test("a damaged registry is set aside, which the journal tells, and no token is said to be removed")
        func damagedRegistry() throws {
            #expect(try curl("{}", to: alert, topic: "com.example.phone") == "200")
            try phone.systemctl("stop", "\(phone.name)-apns.service")
            let path = "\(phone.state.path)/devices/devices.sqlite"
            for ending in ["", "-wal", "-shm"] { unsafe unlink(path + ending) }
            let number = unsafe open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
            _ = unsafe write(number, [UInt8](repeating: 7, count: 8192), 8192)
            close(number)
            #expect(
                try curl("{}", to: alert, topic: "com.example.phone") == #"{"reason":"BadDeviceToken"}400"#)
            #expect(
                try waitUntil {
                    try run("/usr/bin/journalctl", journal).output.contains("the registry of devices was damaged")
                })
            let device = try object(phone.belfry("device", "add", "--bundle-id", "com.example.phone", "--json"))
            let token = try #require(device["alertToken"]?.stringValue)
            #expect(try curl("{}", to: token, topic: "com.example.phone") == "200")
        }

        @Test("a new authority, which no client trusts yet, is told of by setup, and else by the endpoint itself")
        func newAuthority() throws {
            #expect(try phone.belfry("apns", "setup").output.contains("ca.pem, as before."))
            try phone.systemctl("stop", "\(phone.name)-apns.service")
            TemporaryFolder.remove("\(phone.state.path)/credentials")
            try phone.systemctl("start", "\(phone.name)-apns.service")
            #expect(
                try waitUntil {
                    try run("/usr/bin/journalctl", journal).output.contains("no client trusts the new one yet: /")
                })
            #expect(try phone.belfry("apns", "setup").output.contains("ca.pem, as before."))
            TemporaryFolder.remove("\(phone.state.path)/credentials")
            #expect(
                try phone.belfry("apns", "setup").output.contains("ca.pem, which is new: no client has it yet."))
        }

        /// What shows the endpoint's journal.
        private var journal: [String] { ["--user", "--unit=\(phone.name)-apns.service", "--output=cat"] }

        @Test("testers have the next answer be what they want") func faults() throws {
            #expect(try curl(#"{"aps":{"alert":"x"}}"#, to: alert, topic: "com.example.phone") == "200")
            func apns(_ words: String...) throws -> Finished {
                try run("\(Surroundings.programs)/belfry", ["apns"] + words, environment: phone.environment)
            }
            let done = try apns("fail", "--status", "500", "--reason", "InternalServerError", "--times", "2")
            #expect(done.status.isSuccess, "\(done.errors)")
            #expect(
                try curl(#"{"aps":{"alert":"x"}}"#, to: alert, topic: "com.example.phone")
                    == #"{"reason":"InternalServerError"}500"#)
            let injected = "injected 500: InternalServerError\n"
            // What became of the first one may be told later.
            #expect(try waitUntil { try phone.belfry("apns", "log").output.contains(injected) })
            #expect(try apns("list").output.hasSuffix("fail 500 InternalServerError, once\n"))
            #expect(try apns("fail", "--clear").status.isSuccess)
            #expect(try apns("list").output.contains("key ") && !apns("list").output.contains("fail "))
            #expect(try curl(#"{"aps":{"alert":"x"}}"#, to: alert, topic: "com.example.phone") == "200")
        }
    }
}
