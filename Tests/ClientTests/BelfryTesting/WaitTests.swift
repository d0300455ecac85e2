import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import BelfryTesting
import Glibc
import Support
import Synchronization
import Testing

/// Waits that do not get what they wait for: what they say is what people see of a failed test.
@Suite struct WaitTests {
    private static let patience = Duration.seconds(60)

    private func failure(_ body: () async throws -> Void) async -> BellError? {
        do {
            try await body()
            Issue.record("nothing failed")
        } catch let error as BellError {
            return error
        } catch {
            Issue.record(error)
        }
        return nil
    }

    @Test("a wait that takes too long says where it stands, and what came instead, with times")
    func tooLong() async throws {
        try await Belfry.running(settings: .longRings) { bell in
            let call = try await bell.call(id: "a", name: "Anna")
            try await call.waitFor(.delivered, within: Self.patience)
            let line = #line + 1
            let error = await failure { try await call.waitFor(.ended, within: .milliseconds(1)) }
            #expect(error?.code == .didNotCome)
            let lines = (error?.description ?? "").split(separator: "\n")
            #expect(
                lines.first == "ClientTests/WaitTests.swift:\(line): no ended within 0.001 s. What came instead:"
            )
            #expect(lines.contains { $0.contains("received call-request of a, intercepted") })
            let ringing = lines.first { $0.contains("ringing a loud for") } ?? ""
            #expect(ringing.hasPrefix("    ") && ringing.split(separator: " ").first.flatMap { Double($0) } != nil)
            #expect(lines.contains { $0.contains("delivered by extension: Anna") })
        }
    }

    @Test("a wait for what cannot come any more fails at once, and so does one whose bell ends")
    func atOnce() async throws {
        let (push, call) = try await Belfry.running(settings: .longRings) { bell in
            let push = try await bell.push(#"{"aps": {"alert": "Hi"}}"#)
            let error = await failure { try await push.waitFor(.ringing, within: .seconds(3_600)) }
            #expect(error?.description.hasSuffix("and then the notification was done.") == true)
            #expect(error?.description.contains("no ringing. What came instead:") == true)
            let call = try await bell.call()
            try await call.waitFor(.ringing, within: Self.patience)
            return (push, call)
        }
        let late = await failure { try await push.waitFor(.delivered) { $0.content?.body == "Ho" } }
        #expect(late?.description.contains("no delivered that is meant. What came instead:") == true)
        #expect(try await call.waitFor(.ended, within: Self.patience).ended?.reason == .stopped)
    }

    @Test("a wait whose task is cancelled ends with that, whether it is cancelled before or meanwhile")
    func cancelled() async throws {
        try await Belfry.running(settings: BellSettings(ringDuration: Self.patience, expiryBudget: Self.patience)) {
            bell in
            let call = try await bell.call()
            try await call.waitFor(.ringing, within: Self.patience)
            await withTaskGroup(of: (any Error)?.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        do {
                            try await call.waitFor(.rejected, within: .seconds(3_600))
                            return nil
                        } catch { return error }
                    }
                }
                group.cancelAll()
                for await error in group { #expect(error is CancellationError) }
            }
        }
    }

    @Test("answering what does not ring says what rings; a stopped bell takes no push")
    func noSuchCall() async throws {
        let lasting = BellSettings(ringDuration: Self.patience, expiryBudget: Self.patience)
        let bell = try await Belfry.start(settings: lasting)
        let isSilent = "does not ring in group.belfry"
        #expect(await failure { try await bell.answer() }?.description == "a call \(isSilent); nothing does")
        try await bell.call(id: "b", name: "Bea").waitFor(.ringing, within: Self.patience)
        let error = await failure { try await bell.decline("a") }
        #expect(error?.code == .noSuchCall && error?.description == "a \(isSilent); what rings: b (Bea)")
        await bell.stop()
        await bell.stop()
        #expect(await failure { try await bell.call() }?.code == .stopped)
    }

    @Test("a story of as many events as are kept is whole, and one of more is an error", arguments: [0, 1])
    func manyEvents(more: Int) async throws {
        let worker = ScriptedWorker { connection in
            _ = ScriptedWorker.readAll(connection)
            let delivered = Event.Body.delivered(by: CodeWord(Deliverer.extension), content: NotificationContent())
            for _ in 0..<BellPush.eventsMax + more {
                ScriptedWorker.write(Event(at: 0, boot: 0, id: "a", body: delivered).line, to: connection)
            }
        }
        try await Belfry.running(settings: .longRings) { bell in
            #expect(unsafe rename(worker.path, bell.socketPath) == 0)
            let push = try await bell.push("{}")
            guard more == 0 else {
                let error = await failure { try await push.waitUntilDone(within: Self.patience) }
                #expect(error?.description.contains("\nand then: more than 10000 events came") == true)
                return
            }
            #expect(try await push.waitUntilDone(within: Self.patience).count == BellPush.eventsMax)
        }
    }

    @Test("a line of the worker that is no event ends its story, and says so") func noEvent() async throws {
        let worker = ScriptedWorker { connection in
            _ = ScriptedWorker.readAll(connection)
            ScriptedWorker.write("nonsense\n", to: connection)
        }
        try await Belfry.running(settings: .longRings) { bell in
            #expect(unsafe rename(worker.path, bell.socketPath) == 0)
            let push = try await bell.push("{}")
            let error = await failure { try await push.waitUntilDone(within: Self.patience) }
            #expect(error?.code == .didNotCome)
            #expect(error?.description.contains("\nand then: a line of the worker is no event") == true)
        }
    }

    @Test("what cannot be recorded is an error") func notRecorded() async throws {
        try await Belfry.running(settings: .longRings) { bell in
            let state = bell.environment["BELFRY_STATE_DIRECTORY"] ?? ""
            // What others may write to nobody writes to.
            try checked("mkdir") { unsafe mkdir(state, 0o777) }
            try checked("chmod") { unsafe chmod(state, 0o777) }
            let error = await failure { try await bell.enterForeground() }
            #expect(error?.code == .notRecorded && error?.description.contains(".plist cannot be written") == true)
        }
    }

    @Test("what a test throws comes through, and its bell has ended by then") func throwing() async throws {
        struct Failure: Error {}
        let path = Mutex("")
        await #expect(throws: Failure.self) {
            try await Belfry.running(settings: .longRings) { bell in
                path.withLock { $0 = bell.socketPath }
                try await bell.call().waitFor(.ringing, within: Self.patience)
                throw Failure()
            }
        }
        let gone = path.withLock { $0 }
        #expect(unsafe access(gone, F_OK) == -1)
    }
}

/// The suite trait, as a dependent writes it.
@Suite(.belfry(settings: .longRings { $0.ringInterval = .milliseconds(500) })) struct TraitTests {
    private static let paths = Mutex<Set<String>>([])

    @Test("each test, and each of its cases, has a bell of its own with the suite's settings", arguments: 0..<3)
    func own(number: Int) async throws {
        let bell = try Belfry.bell
        #expect(Self.paths.withLock { $0.insert(bell.socketPath).inserted })
        let call = try await bell.call(id: "a")
        #expect(try await call.waitFor(.ringing, within: .seconds(60)).ringing?.interval == 0.5)
        #expect(await bell.calls.count == 1)
    }

    @Suite struct Inner {
        @Test("a suite in it has one too") func inherited() throws { _ = try Belfry.bell }
    }
}

@Suite struct NoTraitTests {
    @Test("without the trait there is no bell, and the error says what to do") func none() {
        let error = #expect(throws: BellError.self) { try Belfry.bell }
        #expect(error?.code == .noBell && error?.description.contains("the trait .belfry") == true)
    }
}
