import BelfryTerms
import Showing
import Support
import Testing

/// A notification server that shows at once what it is asked to, and answers when it is had to.
private struct PlayedServer {
    private(set) var shown: [UInt32: Notice] = [:]
    /// What it has still to answer, in order.
    private var unanswered: [(token: Int64, id: UInt32)] = []
    private var last: UInt32 = 0

    var calls: Int { shown.values.count { $0.category == "call.incoming" && !$0.actions.isEmpty } }
    var missed: Int { shown.values.count { $0.category == "call.unanswered" } }
    var alerts: Int { shown.values.count { $0.category.isEmpty } }
    /// Whether it never shows more than there are places.
    private(set) var hasKept = true

    mutating func obey(_ effects: [ShowingEffect]) {
        for effect in effects {
            switch effect {
            case .notify(let token, let replaces, let notice):
                if replaces == 0 { last += 1 }
                let id = replaces == 0 ? last : replaces
                shown[id] = notice
                unanswered.append((token, id))
            case .close(let id): shown[id] = nil
            case .report, .answer, .decline, .silence, .findOut, .callBack, .seen, .open, .choose: break
            }
            hasKept = hasKept && calls <= 5 && missed <= 20 && alerts <= 20
        }
    }

    /// Answers the oldest question; false if there is none.
    mutating func answer(_ desk: inout Desk) -> Bool {
        guard !unanswered.isEmpty else { return false }
        let (token, id) = unanswered.removeFirst()
        obey(desk.machine.shown(token, as: id))
        return true
    }
}

