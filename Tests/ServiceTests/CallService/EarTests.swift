import BelfryPropertyList
import BelfryTerms
import CallLedger
import Support
import Testing

/// What reaches a ring at its ear, where the group file's lock is held or its disk full: R4, R7, R8, R10, R12.
@Suite struct EarTests {
    let phone = FakePhone()

    private func answers(_ ask: RingAsk, of id: String?) throws -> (answers: [RingAnswer], all: Bool) {
        var result: ([RingAnswer], Bool)?
        FakeWorld(file: phone.file, pid: 7).ask(ask, of: id.map { CallKey($0) }) { result = ($0, $1) }
        phone.loop.advance(by: .zero)
        if result == nil { phone.loop.advance(by: .milliseconds(100)) }
        return try #require(result)
    }

    @Test("R4 R7 a call rings, is hung up and is missed at once if the file cannot be written, and all know of it")
    func unwritable() throws {
        phone.file.isWritable = false
        let worker = try phone.call("A")
        #expect(worker.world.story == ["ringing loud", "delivered extension"])
        #expect(phone.file.root["calls"] == nil && phone.file.read().rings.map(\.key) == [CallKey("A")])
        #expect(try phone.call("A").world.story == ["silent duplicate", "delivered extension"])
        let hangup = try phone.hangUp("A")
        phone.loop.advance(by: .zero)
        #expect(worker.world.story.suffix(2) == ["ended hangup cancelled", "missed"])
        #expect(hangup.world.story == ["delivered extension"])
        #expect(try phone.call("A").world.story == ["silent hung-up", "delivered extension"])
        phone.file.isWritable = true
        phone.file.change { _ in }
        #expect(phone.file.notes.isEmpty)
        #expect(Ledger(reading: phone.file.root, at: phone.file.moment()).call(CallKey("A"))?.state == .hangup)
    }

    @Test("R10 the younger ring becomes loud at once if the file cannot show that the older one ended") func younger()
        throws
    {
        phone.file.isWritable = false
        let older = try phone.call("A")
        let younger = try phone.call("B")
        #expect(younger.world.story.first == "ringing soft")
        phone.loop.advance(by: .milliseconds(300))
        #expect(try answers(.decline, of: "A").answers.map(\.state) == [.declined])
        phone.loop.advance(by: .zero)
        #expect(older.world.story.last == "ended declined")
        #expect(younger.world.story.last == "ringing loud")
    }

