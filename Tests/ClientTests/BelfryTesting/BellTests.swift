import BelfryProtocol
import BelfryTesting
import FoundationEssentials
import Glibc
import Support
import Testing

/// A bell as a test of an app or a push server uses it, with real workers.
@Suite struct BellTests {
    /// Far longer than anything here takes, on a loaded machine too.
    private static let patience = Duration.seconds(60)

    @Test("a call rings and is answered; its story can be read twice, and after the bell has ended")
    func rings() async throws {
        let (call, path) = try await Belfry.running(settings: .longRings) { bell in
            let call = try await bell.call(id: "a", name: "Anna", handle: "+49", hasVideo: true)
            #expect(try await call.waitFor(.ringing, within: Self.patience).ringing?.mode == .loud)
            #expect(await bell.calls.map { "\($0), \($0.hasVideo)" } == ["a (Anna, +49), true"])
            try await bell.answer()
            #expect(try await call.waitFor(.ended, within: Self.patience).ended?.reason == .answered)
            #expect(await bell.calls.isEmpty)
            return (call, bell.socketPath)
        }
        let story = try await call.waitUntilDone(within: Self.patience)
        #expect(story.first?.kind == .received && story.contains { $0.content?.title == "Anna" })
        #expect(try await call.waitFor(.ringing) == story.first { $0.kind == .ringing } && call.callID == "a")
        #expect(unsafe access(path, F_OK) == -1 && access(String(path.dropLast("/push.sock".count)), F_OK) == -1)
    }

    @Test("the person declines, the caller hangs up, the app comes to the front and goes")
    func ends() async throws {
        try await Belfry.running(settings: .longRings) { bell in
            let declined = try await bell.call(id: "a")
            try await declined.waitFor(.ringing, within: Self.patience)
            try await bell.decline("a")
            #expect(try await declined.waitFor(.ended, within: Self.patience).ended?.reason == .declined)

            let hungUp = try await bell.call(id: "b")
            try await hungUp.waitFor(.ringing, within: Self.patience)
            try await bell.silence("b")
            let rung = try await hungUp.waitFor(.ringing, within: Self.patience) { $0.ringing?.mode == .silent }
            #expect(rung.ringing?.why == .silenced)
            try await bell.hangup("b", reason: .answeredElsewhere).waitUntilDone(within: Self.patience)
            let ended = try await hungUp.waitFor(.ended, within: Self.patience).ended
            #expect(ended?.reason == .hangup && ended?.hangupReason == .answeredElsewhere)

            let silenced = try await bell.call(id: "c")
            try await silenced.waitFor(.ringing, within: Self.patience)
            try await bell.enterForeground()
            #expect(try await silenced.waitFor(.ended, within: Self.patience).ended?.reason == .foreground)
            let silent = try await bell.call(id: "d")
            #expect(try await silent.waitFor(.silent, within: Self.patience).silence == .foreground)
            #expect(try await !silent.waitUntilDone(within: Self.patience).contains { $0.kind == .warning })
            try await bell.enterBackground()
            try await bell.call(id: "e").waitFor(.ringing, within: Self.patience)
        }
    }

