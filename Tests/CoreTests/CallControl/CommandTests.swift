import BelfryProtocol
import BelfryTerms
import CallChannel
import Testing

@testable import CallControl

/// What the person commands of calls that go on, and what is shown of them: C16.
@Suite struct CommandTests {
    private static let a = Centre.uuid("A")
    private static let b = Centre.uuid("B")

    /// The call `uuid` is reported for a push of its own, by number, and answered by the person.
    @discardableResult
    private static func answers(
        _ uuid: CallUUID, _ number: Int64, in centre: inout Centre, _ update: CallUpdate = Centre.ada,
        by app: String = Centre.app
    ) -> [String] {
        rings(uuid, number, in: &centre, update, by: app)
        let said = centre.ends(number, .answered)
        for action in centre.performed where centre.control.isOpen(action.uuid, of: app) && action.kind == .answer {
            centre.app(.outcome(action.uuid, isFulfilled: true, at: nil), app)
        }
        return said
    }

    private static func rings(
        _ uuid: CallUUID, _ number: Int64, in centre: inout Centre, _ update: CallUpdate = Centre.ada,
        by app: String = Centre.app
    ) {
        centre.push(number, call: "k\(number)", topic: app + ".voip")
        centre.reports(uuid, push: centre.pushes.count, n: number, update, by: app)
        centre.rings(number)
    }

    private static func talking() -> Centre {
        var centre = Centre.running(apps: [Centre.app, Centre.other])
        answers(a, 1, in: &centre)
        return centre
    }

    @discardableResult
    private static func command(
        _ command: CallCommand, _ call: String? = nil, in centre: inout Centre
    ) -> [String] {
        centre.take(.command(command, call: call, from: 5))
    }

    @Test("C16 a command is an action for the call's delegate, and is answered by its outcome")
    func actions() {
        let table: [(CallCommand, [String])] = [
            (.mute(true), ["mute"]), (.hold(true), ["hold"]), (.end, ["end"]), (.keypad("1"), ["dtmf"]),
            (.keypad("12,34;5"), ["dtmf", "dtmf", "dtmf", "dtmf"]),
        ]
        for (command, kinds) in table {
            var centre = Self.talking()
            let before = centre.performed.count
            let said = Self.command(command, in: &centre)
            #expect(!said.contains { $0.hasPrefix("client") }, "\(command) waits for its outcome")
            #expect(centre.performed.dropFirst(before).map(\.kind.word) == kinds)
            for number in before + 1..<centre.performed.count {
                #expect(!centre.outcome(number).contains("client 5 done"), "\(command): only the last says so")
            }
            #expect(centre.outcome(centre.performed.count).contains("client 5 done"), "\(command)")
        }
    }

    @Test("C16 digits: single tones, and after a pause all up to the next one")
    func digits() {
        var centre = Self.talking()
        Self.command(.keypad("1A,34;5"), in: &centre)
        let played = centre.performed.dropFirst().map(\.kind)
        let expected: [(String, Int64)] = [("1", 1), ("A", 1), ("34", 2), ("5", 3)]
        #expect(played == expected.map { .dtmf(CallDigits($0.0, type: $0.1)) })
        #expect(Set(centre.transactions.dropFirst()).count == 1)
    }

    @Test("C16 what the app fails, leaves, or has ended meanwhile is answered so")
    func outcomes() {
        var failed = Self.talking()
        Self.command(.mute(true), in: &failed)
        #expect(failed.outcome(2, false).contains("client 5 refused: org.belfry.phone has failed it"))
        var late = Self.talking()
        Self.command(.mute(true), in: &late)
        #expect(late.wait(5_000).contains("client 5 refused: org.belfry.phone has not done it in time"))
        var over = Self.talking()
        Self.command(.mute(true), in: &over)
        #expect(over.app(.end(Self.a, .remoteEnded, at: nil)).contains("client 5 no call: the call is over"))
        var ended = Self.talking()
        Self.command(.end, in: &ended)
        #expect(ended.app(.end(Self.a, .remoteEnded, at: nil)).contains("client 5 done"))
    }

