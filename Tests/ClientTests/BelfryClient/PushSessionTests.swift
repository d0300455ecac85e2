@testable import BelfryClient
import BelfryJSON
import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import CBelfryLinux
import Glibc
import Support
import Testing

@Suite struct PushSessionTests {
    static func event(_ name: String, _ rest: String) -> String {
        #"{"event":"\#(name)","at":0.5,"boot":2.0,"id":"i",\#(rest)}"# + "\n"
    }

    static let received = event("received", #""type":"call-request","call":"c","intercepted":true"#)
    static let ended = event("ended", #""call":"c","reason":"hangup","hangupReason":"cancelled","rang":1.5,"ticks":1"#)

    static let ringing = event(
        "ringing", #""call":"c","mode":"loud","duration":30,"interval":1,"sound":"ring","vibrate":true"#)
    static let delivered = event("delivered", #""by":"extension","content":{}"#)

    @Test func eventsComeUntilTheOneThatIsWaitedFor() async throws {
        let sent = ReceivedBytes()
        let worker = ScriptedWorker { connection in
            sent.set(ScriptedWorker.readAll(connection))
            ScriptedWorker.write(Self.received + Self.ended + Self.received, to: connection)
        }
        defer { withExtendedLifetime(worker) {} }
        let session = try PushSession(PushSocket(path: worker.path))
        let call = session.push(CallRequest(callID: "c", callerName: "Anna"))
        let events = try await call.events { event in
            if case .ended = event.body { true } else { false }
        }
        #expect(events.map(\.name) == ["received", "ended"])
        let push = try Push.parse(sent.bytes)
        #expect(push.call?.callID == "c")
        #expect(push.isMutableContent && push.alertHasText)
    }

    @Test("a newer worker's events and words come through: none of them ends the stream")
    func aNewerWorkerIsUnderstood() async throws {
        let answer =
            Self.received + Self.event("transferred", #""to":"another device""#)
            + Self.event("tick", #""n":"now in words""#) + Self.event("warning", #""code":"low-battery","detail":"d""#)
            + Self.event("ended", #""call":"c","reason":"transferred","rang":1.5,"ticks":1,"cost":{"eur":0}"#)
            + Self.delivered
        let worker = ScriptedWorker(connections: 2) { connection in
            _ = ScriptedWorker.readAll(connection)
            ScriptedWorker.write(answer, to: connection)
        }
        defer { withExtendedLifetime(worker) {} }
        let session = try PushSession(PushSocket(path: worker.path))
        let events = try await session.push(CallRequest(callID: "c")).allEvents()
        #expect(events.map(\.name) == ["received", "transferred", "tick", "warning", "ended", "delivered"])
        guard case .unknown(let transferred) = events[1].body, case .unknown = events[2].body,
            case .warning(let code, _) = events[3].body, case .ended(let ended) = events[4].body
        else {
            Issue.record("\(events)")
            return
        }
        #expect(transferred.fields == ["to": "another device"] && events[1].at == 0.5)
        #expect(code.known == nil && code.rawValue == "low-battery")
        #expect(ended.reason.known == nil && ended.reason.rawValue == "transferred" && ended.rang == 1.5)
        let untilEnded = try await session.push(CallRequest(callID: "c")).events { event in
            if case .ended = event.body { true } else { false }
        }
        #expect(untilEnded == events.dropLast())
    }

    @Test func everyNotificationHasItsOwnEvents() async throws {
        let worker = ScriptedWorker(connections: 20) { connection in
            let call = (try? Push.parse(ScriptedWorker.readAll(connection)))?.call?.callID ?? "?"
            let answer = Self.event("received", #""type":"hangup","call":"\#(call)","intercepted":true"#)
            ScriptedWorker.write(answer + Self.delivered, to: connection)
        }
        defer { withExtendedLifetime(worker) {} }
        let session = try PushSession(PushSocket(path: worker.path))
        let pushed = (0..<20).map { ($0, session.push(Hangup(callID: "call-\($0)"))) }
        for (index, notification) in pushed {
            #expect(try await notification.allEvents().map(\.call) == ["call-\(index)", nil])
        }
    }

    static let rejected = event("rejected", #""reason":"NoAps","detail":"d""#)
    static let stories: [(answer: String, problem: String?)] = [
        (received, "the connection ended before the notification was delivered"),
        (received + ringing + delivered, "the connection ended before the end of the call was told"),
        (received + ringing + ended, "the connection ended before the notification was delivered"),
        (received + ringing + delivered + ended, nil), (rejected, nil),
    ]

    @Test("a worker that closed before it told all ends the stream with an error", arguments: stories)
    func closedEarly(answer: String, problem: String?) async throws {
        let worker = ScriptedWorker { connection in
            _ = ScriptedWorker.readAll(connection)
            ScriptedWorker.write(answer, to: connection)
        }
        defer { withExtendedLifetime(worker) {} }
        let session = try PushSession(PushSocket(path: worker.path))
        var error: PushError?
        do {
            _ = try await session.push(Array("{}".utf8)).allEvents()
        } catch let failure as PushError {
            error = failure
        }
        #expect(error?.detail == problem)
        #expect(error == nil || error?.code == .endedEarly)
    }

    @Test func whatIsWaitedForAndDoesNotComeIsAnError() async throws {
        let worker = ScriptedWorker { connection in ScriptedWorker.write(Self.received + Self.delivered, to: connection)
        }
        defer { withExtendedLifetime(worker) {} }
        let session = try PushSession(PushSocket(path: worker.path))
        let call = session.push(Array("{}".utf8))
        let error = await #expect(throws: PushError.self) { _ = try await call.events { _ in false } }
        #expect(error?.code == .endedEarly && error?.detail == "the worker closed after delivered")
    }

    @Test func whatIsNoEventIsAnError() async throws {
        let worker = ScriptedWorker { connection in ScriptedWorker.write("\u{1B}[2J\n", to: connection) }
        defer { withExtendedLifetime(worker) {} }
        let session = try PushSession(PushSocket(path: worker.path))
        let error = await #expect(throws: PushError.self) { _ = try await session.push([]).allEvents() }
        #expect(error?.code == .notAnEvent)
        #expect(error?.detail.contains("\u{1B}") == false)
    }

    @Test func withoutASocketTheEventsThrow() async throws {
        let session = try PushSession(PushSocket(path: "/nonexistent/push.sock"))
        let error = await #expect(throws: PushError.self) { _ = try await session.push([]).allEvents() }
        #expect(error?.code == .noSocket)
    }

    @Test func whoDoesNotReadLosesTheConnection() async throws {
        var worker: ScriptedWorker? = ScriptedWorker { connection in while sendTick(connection) {} }
        let session = try PushSession(PushSocket(path: try #require(worker).path))
        var events = session.push([]).events.makeAsyncIterator()
        #expect(try await events.next() != nil)
        // Comes back once the worker has noticed that its client has left.
        worker = nil
        var count = 0
        do {
            while try await events.next() != nil { count += 1 }
            Issue.record("it ended as if all had been read")
        } catch {
            #expect((error as? PushError)?.code == .endedEarly)
        }
        #expect(count >= PushedNotification.linesMax - 1 && count <= PushedNotification.linesMax)
    }

    @Test("what nobody reads the events of is sent whole, and followed no further than the worker's first word")
    func dropped() async throws {
        let count = 20
        let (sizes, size) = AsyncStream<Int>.makeStream()
        let worker = ScriptedWorker(connections: count) { connection in
            let sent = ScriptedWorker.readAll(connection)
            ScriptedWorker.write(Self.received, to: connection)
            waitUntilLeft(connection)
            size.yield(sent.count)
        }
        let payload = #"{"aps":{"alert":"\#(String(repeating: "x", count: 60_000))"}}"#
        for _ in 0..<count { _ = try PushSession(PushSocket(path: worker.path)).push(Array(payload.utf8)) }
        var read: [Int] = []
        for await size in sizes {
            read.append(size)
            if read.count == count { break }
        }
        #expect(read.allSatisfy { $0 == payload.utf8.count })
    }

    @Test("a cancelled reader throws CancellationError, before and while it waits", arguments: [true, false])
    func cancelled(isWaiting: Bool) async throws {
        let worker = ScriptedWorker { connection in
            ScriptedWorker.write(Self.received, to: connection)
            waitUntilLeft(connection)
        }
        defer { withExtendedLifetime(worker) {} }
        let call = try PushSession(PushSocket(path: worker.path)).push(Array("{}".utf8))
        let (reads, read) = AsyncStream<Void>.makeStream()
        let reader = Task {
            if !isWaiting { unsafe withUnsafeCurrentTask { unsafe $0?.cancel() } }
            for try await _ in call.events { read.yield() }
        }
        if isWaiting {
            for await _ in reads { break }
            reader.cancel()
        }
        await #expect(throws: CancellationError.self) { try await reader.value }
    }

    @Test("the next reader goes on where the last one stopped; two at a time and one after the end get an error")
    func readTwice() async throws {
        let gate = try DescriptorPair.pipe()
        let (waits, opens) = (gate.reading.number, gate.writing.number)
        let worker = ScriptedWorker { connection in
            ScriptedWorker.write(Self.received, to: connection)
            var byte: UInt8 = 0
            _ = unsafe read(waits, &byte, 1)
            ScriptedWorker.write(Self.delivered, to: connection)
        }
        defer { withExtendedLifetime(worker) {} }
        let call = try PushSession(PushSocket(path: worker.path)).push(Array("{}".utf8))
        #expect(try await call.events { $0.name == "received" }.count == 1)
        await withTaskGroup(of: Result<[String], any Error>.self) { readers in
            for _ in 0..<2 {
                readers.addTask {
                    do { return .success(try await call.allEvents().map(\.name)) } catch { return .failure(error) }
                }
            }
            // Nothing comes yet, so whoever came second has failed.
            let second = await #expect(throws: PushError.self) { try await readers.next()?.get() }
            #expect(second?.code == .readTwice)
            var byte: UInt8 = 0
            _ = unsafe write(opens, &byte, 1)
            let first = await readers.next()
            #expect((try? first?.get()) == ["delivered"])
        }
        let late = await #expect(throws: PushError.self) { try await call.allEvents() }
        #expect(late?.code == .readTwice)
    }

    @Test func whoLeavesClosesTheConnection() async throws {
        let worker = ScriptedWorker { connection in
            ScriptedWorker.write(Self.received, to: connection)
            waitUntilLeft(connection)
        }
        defer { withExtendedLifetime(worker) {} }
        let session = try PushSession(PushSocket(path: worker.path))
        let events = try await session.push([]).events { _ in true }
        #expect(events.count == 1)
    }
}

/// Returns once the client has closed both directions, which its half close is not.
private func waitUntilLeft(_ connection: Int32) {
    var waiting = pollfd(fd: connection, events: 0, revents: 0)
    _ = unsafe poll(&waiting, 1, -1)
}

/// Sends one tick; false once the client has gone.
private func sendTick(_ connection: Int32) -> Bool {
    let line = Array(PushSessionTests.event("tick", #""n":1,"late":0.0"#).utf8)
    return unsafe line.withUnsafeBytes { unsafe send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) } > 0
}
