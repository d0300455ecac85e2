import BelfryTerms
@testable import CallLedger
import Testing

/// Calls that an app has reported, and calls that waited for that: R5, R7, R11 and R17.
@Suite struct ReportedCallTests {
    private let file = GroupFile()

    private func request(_ id: String, sentAt: WallTime? = nil, isReported: Bool = true) -> RingRequest {
        var request = RingRequest(key: CallKey(id))
        (request.name, request.handle, request.sentAt) = ("Ada", "+49", sentAt)
        (request.isReported, request.uuid) = (isReported, isReported ? "AAAAAAAA-0000-4000-8000-00000000000A" : "")
        return request
    }

    private func admit(_ request: RingRequest, by pid: Int64 = 1) -> Admission {
        file.change {
            $0.admit(
                request, until: file.now + .seconds(30), secondCall: .soft, callsMax: 9, owner: file.process(pid))
        }
    }

    private func miss(_ id: String, _ reason: MissedReason, sentAt: WallTime? = nil, by pid: Int64 = 2) -> Bool {
        file.change { $0.miss(request(id, sentAt: sentAt), for: reason, owner: file.process(pid)) }
    }

    private func standing(_ id: String, isReported: Bool) -> Standing {
        file.ledger.standing(of: CallKey(id), owner: file.process(1), secondCall: .soft, isReported: isReported)
    }

    @Test("R5 R7 the app in front silences no call that an app has reported, before its ring or in it")
    func inFront() {
        file.change { $0.enterForeground(owner: nil) }
        #expect(admit(request("a", isReported: false)) == .silent(.foreground, missed: false))
        #expect(admit(request("a")) == .ring(mode: .loud))
        #expect(standing("a", isReported: true) == .rings(.loud))
        #expect(standing("a", isReported: false) == .ended(.foreground))
        let ask = RingAsk.foreground
        #expect(ask.end(of: request("a"), sentAt: nil, wall: file.wall) == nil)
        #expect(ask.end(of: request("a", isReported: false), sentAt: nil, wall: file.wall) == .foreground)
        #expect(RingAsk.decline.end(of: request("a"), sentAt: nil, wall: file.wall) == .declined)
    }

    @Test(
        "R11 R17 a call that never rang is missed, as it was stopped or there was no place, and rings if it comes again"
    )
    func missed() {
        for reason in [MissedReason.stopped, .busy] {
            #expect(miss("\(reason)", reason))
            #expect(file.ledger.missedCalls.last?.reason == CodeWord(reason))
            let call = file.ledger.call(CallKey("\(reason)"))
            #expect(call?.state == (reason == .stopped ? .stopped : .missed) && call?.owner == file.process(2))
            #expect(!miss("\(reason)", reason), "it is told once")
            file.change { $0.reported(CallKey("\(reason)"), owner: file.process(2)) }
            #expect(file.ledger.unreported.isEmpty && admit(request("\(reason)")).rings)
        }
    }

    @Test(
        "R11 it is not missed if it rings, was ended here, or its worker reports it; if its hangup overtook it, it is")
    func known() {
        _ = admit(request("a"))
        #expect(!miss("a", .stopped) && file.ledger.rings.count == 1)
        _ = file.change { $0.decline(CallKey("a")) }
        #expect(!miss("a", .stopped) && file.ledger.missedCalls.isEmpty)
        _ = file.change { $0.hangUp(CallKey("b"), reason: .cancelled, sentAt: nil) }
        #expect(miss("b", .stopped) && file.ledger.missedCalls.last?.reason == CodeWord(.cancelled))
        _ = file.change { $0.hangUp(CallKey("c"), reason: .answeredElsewhere, sentAt: nil) }
        #expect(!miss("c", .stopped) && file.ledger.missedCalls.count == 1)
        // The anonymous call is another one each time.
        #expect(miss("", .stopped) && miss("", .stopped, by: 3))
        #expect(miss("d", .busy, sentAt: file.wall + .seconds(3_600)))
        #expect(file.ledger.call(CallKey("d"))?.sentAt == nil, "R9")
    }

    @Test("who calls is changed of the ring that is on, and of no other")
    func described() {
        _ = admit(request("a", isReported: false))
        file.change { $0.describe(request("a"), owner: file.process(2)) }
        #expect(file.ledger.call(CallKey("a"))?.uuid == "")
        var said = request("a")
        (said.name, said.handle, said.hasVideo) = ("Grace", "", true)
        file.change { $0.describe(said, owner: file.process(1)) }
        let call = file.ledger.call(CallKey("a"))
        #expect(call?.name == "Grace" && call?.handle == "" && call?.hasVideo == true && call?.uuid == said.uuid)
        _ = file.change { $0.decline(CallKey("a")) }
        file.change { $0.describe(request("a"), owner: file.process(1)) }
        #expect(file.ledger.call(CallKey("a"))?.name == "Grace")
        file.change { $0.describe(request("b"), owner: file.process(1)) }
        #expect(file.ledger.call(CallKey("b")) == nil)
    }

    @Test("a call is named by its key or by its UUID, in capitals or not; by the key first")
    func named() {
        let uuid = request("a").uuid
        _ = admit(request("a"))
        let ledger = file.ledger
        #expect(
            ledger.key(of: CallKey(uuid.lowercased())) == CallKey("a") && ledger.key(of: CallKey("a")) == CallKey("a"))
        #expect(ledger.key(of: CallKey("")) == CallKey("") && ledger.key(of: CallKey("x")) == CallKey("x"))
        _ = admit(request(uuid, isReported: false), by: 3)
        #expect(file.ledger.key(of: CallKey(uuid)) == CallKey(uuid))
        _ = file.change { $0.answer(CallKey("a")) }
        let holder = file.process(5)
        #expect(file.change { $0.hold(CallKey(uuid.lowercased()), by: holder) }?.key == CallKey("a"))
        #expect(file.change { $0.collectAnswers(CallKey(uuid.lowercased())) }.map(\.key) == [CallKey("a")])
    }
}
