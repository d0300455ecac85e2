import BelfryProtocol
import BelfryTerms
import CallChannel
import CallLedger
import CallService
import Support
import Testing

/// A voip push whose type is another word than those of a call.
@Suite("A voip push that is no call, and its app") struct OtherAppPushTests {
    private let walk = AppCallTests()
    private var calls: ScriptedCalls { walk.calls }
    private static let id = "01234567-89ab-4cde-8f01-23456789abcd"

    private func mail(_ more: String = "") throws -> FakePhone.Worker {
        try walk.phone.push(
            #""type": "mail""# + more, aps: #""alert": {"title": "Mail"}"#,
            envelope: #""pushType": "voip", "id": "\#(Self.id)""#)
    }

    /// What became of it since it was received.
    private func story(_ worker: FakePhone.Worker) -> [String] {
        #expect(worker.world.story.first == "warning field-ignored")
        return Array(worker.world.storyWithoutTicks.dropFirst())
    }

    @Test("R4: it is handed over, and rings once the app has reported a call, as the app says") func reported() throws {
        let worker = try mail()
        let push = try #require(calls.pushes.first)
        #expect(push.kind == .other && push.call == Self.id && push.until == walk.phone.loop.now + .seconds(30))
        calls.say(.wait(app: "a"), .handed)
        walk.tick(2)
        #expect(story(worker) == [] && walk.phone.file.read().calls.isEmpty)
        calls.say(.ring(ReportedCaller("Grace", "+1")))
        #expect(story(worker) == ["caller Grace +1", "ringing loud", "delivered app"])
        #expect(try walk.call(Self.id).name == "Grace")
        walk.tick(28)
        #expect(story(worker).suffix(2) == ["ended timeout", "missed"] && worker.isFinished)
    }

    @Test("R8: the call is known by the id that the push names, if that can be one") func named() throws {
        _ = try mail(#", "callId": "A""#)
        _ = try mail(#", "callId": true"#)
        #expect(calls.pushes.map(\.call) == ["A", Self.id])
        let ring = try walk.phone.call("A")
        let worker = try mail(#", "callId": "A""#)
        calls.say(.ring(ReportedCaller("Grace")))
        #expect(story(worker).suffix(2) == ["silent duplicate", "delivered app"])
        #expect(ring.world.isSounding)
    }

    @Test(
        "R4: nothing rings without a report: it is delivered as it came",
        arguments: [WorkerOrder.none, .silent(CodeWord(.duplicate)), .silent(CodeWord(.busy)), .ring(nil)])
    func unreported(_ order: WorkerOrder) throws {
        let worker = try mail()
        calls.say(.wait(app: "a"), order)
        #expect(story(worker) == ["delivered passthrough"] && worker.isFinished)
        let handed = try mail()
        calls.say(.wait(app: "a"), .handed, order)
        #expect(story(handed) == ["delivered app"] && handed.isFinished)
        #expect(walk.phone.file.read().calls.isEmpty)
    }

    @Test("R4, R17: nor if nothing is said in time, belfry-calls is gone, or it is stopped; where none is, at once")
    func alone() throws {
        let silent = try mail()
        walk.tick(1)
        #expect(story(silent) == ["warning calls-unavailable", "delivered passthrough"] && silent.isFinished)
        let waits = try mail()
        calls.say(.wait(app: "a"))
        walk.tick(5)
        #expect(story(waits) == [])
        walk.tick(1)
        #expect(story(waits) == ["warning calls-unavailable", "delivered passthrough"] && waits.isFinished)
        let gone = try mail()
        calls.leave()
        #expect(story(gone) == ["warning calls-unavailable", "delivered passthrough"] && gone.isFinished)
        let stopped = try mail()
        stopped.stop()
        #expect(story(stopped) == ["delivered passthrough"] && stopped.isFinished)
        walk.phone.connect = { nil }
        #expect(try story(mail()) == ["delivered passthrough"])
        #expect(walk.phone.file.read().missedCalls.isEmpty)
    }

    @Test(
        "R2: it is delivered once, though its time is over before that of its app",
        arguments: [nil, WorkerOrder.none, .silent(CodeWord(.duplicate))])
    func delivered(_ order: WorkerOrder?) throws {
        walk.phone.budget = .seconds(2)
        let worker = try mail()
        calls.say(.wait(app: "a"))
        walk.tick(2)
        #expect(story(worker) == ["delivered passthrough"])
        if let order { calls.say(order) }
        walk.tick(4)
        let warnings = order == nil ? ["warning calls-unavailable"] : []
        #expect(story(worker) == ["delivered passthrough"] + warnings && worker.isFinished)
    }

    @Test("R5: no place is asked for before there is a report; one that is not there then makes the call missed")
    func busy() throws {
        walk.phone.settings.callsMax = 1
        _ = try walk.phone.call("A")
        let worker = try mail()
        calls.say(.ring(ReportedCaller("Grace")))
        #expect(story(worker) == ["caller Grace ", "silent busy", "delivered app", "missed"])
    }
}