    @Test("C16 what is so already is done") func already() {
        var centre = Self.talking()
        #expect(Self.command(.hold(false), "k1", in: &centre) == ["client 5 done"])
        #expect(Self.command(.mute(false), in: &centre) == ["client 5 done"])
        Self.command(.hold(true), in: &centre)
        centre.outcome(2)
        #expect(Self.command(.hold(true), "k1", in: &centre) == ["client 5 done"])
    }

    @Test("C16 a call is named by key or UUID, or is the one that is active; without one that is said")
    func names() {
        var none = Centre.running()
        #expect(Self.command(.end, in: &none) == ["client 5 no call: no call goes on"])
        Self.rings(Self.a, 1, in: &none)
        #expect(Self.command(.end, in: &none) == ["client 5 no call: no call goes on"])
        #expect(Self.command(.end, "k1", in: &none) == ["client 5 no call: k1 still rings"])
        var centre = Self.talking()
        #expect(Self.command(.end, "k2", in: &centre) == ["client 5 no call: no call that goes on is named k2"])
        #expect(Self.command(.hold(false), in: &centre) == ["client 5 no call: no call is held: name one"])
        Self.command(.mute(true), Self.a.text.lowercased(), in: &centre)
        #expect(centre.outcome(2).contains("= muted"))
        Self.command(.hold(true), "k1", in: &centre)
        centre.outcome(3)
        let why = "no call is active, and k1 is held: name one"
        #expect(Self.command(.mute(false), in: &centre) == ["client 5 no call: \(why)"])
        Self.command(.hold(false), in: &centre)
        #expect(centre.outcome(4).contains("= resumed"))
    }

