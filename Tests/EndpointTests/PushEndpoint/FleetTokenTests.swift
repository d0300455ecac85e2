import BelfryDevices
import Testing

/// An endpoint of a fleet says that nobody has a token once that is certain.
@Suite struct FleetTokenTests {
    let bench: EndpointBench

    init() throws { bench = try EndpointBench() }

    private func answer(_ token: DeviceToken) throws -> String {
        let said = try bench.curl(
            ["--header", "apns-topic: \(EndpointBench.bundleID)", "--header", try bench.bearer()], to: token)
        return said.replacing("\n", with: " ")
    }

    @Test("nobody has it: BadDeviceToken; it cannot be said: 503; another gateway gave it away: it is taken")
    func unknown() throws {
        var count = 0
        bench.isCertain = {
            count += 1
            return true
        }
        #expect(try answer(.random()).contains("BadDeviceToken"))
        #expect(count == 1, "asked once")
        bench.isCertain = { false }
        #expect(try answer(.random()).contains("ServiceUnavailable"))
        let learned = DeviceToken.random()
        bench.isCertain = { [bench] in
            bench.learnedToken = learned
            return true
        }
        #expect(try answer(learned).contains("200"))
        #expect(bench.pushes.map(\.token) == [learned])
    }

    @Test("tokens that are known, or were removed, are no matter of the fleet's")
    func known() throws {
        bench.isCertain = {
            Issue.record("the fleet is asked")
            return false
        }
        #expect(try answer(bench.alertToken).contains("200"))
        #expect(try answer(bench.removedToken).contains("Unregistered"))
    }
}