    @Test("R7 R8 a ring is ended by what is meant for it alone, and tells everybody who asked the same end")
    func oneWinner() throws {
        let sent = phone.file.wall.unixSecond
        let worker = try phone.call("A", #""sentAt": \#(sent)"#)
        worker.world.silenceDelay = .milliseconds(20)
        phone.loop.advance(by: .milliseconds(100))
        #expect(try answers(.answer(), of: "B") == ([], true))
        let earlier = RingAsk.hangUp(.busy, sentAt: WallTime(unixSeconds: Double(sent - 10)))
        #expect(try answers(earlier, of: "A").answers.map(\.state) == [.ringing])
        #expect(worker.world.isSounding)
        var told: [CallState] = []
        let asker = FakeWorld(file: phone.file, pid: 8)
        for ask in [RingAsk.answer(), .hangUp(.cancelled, sentAt: nil), .decline] {
            asker.ask(ask, of: CallKey("A")) { answers, _ in told += answers.map(\.state) }
        }
        phone.loop.advance(by: .milliseconds(20))
        #expect(told == [.answered, .answered, .answered])
        #expect(worker.world.story.last == "ended answered")
        #expect(phone.file.root["pendingAccept"]?.arrayValue?.count == 1)
    }

    @Test("R8 a hangup that comes while a ring falls silent for another reason is remembered") func lateHangup() throws
    {
        let sent = phone.file.wall.unixSecond
        let worker = try phone.call("A", #""sentAt": \#(sent)"#)
        worker.world.silenceDelay = .milliseconds(50)
        phone.loop.advance(by: .milliseconds(1_500))
        FakeWorld(file: phone.file, pid: 8).ask(.decline, of: CallKey("A")) { _, _ in }
        phone.loop.advance(by: .milliseconds(10))
        let hangup = try phone.hangUp("A", #""sentAt": \#(sent + 1)"#)
        phone.loop.advance(by: .milliseconds(200))
        #expect(worker.world.storyWithoutTicks.last == "ended declined" && hangup.isFinished)
        phone.loop.advance(by: .seconds(2))
        #expect(try phone.call("A", #""sentAt": \#(sent + 3)"#).world.story.first == "ringing loud")
    }

    @Test("R7 an end that the file had already is the one that everybody is told") func fileWasFirst() throws {
        let worker = try phone.call("A")
        worker.world.silenceDelay = .milliseconds(20)
        var told: [CallState] = []
        FakeWorld(file: phone.file, pid: 8).ask(.decline, of: CallKey("A")) { answers, _ in told = answers.map(\.state)
        }
        _ = phone.file.change { $0.answer(CallKey("A")) }
        phone.loop.advance(by: .milliseconds(20))
        #expect(told == [.answered] && worker.world.story.last == "ended answered")
    }

    @Test("R7 a process that is stopped does not answer: the ledger is changed in its stead, and it sees that later")
    func stopped() throws {
        let worker = try phone.call("A")
        phone.file.isWritable = false
        phone.file.stoppedProcesses = [worker.world.owner.pid]
        #expect(try answers(.answer(), of: "A") == ([], false))
        #expect(phone.file.change { $0.answer(CallKey("A")) }?.state == .answered)
        #expect(phone.file.read().rings.isEmpty)
        phone.file.stoppedProcesses = []
        phone.loop.advance(by: .seconds(1))
        #expect(worker.world.storyWithoutTicks.last == "ended answered")
    }

    @Test("R7 a ring whose time is up when it is answered has timed out") func timeIsUp() throws {
        let worker = try phone.call("A", #""duration": 2"#)
        phone.loop.stall(for: .seconds(3))
        #expect(try answers(.answer(), of: "A") == ([], true))
        phone.loop.advance(by: .seconds(1))
        #expect(worker.world.storyWithoutTicks.suffix(2) == ["ended timeout", "missed"])
    }

    @Test("R12 a killed process that could write nothing leaves a missed call, and the younger ring loud") func killed()
        throws
    {
        phone.file.isWritable = false
        let older = try phone.call("A")
        let younger = try phone.call("B")
        phone.loop.advance(by: .milliseconds(300))
        phone.file.kill(older.world.owner.pid)
        phone.loop.advance(by: .milliseconds(1))
        #expect(younger.world.story.last == "ringing loud")
        #expect(phone.file.change { $0.unreported }.map(\.key) == [CallKey("A")])
    }

    @Test("R7 the app comes to the front: every ring falls silent though the flag cannot be written") func foreground()
        throws
    {
        phone.file.isWritable = false
        let worker = try phone.call("A")
        phone.loop.advance(by: .milliseconds(300))
        phone.file.change { $0.enterForeground(owner: nil) }
        #expect(try answers(.foreground, of: nil).answers.map(\.state) == [.foreground])
        #expect(worker.world.story.suffix(2) == ["warning foreground-unowned", "ended foreground"])
        #expect(try phone.call("B").world.story.first == "silent foreground")
    }

    @Test("R18 a ring that another program has written away is in the file again after its owner has looked")
    func writtenAway() throws {
        let worker = try phone.call("A")
        phone.file.root = [:]
        phone.loop.advance(by: .milliseconds(1))
        #expect(worker.world.isSounding && phone.file.read().rings.map(\.key) == [CallKey("A")])
    }

    @Test("R7 R8 what is meant for another call is not answered, and ends nothing") func otherCall() throws {
        let worker = try phone.call("A")
        var answers: [RingAnswer?] = []
        for ask in [RingAsk.answer(), .decline, .hangUp(.busy, sentAt: nil)] {
            phone.file.say(ask, of: CallKey("B"), toEarOf: worker.world.owner.pid) { answers.append($0) }
        }
        phone.loop.advance(by: .zero)
        #expect(answers == [nil, nil, nil])
        #expect(worker.world.isSounding && worker.world.story == ["ringing loud", "delivered extension"])
    }

    @Test("R8 a hangup without an id reaches every ring at its ear, though nothing tells it of them any more")
    func hangupOfAll() throws {
        phone.file.isWritable = false
        let workers = try ["A", "B"].map { try phone.call($0) }
        phone.file.isUsable = false
        phone.loop.advance(by: .milliseconds(300))
        _ = try phone.push(#""type": "hangup""#)
        phone.loop.advance(by: .zero)
        for worker in workers { #expect(worker.world.story.suffix(2) == ["ended hangup cancelled", "missed"]) }
    }

    @Test("R8 a hangup that not every ring has heard is made in the ledger too") func hangupOfSome() throws {
        let workers = try ["A", "B"].map { try phone.call($0) }
        phone.loop.advance(by: .milliseconds(300))
        phone.file.stoppedProcesses = [workers[0].world.owner.pid]
        _ = try phone.push(#""type": "hangup""#)
        phone.loop.advance(by: .milliseconds(100))
        #expect(phone.file.read().rings.isEmpty)
    }

    @Test("R8 a hangup that was heard is not made in the ledger once more", arguments: [1, -10])
    func hangupOnce(after seconds: Int64) throws {
        let sent = phone.file.wall.unixSecond
        let worker = try phone.call("A", #""sentAt": \#(sent)"#)
        phone.loop.advance(by: .milliseconds(300))
        phone.file.stallAfterChange = .milliseconds(10)
        let hangup = try phone.hangUp("A", #""sentAt": \#(sent + seconds)"#)
        phone.loop.advance(by: .zero)
        #expect(hangup.isFinished && worker.world.isSounding == (seconds < 0))
        #expect(hangup.world.events.last?.at == .milliseconds(10))
    }

    @Test("R7 a ring that was stopped looks at once when it was hung up where the file does not show it")
    func wokenRing() throws {
        phone.file.isWritable = false
        let worker = try phone.call("A")
        phone.loop.advance(by: .milliseconds(300))
        phone.file.stoppedProcesses = [worker.world.owner.pid]
        _ = try phone.hangUp("A")
        phone.loop.advance(by: .milliseconds(50))
        phone.file.stoppedProcesses = []
        phone.loop.advance(by: .milliseconds(50))
        #expect(worker.world.story.suffix(2) == ["ended hangup cancelled", "missed"])
    }
}
