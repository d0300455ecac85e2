import BelfryAppGroup
import BelfryJSON
import BelfrySyscalls
import BelfryTerms
import Glibc
import Support
import Testing

extension IntegrationTests {
    /// A gateway and a broker as they are installed, and test jobs that have one credential.
    @Suite("Many test jobs by one credential") struct FleetServe {
        private let office: Office
        private let gateway: Phone
        private let certificate: String
        private let place = TemporaryFolder()

        init() throws {
            let office = try Office()
            self.office = office
            gateway = try Phone(isInFleet: true)
            try gateway.belfry("apns", "setup")
            let minted = try object(
                gateway.belfry("apns", "credentials", "new", "--bundle-id", "com.example.phone", "--json"))
            certificate = try #require(minted["certificate"]?.stringValue)
            try office.enroll("gate", "--gateway", for: gateway)
            try gateway.systemctl("start", "\(gateway.name)-relay.service", "\(gateway.name)-apns.socket")
        }

        /// `belfry serve --fleet` of a command that prints its token and runs until the file `end` is there.
        private func job(_ number: Int, _ credential: String) throws -> ProgramRun {
            try ProgramRun(
                "\(Surroundings.programs)/belfry",
                [
                    "serve", "--fleet", credential, "--bundle-id", "com.example.phone", "--record",
                    "\(place.path)/\(number)", "--", "/bin/sh", "-c",
                    "echo $BELFRY_APNS_VOIP_TOKEN; until [ -e '\(place.path)/end' ]; do sleep 0.1; done",
                ],
                environment: [
                    "TMPDIR": place.path, "XDG_RUNTIME_DIR": nil, "BELFRY_SOCKET": nil, "BELFRY_SOUND": "none",
                ])
        }

        private func push(_ call: String, to token: String) throws -> String {
            let host = "api.push.apple.com"
            return try run(
                "/usr/bin/curl",
                [
                    "--silent", "--show-error", "--write-out", "%{http_code}", "--cacert",
                    "\(gateway.state.path)/credentials/ca.pem", "--connect-to",
                    "\(host):443:127.0.0.1:\(gateway.endpointPort)", "--cert", certificate, "--header",
                    "apns-topic: com.example.phone.voip", "--data",
                    #"{"callId": "\#(call)", "callerName": "Ada", "handle": "+49"}"#,
                    "https://\(host)/3/device/\(token)",
                ]
            ).output
        }

        /// By which a record has that job's call.
        private static func word(_ number: Int) -> String { #""call":"call-\#(number)""# }

        @Test("three at once each hear their own push and no other, and their devices are removed at the end")
        func three() throws {
            let credential = try office.credential("ci", ["--shared"])
            let jobs = try (0..<3).map { try job($0, credential) }
            let tokens = try jobs.map { job in
                let token = job.line()
                return try #require(token, "it did not begin: \(token == nil ? job.complaints() : [])")
            }
            #expect(Set(tokens).count == 3)
            for (number, token) in tokens.enumerated() {
                #expect(try waitUntil { try push("call-\(number)", to: token) == "200" }, "\(number)")
            }
            for number in 0..<3 {
                #expect(waitUntil { contents(of: "\(place.path)/\(number)").contains(Self.word(number)) })
            }
            // A job that answered for others' tokens would have said that it does not know them.
            var log: [Substring] = []
            #expect(
                try waitUntil {
                    log = try gateway.belfry("apns", "log", "--json").output.split(separator: "\n")
                    return log.count { $0.contains(#""step":"received""#) } == 3
                })
            #expect(!log.contains { $0.contains("offline") }, "\(log)")
            place.write([], to: "end")
            for run in jobs { #expect(try run.child.waitUntilExit() == .exited(code: 0)) }
            for number in 0..<3 {
                let heard = contents(of: "\(place.path)/\(number)")
                for other in 0..<3 where other != number { #expect(!heard.contains(Self.word(other)), "\(heard)") }
            }
            for token in tokens { #expect(try waitUntil { try push("late", to: token).contains("Unregistered") }) }
            let journal = try run(
                "/usr/bin/journalctl", ["--user", "--unit=\(gateway.name)-relay.service", "--output=cat"])
            #expect(!journal.output.contains("twice"), "\(journal)")
        }

        @Test("without a broker, or with a gateway's credential, it says why and ends with 69") func fails() throws {
            let gate = try job(0, office.credential("other", ["--gateway"]))
            #expect(try gate.child.waitUntilExit() == .exited(code: 69))
            #expect(gate.complaints().contains { $0.contains("the credential of a gateway") })
            let credential = try office.credential("ci", ["--shared"])
            try office.signal(0, SIGKILL)
            let alone = try job(1, credential)
            #expect(try alone.child.waitUntilExit() == .exited(code: 69))
            #expect(alone.complaints().contains { $0.contains("no broker lets it in") })
        }
    }
}