    @Test("each bell has its own settings and state, and what it is given is what its worker gets")
    func settings() async throws {
        let settings = BellSettings(
            ringDuration: .seconds(20), ringInterval: .milliseconds(200), secondCall: .silent,
            appGroup: "group.x")
        try await Belfry.running(settings: settings) { bell in
            try await Belfry.running(settings: .longRings) { other in
                try await other.call(id: "a").waitFor(.ringing, within: Self.patience)
                let first = try await bell.call(id: "a")
                let ringing = try await first.waitFor(.ringing, within: Self.patience).ringing
                #expect(
                    ringing?.duration == 20 && ringing?.interval == 0.2 && ringing?.sound == "none"
                        && ringing?.mode == .loud)
                let second = try await bell.call(id: "b", duration: .seconds(1))
                #expect(try await second.waitFor(.ringing, within: Self.patience).ringing?.mode == .silent)
                // On a loaded machine some ticks are passed over.
                let late = try await first.waitFor(.tick, within: Self.patience) { $0.body.isTick(from: 3) }
                #expect(late.at > 0.5)
                #expect(try await second.waitFor(.ended, within: Self.patience).ended?.reason == .timeout)
                #expect(await other.calls.map(\.id) == ["a"])
            }
        }
    }

    @Test(
        "a setting out of its range is an error that says the range",
        arguments: [
            (BellSettings(ringDuration: .milliseconds(1)), "[Ring] Duration=1ms: expected a duration from 1s to 120s"),
            (BellSettings(maxCalls: 21), "[Ring] MaxCalls=21: expected"),
            (BellSettings(appGroup: "a b"), "[AppGroup] Name=a b: expected"),
        ])
    func badSettings(settings: BellSettings, detail: String) async throws {
        let error = await #expect(throws: BellError.self) { try await Belfry.running(settings: settings) { _ in } }
        #expect(error?.code == .badSetting && error?.description.hasPrefix(detail) == true, "\(error as Any)")
    }

    @Test("bytes, texts and payloads are pushed as they are") func pushes() async throws {
        try await Belfry.running(settings: .longRings) { bell in
            let text = #"{"aps": {"alert": "Hi"}}"#
            for push in [
                try await bell.push(text), try await bell.push(Array(text.utf8)), try await bell.push(text.utf8),
            ] {
                #expect(try await push.waitFor(.delivered, within: Self.patience).content?.body == "Hi")
            }
            let payload = try await bell.push(payload: ["aps": ["alert": "Ho"]], in: Envelope(topic: "t"))
            #expect(try await payload.waitFor(.delivered, within: Self.patience).content?.body == "Ho")
            try await bell.push("no JSON").waitFor(.rejected, within: Self.patience)
        }
    }

    @Test("another program finds the bell by its variables") func environment() async throws {
        try await Belfry.running(settings: .longRings) { bell in
            let program = testedProgram("belfry")
            try await bell.call(id: "a").waitFor(.ringing, within: Self.patience)
            let run = try ProgramRun(program, ["answer"], environment: bell.environment.mapValues { $0 })
            #expect(run.lines() == ["answered a"])
        }
        try await Belfry.running(settings: .longRings { $0.appGroup = "group.x" }) { bell in
            try await bell.call(id: "b").waitFor(.ringing, within: Self.patience)
            let program = testedProgram("belfry")
            let run = try ProgramRun(program, ["answer"], environment: bell.environment.mapValues { $0 })
            #expect(run.lines() == ["answered b"])
        }
    }

    @Test("what a push server's own client sends to a bell's endpoint rings") func endpoint() async throws {
        try await Belfry.running(settings: .longRings { $0.hasEndpoint = true }) { bell in
            let variables = bell.environment
            func value(_ name: String) throws -> String { try #require(variables["BELFRY_APNS_\(name)"]) }
            let pushing = try ProgramRun(
                "/usr/bin/curl",
                [
                    "--silent", "--show-error", "--write-out", "%{http_code}\n", "--cacert", value("CA"), "--cert",
                    value("CERTIFICATE"), "--header", "apns-topic: \(value("BUNDLE_ID")).voip", "--data",
                    #"{"callId": "a", "callerName": "Anna"}"#, "\(value("URL"))/3/device/\(value("VOIP_TOKEN"))",
                ])
            #expect(pushing.lines() + pushing.complaints() == ["200"])
            // Each look takes a process's time; a line's patience bounds what it takes altogether.
            var steps: [String] = []
            for _ in 0..<5_000 where !steps.contains(where: { $0.contains(" event ringing loud") }) {
                let log = try ProgramRun(
                    testedProgram("belfry"), ["apns", "log"], environment: variables.mapValues { $0 })
                steps = log.lines()
            }
            #expect(steps.contains { $0.contains(" event ringing loud") }, "\(steps)")
            #expect(await bell.calls.map(\.id) == ["a"])
            try await bell.answer()
        }
    }

    @Test("what a foreign server pushes rings, and its cancel ends that call, by the settings of the bell")
    func foreignServer() async throws {
        let settings = BellSettings.longRings {
            $0.callPayload = .twilio
            $0.callNames = Belfry.CallNames(callerName: ["params.who"])
        }
        try await Belfry.running(settings: settings) { bell in
            func push(_ word: String, _ id: String) async throws -> BellPush {
                let payload: Belfry.JSONObject = [
                    "twi_call_sid": .string(id), "twi_message_type": .string("twilio.voice.\(word)"),
                    "params": ["who": "Anna"],
                ]
                return try await bell.push(payload: payload, in: Envelope(pushType: .voip))
            }
            let (first, second) = (try await push("call", "CA1"), try await push("call", "CA2"))
            try await first.waitFor(.ringing, within: Self.patience)
            try await second.waitFor(.ringing, within: Self.patience)
            #expect(first.callID == "CA1")
            try await bell.nextPush(within: Self.patience) { $0.callID == "CA2" }
            #expect(await bell.calls.map(\.name) == ["Anna", "Anna"])
            _ = try await push("cancel", "CA1")
            #expect(try await first.waitFor(.ended, within: Self.patience).ended?.reason == .hangup)
            #expect(await bell.calls.map(\.id) == ["CA2"])
        }
    }

    @Test("a call that was sent long ago is stale, and one of the future comes from a wrong clock")
    func dates() async throws {
        try await Belfry.running(settings: .longRings) { bell in
            let stale = try await bell.call(sentAt: Date(timeIntervalSince1970: 1))
            #expect(try await stale.waitFor(.silent, within: Self.patience).silence == .stale)
            let wrong = try await bell.call(sentAt: Date(timeIntervalSinceNow: 3_600))
            try await wrong.waitFor(.warning, within: Self.patience)
        }
    }
}

extension Event.Body {
    fileprivate func isTick(from first: Int64) -> Bool {
        if case .tick(let number, _) = self { number >= first } else { false }
    }
}
