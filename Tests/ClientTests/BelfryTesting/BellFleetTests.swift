import BelfrySyscalls
import BelfryTesting
import Support
import Testing

/// A bell in a fleet, by a broker and a gateway that run.
@Suite(.timeLimit(.minutes(2))) struct BellFleetTests {
    private static let patience = Duration.seconds(60)

    private static func settings(_ credential: String) -> BellSettings {
        .longRings {
            $0.fleet = credential
            $0.patience = patience
        }
    }

    /// Pushes by the gateway of `endpoint` as a server's client does, until it is answered with `answer`: the gateway
    /// hears of a device, and of its end, by the broker. The last answer.
    private static func push(
        _ payload: String, to token: String, by endpoint: [String: String], until answer: String, _ bell: Bell
    ) async throws -> String {
        let words = try PlayedFleet.curl(payload, to: token, by: endpoint)
        let end = ContinuousClock.now + patience
        while true {
            let curl = try await bell.run("/usr/bin/curl", words)
            try await curl.waitUntilExit()
            let output = await curl.output
            if output.contains(answer) || ContinuousClock.now > end { return output }
        }
    }

    @Test("two bells each hear the push to their own token by the gateway; what has stopped is answered 410")
    func two() async throws {
        let fleet = try PlayedFleet()
        let (credential, endpoint) = (try fleet.credential("ci", "--shared"), fleet.endpoint)
        try await Belfry.running(settings: Self.settings(credential)) { first in
            let token = try await Belfry.running(settings: Self.settings(credential)) { second in
                #expect(first.device.voipToken != second.device.voipToken && !second.device.token.isEmpty)
                #expect(second.environment["BELFRY_APNS_BUNDLE_ID"] == "com.example.phone")
                for (number, bell) in [first, second].enumerated() {
                    let payload = #"{"callId": "\#(number)", "callerName": "Anna"}"#
                    let token = bell.device.voipToken
                    #expect(try await Self.push(payload, to: token, by: endpoint, until: "200", bell) == "200")
                    let call = try await bell.nextPush()
                    #expect(call.callID == "\(number)" && call.content?.userInfo["callerName"] == "Anna")
                    #expect(call.request == nil)
                    try await call.waitFor(.ringing)
                    try await bell.answer()
                    #expect(try await call.waitFor(.ended).ended?.reason == .answered)
                }
                #expect(await second.workersWords().contains("belfry-worker"))
                return second.device.voipToken
            }
            #expect(try await Self.push("{}", to: token, by: endpoint, until: "410", first).contains("Unregistered"))
            let own = first.device.voipToken
            #expect(try await Self.push(#"{"callId": "2"}"#, to: own, by: endpoint, until: "200", first) == "200")
            // Nothing of the other's came in between.
            #expect(try await first.nextPush().callID == "2")
        }
        withExtendedLifetime(fleet) {}
    }

    @Test("its device is for the app that is named, and is switched off and on at the gateway")
    func device() async throws {
        let fleet = try PlayedFleet()
        var settings = Self.settings(try fleet.credential("ci", "--shared"))
        settings.bundleID = "com.example.other"
        let endpoint = fleet.endpoint
        try await Belfry.running(settings: settings) { bell in
            let token = bell.device.voipToken
            #expect(bell.environment["BELFRY_APNS_BUNDLE_ID"] == "com.example.other")
            let wrong = try await Self.push("{}", to: token, by: endpoint, until: "DeviceTokenNotForTopic", bell)
            #expect(wrong == #"{"reason":"DeviceTokenNotForTopic"}400"#)
            for (isOffline, state) in [(true, "offline"), (false, "online")] {
                try await bell.device.setOffline(isOffline)
                let list = try await bell.run("belfry-apns", ["device", "list", "--json"])
                try await list.waitForOutput(#""state":"\#(state)""#)
            }
            let error = await #expect(throws: BellError.self) { try await bell.endpoint.clearFailures() }
            #expect(error?.code == .notServed)
        }
        withExtendedLifetime(fleet) {}
    }

    /// How a bell by these settings fails.
    private func failure(_ settings: BellSettings) async -> BellError? {
        await #expect(throws: BellError.self) { try await Belfry.running(settings: settings) { _ in } }
    }

    @Test("what keeps a bell from joining is told, and which kind of fault it is") func fails() async throws {
        let fleet = try PlayedFleet(hasBroker: false)
        let missing = await failure(BellSettings(fleet: "/nosuch/ci.credential"))
        #expect(missing?.code == .noSuchFile)
        #expect(missing?.description.contains("/nosuch/ci.credential: No such file or directory") == true)
        let folder = TemporaryFolder()
        let other = await failure(BellSettings(fleet: folder.write(Array("no credential".utf8), to: "file")))
        #expect(other?.code == .badSetting && other?.description.contains("is no credential of a fleet") == true)
        let gateway = await failure(BellSettings(fleet: try fleet.credential("gate", "--gateway")))
        #expect(gateway?.code == .badSetting)
        #expect(gateway?.description.contains("is the credential of the gateway gate, and test jobs") == true)
        let machine = await failure(BellSettings(fleet: try fleet.credential("kiosk")))
        #expect(machine?.code == .badSetting)
        #expect(machine?.description.contains("is the credential of the machine kiosk, and test jobs") == true)
        let alone = await failure(BellSettings(fleet: try fleet.credential("ci", "--shared")))
        #expect(alone?.code == .notServed, "\(alone as Any)")
        #expect(alone?.description.contains("is not reached") == true)
        #expect(alone?.description.contains("no broker lets it in: is a broker running") == true)
    }

    @Test("without a gateway there is no device, and that is told") func noGateway() async throws {
        let fleet = try PlayedFleet(hasGateway: false)
        let error = await failure(BellSettings(fleet: try fleet.credential("ci", "--shared")))
        #expect(error?.code == .notServed && error?.description.contains("no gateway") == true, "\(error as Any)")
        withExtendedLifetime(fleet) {}
    }

    @Test("a fleet and an endpoint of its own exclude each other, and an app is named with either")
    func settings() async throws {
        let both = await failure(BellSettings(hasEndpoint: true, fleet: "/nosuch/ci.credential"))
        #expect(both?.code == .badSetting && both?.description.hasSuffix("hasEndpoint or fleet") == true)
        let app = await failure(BellSettings(bundleID: "com.example.phone"))
        #expect(app?.code == .badSetting && app?.description.contains("bundleID") == true)
    }
}
