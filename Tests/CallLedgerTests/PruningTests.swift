import BelfryPropertyList
import BelfryTerms
@testable import CallLedger
import Support
import Testing

/// Old entries go, and the file stays under a mebibyte.
@Suite struct PruningTests {
    let file = GroupFile()

    @Test("records go after ten minutes, and `calls` with the last of them")
    func recordsGo() {
        file.request("a")
        file.hangUp("a")
        file.settle("a", .hangup)
        file.request("b", rings: nil)
        file.pass(.seconds(599))
        file.open()
        #expect(file.ledger.calls.count == 2)
        file.pass(.seconds(1))
        file.open()
        #expect(file.root["calls"] == nil)
    }

    @Test(
        "a record of another boot is kept if its end is within ten minutes by the wall clock", arguments: [0, 300, 600])
    func recordsOfAnotherBoot(secondsAway: Int64) {
        file.hangUp("a")
        file.reboot(away: .seconds(secondsAway))
        #expect(file.request("a") == .silent(.hungUp, missed: true))
        file.hangUp("b")
        file.scribble("b", "until", .integer(.max))
        file.pass(.seconds(601))
        #expect(file.request("b").rings)
    }

    @Test("no record of this boot lasts longer than ten minutes from a ring's end that is still being settled")
    func longestRecord() {
        let longest = file.now + Ledger.memory + Ledger.settlingGrace
        for (until, isKept) in [(longest, true), (longest + TimeSpan(microseconds: 1), false)] {
            file.hangUp("a")
            file.scribble("a", "until", .integer(until.microseconds))
            file.wall = file.wall + .seconds(86_400)
            file.open()
            #expect((file.state("a") == .hangup) == isKept)
        }
    }

    @Test("R18 a record whose deadline is in a thousand years is forgotten, whatever end it states")
    func immortalRecords() {
        for ended: Int64 in [.min, -1, 0, 1_600_000_000, 1_700_000_001, .max] {
            file.hangUp("a")
            file.scribble("a", "until", .integer(.max))
            file.scribble("a", "ended", .integer(ended))
            file.open()
            #expect(file.state("a") == nil, "ended \(ended)")
        }
    }

    @Test("120 calls are kept whatever their texts are")
    func alwaysFit() {
        for id in 0..<Ledger.callsAlwaysFit { file.replace(Self.longID(id), with: Self.record(until: file.now)) }
        file.open()
        #expect(file.ledger.calls.count == Ledger.callsAlwaysFit)
        #expect(file.root.serializedXML().count <= PropertyListLimits.bytesMax)
    }

    @Test("past a mebibyte the oldest records go; rings and other programs' entries stay")
    func oldestGo() {
        for id in 0..<2000 {
            let until = file.now + .seconds(Int64(id % 500) + 1)
            file.replace(Self.longID(id), with: Self.record(until: until, memory: .zero))
        }
        file.replace("theirs", with: .dictionary(["state": .string("paused")]))
        file.request("mine")
        file.open()
        #expect(file.root.serializedXML().count <= PropertyListLimits.bytesMax)
        #expect(file.rings == ["mine"])
        let kept = file.ledger.calls.filter { $0.key.text != "mine" }
        #expect(kept.count > 300)
        #expect(kept.map(\.until).min() ?? file.now > file.now + .seconds(300))
        #expect(file.root["calls"]?.dictionaryValue?["theirs"] != nil)
    }

    /// Many records that the person knows of, each to be forgotten later than what a test adds.
    private func overfill(with state: CallState = .declined) {
        for id in 0..<1500 {
            var entry = Self.record(until: file.now + .seconds(60), memory: .seconds(60)).dictionaryValue ?? [:]
            entry["state"] = .string(state.rawValue)
            file.replace(Self.longID(id), with: .dictionary(entry))
        }
    }

    @Test("past a mebibyte a ring whose end its owner is about to record stays")
    func settlingStays() {
        file.request("mine")
        file.pass(.seconds(31))
        overfill()
        file.open()
        #expect(file.ledger.calls.count < 1501 && file.state("mine") == .ringing)
    }

    @Test("R12 past a mebibyte what is to be reported goes last; what was answered or declined is not to be reported")
    func unreportedGoLast() {
        for (pid, id) in [(1, "missed"), (2, "answered"), (3, "declined")] { file.request(id, by: Int64(pid)) }
        file.answer("answered")
        file.decline("declined")
        file.dead = [file.process(1), file.process(2), file.process(3)]
        file.open()
        file.pass(.seconds(590))
        overfill()
        file.open()
        #expect(file.state("missed") == .missed && file.state("answered") == nil && file.state("declined") == nil)
        #expect(file.takeDeadRings() == ["missed"])
    }