    @Test("C16 what a call does not support is refused, with the reason") func refused() {
        var update = Centre.ada
        (update.supportsHolding, update.supportsDTMF) = (false, false)
        var centre = Centre.running()
        Self.answers(Self.a, 1, in: &centre, update)
        #expect(Self.command(.hold(true), in: &centre) == ["client 5 refused: org.belfry.phone cannot hold k1"])
        #expect(Self.command(.keypad("1"), in: &centre) == ["client 5 refused: k1 takes no digits"])
        #expect(Self.command(.split, in: &centre) == ["client 5 refused: k1 is in no group"])
        #expect(
            Self.command(.merge, in: &centre)
                == ["client 5 refused: org.belfry.phone has no other call that goes on"])
        var talking = Self.talking()
        for digits in ["", "x", "1 2", String(repeating: "1", count: 129)] {
            let said = Self.command(.keypad(digits), in: &talking)
            #expect(said.count == 1 && said[0].hasPrefix("client 5 refused: digits are"), "\(digits.prefix(5))")
        }
        #expect(talking.performed.count == 1)
    }

    @Test("C13 what the person answers holds the others: its app's own in the answer's transaction, first")
    func answerHolds() {
        var centre = Self.talking()
        centre.app(.outgoing(Self.a, .connected, at: nil))
        Self.rings(Self.b, 2, in: &centre)
        centre.ends(2, .answered)
        #expect(centre.performed.map(\.kind) == [.answer, .hold(true), .answer])
        #expect(centre.transactions[1] == centre.transactions[2])
        #expect(centre.performed[1].call == Self.a && centre.performed[2].call == Self.b)
    }

    @Test("C13 a call that cannot be held stays, and what goes on with its group's calls holds none of them")
    func answerHoldsNot() {
        var update = Centre.ada
        update.supportsHolding = false
        var centre = Centre.running()
        Self.answers(Self.a, 1, in: &centre, update)
        Self.answers(Self.b, 2, in: &centre)
        #expect(centre.performed.map(\.kind) == [.answer, .answer])
    }

    @Test("C16 hold and accept, end and accept: one transaction with the answer, whichever is heard first")
    func givesWay() {
        for (holds, kind) in [(true, CallAction.Kind.hold(true)), (false, .end)] {
            var first = Self.talking()
            Self.rings(Self.b, 2, in: &first)
            Self.command(.giveWay(to: "k2", holds: holds), "k1", in: &first)
            first.ends(2, .answered)
            #expect(first.performed.map(\.kind) == [.answer, kind, .answer], "\(kind)")
            #expect(first.transactions[1] == first.transactions[2])
            if !holds {
                var second = Self.talking()
                Self.rings(Self.b, 2, in: &second)
                second.ends(2, .answered)
                Self.command(.giveWay(to: "k2", holds: holds), "k1", in: &second)
                #expect(second.performed.map(\.kind) == [.answer, .hold(true), .answer, .end])
                #expect(Set(second.transactions.dropFirst()).count == 1)
            }
        }
    }

    @Test("C16 who goes on with a held call holds the other; merged calls go on together; a split leaves")
    func swaps() {
        var centre = Self.talking()
        Self.answers(Self.b, 2, in: &centre)
        centre.outcome(2)
        #expect(centre.shown.map(\.state) == [.held, .active])
        Self.command(.hold(false), "k1", in: &centre)
        #expect(centre.performed.suffix(2).map(\.kind) == [.hold(true), .hold(false)])
        #expect(Set(centre.transactions.suffix(2)).count == 1)
        for number in [4, 5] { centre.outcome(number) }
        #expect(centre.shown.map(\.state) == [.active, .held])
        Self.command(.merge, in: &centre)
        #expect(centre.performed.last?.kind == .group(with: Self.b))
        centre.outcome(6)
        #expect(centre.shown.map(\.group) == [1, 1])
        #expect(
            Self.command(.merge, in: &centre)
                == ["client 5 refused: org.belfry.phone has no other call that goes on"])
        Self.command(.split, "k2", in: &centre)
        centre.outcome(7)
        #expect(centre.shown.map(\.group) == [nil, nil])
    }

    @Test("C16 a call is shown from its answer on, as it is, until its end is asked for")
    func shown() {
        var centre = Centre.running()
        var settings = ProviderSettings()
        (settings.localizedName, settings.supportsVideo) = ("Phone", true)
        centre.app(.provider(settings))
        Self.rings(Self.a, 1, in: &centre)
        #expect(centre.shown.isEmpty && centre.control.ongoing.isEmpty)
        centre.ends(1, .answered)
        var expected = OngoingCall(call: "k1", uuid: Self.a.text, app: Centre.app)
        (expected.appName, expected.name, expected.handle, expected.canHold) = ("Phone", "Ada", "+49", true)
        #expect(centre.shown == [expected])
        centre.outcome(1)
        (expected.state, expected.since) = (.active, centre.now)
        #expect(centre.shown == [expected] && centre.control.ongoing == [expected])
        var update = CallUpdate()
        (update.name, update.hasVideo, update.supportsHolding) = ("Bea", true, false)
        centre.app(.update(Self.a, update))
        (expected.name, expected.hasVideo, expected.canHold) = ("Bea", true, false)
        #expect(centre.shown == [expected])
        Self.command(.mute(true), in: &centre)
        centre.outcome(2)
        expected.isMuted = true
        #expect(centre.shown == [expected])
        Self.command(.end, in: &centre)
        #expect(centre.shown.isEmpty)
        #expect(centre.outcome(3).contains("= ended by person"))
    }

    @Test("C16 an outgoing call is shown from its start on, and an app's own end ends that")
    func outgoing() {
        var centre = Centre.running()
        let start = CallStart(CallHandle(.phoneNumber, "+1"))
        _ = centre.requests([CallAction(.start(start), of: Self.b, uuid: Centre.uuid("1"))])
        #expect(centre.shown.map(\.state) == [.connecting])
        #expect(centre.shown.map(\.isOutgoing) == [true] && centre.shown.map(\.call) == [Self.b.text])
        centre.outcome(1)
        centre.app(.outgoing(Self.b, .connected, at: nil))
        #expect(centre.shown.map(\.state) == [.active])
        _ = centre.requests([CallAction(.end, of: Self.b, uuid: Centre.uuid("2"))])
        #expect(centre.shown.isEmpty)
    }

    @Test("C16 an app that dies takes its calls from what is shown") func dies() {
        var centre = Self.talking()
        #expect(centre.shown.count == 1)
        centre.take(.appGone(Centre.app))
        #expect(centre.shown.isEmpty)
    }
}
