import BelfryProtocol
import BelfryTerms
import Showing
import Testing

@Suite("C16 what the desktop shows of calls that go on") struct OngoingTests {
    @Test("it is shown as long as it lasts, replaced in place at each change, without a time when it goes")
    func lasts() {
        var desk = Desk()
        let connecting = desk.goesOn("A", link: 1) { ($0.state, $0.since) = (.connecting, nil) }
        #expect(connecting == ["notify 1 for 0: Ada | Phone · Connecting | call"])
        #expect(desk.notices[1]?.urgency == .normal && desk.notices[1]?.until == nil)
        #expect(desk.notices[1]?.isOngoing == true && desk.notices[1]?.isRinging == false)
        #expect(desk.notices[1]?.isCall == true, "no server has a time for it")
        #expect(desk.told(desk.machine.shown(1, as: 4)) == [], "its connection is told nothing of it")
        #expect(desk.goesOn("A", link: 1) == ["notify 2 for 4: Ada | Phone · since 10:04 | call"])
        _ = desk.machine.shown(2, as: 4)
        #expect(desk.goesOn("A", link: 1) == [], "nothing is new")
        let held = desk.goesOn("A", link: 1) { ($0.state, $0.isMuted, $0.handle) = (.held, true, "+49") }
        #expect(held == ["notify 3 for 4: Ada | +49\nPhone · On hold · since 10:04 · Muted | call"])
        _ = desk.machine.shown(3, as: 4)
        #expect(desk.machine.isBusy)
        #expect(desk.told(desk.machine.goesOnNoLonger(1)) == ["close 4"])
        #expect(!desk.machine.isBusy && desk.machine.ongoing.isEmpty)
    }

    @Test("it has no name: its handle is its title; neither: it is unknown; no name of its app: its identifier")
    func names() {
        var desk = Desk()
        let handle = desk.goesOn("A", link: 1) { ($0.name, $0.handle) = ("", "+49") }
        #expect(handle == ["notify 1 for 0: +49 | Phone · since 10:04 | call"])
        let nobody = desk.goesOn("B", link: 2) { ($0.name, $0.appName) = ("\u{202e}", "\u{200b}\n") }
        #expect(nobody.count == 1 && nobody[0].hasPrefix("notify 2 for 0: Unknown caller | "))
        _ = desk.goesOn("C", link: 3) { $0.appName = "" }
        #expect(desk.notices[3]?.body == "org.belfry.phone · since 10:04")
    }

    @Test("its picture is the icon of its app") func icon() {
        var desk = Desk()
        _ = desk.goesOn("A", link: 1)
        #expect(desk.notices[1]?.picture == nil)
        _ = desk.machine.shown(1, as: 4)
        _ = desk.goesOn("A", link: 1) { $0.icon = "/run/1.png" }
        #expect(desk.notices[2]?.picture == "/run/1.png")
    }

    @Test("S3: what nobody can see is left out of its texts, and a text has an end") func hostile() {
        var desk = Desk()
        _ = desk.goesOn("A", link: 1) {
            $0.name = "A\u{0}da\n\u{202e}4321"
            $0.appName = String(repeating: "x", count: 5_000)
            $0.handle = String(repeating: "9\n", count: 5_000)
        }
        #expect(desk.notices[1]?.summary == "A da 4321")
        #expect(desk.notices[1]?.body.unicodeScalars.count ?? .max < 450)
    }

    @Test("its buttons say what they do now; Hold is not there if it cannot be held; there is none to answer")
    func buttons() {
        var desk = Desk()
        func labels(_ token: Int64) -> [String] { desk.notices[token]?.actions.map(\.text) ?? [] }
        _ = desk.goesOn("A", link: 1)
        #expect(labels(1) == ["Mute", "Hold", "End"])
        _ = desk.goesOn("B", link: 2) { ($0.state, $0.isMuted) = (.held, true) }
        #expect(labels(2) == ["Unmute", "Resume", "End"])
        _ = desk.goesOn("C", link: 3) { $0.canHold = false }
        #expect(labels(3) == ["Mute", "End"])
    }

    @Test("what is chosen goes back over its own connection; what is none of its choices does nothing")
    func choices() {
        var desk = Desk()
        _ = desk.goesOn("A", link: 1)
        _ = desk.goesOn("B", link: 2)
        for (token, id) in [(1, 4), (2, 5)] as [(Int64, UInt32)] { _ = desk.machine.shown(token, as: id) }
        func chosen(_ key: String, in id: UInt32 = 5) -> [String] { desk.told(desk.machine.chosen(key, in: id)) }
        #expect(chosen("call.mute") == ["choose 2 mute(true)"])
        #expect(chosen("call.unmute") == ["choose 2 mute(false)"])
        #expect(chosen("call.hold") == ["choose 2 hold(true)"])
        #expect(chosen("call.resume") == ["choose 2 hold(false)"])
        #expect(chosen("call.end", in: 4) == ["choose 1 end"])
        for key in ["default", "call.accept", "call.decline", "call.silence", "call.end-accept", "call.seen", "x"] {
            #expect(chosen(key) == [])
        }
        #expect(chosen("call.end", in: 6) == [])
        _ = desk.machine.goesOnNoLonger(1)
        #expect(chosen("call.end", in: 4) == [], "it is over")
    }

