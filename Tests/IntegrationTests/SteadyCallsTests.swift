import BelfryAppGroup
import BelfryJSON
import BelfrySyscalls
import BelfryTerms
import CallLedger
import Support
import Testing

extension IntegrationTests {
    /// R8, R10, R19: a telephone exchange that pushes without end to one device.
    @Suite("Nine calls a second of one group, each hung up after a second") struct SteadyCalls {
        private let phone: Phone
        private let folder = TemporaryFolder()

        init() throws {
            phone = try Phone(["BELFRY_MAX_CALLS": "20"])
            try phone.belfry("apns", "setup")
            try phone.systemctl("start", "\(phone.name)-apns.socket")
        }

        @Test("none is refused, stale, or waits for a second at the endpoint") func steady() throws {
            let stormSeconds = Surroundings.value("BELFRY_STORM_SECONDS").flatMap(Int.init)
            let seconds = stormSeconds ?? 5
            // Beside other tests a processor may be busy for longer than any push should wait.
            let waitMax: Double = stormSeconds == nil ? 10 : 1
            let made = try phone.belfry("apns", "credentials", "new", "--bundle-id", "com.example.phone", "--json")
            let certificate = try #require(try Self.object(made.output)["certificate"]?.stringValue)
            let device = try Self.object(
                phone.belfry("device", "add", "--bundle-id", "com.example.phone", "--json").output)
            let token = try #require(device["voipToken"]?.stringValue)
            let log = "\(folder.path)/log"
            let watching = try ChildProcess(
                ChildCommand(
                    path: "/bin/sh",
                    arguments: ["-c", "exec \(Surroundings.programs)/belfry apns watch --json >\(log)"],
                    environment: phone.environment, streams: [0: .null]))
            let client = try run(
                "/usr/bin/python3",
                [
                    sourceFile("Tests/Servers/apns-client.py"), "steady", String(phone.endpointPort),
                    "\(phone.state.path)/credentials/ca.pem", "com.example.phone.voip", certificate,
                    token, String(seconds),
                ])
            #expect(client.output == "\(18 * seconds)\n", "\(client.errors)")
            var steps: [String: [String: Double]] = [:]
            _ = waitUntil(seconds: 30) {
                steps = (try? Self.steps(in: contents(of: log))) ?? [:]
                return steps.values.count { $0["received"] != nil } == 18 * seconds
            }
            try watching.signal(15)
            _ = try watching.waitUntilExit()
            let waits = steps.values.compactMap { push in push["received"].map { $0 - (push["accepted"] ?? 0) } }
            #expect(waits.count == 18 * seconds && (waits.max() ?? 0) < waitMax, "the longest \(waits.max() ?? 0) s")
            // A call that had waited for too long would be missed for another reason, one that was refused not listed.
            let missed = phone.ledger().missedCalls
            #expect(
                missed.count == min(9 * seconds, Ledger.missedMax)
                    && missed.allSatisfy { $0.reason.known == .cancelled })
        }

        private static func object(_ text: String) throws -> JSONObject {
            try #require(try JSONValue.parse(Array(text.utf8)).objectValue)
        }

        /// When each push came to each step.
        private static func steps(in log: String) throws -> [String: [String: Double]] {
            var steps: [String: [String: Double]] = [:]
            for line in log.split(separator: "\n") {
                let note = try object(String(line))
                guard let id = note["id"]?.stringValue, let step = note["step"]?.stringValue else { continue }
                steps[id, default: [:]][step] = note["at"]?.numberValue
            }
            return steps
        }
    }
}
