import BelfryPropertyList
import BelfryTerms
@testable import CallLedger
import Testing

/// What other programs do to the group file: its contract, R12 and R18.
@Suite struct StrangerTests {
    let file = GroupFile()

    static let notANumber = 0
    static let garbage: [PropertyListValue] = [
        .real(.nan), .bool(true), .integer(.max), .integer(.min), .integer(-1), .integer(0), .unsigned(.max),
        .real(.infinity), .real(-1e300), .string(""), .string("ringing\u{0}"), .string("gone"), .date(1e300),
        .data([0]),
        .uid(.max), .array([.dictionary(PropertyListDictionary())]), .dictionary(PropertyListDictionary()),
    ]

    static let entryKeys = [
        "state", "name", "handle", "video", "started", "ended", "since", "until", "bootId", "pid", "pidStart", "reason",
        "sentAt", "hangupSentAt", "missedTold",
    ]

    @Test(
        "a foreign program that removes keyStartCallTime, or sets it to 0, hangs up every ring", arguments: [0, 1, 2])
    func removesStart(how: Int) {
        file.request("a", by: 1)
        file.request("b", by: 2)
        let values: [PropertyListValue?] = [nil, .integer(0), .real(0)]
        file.root["keyStartCallTime"] = values[how]
        #expect(file.standing("a", by: 1) == .ended(.hangup) && file.standing("b", by: 2) == .ended(.hangup))
        #expect(file.settle("a", by: 1, .hangup) == Settlement(reason: .hangup, hangupReason: .cancelled))
        #expect(file.rings.isEmpty && file.state("b") == .hangup)
        #expect(file.request("b", by: 3) == .silent(.hungUp, missed: false))
    }

    @Test("any other value of the key hangs up nothing, and is corrected")
    func scribblesStart() {
        file.request("a")
        for value: PropertyListValue in [.integer(-5), .integer(.max), .string(""), .bool(false), .real(.nan)] {
            file.root["keyStartCallTime"] = value
            #expect(file.standing("a") == .rings(.loud))
            file.open()
            #expect(file.rings == ["a"])
        }
    }

    @Test("keyStartCallTime is removed with the last ring, and otherwise takes the next ring's start")
    func startFollowsRings() {
        file.request("a", by: 1)
        file.pass(.seconds(2))
        file.request("b", by: 2)
        #expect(file.root["keyStartCallTime"] == .integer(1_700_000_000))
        file.answer("a")
        #expect(file.root["keyStartCallTime"] == .integer(1_700_000_002))
        file.decline("b")
        #expect(file.root["keyStartCallTime"] == nil)
    }

    @Test("R15 a clock that says 1970 does not hang up a ring")
    func clockAtZero() {
        file.wall = WallTime(microseconds: 0)
        file.request("a")
        #expect(file.standing("a") == .rings(.loud))
        file.wall = WallTime(microseconds: -5_000_000)
        file.request("b", by: 2)
        file.open()
        #expect(file.rings == ["a", "b"])
    }

    @Test("another program answers by setting state to answered and nothing else")
    func answersBare() {
        file.request("a")
        file.scribble("a", "state", .string("answered"))
        #expect(file.standing("a") == .ended(.answered))
        #expect(file.settle("a", .answered) == Settlement(reason: .answered, hangupReason: nil))
        #expect(file.request("a", by: 2) == .silent(.answered, missed: false))
    }

    @Test("an entry that holds nothing but `answered` wins over the owner's end too")
    func answersByReplacing() {
        file.request("a")
        file.replace("a", with: .dictionary(["state": .string("answered")]))
        #expect(file.standing("a") == .ended(.answered))
        #expect(file.settle("a", .timeout).reason == .answered)
        #expect(file.ledger.call(CallKey("a"))?.ended == 1_700_000_000)
        file.pass(.seconds(599))
        #expect(file.request("a", by: 2) == .silent(.answered, missed: false))
    }

    @Test(
        "any other end that another program writes ends the ring",
        arguments: CallState.allCases.filter { $0 != .ringing })
    func endsByState(state: CallState) {
        file.request("a")
        file.scribble("a", "state", .string(state.rawValue))
        let reason = state.endReason ?? .hangup
        #expect(file.standing("a") == .ended(reason))
        #expect(file.settle("a", reason).reason == reason)
        #expect(file.rings.isEmpty)
    }

    @Test("an end that another program wrote, of a ring whose process is gone, is forgotten in time like any other")
    func endedByStateWithoutOwner() {
        file.request("a")
        file.scribble("a", "state", .string("answered"))
        file.dead.insert(file.process(1))
        file.open()
        #expect(file.ledger.call(CallKey("a"))?.ended == 1_700_000_000)
        file.pass(.seconds(600))
        file.open()
        #expect(file.root["calls"] == nil)
    }

    @Test("R18 a ring that another program dates far ahead does not date ours ahead")
    func startFarAhead() {
        file.request("theirs", by: 1)
        file.scribble("theirs", "since", .integer((file.now + Ledger.longestRing).microseconds))
        #expect(file.request("a", by: 2).rings)
        #expect(file.ledger.call(CallKey("a"))?.since == file.now)
    }

    @Test("R8 R9 a ring of which another program says that its request comes from tomorrow is hung up all the same")
    func requestOfTomorrow() {
        file.request("a")
        file.scribble("a", "sentAt", .real(file.wall.unixSeconds + 86_400))
        #expect(file.hangUp("", sentAt: file.wall.unixSecond) == ["a"])
        #expect(file.state("a") == .hangup)
    }