    @Test("five are shown, the oldest first, of the others the number; when one ends the next takes its place")
    func many() {
        var desk = Desk()
        for number in 1...5 { _ = desk.goesOn("\(number)", link: Int64(number)) }
        for number in 1...5 { _ = desk.machine.shown(Int64(number), as: UInt32(number)) }
        let sixth = desk.goesOn("6", link: 6)
        #expect(sixth == ["notify 6 for 0: Calls in progress | and 1 more | call"])
        #expect(desk.notices[6]?.urgency == .normal && desk.notices[6]?.actions == [])
        _ = desk.machine.shown(6, as: 6)
        #expect(desk.goesOn("7", link: 7) == ["notify 7 for 6: Calls in progress | and 2 more | call"])
        _ = desk.machine.shown(7, as: 6)
        #expect(
            desk.told(desk.machine.goesOnNoLonger(1)) == [
                "close 1", "notify 8 for 6: Calls in progress | and 1 more | call",
                "notify 9 for 0: Ada | Phone · since 10:04 | call",
            ])
        _ = desk.rings("R", link: 9)
        #expect(desk.notices[10]?.category == "call.incoming", "they take no place from those that ring")
    }

    @Test("a call that rings while one is on offers to hold or to end it; when that is over it offers the usual")
    func secondCall() {
        var desk = Desk()
        func labels() -> [String] { desk.notices.max { $0.key < $1.key }?.value.actions.map(\.text) ?? [] }
        _ = desk.rings("R", link: 9)
        _ = desk.machine.shown(1, as: 4)
        #expect(labels() == ["Accept", "Decline", "Silence"])
        let on = desk.goesOn("A", link: 1)
        #expect(on.first == "notify 2 for 4: Ada | Incoming call | call.incoming" && on.count == 2)
        #expect(desk.notices[2]?.actions.map(\.text) == ["Hold & accept", "End & accept", "Decline"])
        for (token, id) in [(2, 4), (3, 5)] as [(Int64, UInt32)] { _ = desk.machine.shown(token, as: id) }
        #expect(
            desk.told(desk.machine.chosen("call.hold-accept", in: 4))
                == [#"choose 1 giveWay(to: "R", holds: true)"#, "answer R"], "what makes room is said first")
        #expect(
            desk.told(desk.machine.chosen("call.end-accept", in: 4))
                == [#"choose 1 giveWay(to: "R", holds: false)"#, "answer R"])
        #expect(desk.told(desk.machine.chosen("call.decline", in: 4)) == ["decline R"])

        let stuck = desk.goesOn("A", link: 1) { $0.canHold = false }
        #expect(stuck.count == 2 && desk.notices[4]?.actions.map(\.text) == ["End & accept", "Decline"])
        for (token, id) in [(4, 4), (5, 5)] as [(Int64, UInt32)] { _ = desk.machine.shown(token, as: id) }
        _ = desk.goesOn("A", link: 1) { $0.state = .held }
        #expect(desk.notices[6]?.actions.map(\.text) == ["Accept", "Decline", "Silence"], "it is held")
        for (token, id) in [(6, 4), (7, 5)] as [(Int64, UInt32)] { _ = desk.machine.shown(token, as: id) }
        _ = desk.goesOn("A", link: 1)
        #expect(desk.notices[8]?.actions.count == 3)
        for (token, id) in [(8, 4), (9, 5)] as [(Int64, UInt32)] { _ = desk.machine.shown(token, as: id) }
        let over = desk.told(desk.machine.goesOnNoLonger(1))
        #expect(over == ["close 5", "notify 10 for 4: Ada | Incoming call | call.incoming"])
        #expect(labels() == ["Accept", "Decline", "Silence"])
        #expect(desk.told(desk.machine.chosen("call.hold-accept", in: 4)) == ["answer R"], "it is over by then")
    }

    @Test("of several that are on, the one since last makes room, and holding is offered if one of them can be")
    func severalActive() {
        var desk = Desk()
        _ = desk.goesOn("A", link: 1)
        _ = desk.goesOn("B", link: 2) { $0.canHold = false }
        _ = desk.goesOn("C", link: 3) { $0.state = .held }
        _ = desk.rings("R", link: 9)
        _ = desk.machine.shown(4, as: 7)
        #expect(desk.notices[4]?.actions.map(\.action) == [.holdAndAccept, .endAndAccept, .decline])
        let hold = desk.told(desk.machine.chosen("call.hold-accept", in: 7))
        #expect(hold.first == #"choose 1 giveWay(to: "R", holds: true)"#)
        let end = desk.told(desk.machine.chosen("call.end-accept", in: 7))
        #expect(end.first == #"choose 2 giveWay(to: "R", holds: false)"#)
        let noMenu = NoticeServer(owner: ":1.8", hasActions: true, readsMarkup: true, lacksMenu: true)
        _ = desk.machine.serverIs(noMenu)
        _ = desk.machine.goesOnNoLonger(3)
        let ring = desk.told(desk.machine.caller(Desk.caller("Bob"), of: Desk.id("R")))
        #expect(ring == [], "the server has not answered yet")
        let shown = desk.told(desk.machine.serverIs(NoticeServer(owner: ":1.9", hasActions: false, readsMarkup: true)))
        #expect(shown.contains { $0.contains("Bob | Incoming call\nbelfry answer R |") }, "\(shown)")
    }

    @Test("where a server has no buttons, or no menu to choose in, the body names the commands, fit to be typed")
    func commands() {
        let bare = NoticeServer(owner: ":1.7", hasActions: false, readsMarkup: true)
        var desk = Desk(server: bare)
        _ = desk.goesOn("A", link: 1)
        #expect(desk.notices[1]?.body == "Phone · since 10:04\nbelfry mute A\nbelfry hold A\nbelfry end A")
        #expect(desk.notices[1]?.actions == [])
        _ = desk.goesOn("B;reboot", link: 2) { ($0.state, $0.isMuted) = (.held, true) }
        #expect(desk.notices[2]?.body.hasSuffix("· Muted\nbelfry mute --off\nbelfry hold --off\nbelfry end") == true)
        _ = desk.goesOn("-C $(x)", link: 3, uuid: "6F9619FF-8B86") { $0.canHold = false }
        #expect(
            desk.notices[3]?.body.hasSuffix("\nbelfry mute 6F9619FF-8B86\nbelfry end 6F9619FF-8B86") == true)
        var dunst = Desk(server: NoticeServer(owner: ":1.7", hasActions: true, readsMarkup: true, lacksMenu: true))
        _ = dunst.goesOn("A", link: 1)
        #expect(dunst.notices[1]?.body.hasSuffix("\nbelfry end A") == true)
        #expect(dunst.notices[1]?.actions.map(\.action) == [.mute, .hold, .end], "a click ends nothing")
    }

    @Test("a connection that says another call shows that one; a call that two say is the later one's")
    func links() {
        var desk = Desk()
        _ = desk.goesOn("A", link: 1)
        _ = desk.machine.shown(1, as: 4)
        #expect(
            desk.goesOn("B", link: 1) == ["close 4", "notify 2 for 0: Ada | Phone · since 10:04 | call"])
        _ = desk.machine.shown(2, as: 5)
        #expect(desk.goesOn("B", link: 2) == [], "it is the same")
        #expect(desk.told(desk.machine.chosen("call.end", in: 5)) == ["choose 2 end"])
        #expect(desk.told(desk.machine.goesOnNoLonger(1)) == [] && desk.machine.ongoing.count == 1)
        #expect(desk.told(desk.machine.goesOnNoLonger(2)) == ["close 5"])
    }

    @Test("who closes it is not shown it again; a server that closes it for a choice shows it again")
    func closed() {
        var desk = Desk()
        _ = desk.goesOn("A", link: 1)
        _ = desk.machine.shown(1, as: 4)
        #expect(desk.told(desk.machine.chosen("call.mute", in: 4)) == ["choose 1 mute(true)"])
        let again = desk.told(desk.machine.closed(4, byPerson: true))
        #expect(again == ["notify 2 for 0: Ada | Phone · since 10:04 | call"])
        _ = desk.machine.shown(2, as: 5)
        #expect(
            desk.goesOn("A", link: 1) { $0.isMuted = true }
                == ["notify 3 for 5: Ada | Phone · since 10:04 · Muted | call"])
        _ = desk.machine.shown(3, as: 5)
        _ = desk.machine.chosen("call.unmute", in: 5)
        #expect(desk.goesOn("A", link: 1).count == 1, "the choice has come about: the person closes it from now on")
        _ = desk.machine.shown(4, as: 5)
        #expect(desk.told(desk.machine.closed(5, byPerson: true)) == [])
        #expect(desk.goesOn("A", link: 1) { $0.state = .held } == [])
        #expect(desk.machine.ongoing.count == 1, "it goes on all the same")
        for number in 1...5 { _ = desk.goesOn("\(number)", link: Int64(number) + 1) }
        #expect(!desk.notices.values.contains { $0.summary == "Calls in progress" }, "it has left its place")
        #expect(desk.told(desk.machine.goesOnNoLonger(1)) == [])
    }

    @Test("another server shows it; one that never answers is not asked twice, and closes what is over in the end")
    func servers() {
        var desk = Desk(server: nil)
        #expect(desk.goesOn("A", link: 1) == [])
        #expect(desk.machine.lacksServer)
        #expect(desk.told(desk.machine.serverIsAbsent("none")) == [], "who has the call is told nothing")
        #expect(desk.told(desk.machine.serverIs(Desk.dunst)) == ["notify 1 for 0: Ada | Phone · since 10:04 | call"])
        for _ in 0..<1_000 {
            #expect(desk.goesOn("A", link: 1) { $0.state = .held } == [])
            #expect(desk.goesOn("A", link: 1) == [])
        }
        #expect(desk.told(desk.machine.goesOnNoLonger(1)) == [])
        #expect(desk.machine.isBusy, "what it shows later has to be closed")
        #expect(desk.told(desk.machine.shown(1, as: 4)) == ["close 4"] && !desk.machine.isBusy)
    }

    @Test("what a server would not show waits until it does, and what is so no longer goes from the screen")
    func hidden() {
        var desk = Desk()
        _ = desk.goesOn("A", link: 1)
        _ = desk.machine.shown(1, as: 4)
        #expect(desk.told(desk.machine.disturbed(isOn: true, hides: true)) == [], "what is so stays")
        #expect(desk.goesOn("A", link: 1) { $0.isMuted = true } == ["close 4"])
        #expect(desk.goesOn("B", link: 2) == [] && !desk.machine.lacksServer)
        #expect(desk.told(desk.machine.disturbed(isOn: false, hides: false)).count == 2)
    }

    @Test("a process that comes after another replaces what that has shown, and closes what has no call any more")
    func restarted() {
        var old = Desk()
        for number in 1...6 { _ = old.goesOn("\(number)", link: Int64(number)) }
        for number in 1...6 { _ = old.machine.shown(Int64(number), as: UInt32(number)) }
        let kept = old.machine.kept
        #expect(kept.count == 6)
        var new = Desk(server: nil)
        new.machine.inherit(kept, from: ":1.7")
        _ = new.goesOn("2", link: 1)
        let effects = new.told(new.machine.serverIs(Desk.dunst))
        #expect(
            effects == [
                "close 1", "close 3", "close 4", "close 5", "close 6",
                "notify 1 for 2: Ada | Phone · since 10:04 | call",
            ])
        var unknown = Desk(server: nil)
        _ = unknown.machine.disturbed(isOn: true, hides: true)
        _ = unknown.goesOn("2", link: 1)
        unknown.machine.inherit(kept.filter { $0.id == 2 }, from: ":1.7")
        let replaced = unknown.told(unknown.machine.serverIs(Desk.dunst))
        #expect(replaced == ["notify 1 for 2: Ada | Phone · since 10:04 | call"], "it is shown, whatever is hidden")
    }

    @Test("calls that go on are no rings: none ends or begins to ring, or is missed by them") func noRings() {
        var desk = Desk()
        _ = desk.goesOn("A", link: 1)
        #expect(desk.machine.ringing.isEmpty && desk.machine.groupsOfMissed.isEmpty)
        _ = desk.rings("A", link: 2)
        #expect(desk.notices[2]?.actions.first?.action == .accept, "it makes no room for itself")
        #expect(desk.told(desk.machine.goesOnNoLonger(1)).allSatisfy { !$0.contains("find out") })
        #expect(desk.machine.ringing == [Desk.id("A")], "also with the same id")
    }

    @Test(
        "what they say is in the person's language", arguments: ["de_DE.UTF-8", "fr", "es_MX", "it", "nl_NL", "C"])
    func languages(locale: String) {
        var machine = ShowingStateMachine(words: NoticeWords(locale: locale), callsBack: false, closeSilences: true)
        _ = machine.serverIs(Desk.dunst)
        var call = OngoingCall(call: "A", uuid: "U", app: "org.belfry.phone")
        (call.state, call.isMuted, call.canHold, call.name) = (.held, true, true, "Ada")
        func notice(_ effects: [ShowingEffect]) -> Notice? {
            for case .notify(_, _, let notice) in effects { return notice }
            return nil
        }
        let shown = notice(machine.goesOn(ShownOngoingCall(call, link: 1, group: Desk.group, time: "10:04")))
        let texts = (shown?.actions.map(\.text) ?? []) + [shown?.body ?? ""]
        #expect(Set(texts).count == 4 && texts.last?.contains("10:04") == true && !texts.contains(""))
        #expect((texts[0] == "Unmute") == (locale == "C") && (texts[1] == "Resume") == (locale == "C"))
        #expect(shown?.body.contains("#") == false)
    }
}