@Suite("What the desktop shows of calls") struct ShowingTests {
    @Test("who calls is shown in place of who was said to; of a call that is not shown it is kept for nothing")
    func caller() {
        var desk = Desk()
        let grace = ShownCaller(name: "Grace", handle: "+1", hasVideo: false)
        #expect(desk.told(desk.machine.caller(grace, of: Desk.id("A"))) == [])
        #expect(desk.rings("A") == ["notify 1 for 0: Ada | Incoming call | call.incoming"])
        _ = desk.machine.shown(1, as: 4)
        #expect(
            desk.told(desk.machine.caller(grace, of: Desk.id("A")))
                == ["notify 2 for 4: Grace | +1\nIncoming call | call.incoming"])
        _ = desk.machine.shown(2, as: 4)
        #expect(desk.told(desk.machine.caller(grace, of: Desk.id("A"))) == [], "nothing is new")
    }

    @Test("R24 a label is the title of who has no name, and stands below the number of who has one") func labels() {
        var desk = Desk()
        let bank = NumberLabel("Bank\n\u{202E}of us", from: "Tellows")
        let callers = [
            ShownCaller(name: "", handle: "+49", hasVideo: false, label: bank),
            ShownCaller(name: "Ada", handle: "+49", hasVideo: false, label: bank),
            ShownCaller(name: "", handle: "+49", hasVideo: false, label: NumberLabel("Mum", from: "contacts")),
            // What a caller sends is one line of its own, and no label.
            ShownCaller(name: "Ada", handle: "+49\nTellows: Bank", hasVideo: false),
        ]
        let texts = callers.enumerated().flatMap { desk.rings("\($0)", caller: $1) }
        #expect(
            texts == [
                "notify 1 for 0: Tellows: Bank of us | +49\nIncoming call | call.incoming",
                "notify 2 for 0: Ada | +49\nTellows: Bank of us\nIncoming call | call.incoming",
                "notify 3 for 0: Mum | +49\nIncoming call | call.incoming",
                "notify 4 for 0: Ada | +49 Tellows: Bank\nIncoming call | call.incoming",
            ])
    }

    @Test("a call is shown, once its picture comes again in its place, and goes when it is answered")
    func answered() {
        var desk = Desk()
        #expect(desk.rings("A") == ["notify 1 for 0: Ada | Incoming call | call.incoming"])
        #expect(desk.notices[1]?.urgency == .critical && desk.notices[1]?.isRinging == true)
        #expect(desk.notices[1]?.actions.map(\.action) == [.accept, .decline, .silence])
        #expect(desk.notices[1]?.until == Instant(microseconds: 35_000_000))
        #expect(desk.told(desk.machine.shown(1, as: 4)) == ["tell 1 shown"])
        #expect(desk.rings("A") == [], "on another mode nothing is shown anew")
        #expect(
            desk.told(desk.machine.picture("/p", of: Desk.id("A")))
                == ["notify 2 for 4: Ada | Incoming call | call.incoming"])
        #expect(desk.told(desk.machine.chosen("call.decline", in: 4)) == ["decline A"], "its buttons work meanwhile")
        #expect(desk.told(desk.machine.chosen("call.accept", in: 5)) == [])
        #expect(desk.told(desk.machine.shown(2, as: 4)) == ["tell 1 replaced"])
        #expect(desk.told(desk.machine.ended(Desk.id("A"), missed: false)) == ["close 4", "tell 1 closed"])
        #expect(!desk.machine.isBusy)
    }

    @Test("a missed call takes the same place, counts up for the same caller, and waits for somebody to see it")
    func missed() {
        var desk = Desk(callsBack: true)
        _ = desk.rings("A", caller: Desk.caller(handle: "+49"))
        _ = desk.machine.shown(1, as: 4)
        #expect(
            desk.told(desk.machine.ended(Desk.id("A"), missed: true))
                == ["notify 2 for 4: Ada | +49\nMissed call | call.unanswered"])
        #expect(desk.notices[2]?.urgency == .normal && desk.notices[2]?.until == nil)
        #expect(desk.notices[2]?.actions.map(\.action) == [.callBack, .seen])
        _ = desk.machine.shown(2, as: 4)
        _ = desk.rings("B", caller: Desk.caller(handle: "+49"))
        _ = desk.machine.shown(3, as: 5)
        #expect(
            desk.told(desk.machine.ended(Desk.id("B"), missed: true))
                == ["close 5", "tell 1 closed", "notify 4 for 4: Ada | +49\n2 missed calls | call.unanswered"])
        _ = desk.machine.shown(4, as: 4)
        #expect(desk.machine.isBusy)
        #expect(desk.told(desk.machine.chosen("call.seen", in: 4)) == [#"seen ["A", "B"]"#, "close 4"])
        #expect(!desk.machine.isBusy)
    }

    @Test("a button decides, a click beside it does not, nor one in what is none of ours")
    func choices() {
        var desk = Desk()
        _ = desk.rings("A")
        _ = desk.machine.shown(1, as: 4)
        #expect(desk.told(desk.machine.chosen("default", in: 4)) == [])
        #expect(desk.told(desk.machine.chosen("call.accept", in: 9)) == [])
        #expect(desk.told(desk.machine.chosen("call.seen", in: 4)) == [])
        #expect(desk.told(desk.machine.chosen("call.accept", in: 4)) == ["answer A"])
        #expect(desk.told(desk.machine.chosen("call.decline", in: 4)) == ["decline A"])
    }

    @Test("where a menu is missing to choose in, the text says how to answer, and the server's own choice answers")
    func noMenu() {
        var desk = Desk(server: NoticeServer(owner: ":1.7", hasActions: true, readsMarkup: true, lacksMenu: true))
        #expect(desk.rings("A") == ["notify 1 for 0: Ada | Incoming call\nbelfry answer A | call.incoming"])
        #expect(desk.notices[1]?.actions.map(\.action) == [.standard, .accept, .decline, .silence])
        _ = desk.machine.shown(1, as: 4)
        #expect(desk.told(desk.machine.chosen("default", in: 4)) == ["answer A"])
        _ = desk.machine.ended(Desk.id("A"), missed: true)
        #expect(desk.told(desk.machine.chosen("default", in: 4)) == [], "a missed call is not answered")
    }

    @Test("a button is the call's in whose notification it is, whatever became of others")
    func choicesBesideRefused() {
        var desk = Desk()
        _ = desk.rings("A")
        _ = desk.machine.refused(1, "Excess")
        _ = desk.rings("B", link: 2)
        _ = desk.machine.shown(2, as: 4)
        #expect(desk.told(desk.machine.chosen("call.accept", in: 4)) == ["answer B"])
    }

    @Test("an answer that comes after the call's end is closed, or becomes the missed call")
    func late() {
        var desk = Desk()
        _ = desk.rings("A")
        _ = desk.rings("B", link: 2, caller: Desk.caller("Bob"))
        #expect(desk.told(desk.machine.ended(Desk.id("A"), missed: false)) == [])
        #expect(desk.told(desk.machine.ended(Desk.id("B"), missed: true)) == [])
        #expect(desk.machine.isBusy, "what a stopped server shows later has to be closed")
        #expect(desk.told(desk.machine.shown(1, as: 7)) == ["close 7", "tell 1 closed"])
        #expect(
            desk.told(desk.machine.shown(2, as: 8)) == ["notify 3 for 8: Bob | Missed call | call.unanswered"],
            "a worker hears nothing of the missed call")
    }

    @Test(
        "S6: another server is asked anew, with no number of the one before; what that answers late counts for nothing")
    func anotherServer() {
        var desk = Desk()
        _ = desk.rings("A")
        _ = desk.machine.shown(1, as: 4)
        #expect(desk.told(desk.machine.serverIsAbsent("gone")) == ["tell 1 unavailable: gone"])
        let other = NoticeServer(owner: ":1.9", hasActions: false, readsMarkup: false)
        #expect(
            desk.told(desk.machine.serverIs(other))
                == ["notify 2 for 0: Ada | Incoming call\nbelfry answer A | call.incoming"])
        #expect(desk.notices[2]?.actions == [])
        #expect(desk.told(desk.machine.shown(1, as: 5)) == [])
        #expect(desk.told(desk.machine.chosen("call.accept", in: 4)) == [])
        #expect(desk.told(desk.machine.shown(2, as: 1)) == ["tell 1 shown"])
    }

    @Test("an error is told once, and the same is not asked again")
    func refused() {
        var desk = Desk()
        _ = desk.rings("A")
        #expect(desk.told(desk.machine.refused(1, "Excess")) == ["tell 1 unavailable: Excess"])
        #expect(desk.rings("A") == [])
        #expect(
            desk.told(desk.machine.ended(Desk.id("A"), missed: true))
                == ["notify 2 for 0: Ada | Missed call | call.unanswered"])
    }

    @Test(
        "a server that refuses a picture goes on showing the call; one that refuses the missed call shows no dead one")
    func refusedReplacement() {
        var desk = Desk()
        _ = desk.rings("A")
        _ = desk.machine.shown(1, as: 4)
        _ = desk.machine.picture("/p", of: Desk.id("A"))
        #expect(desk.told(desk.machine.refused(2, "Excess")) == ["tell 1 unavailable: Excess"])
        #expect(desk.told(desk.machine.chosen("call.accept", in: 4)) == ["answer A"])
        #expect(
            desk.told(desk.machine.ended(Desk.id("A"), missed: true))
                == ["notify 3 for 4: Ada | Missed call | call.unanswered"])
        #expect(
            desk.told(desk.machine.refused(3, "Excess"))
                == ["close 4", "notify 4 for 0: Ada | Missed call | call.unanswered"])
        #expect(desk.told(desk.machine.refused(4, "Excess")) == [])
        #expect(!desk.machine.isBusy)
    }

    @Test(
        "R12: a worker that leaves without a word takes its notification along; the missed call comes once it is known")
    func died() {
        var desk = Desk()
        _ = desk.rings("A")
        _ = desk.machine.shown(1, as: 4)
        #expect(desk.told(desk.machine.left(1)) == ["close 4", "tell 1 closed", "find out A"])
        #expect(desk.machine.isBusy)
        #expect(
            desk.told(desk.machine.settled(Desk.id("A"), missed: true))
                == ["notify 2 for 0: Ada | Missed call | call.unanswered"])
    }

    @Test("five calls are shown, of the others the number; when one ends the next takes its place")
    func many() {
        var desk = Desk()
        for number in 1...5 { _ = desk.rings("\(number)", link: Int64(number)) }
        for number in 1...5 { _ = desk.machine.shown(Int64(number), as: UInt32(number)) }
        #expect(desk.rings("6", link: 6) == ["notify 6 for 0: Incoming call | and 1 more | call.incoming"])
        _ = desk.machine.shown(6, as: 6)
        #expect(desk.rings("7", link: 7) == ["notify 7 for 6: Incoming call | and 2 more | call.incoming"])
        _ = desk.machine.shown(7, as: 6)
        let effects = desk.told(desk.machine.ended(Desk.id("1"), missed: false))
        #expect(
            effects == [
                "close 1", "tell 1 closed", "notify 8 for 6: Incoming call | and 1 more | call.incoming",
                "notify 9 for 0: Ada | Incoming call | call.incoming",
            ])
    }

    @Test("hundreds of calls that end at once, before a server has answered, are never shown but five at a time")
    func endAtOnce() {
        for isMissed in [false, true] {
            var (desk, server) = (Desk(), PlayedServer())
            for number in 0..<300 {
                let caller = Desk.caller("\(number)")
                let until = Instant(microseconds: 30_000_000)
                server.obey(desk.machine.rings(Desk.id("\(number)"), caller, until: until, link: Int64(number)))
            }
            while server.answer(&desk) {}
            #expect(server.calls == 5)
            for number in 0..<300 { server.obey(desk.machine.ended(Desk.id("\(number)"), missed: isMissed)) }
            #expect(server.hasKept)
            while server.answer(&desk) {}
            #expect(server.hasKept && server.calls == 0 && server.shown.count == (isMissed ? 20 : 0))
            #expect(desk.machine.isBusy == isMissed)
        }
    }

    @Test("however calls and alerts come and go, and whenever a server answers, each kind keeps to its places")
    func places() {
        for seed in 0..<10 {
            var random = SeededRandom(seed: UInt64(seed))
            var (desk, server) = (Desk(), PlayedServer())
            var (rung, alerts) = (0, 0)
            for _ in 0..<200 {
                switch Int.random(in: 0..<6, using: &random) {
                case 0, 1:
                    rung += 1
                    server.obey(
                        desk.machine.rings(
                            Desk.id("\(rung)"), Desk.caller("\(rung % 30)"),
                            until: Instant(microseconds: 30_000_000), link: Int64(rung)))
                case 2, 3:
                    let id = Desk.id("\(Int.random(in: 0...rung, using: &random))")
                    server.obey(desk.machine.ended(id, missed: Bool.random(using: &random)))
                case 4:
                    alerts += 1
                    server.obey(
                        desk.machine.alert(Desk.alert("a", "", name: "\(alerts)"), link: nil))
                default: _ = server.answer(&desk)
                }
            }
            while server.answer(&desk) {}
            #expect(server.hasKept, "seed \(seed)")
            #expect(server.calls == min(5, desk.machine.ringing.count), "seed \(seed): nothing waits for ever")
            for id in desk.machine.ringing { server.obey(desk.machine.ended(id, missed: false)) }
            while server.answer(&desk) {}
            #expect(server.calls == 0, "seed \(seed)")
        }
    }

    @Test("who closes a ringing call's notification is not shown it again, but the missed call")
    func dismissed() {
        var desk = Desk()
        _ = desk.rings("A")
        _ = desk.machine.shown(1, as: 4)
        #expect(desk.told(desk.machine.closed(4, byPerson: true)) == ["tell 1 closed", "silence A"])
        #expect(desk.told(desk.machine.picture("/p", of: Desk.id("A"))) == [])
        #expect(
            desk.told(desk.machine.ended(Desk.id("A"), missed: true))
                == ["notify 2 for 0: Ada | Missed call | call.unanswered"])
        #expect(desk.notices[2]?.isRinging == false)
        _ = desk.machine.shown(2, as: 5)
        #expect(desk.machine.isBusy)
        #expect(desk.told(desk.machine.closed(5, byPerson: true)) == [])
        #expect(!desk.machine.isBusy)
    }

    @Test("R21 a ring is silenced by the last of three buttons, which then goes, and by who closes its notification")
    func silenced() throws {
        var desk = Desk()
        _ = desk.rings("A")
        _ = desk.machine.shown(1, as: 4)
        #expect(desk.notices[1]?.actions.map(\.text) == ["Accept", "Decline", "Silence"])
        #expect(desk.told(desk.machine.chosen("call.silence", in: 4)) == ["silence A"])
        let until = Instant(microseconds: 30_000_000)
        let effects = desk.machine.rings(Desk.id("A"), Desk.caller(), until: until, isSilenced: true, link: 1)
        #expect(desk.told(effects) == ["notify 2 for 4: Ada | Incoming call | call.incoming"])
        #expect(desk.notices[2]?.actions.map(\.text) == ["Accept", "Decline"])
        _ = desk.machine.shown(2, as: 4)
        #expect(desk.told(desk.machine.closed(4, byPerson: true)) == ["tell 1 closed"], "it is silent already")
    }

    @Test("R21 a notification that the server closes silences nothing, nor one that is closed where OnClose=none")
    func closedOtherwise() {
        for closeSilences in [false, true] {
            var desk = Desk(closeSilences: closeSilences)
            _ = desk.rings("A")
            _ = desk.machine.shown(1, as: 4)
            #expect(desk.told(desk.machine.closed(4, byPerson: !closeSilences)) == ["tell 1 closed"])
        }
    }

    @Test("a process that comes after another replaces what that has shown, and closes what is over")
    func restarted() {
        var old = Desk()
        _ = old.rings("A")
        _ = old.rings("B", link: 2, caller: Desk.caller("Bob"))
        _ = old.machine.ended(Desk.id("B"), missed: true)
        for token in [Int64(1), 2, 3] { _ = old.machine.shown(token, as: UInt32(token)) }
        let kept = old.machine.kept
        #expect(kept.count == 2 && old.machine.server == Desk.dunst)

        var new = Desk(server: nil)
        _ = new.rings("A", link: nil)
        new.machine.inherit(kept, from: ":1.7")
        #expect(
            new.told(new.machine.serverIs(Desk.dunst)) == [
                "notify 1 for 1: Ada | Incoming call | call.incoming",
                "notify 2 for 3: Bob | Missed call | call.unanswered",
            ])

        _ = new.machine.shown(1, as: 1)
        #expect(new.rings("A", link: 5) == ["tell 5 shown"], "a worker that comes again is told")
        #expect(new.rings("A", link: 5) == [])

        var mixed = Desk(server: nil)
        _ = mixed.rings("C", link: nil, caller: Desk.caller("Cleo"))
        _ = mixed.rings("A", link: nil)
        mixed.machine.inherit(kept.filter { $0.id == 1 }, from: ":1.7")
        #expect(
            mixed.told(mixed.machine.serverIs(Desk.dunst)) == [
                "notify 1 for 1: Ada | Incoming call | call.incoming",
                "notify 2 for 0: Cleo | Incoming call | call.incoming",
            ], "what is there is brought up to date before anything new is shown")
        #expect(mixed.told(mixed.machine.refused(1, "Excess")) == [], "and stays if it cannot be")
        #expect(mixed.told(mixed.machine.chosen("call.accept", in: 1)) == ["answer A"])

        var early = Desk(server: nil)
        _ = early.rings("A", link: nil)
        early.machine.inherit(kept, from: ":1.7")
        _ = early.machine.serverIs(Desk.dunst)
        #expect(early.rings("A", link: 6) == [])
        #expect(early.told(early.machine.shown(1, as: 1)) == ["tell 6 shown"], "so is one that came before the answer")

        var late = Desk(server: nil)
        late.machine.inherit(kept.filter { $0.id == 1 }, from: ":1.7")
        #expect(
            late.told(late.machine.serverIs(Desk.dunst)) == ["close 1"],
            "what is over and shown is closed once there is a server")
        #expect(!late.machine.isBusy)

        var other = Desk(server: nil)
        _ = other.rings("A", link: nil)
        other.machine.inherit(kept, from: ":1.6")
        let shown = ["notify 1 for 0: Ada | Incoming call | call.incoming"]
        #expect(other.told(other.machine.serverIs(Desk.dunst)) == shown, "S6: another server's numbers are not used")
        #expect(
            other.told(other.machine.serverIs(NoticeServer(owner: ":1.6", hasActions: true, readsMarkup: true)))
                == ["notify 2 for 0: Ada | Incoming call | call.incoming"], "nor when it comes later")
    }

    @Test("what the person closes leaves its place to the next call, and is not shown again by another server")
    func closedLeavesItsPlace() {
        var desk = Desk()
        for number in 1...7 { _ = desk.rings("\(number)", link: Int64(number)) }
        for token in Int64(1)...5 { _ = desk.machine.shown(token, as: UInt32(token)) }
        _ = desk.machine.shown(6, as: 6)
        _ = desk.machine.shown(7, as: 6)
        let closed = desk.told(desk.machine.closed(6, byPerson: true))
        #expect(closed == ["silence 6", "silence 7"], "closing the others silences them")
        let next = desk.told(desk.machine.closed(1, byPerson: true))
        #expect(next.contains { $0.hasPrefix("notify 8 for 0: Ada | Incoming call") } && next.contains("silence 1"))
        let other = NoticeServer(owner: ":1.9", hasActions: true, readsMarkup: false)
        #expect(desk.told(desk.machine.serverIs(other)).count { $0.contains("Incoming call | call.incoming") } == 5)
    }

    @Test("a call that was missed without having rung is shown, and once")
    func missedUnheard() {
        var desk = Desk()
        let missed = ["notify 1 for 0: Ada | Missed call | call.unanswered"]
        #expect(desk.told(desk.machine.missed(Desk.id("A"), Desk.caller())) == missed)
        #expect(desk.told(desk.machine.missed(Desk.id("A"), Desk.caller())) == [])
    }

    @Test("of those who were missed the one whose button is pressed is called back")
    func calledBack() {
        var desk = Desk(callsBack: true)
        for (name, id) in [("Ada", 4), ("Bob", 5)] as [(String, UInt32)] {
            _ = desk.machine.missed(Desk.id(name), Desk.caller(name))
            _ = desk.machine.shown(Int64(id) - 3, as: id)
        }
        let calledBack = ["call back Bob Bob", #"seen ["Bob"]"#, "close 5"]
        #expect(desk.told(desk.machine.chosen("call.back", in: 5)) == calledBack)
    }

    @Test("the oldest of too many missed callers goes, and the oldest of too many alerts")
    func limits() {
        var (missed, alerts) = (Desk(), Desk())
        for number in 1...ShowingStateMachine.missedMax {
            _ = missed.machine.missed(Desk.id("\(number)"), Desk.caller("\(number)"))
            _ = missed.machine.shown(Int64(number), as: UInt32(number))
        }
        let more = missed.told(missed.machine.missed(Desk.id("more"), Desk.caller("more")))
        #expect(more.contains("close 1") && more.count == 2)
        func alert(_ name: String) -> [ShowingEffect] {
            alerts.machine.alert(Desk.alert(name, "b", name: name), link: nil)
        }
        for number in 1...ShowingStateMachine.alertsMax {
            _ = alert("\(number)")
            _ = alerts.machine.shown(Int64(number), as: UInt32(number))
        }
        let another = alerts.told(alert("more"))
        #expect(another.contains("close 1") && another.count == 2)
    }

    @Test("a call that rings on under another name is shown by that; one whose worker left keeps busy till then")
    func ringsOn() {
        var desk = Desk(server: nil)
        _ = desk.rings("A")
        #expect(desk.told(desk.machine.left(1)).contains("find out A"))
        #expect(desk.machine.isBusy && desk.machine.ringing.isEmpty)
        _ = desk.rings("A", link: nil)
        _ = desk.rings("A", link: nil, caller: Desk.caller("Bob"))
        #expect(
            desk.told(desk.machine.serverIs(Desk.dunst)).map { $0.contains("Bob | Incoming call") } == [true])
        _ = desk.machine.ended(Desk.id("A"), missed: false)
        _ = desk.machine.shown(1, as: 4)
        #expect(!desk.machine.isBusy)
    }

    @Test("what is kept of a call that rings is no missed call") func keptRing() {
        var desk = Desk()
        _ = desk.rings("A")
        _ = desk.machine.shown(1, as: 4)
        #expect(desk.machine.kept.map(\.count) == [0])
    }

    @Test("S3: what nobody can see, and what turns text around, is left out; a text has an end")
    func texts() {
        var desk = Desk()
        _ = desk.rings(
            "A", caller: Desk.caller("A\u{0}da\n\u{202e}4321 94+\u{2069}", handle: String(repeating: "9", count: 900)))
        #expect(desk.notices[1]?.summary == "A da 4321 94+")
        #expect(desk.notices[1]?.body.unicodeScalars.count ?? 0 < 230)
        #expect(NoticeText.escaped("<b>&") == "&lt;b&gt;&amp;")
        for joined in ["\u{1F469}\u{200D}\u{1F680}", "\u{645}\u{6CC}\u{200C}\u{62E}"] {
            #expect(NoticeText.clean(joined) == joined, "what joins letters, or keeps them apart, is a part of names")
        }
        _ = desk.rings("B", caller: Desk.caller("\u{202e}"))
        #expect(desk.notices[2]?.summary == "Unknown caller")
    }

    @Test("the buttons speak the person's language", arguments: ["de_DE.UTF-8", "fr", "es_MX", "it", "nl_NL"])
    func languages(locale: String) {
        #expect(NoticeWords(locale: locale) != NoticeWords(locale: "C"))
        #expect(NoticeWords(locale: "xx") == NoticeWords(locale: "en_GB"))
    }
}
