import BelfryTerms
import CallTesting
import Support
import Testing

extension BellSettings {
    /// Calls ring as long as they may: on a busy machine a test has its next turn after more than 30 s.
    fileprivate static let longRings = BellSettings(ringDuration: .seconds(120))
}

/// Each test of the suite is an app, whose pushes a bell of its own hands over.
@Suite(.belfry(app: Phone(), settings: .longRings)) struct AppTraitTests {
    @Test("a voip push is reported and rings; answered, the action is fulfilled and the call connected")
    func answered() async throws {
        let bell = try Belfry.bell
        let call = try await bell.call(id: "7", name: "Anna", handle: "anna")
        try await call.waitFor(.ringing)
        let caller = await bell.calls.first
        #expect(caller?.name == "Anna" && caller?.handle == "anna")
        try await bell.answer("7")
        try await bell.app.waitFor(.action) { $0.action?.kind == .answer && $0.action?.state == .fulfilled }
        let connected = try await bell.app.waitFor(.call) { $0.appCall?.state == .connected }
        #expect(connected.appCall?.call == "7" && connected.appCall?.by == .person)
        #expect(try await call.waitFor(.ended).ended?.reason == .answered)
    }

    @Test("declined, and hung up by the caller, the delegate ends the call", arguments: [true, false])
    func ended(isDeclined: Bool) async throws {
        let bell = try Belfry.bell
        let call = try await bell.call(id: "8", name: "Anna")
        try await call.waitFor(.ringing)
        if isDeclined { try await bell.decline("8") } else { try await bell.hangup("8") }
        try await bell.app.waitFor(.action) { $0.action?.kind == .end && $0.action?.state == .fulfilled }
        try await bell.app.waitFor(.call) {
            $0.appCall?.state == .ended && $0.appCall?.by == (isDeclined ? .person : .remote)
        }
    }

    @Test("the next of a kind is the one after all that were waited for") func next() async throws {
        let bell = try Belfry.bell
        for id in ["1", "2"] {
            try await bell.call(id: id).waitFor(.ringing)
            let reported = try await bell.app.waitFor(next: .call) { $0.appCall?.state == .reported }
            #expect(reported.appCall?.call == id)
        }
    }
}

/// What an app that is tested may do wrong, and what becomes of it.
@Suite struct CallTestingTests {
    @Test("a report after the receive method has returned is warned of, and rings") func late() async throws {
        try await Belfry.running(app: Phone(Habits(report: .onNextTurn)), settings: .longRings) { bell in
            let call = try await bell.call(id: "9", name: "Anna")
            try await call.waitFor(.ringing)
            try await bell.app.waitFor(.warning) { $0.warning == .pushReportedLate }
        }
    }

    @Test("settings shorten the times: what is never reported rings with the push's fields; an action times out")
    func times() async throws {
        let settings = BellSettings(
            appPatience: .milliseconds(100), actionTimeout: .milliseconds(100), answerTimeout: .milliseconds(100))
        try await Belfry.running(app: Phone(Habits(report: .never)), settings: settings) { bell in
            let call = try await bell.call(id: "1", name: "Anna")
            try await call.waitFor(.ringing)
            #expect(await bell.calls.first?.name == "Anna")
            try await bell.app.waitFor(.warning) { $0.warning == .pushNotReported }
        }
        try await Belfry.running(app: Phone(Habits(settles: false)), settings: settings) { bell in
            try await bell.call(id: "1", name: "Anna").waitFor(.ringing)
            try await bell.answer()
            try await bell.app.waitFor(.action) { $0.action?.state == .timedOut }
        }
    }

    @Test("an app ends with its bell: it hears of that and of no reset, though a call was on")
    func ends() async throws {
        let habits = Habits()
        try await Belfry.running(app: Phone(habits), settings: .longRings) { bell in
            try await bell.call(id: "1").waitFor(.ringing)
            try await bell.answer()
            try await bell.app.waitFor(.call) { $0.appCall?.state == .connected }
        }
        #expect(habits.noted.filter { $0 != "audio" } == ["answer", "terminated"])
        let last = LastPhone()
        try await Belfry.running(app: last.noting(Phone())) { _ in }
        #expect(await last.phone == nil)
    }

