import BelfryTerms
import CallTesting
import Support
import Testing

/// Calls that go on: what the person does with them, and a second app's.
@Suite struct InCallTests {
    private static let longRings = BellSettings(ringDuration: .seconds(120))

    /// Runs `body` with an app whose call "1" was answered.
    private func talking(
        _ habits: Habits = Habits(), _ settings: BellSettings = longRings, _ body: @escaping (Bell) async throws -> Void
    ) async throws {
        try await Belfry.running(app: Phone(habits), settings: settings) { bell in
            try await bell.call(id: "1", name: "Anna").waitFor(.ringing)
            try await bell.answer("1")
            try await bell.app.waitFor(.call) { $0.appCall?.state == .connected }
            try await body(bell)
        }
    }

    /// Waits until one after the other is told of the call.
    private func wait(_ bell: Bell, of call: String, for states: AppCallState...) async throws {
        for state in states {
            try await bell.app.waitFor(next: .call) {
                ($0.appCall?.call == call || $0.appCall?.uuid == call) && $0.appCall?.state == state
            }
        }
    }

    @Test("the person mutes, holds, types and ends; each has been performed once it returns")
    func person() async throws {
        let habits = Habits()
        try await talking(habits) { bell in
            let app = try bell.app
            try await app.mute()
            try await app.hold()
            try await app.hold("1")
            try await app.resume()
            try await app.unmute("1")
            try await app.keypad("12")
            #expect(
                habits.noted.filter { $0 != "audio" }
                    == ["answer", "mute", "hold", "resume", "unmute", "digits 1", "digits 2"])
            try await wait(bell, of: "1", for: .muted, .held, .resumed, .unmuted)
            try await app.end()
            let ended = try await app.waitFor(.call) { $0.appCall?.state == .ended }
            #expect(ended.appCall?.by == .person && habits.noted.last == "end")
        }
    }

    @Test("what there is no call for, and what an app does not do, throws why") func refused() async throws {
        let settings = BellSettings(ringDuration: .seconds(120), actionTimeout: .milliseconds(100))
        let habits = Habits()
        try await Belfry.running(app: Phone(habits), settings: settings) { bell in
            let none = await #expect(throws: BellError.self) { try await bell.app.end() }
            #expect(none?.code == .noSuchCall && none?.description == "no call goes on")
            try await bell.call(id: "1").waitFor(.ringing)
            let rings = await #expect(throws: BellError.self) { try await bell.app.hold("1") }
            #expect(rings?.code == .noSuchCall && rings?.description == "1 still rings")
            try await bell.answer("1")
            try await bell.app.waitFor(.call) { $0.appCall?.state == .connected }
            let alone = await #expect(throws: BellError.self) { try await bell.app.merge() }
            #expect(alone?.code == .notDone && alone?.description.contains("no other call") == true)
            let apart = await #expect(throws: BellError.self) { try await bell.app.split() }
            #expect(apart?.code == .notDone && apart?.description == "1 is in no group")
            let digits = await #expect(throws: BellError.self) { try await bell.app.keypad("x") }
            #expect(digits?.code == .notDone)
        }
        let unsettled = BellSettings(
            ringDuration: .seconds(120), actionTimeout: .milliseconds(100), answerTimeout: .seconds(60))
        try await talking(Habits(leavesOpen: "mute"), unsettled) { bell in
            let late = await #expect(throws: BellError.self) { try await bell.app.mute() }
            #expect(late?.code == .notDone, "\(late as Any)")
        }
    }

    @Test("two calls of an app are merged, and split again") func merged() async throws {
        try await talking { bell in
            try await bell.call(id: "2", name: "Ben").waitFor(.ringing)
            try await bell.answer("2")
            try await bell.app.waitFor(.call) { $0.appCall?.call == "2" && $0.appCall?.state == .connected }
            try await bell.app.merge("2")
            try await wait(bell, of: "1", for: .grouped)
            try await wait(bell, of: "2", for: .grouped)
            try await bell.app.split("2")
            try await wait(bell, of: "2", for: .ungrouped)
            try await wait(bell, of: "1", for: .ungrouped)
        }
    }

    @Test("a second app's call is answered: the first is held, and goes on only when the person says so")
    func second() async throws {
        let habits = Habits()
        try await talking(habits) { bell in
            let other = try await bell.otherApp("com.example.other", name: "Other")
            let call = try await other.report(name: "Ben", handle: "ben")
            #expect(await bell.calls.map(\.name) == ["Ben"])
            try await other.answer(call)
            try await bell.app.waitFor(.call) { $0.appCall?.call == "1" && $0.appCall?.state == .held }
            let answered = try await bell.app.waitFor(.call) {
                $0.appCall?.uuid == call && $0.appCall?.state == .connected
            }
            #expect(answered.appCall?.app == "com.example.other" && answered.appCall?.by == .app)
            #expect(habits.noted.contains("hold"))
            try await other.end(call)
            try await bell.app.waitFor(.call) { $0.appCall?.uuid == call && $0.appCall?.state == .ended }
            #expect(!habits.noted.contains("resume"))
            try await bell.app.resume()
            try await wait(bell, of: "1", for: .resumed)
            #expect(habits.noted.contains("resume"))
        }
    }

    @Test("the person answers, holds and ends a second app's call as any") func secondByPerson() async throws {
        try await talking { bell in
            let other = try await bell.otherApp()
            let call = try await other.report(name: "Ben")
            try await bell.answer(call)
            try await bell.app.waitFor(.call) { $0.appCall?.uuid == call && $0.appCall?.state == .connected }
            try await bell.app.waitFor(.call) { $0.appCall?.call == "1" && $0.appCall?.state == .held }
            try await bell.app.resume("1")
            try await bell.app.waitFor(.call) { $0.appCall?.uuid == call && $0.appCall?.state == .held }
            try await bell.app.end(call)
            let ended = try await bell.app.waitFor(.call) { $0.appCall?.uuid == call && $0.appCall?.state == .ended }
            #expect(ended.appCall?.by == .person)
        }
    }

    @Test("a second app calls somebody, which holds the first one's call, and quits, which ends its own")
    func outgoing() async throws {
        try await talking { bell in
            let other = try await bell.otherApp()
            let call = try await other.start(to: "ben")
            try await bell.app.waitFor(.call) { $0.appCall?.call == "1" && $0.appCall?.state == .held }
            await other.quit()
            let ended = try await bell.app.waitFor(.call) { $0.appCall?.uuid == call && $0.appCall?.state == .ended }
            #expect(ended.appCall?.by == .system)
            let gone = await #expect(throws: BellError.self) { _ = try await other.report(name: "Ben") }
            #expect(gone?.code == .stopped)
        }
    }

    @Test("an identifier is one app's; what another app is refused throws the code; a bell without an app has no other")
    func otherRefused() async throws {
        try await talking { bell in
            let other = try await bell.otherApp()
            let twice = await #expect(throws: BellError.self) { _ = try await bell.otherApp() }
            #expect(twice?.code == .notServed && twice?.description.contains("one process is each app") == true)
            let unknown = await #expect(throws: BellError.self) {
                try await other.answer("01234567-89AB-4CDE-8F01-23456789ABCD")
            }
            #expect(unknown?.code == .notDone && unknown?.description.contains("error 4") == true)
            let noUUID = await #expect(throws: BellError.self) { try await other.end("1") }
            #expect(noUUID?.code == .noSuchCall)
        }
        let last = try await Belfry.running(app: Phone()) { bell in try await bell.otherApp() }
        let stopped = await #expect(throws: BellError.self) { _ = try await last.report(name: "Ben") }
        #expect(stopped?.code == .stopped, "it ends with its bell")
        try await Belfry.running { bell in
            let error = await #expect(throws: BellError.self) { _ = try await bell.otherApp() }
            #expect(error?.code == .noApp)
        }
    }
}