    @Test("an unknown state ends nothing")
    func unknownState() {
        file.request("a")
        file.scribble("a", "state", .string("Answered"))
        #expect(file.standing("a") == .rings(.loud))
        #expect(file.hangUp("a") == [])
        #expect(file.standing("a") == .ended(.hangup))
    }

    @Test("R18 a missing or empty file hangs up nothing")
    func missingFile() {
        file.request("a", sentAt: 10)
        file.root = PropertyListDictionary()
        #expect(file.standing("a") == .rings(.loud))
    }

    @Test("R12 a ring whose owner another program removed is over", arguments: ["bootId", "pid", "pidStart"])
    func ownerRemoved(key: String) {
        file.request("a")
        file.scribble("a", key, nil)
        #expect(file.rings.isEmpty && file.standing("a") == .ended(.hangup))
        file.open()
        #expect(file.state("a") == .missed)
    }

    @Test("R18 a deadline further away than the longest ring is not believed")
    func farDeadline() {
        file.request("longest", by: 1, rings: .seconds(120))
        #expect(file.rings == ["longest"])
        file.request("a", by: 2)
        file.scribble("a", "until", .integer((file.now + .seconds(122)).microseconds))
        #expect(file.rings == ["longest"])
        file.scribble("a", "until", .integer(.max))
        file.open()
        #expect(file.state("a") == .missed)
    }

    @Test("a reader that took the time just before an admission still believes the ring")
    func readerOfBefore() {
        file.request("a", rings: .seconds(120))
        file.now = file.now - .milliseconds(500)
        #expect(file.rings == ["a"])
    }

    @Test("R18 wrong types and numbers anywhere in an entry do not trap, and disturb no other call")
    func garbageAnywhere() {
        for key in Self.entryKeys {
            for value in [nil] + Self.garbage.map(Optional.init) {
                let file = GroupFile()
                file.request("good", by: 1)
                file.request("bad", by: 2, sentAt: 5)
                file.scribble("bad", key, value)
                _ = file.standing("bad", by: 2)
                file.open()
                #expect(file.standing("good", by: 1) == .rings(.loud) || key == "since", "\(key) \(value as Any)")
                #expect(file.rings.contains("good"))
                file.request("bad", by: 3, sentAt: 9)
                file.hangUp("bad", sentAt: 12)
                #expect(!file.rings.contains("bad"))
                file.settle("bad", by: 2, .timeout)
                #expect(!file.request("bad", by: 4, sentAt: 1).rings)
                #expect(file.answer("good"))
            }
        }
    }

    @Test("R18 wrong types anywhere in the file do not trap, and calls still ring")
    func garbageAtTheTop() {
        for key in ["calls", "keyStartCallTime", "enterToForground", "foregroundOwner", "pendingAccept"] {
            for value in Self.garbage {
                let file = GroupFile()
                file.root[key] = value
                _ = file.ledger.foreground
                file.open()
                file.change { $0.enterBackground() }
                #expect(file.request("a").rings, "\(key) \(value)")
                #expect(file.answer("a"))
                file.change { $0.enterForeground(owner: nil) }
                #expect(file.request("b") == .silent(.foreground, missed: false))
            }
        }
    }

    @Test("R18 entries that are not calls stay as they are")
    func noCalls() {
        for (index, value) in Self.garbage.enumerated() { file.replace("bad \(index)", with: value) }
        file.replace("odd", with: .dictionary(["state": .string("paused")]))
        let before = file.root["calls"]
        file.open()
        #expect("\(file.root["calls"] as Any)" == "\(before as Any)" && file.ledger.calls.isEmpty)
        file.request("a")
        #expect(file.root["calls"]?.dictionaryValue?.count == Self.garbage.count + 2)
    }

    @Test("other programs' keys and values survive with their types, in the file and in an entry")
    func strangersKeys() {
        for (index, value) in Self.garbage.enumerated() where index != Self.notANumber {
            file.root["theirs \(index)"] = value
        }
        let theirs = file.root
        file.request("a")
        file.scribble("a", "theirs", .date(5))
        file.hangUp("a")
        file.settle("a", .hangup)
        guard case .dictionary(let calls)? = file.root["calls"], case .dictionary(let entry)? = calls["a"] else {
            Issue.record("no entry")
            return
        }
        #expect(entry["theirs"] == .date(5))
        for key in theirs.keys { #expect(file.root[key] == theirs[key]) }
        file.pass(.seconds(600))
        file.change { $0.clearMissed() }
        #expect(file.root == theirs)
    }

    @Test("changes between two readings are listed call by call")
    func changes() throws {
        file.request("a", by: 1)
        file.request("b", by: 2)
        file.hangUp("c")
        let before = file.ledger
        file.hangUp("a")
        file.request("d", by: 3)
        var calls = try #require(file.root["calls"]?.dictionaryValue)
        calls["c"] = nil
        file.root["calls"] = .dictionary(calls)
        let told = file.ledger.changes(from: before).map { ($0.before?.state, $0.after?.state) }
        #expect(told.map { $0.0 } == [.hangup, .ringing, nil])
        #expect(told.map { $0.1 } == [nil, .hangup, .ringing])
        #expect(file.ledger.changes(from: file.ledger).isEmpty)
    }
}