    @Test("the provider of a singleton serves each app in its turn, without a warning", arguments: 1...2)
    func singleton(_ turn: Int) async throws {
        let habits = Habits(hasOneProvider: true)
        try await Belfry.running(app: Phone(habits), settings: .longRings) { bell in
            try await bell.call(id: "1", name: "Anna").waitFor(.ringing)
            try await bell.answer()
            try await bell.app.waitFor(.call) { $0.appCall?.state == .connected }
            #expect(try await bell.app.events.allSatisfy { $0.warning == nil })
        }
        #expect(habits.noted.contains("answer"))
    }

    @Test(
        "its Info.plist says who it is, but what Xcode fills in",
        arguments: [("com.example.phone", "com.example.phone"), ("$(PRODUCT_BUNDLE_IDENTIFIER)", "belfry.tested.app")])
    func information(written: String, identifier: String) async throws {
        let folder = TemporaryFolder()
        let key = "<key>CFBundleIdentifier</key><string>\(written)</string>"
        folder.makeFolder("Resources")
        folder.write(
            Array("<plist version=\"1.0\"><dict>\(key)</dict></plist>".utf8), to: "Resources/Info.plist")
        let source = folder.write([], to: "Test.swift")
        try await Belfry.running(app: Phone(), resources: "Resources", settings: .longRings, source: source) { bell in
            try await bell.call(id: "1", name: "Anna").waitFor(.ringing)
            let reported = try await bell.app.waitFor(.call)
            #expect(try reported.appCall?.app == identifier && bell.app.id == identifier)
            try await bell.app.waitFor(.warning) { $0.warning == .voipModeMissing }
        }
    }

    @Test("a push server's own client reaches it by the token that its registry got") func endpoint() async throws {
        let habits = Habits()
        let settings = BellSettings(ringDuration: .seconds(120), hasEndpoint: true, patience: .seconds(60))
        try await Belfry.running(app: Phone(habits), settings: settings) { bell in
            let token = try #require(await habits.tokens.stream.first { _ in true })
            #expect(token == bell.endpoint.device.voipToken)
            let curl = try await bell.run(
                "/bin/sh",
                [
                    "-c",
                    """
                    curl -sS --cacert "$BELFRY_APNS_CA" --cert "$BELFRY_APNS_CERTIFICATE" -d '{"callerName": "Anna"}' \
                        -H "apns-topic: $BELFRY_APNS_BUNDLE_ID.voip" -H "apns-push-type: voip" \
                        -w '%{http_code}' "$BELFRY_APNS_URL/3/device/\(token)"
                    """,
                ])
            try await curl.waitUntilExit()
            #expect(await curl.output == "200")
            try await bell.nextPush().waitFor(.ringing)
            try await bell.answer()
            try await bell.app.waitFor(.call) { $0.appCall?.state == .connected }
            #expect(bell.environment["BELFRY_APNS_BUNDLE_ID"] == "belfry.tested.app")
        }
    }

    @Test("a bell without an app says so; an app beside another one in a test is refused") func refused() async throws {
        try await Belfry.running { bell in
            let error = #expect(throws: BellError.self) { _ = try bell.app }
            #expect(error?.code == .noApp)
        }
        try await Belfry.running(app: Phone()) { _ in
            let error = await #expect(throws: BellError.self) { try await Belfry.running(app: Phone()) { _ in } }
            #expect(error?.description.contains("one at a time") == true)
        }
    }

    @Test("what does not come is said with what came instead") func failedWait() async throws {
        try await Belfry.running(app: Phone()) { bell in
            let error = await #expect(throws: BellError.self) {
                try await bell.app.waitFor(.action, within: .milliseconds(1))
            }
            #expect(error?.description.contains("app belfry.tested.app: started") == true, "\(error as Any)")
        }
    }
}
