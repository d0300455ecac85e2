import BelfryTesting
import Support
import Testing

/// A bell's endpoint as the tests of a push server use it: without a process of their own.
@Suite(.belfry(settings: BellSettings(hasEndpoint: true, patience: .seconds(60)))) struct BellEndpointTests {
    /// Pushes `payload` as a server's client does; the status of the answer.
    private func push(
        _ payload: String, _ bell: Bell, isCall: Bool = false, headers: [String] = []
    ) async throws -> String {
        let variables = bell.environment
        func value(_ name: String) throws -> String { try #require(variables["BELFRY_APNS_\(name)"]) }
        let device = bell.endpoint.device
        var words = [
            "--silent", "--show-error", "--output", "/dev/null", "--write-out", "%{http_code}", "--cacert",
            try value("CA"), "--cert", try value("CERTIFICATE"), "--data", payload,
            "--header", "apns-topic: \(try value("BUNDLE_ID"))\(isCall ? ".voip" : "")",
        ]
        for header in headers { words += ["--header", header] }
        words.append("\(try value("URL"))/3/device/\(isCall ? device.voipToken : device.token)")
        let curl = try await bell.run("/usr/bin/curl", words)
        try await curl.waitUntilExit()
        return await curl.output
    }

    @Test("what a push server sends is followed with the request's headers and its answer")
    func followed() async throws {
        let bell = try Belfry.bell
        let id = "6B29FC40-CA47-1067-B31D-00DD010662DA"
        let status = try await push(
            #"{"callId": "a", "callerName": "Anna"}"#, bell, isCall: true,
            headers: ["apns-id: \(id)", "apns-push-type: voip", "apns-priority: 10", "authorization: bearer secret"])
        #expect(status == "200")
        let call = try await bell.nextPush { $0.callID == "a" }
        let request: Belfry.Request = try #require(call.request)
        #expect(call.id == id.lowercased() && request.apnsID == id && request.device == bell.endpoint.device.id)
        #expect(request.status == 200 && request.reason == nil && request.method == "POST")
        #expect(
            request.headers == [
                "apns-id": id, "apns-push-type": "voip", "apns-priority": "10", "apns-topic": "com.example.phone.voip",
            ])
        #expect(request.payload == #"{"callId": "a", "callerName": "Anna"}"# && request.path.hasPrefix("/3/device/"))
        #expect(call.content?.userInfo["callerName"] == "Anna")
        try await call.waitFor(.ringing)
        try await bell.answer()
        #expect(try await call.waitFor(.ended).ended?.reason == .answered)
    }

    @Test("the next answers are what the test wants, and nothing is delivered; the rest is taken back")
    func failures() async throws {
        let bell = try Belfry.bell
        try await bell.endpoint.fail(status: 503, times: 2)
        try await bell.endpoint.fail(status: 410, reason: "Unregistered", times: 100, token: bell.endpoint.device.token)
        #expect(try await push("{}", bell, isCall: true) == "503")
        #expect(try await push(#"{"aps":{"alert":"no"}}"#, bell) == "503")
        #expect(try await push(#"{"aps":{"alert":"no"}}"#, bell) == "410")
        try await bell.endpoint.clearFailures()
        #expect(try await push(#"{"aps":{"alert":"yes"}}"#, bell) == "200")
        #expect(try await bell.nextPush().content?.body == "yes")
        let requests = await bell.endpoint.requests
        #expect(requests.map(\.status) == [503, 503, 410, 200])
        #expect(requests.map(\.reason) == ["ServiceUnavailable", "ServiceUnavailable", "Unregistered", nil])
        let log = try await bell.endpoint.log
        #expect(log.prefix(3).map(\.step) == ["injected", "injected", "injected"] && log[3].status == 200)
        #expect(log[2].detail == "Unregistered" && "\(log[2])".hasSuffix("injected 410 Unregistered"))
        for (status, times) in [(199, 1), (600, 1), (400, 0)] {
            let error = await #expect(throws: BellError.self) {
                try await bell.endpoint.fail(status: status, times: times)
            }
            #expect(error?.code == .badSetting)
        }
    }

    @Test("a device that is offline keeps its latest push until it is online") func offline() async throws {
        let bell = try Belfry.bell
        try await bell.endpoint.device.setOffline(true)
        #expect(try await push(#"{"aps":{"alert":"one"}}"#, bell) == "200")
        #expect(try await push(#"{"aps":{"alert":"two"}}"#, bell) == "200")
        #expect(try await bell.endpoint.log.contains { $0.step == "replaced" })
        try await bell.endpoint.device.setOffline(false)
        let push = try await bell.nextPush()
        #expect(push.content?.body == "two" && push.request?.payload.contains("two") == true)
        try await push.waitUntilDone()
    }

    @Test("all clients are sent away, and come back") func goAway() async throws {
        let bell = try Belfry.bell
        try await bell.endpoint.goAway()
        try await bell.endpoint.goAway(hard: true)
        #expect(try await push(#"{"aps":{"alert":"Hi"}}"#, bell) == "200")
    }

    @Test("a bell without an endpoint says how to have one") func none() async throws {
        try await Belfry.running { bell in
            let error = await #expect(throws: BellError.self) { try await bell.endpoint.clearFailures() }
            #expect(error?.description.contains("BellSettings(hasEndpoint: true)") == true)
            await #expect(throws: BellError.self) { _ = try await bell.endpoint.log }
            #expect(bell.endpoint.device.id.isEmpty)
        }
    }
}