    @Test("R12 past a mebibyte missed calls that were reported go before one that is to be reported, younger or not")
    func reportedGoFirst() {
        file.request("missed")
        file.dead = [file.process(1)]
        file.open()
        file.pass(.seconds(590))
        overfill(with: .missed)
        file.open()
        #expect(file.takeDeadRings() == ["missed"])
    }

    @Test("R12 of those that are to be reported the oldest go first, and rings that are settled stay")
    func unreportedFill() {
        file.request("mine")
        file.pass(.seconds(31))
        for id in 0..<2000 {
            let until = file.now + .seconds(Int64(id * 7 % 500) + 1)
            var entry = Self.record(until: until, memory: .zero).dictionaryValue ?? [:]
            entry["state"] = .string("missed")
            Owner.write(file.process(2), to: &entry)
            file.replace(Self.longID(id), with: .dictionary(entry))
        }
        file.open()
        let kept = file.ledger.calls.filter { $0.key.text != "mine" }
        #expect(file.state("mine") == .ringing)
        #expect(kept.count > 300 && kept.count < 2000)
        #expect(kept.map(\.until).min() ?? file.now > file.now + .seconds(200))
    }

    @Test("past a mebibyte 16 KiB are kept free for what a change adds")
    func roomIsKept() {
        // What calls take is counted with up to a fiftieth too much, so others' bytes are the greater part.
        file.root["others"] = .string(String(repeating: "x", count: 600_000))
        overfill()
        file.open()
        #expect(file.root.serializedXML().count <= PropertyListLimits.bytesMax - 16 * 1024)
    }

    @Test("the unreported earlier rings of a call count as calls do")
    func earlierRingsCount() throws {
        for id in 0..<Ledger.callsAlwaysFit {
            var entry = try #require(Self.record(until: file.now).dictionaryValue)
            entry["earlier"] = .array(Array(repeating: Self.record(until: file.now), count: Call.earlierMax))
            file.replace(Self.longID(id), with: .dictionary(entry))
        }
        #expect(file.root.serializedXML().count > PropertyListLimits.bytesMax)
        file.open()
        #expect(file.root.serializedXML().count <= PropertyListLimits.bytesMax)
    }

    @Test("R18 a file of five thousand entries is opened in far less than a lost call", .timeLimit(.minutes(10)))
    func manyEntries() {
        var calls = PropertyListDictionary()
        for id in 0..<5000 {
            calls["\(id)"] = .dictionary(["state": .string(id % 2 == 0 ? "ringing" : "answered")])
        }
        file.root["calls"] = .dictionary(calls)
        let began = processorTime()
        file.open()
        #expect(file.request("a").rings)
        #expect(file.hangUp("") == ["a"])
        // Many times as long under a sanitizer.
        #expect(processorTime() - began < .seconds(15), "quadratic work takes minutes here")
    }

    @Test("R16 many times as many calls as may ring fit into the file, whatever their texts are")
    func hostileRings() {
        let text = PropertyListValue.string(String(repeating: "&", count: Call.textBytesMax))
        let accept: PropertyListDictionary = ["callId": text, "name": text, "handle": text, "answered": .integer(.max)]
        file.root["pendingAccept"] = .array(Array(repeating: .dictionary(accept), count: Ledger.pendingAcceptMax))
        for id in 0..<Ledger.callsAlwaysFit {
            let (wanted, until, owner) = (Self.hostileRequest(id), file.now + .seconds(30), file.process(Int64(id)))
            let admission = file.change {
                $0.admit(wanted, until: until, secondCall: .soft, callsMax: Ledger.callsAlwaysFit, owner: owner)
            }
            #expect(admission.rings)
        }
        #expect(file.rings.count == Ledger.callsAlwaysFit)
        #expect(file.root.serializedXML().count <= PropertyListLimits.bytesMax)
    }

    private static func hostileRequest(_ number: Int) -> RingRequest {
        var request = RingRequest(key: CallKey(longID(number)))
        request.name = String(repeating: "&", count: 500)
        request.handle = String(repeating: "\r", count: 500)
        request.label = NumberLabel(String(repeating: "&", count: 500), from: String(repeating: "&", count: 500))
        return request
    }

    private static func longID(_ number: Int) -> String { "\(number)" + String(repeating: "&", count: 120) }

    private static func record(until now: Instant, memory: TimeSpan = .seconds(500)) -> PropertyListValue {
        let text = PropertyListValue.string(String(repeating: "<", count: 128))
        return .dictionary(
            [
                "state": .string("declined"), "name": text, "handle": text, "label": text, "labelFrom": text,
                "video": .bool(false), "ended": .integer(1_700_000_000), "until": .integer((now + memory).microseconds),
                "sentAt": .real(1_700_000_000.123), "missedTold": .bool(true),
            ])
    }
}
