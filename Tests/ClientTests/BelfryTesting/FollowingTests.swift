import BelfrySyscalls
import BelfryTesting
import Glibc
import Support
import Testing

/// What others push to a bell, and its endpoint, as a test of a push server follows them.
@Suite struct FollowingTests {
    private static let patience = Duration.seconds(60)

    private struct Payload: Decodable {
        let order: Int
    }

    /// Has a process push `json`.
    @discardableResult
    private func send(_ json: String, to bell: Bell) async throws -> BellProcess {
        try await bell.run("sh", ["-c", "printf %s \"$1\" | \"$0\" push -", testedProgram("belfry"), json])
    }

    @Test("what a process pushes is followed: content, events, end; what it cannot read is rejected")
    func process() async throws {
        try await Belfry.running(settings: .longRings) { bell in
            let json = #"{"aps": {"alert": {"title": "FINDME"}, "mutable-content": 1}, "order": 7}"#
            let server = try await send(json, to: bell)
            let push = try await bell.nextPush(within: Self.patience)
            #expect(push.content?.title == "FINDME" && push.request == nil && push.envelope?.pushType == .alert)
            #expect(try push.content?.userInfo.decode(Payload.self).order == 7)
            #expect(throws: DecodingError.self) { try push.content?.userInfo.decode([Int].self) }
            let story = try await push.waitUntilDone(within: Self.patience)
            #expect(story.first?.id == push.id && story.contains { $0.content?.title == "FINDME" })
            #expect(await push.isDone)
            #expect(try await server.waitUntilExit(within: Self.patience) == .exited(0))
            try await send("{}", to: bell)
            let rejected = try await bell.nextPush(within: Self.patience)
            #expect(rejected.content == nil && rejected.envelope == nil)
            try await rejected.waitFor(.rejected, within: Self.patience)
        }
    }

    @Test("each iteration sees all pushes from the first, whoever sent them, until the bell has ended")
    func iterated() async throws {
        let bell = try await Belfry.start()
        try await bell.call(id: "a").waitFor(.ringing, within: Self.patience)
        try await bell.hangup("a").waitUntilDone(within: Self.patience)
        var iterator = bell.pushes.makeAsyncIterator()
        #expect(try await iterator.next()?.callID == "a")
        let hangup = try await bell.nextPush(within: Self.patience) { $0.content?.body == "Call ended" }
        #expect(try await bell.nextPush(within: Self.patience).content?.body == "Incoming call")
        #expect(try await iterator.next() === hangup)
        let waiting = Task { try await bell.nextPush(within: .seconds(3_600)) }
        await bell.stop()
        let error = await #expect(throws: BellError.self) { try await waiting.value }
        #expect(error?.description.contains("no next push before the bell ended. What came:") == true)
        #expect(error?.description.contains("alert of a: Call ended") == true)
        var pushes: [BellPush] = []
        for try await push in bell.pushes { pushes.append(push) }
        #expect(pushes.count == 2 && pushes[1] === hangup)
        #expect(try await iterator.next() == nil)
        for push in pushes { #expect(try await push.waitUntilDone().last?.kind != nil) }
    }

    @Test("a push is a sequence of its events, and the next of a kind comes after those that were waited for")
    func sequence() async throws {
        try await Belfry.running(settings: .longRings { $0.ringInterval = .milliseconds(200) }) { bell in
            let call = try await bell.call(id: "a")
            var numbers: [Int64] = []
            for _ in 0..<3 {
                let event = try await call.waitFor(next: .tick, within: Self.patience)
                if case .tick(let number, _) = event.body { numbers.append(number) }
            }
            #expect(numbers.count == 3 && Set(numbers).count == 3 && numbers == numbers.sorted())
            let error = await #expect(throws: BellError.self) {
                try await call.waitFor(next: .received, within: .milliseconds(1))
            }
            #expect(error?.description.contains("no received after those that were waited for within") == true)
            try await bell.answer()
            var kinds: [Belfry.Event.Kind] = []
            for try await event in call { kinds.append(event.kind) }
            #expect(await kinds == call.events.map(\.kind) && kinds.first == .received && kinds.contains(.ended))
            #expect(try await call.first { $0.kind == .ringing }?.ringing?.call == "a")
        }
    }

    @Test("the end of an unanswered call is waited for as long as it may ring") func unanswered() async throws {
        let settings = BellSettings(
            ringDuration: .seconds(2), expiryBudget: .seconds(60), patience: .milliseconds(1))
        try await Belfry.running(settings: settings) { bell in
            let story = try await bell.call().waitUntilDone()
            #expect(story.contains { $0.ended?.reason == .timeout })
        }
    }

    @Test("what a worker said before it was killed is there, and that it left without a word")
    func killed() async throws {
        try await Belfry.running(settings: .longRings) { bell in
            try await bell.call(id: "a").waitFor(.ringing, within: Self.patience)
            let push = try await bell.nextPush(within: Self.patience)
            let ringing = try await push.waitFor(.ringing, within: Self.patience)
            kill(try ringingProcess(of: bell), SIGKILL)
            let error = await #expect(throws: BellError.self) { try await push.waitFor(.ended, within: Self.patience) }
            #expect(error?.description.contains("and then: its worker left without a word") == true)
            #expect(await push.events.contains(ringing))
        }
    }

    /// The process that rings, by the name of its ear.
    private func ringingProcess(of bell: Bell) throws -> Int32 {
        let rings = try #require(bell.environment["BELFRY_RUNTIME_DIRECTORY"]) + "/rings"
        let folders = try Directory.names(at: rings, max: 10)
        let names = try folders.flatMap { try Directory.names(at: "\(rings)/\($0)", max: 10) }
        let ear = try #require(names.first { $0.hasSuffix(".ear") })
        return try #require(ear.split(separator: "-").first.flatMap { Int32($0) })
    }

    @Test("a bell's person is that of its group for a process, too") func group() async throws {
        try await Belfry.running(settings: .longRings { $0.appGroup = "group.x" }) { bell in
            #expect(bell.environment["BELFRY_APP_GROUP"] == "group.x")
            try await bell.call(id: "a").waitFor(.ringing, within: Self.patience)
            let answering = try await bell.run(testedProgram("belfry"), ["answer"])
            #expect(try await answering.waitUntilExit(within: Self.patience) == .exited(0))
            #expect(await answering.output == "answered a\n")
        }
    }
}
