import BelfryPropertyList
import BelfryTerms
@testable import CallLedger
import Testing

/// The list of missed calls: what the person finds there, and for how long. R11, R12.
@Suite struct MissedListTests {
    let file = GroupFile()

    private var listed: [String] {
        file.ledger.missedCalls.map { "\($0.key.text) \($0.reason)" }
    }

    @Test(
        "R11 a missed call is listed with its caller, why and when", arguments: [EndReason.timeout, .expired, .stopped])
    func listsEnds(reason: EndReason) throws {
        file.request("a")
        file.pass(.seconds(30))
        #expect(file.ledger.missedCalls == [])
        file.end("a", reason)
        let call = try #require(file.ledger.missedCalls.first)
        #expect(call.name == "Caller a" && call.handle == "+1a" && !call.hasVideo && call.picture == nil)
        #expect(call.missed == 1_700_000_030 && call.reason.rawValue == reason.rawValue)
        file.report("a")
        #expect(file.ledger.missedCalls == [call])
    }

    @Test("R11 a hangup is listed by its own word, one that was answered or declined elsewhere is not")
    func listsHangups() {
        for reason in HangupReason.allCases {
            file.request(reason.rawValue)
            file.hangUp(reason.rawValue, reason)
            file.settle(reason.rawValue, .hangup)
        }
        #expect(listed == ["cancelled cancelled", "busy busy", "failed failed"])
        for (end, id) in [(EndReason.answered, "x"), (.declined, "y"), (.foreground, "z")] {
            file.request(id)
            file.settle(id, end)
        }
        #expect(listed.count == 3)
    }

    @Test("R9 R11 so are a stale request and one that its hangup overtook, each once") func listsWhatNeverRang() {
        file.request("stale", rings: nil)
        file.hangUp("overtaken", .busy)
        for _ in 0..<2 { file.request("overtaken") }
        #expect(listed == ["stale stale", "overtaken busy"])
    }

    @Test("R12 a dead worker's call is listed by whoever opens the file, and not again by who reports it")
    func listsTheDead() {
        file.request("a")
        file.request("b", by: 2)
        file.hangUp("b", .busy)
        file.dead = [file.process(1), file.process(2)]
        file.open()
        #expect(listed == ["a died"])
        file.change { $0.clearMissed() }
        #expect(file.takeDeadRings().sorted() == ["a", "b"])
        #expect(listed == ["b busy"])
    }

    @Test("R12 so is a ring after which its call rang anew, whether its worker settles it or dies") func listsEarlier()
    {
        for (pid, isDead) in [(1, false), (3, true)] {
            let id = "\(pid)"
            file.request(id, by: Int64(pid))
            file.pass(.seconds(31))
            file.request(id, by: Int64(pid) + 1)
            if isDead { file.dead.insert(file.process(Int64(pid))) } else { file.settle(id, by: Int64(pid), .timeout) }
            _ = file.takeDeadRings()
            #expect(file.rings.contains(id))
        }
        #expect(listed == ["1 timeout", "3 died"])
    }

    @Test("R12 an answer that who rings could not record takes a call off the list") func answeredAfterAll() throws {
        file.request("a")
        let ring = try #require(file.ledger.call(CallKey("a")))
        file.dead = [file.process(1)]
        file.open()
        #expect(listed == ["a died"])
        file.change { _ = $0.recordAnswer(of: ring) }
        #expect(listed == [] && file.ledger.answers.count == 1)
    }

    @Test("R11 a worker that was taken for dead lists its call no second time") func takenForDead() {
        file.request("a")
        file.pass(.seconds(60))
        file.open()
        file.change { $0.clearMissed() }
        file.end("a", .timeout)
        #expect(listed == [])
    }

    @Test("R7 R11 a call that was answered is not listed, although whoever came meanwhile took its worker for dead")
    func answeredAndTakenForDead() {
        for (id, ringsAnew) in [("a", false), ("b", true)] {
            file.request(id)
            file.pass(.seconds(60))
            file.open()
            #expect(listed == ["\(id) died"])
            if ringsAnew { file.request(id, by: 2) }
            file.settle(id, .answered)
            #expect(listed == [])
        }
    }

    private func illustrate(_ id: String, with picture: String) {
        let owner = file.process(1)
        file.change { $0.illustrate(CallKey(id), owner: owner, with: picture) }
    }

    @Test("the picture is listed, be it that it came while the call rang or after") func pictures() {
        for id in ["during", "after", "neither"] {
            file.request(id)
            if id == "during" { illustrate(id, with: "/during.png") }
            file.end(id, .timeout)
            if id == "after" { illustrate(id, with: "/after.png") }
            file.report(id)
        }
        #expect(file.ledger.missedCalls.map(\.picture) == ["/during.png", "/after.png", nil])
        illustrate("neither", with: "/late.png")
        let long = "/" + String(repeating: "p", count: 256)
        file.request("neither")
        #expect(file.ledger.call(CallKey("neither"))?.picture == nil)
        illustrate("neither", with: long)
        #expect(file.ledger.call(CallKey("neither"))?.picture == nil)
        #expect(file.ledger.missedCalls.last?.picture == nil)
        illustrate("neither", with: String(long.dropLast()))
        #expect(file.ledger.call(CallKey("neither"))?.picture?.utf8.count == 256)
    }

    @Test("the person clears some or all, and a reboot clears none") func clears() {
        for id in ["a", "b", "a"] {
            file.request(id)
            file.settle(id, .timeout)
            file.pass(.seconds(1))
        }
        file.reboot()
        file.open()
        #expect(listed == ["a timeout", "b timeout", "a timeout"])
        let cleared = file.change { $0.clearMissed([CallKey("a"), CallKey("c")]) }
        #expect(cleared.map(\.missed) == [1_700_000_000, 1_700_000_002])
        #expect(listed == ["b timeout"])
        #expect(file.change { $0.clearMissed() }.count == 1)
        #expect(file.root["missedCalls"] == nil && file.change { $0.clearMissed() }.isEmpty)
    }

    @Test("a hundred are listed, the oldest go first, and other programs' nonsense is passed over") func bound() {
        file.root["missedCalls"] = .array([.integer(1), .dictionary(["callId": .string("x")])])
        for id in 0..<101 {
            file.request("\(id)")
            file.settle("\(id)", .timeout)
            file.root["calls"] = nil
        }
        #expect(file.ledger.missedCalls.count == 100 && Ledger.missedMax == 100)
        #expect(file.ledger.missedCalls.first?.key.text == "1")
        file.root["missedCalls"] = .bool(true)
        #expect(file.ledger.missedCalls == [])
    }
}
