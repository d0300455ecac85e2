import BelfryAppGroup
import BelfryEventLoop
import BelfrySyscalls
import BelfryTerms
import CallLedger
@testable import GroupLedger
import RingEar
import Support
import Testing

/// How a person at the endpoint ends a call, at a real ear and in a real ledger: R7, R8 and R22.
@Suite struct PersonalEndTests {
    let folder = TemporaryFolder()
    let loop: Loop
    let group: GroupName
    let file: LedgerFile

    init() throws {
        loop = try Loop()
        group = try #require(GroupName("group.belfry"))
        file = LedgerFile(
            state: StateDirectory(path: "\(folder.path)/state"),
            runtime: RuntimeDirectory(path: "\(folder.path)/run"), group: group)
    }

    private func ring(_ id: String) {
        let until = loop.now + .seconds(30)
        file.transact(on: loop) {
            _ = $0.admit(
                RingRequest(key: CallKey(id)), until: until, secondCall: .soft, callsMax: 10, owner: Owner(.current))
        } completion: { _ in
        }
    }

    private func end(_ id: String?, as end: PersonalEnd) throws -> EndedCall? {
        var ended: EndedCall??
        file.end(id.map { CallKey($0) }, as: end, on: loop) { call, outcome in
            #expect(outcome == .recorded([]))
            ended = .some(call)
            loop.stop()
        }
        loop.run()
        return try #require(ended)
    }

    /// An ear that answers as `state`.
    private func ear(answering state: CallState, isRecorded: Bool) throws -> Ear {
        let ear = try Ear(of: Owner(.current), in: file.folder)
        try ear.listen(on: loop) { message, answer in
            answer(RingAnswer(key: message.call, state: state, isRecorded: isRecorded))
        }
        return ear
    }

    @Test("R7 without an ear the ledger ends the call, the loud one if none is named")
    func inTheLedger() throws {
        ring("a")
        ring("b")
        let declined = try #require(try end("b", as: .decline))
        #expect(declined.call.key == CallKey("b") && declined.state == .declined)
        let answered = try #require(try end(nil, as: .answer()))
        #expect(answered.call.key == CallKey("a") && answered.state == .answered)
        #expect(try end(nil, as: .answer()) == nil)
        #expect(try end("a", as: .decline) == nil)
    }

    @Test(
        "R7 what is heard and recorded is over, also if the ring ended otherwise",
        arguments: [
            CallState.answered, .hangup,
        ])
    func atTheEar(state: CallState) throws {
        ring("a")
        let ear = try ear(answering: state, isRecorded: true)
        defer { ear.close() }
        let ended = try #require(try end("a", as: .answer()))
        #expect(ended.call.key == CallKey("a") && ended.state == state)
        #expect(file.read()?.rings.count == 1)
    }

    @Test("R22 what is heard and cannot be recorded is recorded by who asked, unless the ring ended otherwise")
    func unrecorded() throws {
        ring("a")
        let otherwise = try ear(answering: .timeout, isRecorded: false)
        #expect(try end("a", as: .answer())?.state == .timeout)
        #expect(file.read()?.rings.count == 1)
        otherwise.close()
        let ear = try ear(answering: .answered, isRecorded: false)
        defer { ear.close() }
        #expect(try end("a", as: .answer())?.state == .answered)
        #expect(file.read()?.call(CallKey("a"))?.state == .answered)
    }
}
