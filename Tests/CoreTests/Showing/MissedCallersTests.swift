import BelfryTerms
import Showing
import Testing

extension Desk {
    fileprivate mutating func ends(_ call: String, at missed: Int64 = 0, _ time: String = "") -> [String] {
        told(machine.ended(Desk.id(call), missed: true, at: missed, time: time))
    }

    fileprivate mutating func lists(_ calls: [ListedCall]) -> [String] { told(machine.lists(calls, of: Desk.group)) }

    fileprivate mutating func disturbed(isOn: Bool, hides: Bool) -> [String] {
        told(machine.disturbed(isOn: isOn, hides: hides))
    }
}

private func listed(_ call: String, _ caller: String = "Ada", at missed: Int64 = 1, _ time: String = "") -> ListedCall {
    ListedCall(MissedMark(id: Desk.id(call), missed: missed), Desk.caller(caller), time: time, picture: nil)
}

@Suite("Who was missed, on the screen") struct MissedCallersTests {
    @Test("a server that is not to disturb closes a call that is over; the missed one is shown once it shows them")
    func doNotDisturb() {
        var desk = Desk()
        #expect(desk.disturbed(isOn: true, hides: true) == [])
        _ = desk.rings("A")
        _ = desk.machine.shown(1, as: 4)
        #expect(desk.ends("A") == ["close 4", "tell 1 closed"])
        #expect(desk.machine.waits, "somebody has to be there at its end")
        #expect(
            desk.disturbed(isOn: false, hides: false) == ["notify 2 for 0: Ada | Missed call | call.unanswered"])
        #expect(!desk.machine.waits)
    }

    @Test("one that lists what it does not pop up has the call closed first too, and the missed call at once")
    func doNotDisturbListed() {
        var desk = Desk()
        _ = desk.rings("A")
        _ = desk.machine.shown(1, as: 4)
        _ = desk.disturbed(isOn: true, hides: false)
        #expect(
            desk.ends("A")
                == ["close 4", "tell 1 closed", "notify 2 for 0: Ada | Missed call | call.unanswered"])
    }

    @Test("what is shown is brought up to date only once the server shows it") func heldUpdate() {
        var desk = Desk()
        _ = desk.machine.missed(Desk.id("A"), Desk.caller())
        _ = desk.machine.shown(1, as: 4)
        _ = desk.disturbed(isOn: true, hides: true)
        #expect(desk.told(desk.machine.missed(Desk.id("B"), Desk.caller())) == [])
        #expect(
            desk.disturbed(isOn: false, hides: false)
                == ["notify 2 for 4: Ada | 2 missed calls | call.unanswered"])
    }

    @Test("a missed call says when it was") func time() {
        var desk = Desk()
        _ = desk.rings("A", caller: Desk.caller(handle: "+49"))
        _ = desk.machine.shown(1, as: 4)
        #expect(
            desk.ends("A", at: 1, "14:05") == ["notify 2 for 4: Ada | +49\nMissed call, 14:05 | call.unanswered"])
    }

    @Test("what the list has and nobody was shown is shown; what is cleared there goes, and counts agree") func list() {
        var desk = Desk()
        #expect(
            desk.lists([listed("A", at: 1, "9:01"), listed("B", "Bob", at: 2, "9:02"), listed("C", at: 3, "9:03")])
                == [
                    "notify 1 for 0: Bob | Missed call, 9:02 | call.unanswered",
                    "notify 2 for 0: Ada | 2 missed calls, 9:03 | call.unanswered",
                ])
        _ = desk.machine.shown(1, as: 4)
        _ = desk.machine.shown(2, as: 5)
        #expect(
            desk.lists([listed("C", at: 3, "2026-11-27 9:03")]) == [
                "close 4", "notify 3 for 5: Ada | Missed call, 9:03 | call.unanswered",
            ], "at midnight the time stays as it was written")
        _ = desk.machine.shown(3, as: 5)
        #expect(desk.lists([]) == ["close 5"])
        // Of a caller whose calls were cleared the next one is the first.
        _ = desk.rings("D")
        _ = desk.machine.shown(4, as: 6)
        #expect(desk.ends("D", at: 9, "9:09") == ["notify 5 for 6: Ada | Missed call, 9:09 | call.unanswered"])
        _ = desk.machine.shown(5, as: 6)
        #expect(desk.lists([listed("D", at: 9, "9:09")]) == [], "the list says the same once more")
        #expect(desk.lists([]) == ["close 6"])
    }

    @Test("a call that is listed before its worker has said how it ended takes the place of its ring")
    func listFirst() {
        var desk = Desk()
        _ = desk.rings("A")
        _ = desk.machine.shown(1, as: 4)
        #expect(desk.lists([listed("A", at: 7, "9:07")]) == [])
        #expect(desk.ends("A", at: 7, "9:07") == ["notify 2 for 4: Ada | Missed call, 9:07 | call.unanswered"])
    }

    @Test("what no ledger could take is shown all the same, until it is listed and cleared") func unlisted() {
        var desk = Desk()
        _ = desk.machine.missed(Desk.id("A"), Desk.caller())
        _ = desk.machine.shown(1, as: 4)
        #expect(desk.lists([]) == [])
        #expect(desk.lists([listed("A", at: 5, "9:05")]).count == 1, "now its time is known")
        _ = desk.machine.shown(2, as: 4)
        #expect(desk.lists([]) == ["close 4"])
    }

    @Test("what the person closed is not shown again, also by a later process; what a server closed is, by another")
    func closed() {
        var desk = Desk()
        let calls = [listed("A", at: 1), listed("B", "Bob", at: 2)]
        _ = desk.lists(calls)
        _ = desk.machine.shown(1, as: 4)
        _ = desk.machine.shown(2, as: 5)
        _ = desk.machine.closed(4, byPerson: true)
        _ = desk.machine.closed(5, byPerson: false)
        #expect(desk.lists(calls) == [])
        #expect(desk.machine.dismissed == [MissedMark(id: Desk.id("A"), missed: 1)])

        _ = desk.machine.serverIsAbsent("gone")
        _ = desk.machine.serverIs(NoticeServer(owner: ":1.9", hasActions: true, readsMarkup: false))
        #expect(desk.lists(calls) == ["notify 3 for 0: Bob | Missed call | call.unanswered"])

        var later = Desk()
        later.machine.dismissed(Array(desk.machine.dismissed))
        #expect(later.lists(calls) == ["notify 1 for 0: Bob | Missed call | call.unanswered"])
        // One more of that caller is shown, with all that are listed.
        #expect(
            later.lists(calls + [listed("C", at: 3)]) == ["notify 2 for 0: Ada | 2 missed calls | call.unanswered"])
        _ = later.lists([])
        #expect(later.machine.dismissed == [], "what is listed no longer need not be remembered")
    }

    @Test("without a server missed calls wait; the next one is shown all of them") func waits() {
        var desk = Desk(server: nil)
        #expect(!desk.machine.waits)
        _ = desk.lists([listed("A")])
        _ = desk.machine.serverIsAbsent("none")
        #expect(desk.machine.waits && desk.machine.groupsOfMissed == [Desk.group])
        #expect(
            desk.told(desk.machine.serverIs(Desk.dunst)) == ["notify 1 for 0: Ada | Missed call | call.unanswered"])
        _ = desk.machine.shown(1, as: 4)
        // The session ends, and another begins.
        _ = desk.machine.serverIsAbsent("gone")
        #expect(desk.machine.waits)
        #expect(
            desk.told(desk.machine.serverIs(NoticeServer(owner: ":2.1", hasActions: true, readsMarkup: false)))
                == ["notify 2 for 0: Ada | Missed call | call.unanswered"])
    }

    @Test("a process that comes after another leaves what is shown, also while it does not know of do-not-disturb")
    func adoptedWhileHeld() {
        var old = Desk()
        _ = old.lists([listed("A")])
        _ = old.machine.shown(1, as: 4)
        var new = Desk(server: nil)
        new.machine.inherit(old.machine.kept, from: ":1.7")
        _ = new.disturbed(isOn: true, hides: true)
        _ = new.lists([listed("A"), listed("B", "Bob", at: 2)])
        #expect(
            new.told(new.machine.serverIs(Desk.dunst)) == ["notify 1 for 4: Ada | Missed call | call.unanswered"])
        _ = new.machine.shown(1, as: 4)
        #expect(new.told(new.machine.chosen("call.seen", in: 4)) == [#"seen ["A"]"#, "close 4"])
        #expect(new.disturbed(isOn: false, hides: false) == ["notify 2 for 0: Bob | Missed call | call.unanswered"])
    }

    @Test("a process that comes after another shows no call twice, and closes what was cleared meanwhile")
    func adopted() {
        var old = Desk()
        let calls = [listed("A", at: 1), listed("B", "Bob", at: 2)]
        _ = old.lists(calls)
        _ = old.machine.shown(1, as: 4)
        _ = old.machine.shown(2, as: 5)

        var new = Desk(server: nil)
        new.machine.inherit(old.machine.kept, from: ":1.7")
        _ = new.lists([calls[1], listed("C", "Bob", at: 3)])
        #expect(
            new.told(new.machine.serverIs(Desk.dunst)) == [
                "notify 1 for 5: Bob | 2 missed calls | call.unanswered",
                "notify 2 for 4: Ada | Missed call | call.unanswered",
            ])
        _ = new.machine.shown(1, as: 5)
        _ = new.machine.shown(2, as: 4)
        #expect(new.lists([calls[1], listed("C", "Bob", at: 3)]) == ["close 4"])
    }
}
