import BelfryTerms
import CallChannel
@testable import CallControl
import Testing

/// Calls that go on: outgoing ones, holds, mutes, tones, groups, and whose audio is active.
@Suite struct TalkTests {
    private static let a = Centre.uuid("A")
    private static let b = Centre.uuid("B")
    private static let c = Centre.uuid("C")

    private static func start(_ call: CallUUID, _ digit: Character = "1") -> CallAction {
        CallAction(.start(CallStart(CallHandle(.phoneNumber, "+49"))), of: call, uuid: Centre.uuid(digit))
    }

    private static func action(_ kind: CallAction.Kind, _ call: CallUUID, _ digit: Character) -> CallAction {
        CallAction(kind, of: call, uuid: Centre.uuid(digit))
    }

    /// A call that the app has begun, and whose other side has answered.
    private static func talking(_ call: CallUUID = a, settings: ProviderSettings? = nil) -> Centre {
        var centre = Centre.running(apps: [Centre.app, Centre.other])
        if let settings { centre.app(.provider(settings)) }
        begins(call, in: &centre)
        return centre
    }

    private static func begins(_ call: CallUUID, in centre: inout Centre, by app: String = Centre.app) {
        let digit: Character = app == Centre.app ? "1" : "2"
        _ = centre.requests([start(call, digit)], app)
        if let action = centre.performed.last { centre.app(.outcome(action.uuid, isFulfilled: true, at: nil), app) }
        centre.app(.outgoing(call, .connected, at: nil), app)
    }

    // MARK: Outgoing calls

    @Test("C13 an outgoing call: accepted, performed, audio with the fulfilled start, connected when the app says so")
    func outgoing() {
        var centre = Centre.running()
        #expect(
            centre.requests([Self.start(Self.a)]) == [
                "app requested 9", "= started by app", "app perform start #1 600.0 s", "= start performed",
            ])
        #expect(centre.observed.last?.map(\.isOutgoing) == [true])
        #expect(centre.outcome(1) == ["= start fulfilled", "app audio on"])
        #expect(centre.observed.last?.map(\.hasConnected) == [false])
        #expect(centre.app(.outgoing(Self.a, .connecting, at: nil)) == ["= connecting"])
        #expect(centre.app(.outgoing(Self.a, .connected, at: nil)) == ["= connected"])
        #expect(centre.observed.last?.map(\.hasConnected) == [true])
        #expect(centre.wait(120_000).isEmpty)
        #expect(centre.requests([Self.action(.end, Self.a, "2")]).last == "= end performed")
        #expect(centre.outcome(2) == ["= end fulfilled", "= ended by app", "app audio off"])
        #expect(centre.isEmpty)
    }

    @Test("C13 the steps may come before the start is fulfilled")
    func stepsFirst() {
        var centre = Centre.running()
        centre.requests([Self.start(Self.a)])
        #expect(centre.app(.outgoing(Self.a, .connecting, at: nil)) == ["= connecting"])
        #expect(centre.app(.outgoing(Self.a, .connected, at: nil)) == ["= connected", "app audio on"])
        #expect(centre.outcome(1) == ["= start fulfilled"])
        #expect(centre.wait(120_000).isEmpty)
    }

    @Test("C13 what is said of an incoming call, twice, too late, or of no call, counts for nothing")
    func wrongSteps() {
        var centre = Self.talking()
        #expect(centre.app(.outgoing(Self.a, .connected, at: nil)) == ["! connected-on-incoming"])
        #expect(centre.app(.outgoing(Self.a, .connecting, at: nil)) == ["! connected-on-incoming"])
        #expect(centre.app(.outgoing(Self.b, .connected, at: nil)) == ["! uuid-unknown"])
        var incoming = WalkTests.ringing()
        #expect(incoming.app(.outgoing(Self.a, .connected, at: nil)) == ["! connected-on-incoming at 1"])
        #expect(incoming.control.calls.map(\.hasConnected) == [false])
    }

    @Test("C13 a call that is not connected a minute after its start is told once")
    func neverConnected() {
        var centre = Centre.running()
        centre.requests([Self.start(Self.a)])
        #expect(centre.wait(100_000).isEmpty, "its start is not fulfilled")
        centre.outcome(1)
        #expect(centre.wait(59_999).isEmpty)
        #expect(centre.wait(1) == ["! connected-never"])
        #expect(centre.wait(600_000).isEmpty)
    }

    @Test("C10 a start that fails, or whose time is over, ends the call", arguments: [true, false])
    func startFails(inTime: Bool) {
        var centre = Centre.running()
        centre.requests([Self.start(Self.a)])
        if inTime {
            #expect(centre.outcome(1, false) == ["= start failed", "= ended by system"])
        } else {
            #expect(centre.wait(599_999) == ["! action-unfinished"])
            #expect(centre.wait(1) == ["app timed-out #1", "= start timed-out", "= ended by system"])
        }
        #expect(centre.isEmpty)
    }

    @Test("C8 a start is refused for a UUID that lives (5), of any app, and for too many groups (7)")
    func startRefused() {
        var centre = Self.talking()
        #expect(centre.requests([Self.start(Self.a, "3")]) == ["app requested 9: 5", "! uuid-reused"])
        #expect(
            centre.requests([Self.start(Self.a, "3")], Centre.other) == [
                "\(Centre.other) requested 9: 5", "! uuid-reused",
            ])
        #expect(centre.requests([Self.start(Self.b, "3"), Self.start(Self.b, "4")]) == ["app requested 9: 5"])
        #expect(centre.requests([Self.start(Self.b, "3"), Self.start(Self.c, "4")]) == ["app requested 9: 7"])
        #expect(centre.performed.count == 1)
        #expect(centre.requests([Self.start(Self.b, "3")]).first == "app requested 9")
        #expect(centre.requests([Self.start(Self.c, "4")]) == ["app requested 9: 7"])
        #expect(centre.requests([Self.start(Centre.uuid("0"), "5")]) == ["app requested 9: 6"])
    }

    // MARK: Hold, mute, tones

    @Test("C14 a held call has no audio, one that goes on has")
    func hold() {
        var centre = Self.talking()
        #expect(
            centre.requests([Self.action(.hold(true), Self.a, "3")]) == [
                "app requested 9", "app perform hold #2 5.0 s", "= hold performed",
            ])
        #expect(centre.outcome(2) == ["= hold fulfilled", "= held", "app audio off"])
        #expect(centre.observed.last?.map(\.isOnHold) == [true])
        centre.requests([Self.action(.hold(false), Self.a, "4")])
        #expect(centre.outcome(3) == ["= resume fulfilled", "= resumed", "app audio on"])
        centre.requests([Self.action(.hold(true), Self.a, "5")])
        #expect(centre.outcome(4, false) == ["= hold failed"])
        #expect(centre.control.calls.map(\.isOnHold) == [false])
        #expect(centre.requests([Self.action(.hold(true), Self.a, "6")]).count == 3)
        #expect(
            centre.wait(5_000) == ["! action-unfinished", "app timed-out #5", "= hold timed-out"], "and it goes on")
        #expect(centre.control.calls.map(\.isOnHold) == [false])
    }

    @Test("C10 mute and tones are performed, and change nothing else")
    func muteAndTones() {
        var centre = Self.talking()
        centre.requests([
            Self.action(.mute(true), Self.a, "3"), Self.action(.dtmf(CallDigits("1*#A,;", type: 2)), Self.a, "4"),
        ])
        #expect(centre.outcome(2) == ["= mute fulfilled", "= muted"])
        #expect(centre.outcome(3) == ["= dtmf fulfilled"])
        centre.requests([Self.action(.mute(false), Self.a, "5")])
        #expect(centre.outcome(4) == ["= unmute fulfilled", "= unmuted"])
        centre.requests([Self.action(.mute(true), Self.a, "6")])
        #expect(centre.outcome(5, false) == ["= mute failed"])
        #expect(centre.control.calls.map(\.isMuted) == [false])
    }

    @Test("C8 what a call does not support, or cannot have now, is refused with 6")
    func unsupported() {
        var centre = Self.talking()
        var update = CallUpdate()
        (update.supportsHolding, update.supportsDTMF, update.supportsGrouping) = (false, false, false)
        for digits in ["", "1x", "1 2", "٣", String(repeating: "1", count: 129)] {
            let tones = Self.action(.dtmf(CallDigits(digits, type: 1)), Self.a, "3")
            #expect(centre.requests([tones]) == ["app requested 9: 6"], "\(digits)")
        }
        #expect(centre.requests([Self.action(.group(with: nil), Self.a, "3")]) == ["app requested 9: 6"])
        #expect(centre.requests([Self.action(.group(with: Self.a), Self.a, "3")]) == ["app requested 9: 6"])
        centre.app(.update(Self.a, update))
        let refused: [CallAction.Kind] = [
            .hold(true), .dtmf(CallDigits("1", type: 1)), .group(with: Self.a), .other("CXCallAction"),
        ]
        for kind in refused {
            #expect(centre.requests([Self.action(kind, Self.a, "3")]).first == "app requested 9: 6", "\(kind)")
        }
        #expect(
            centre.requests([Self.action(.mute(true), Self.a, "3"), Self.action(.mute(false), Self.a, "4")]).first
                == "app requested 9")
        var ringing = WalkTests.ringing()
        for kind in [.hold(true), .mute(true), .dtmf(CallDigits("1", type: 1))] as [CallAction.Kind] {
            #expect(ringing.requests([Self.action(kind, Self.a, "3")]) == ["app requested 9: 6"], "\(kind)")
        }
    }

    @Test("C13 a transaction of hold and answer: the hold is performed at once, the answer once the ring says so")
    func holdAndAnswer() {
        var centre = Self.talking()
        centre.push(1)
        centre.reports(Self.b, push: 1)
        centre.rings(1)
        #expect(
            centre.requests([Self.action(.hold(true), Self.a, "3"), Self.action(.answer, Self.b, "4")]) == [
                "app requested 9", "app perform hold #2 5.0 s", "= hold performed", "worker 1 end answer",
            ])
        #expect(centre.ends(1, .answered).first == "app perform answer #3 60.0 s")
    }

    // MARK: Several apps

    @Test("C13 what begins, is answered or goes on holds the calls of other apps, and none goes on by itself")
    func others() {
        var centre = Self.talking()
        let other = Centre.other
        #expect(
            centre.requests([Self.start(Self.b, "3")], other) == [
                "\(other) requested 9", "app perform hold #2 5.0 s", "= hold performed", "= started by app",
                "\(other) perform start #3 600.0 s", "= start performed",
            ])
        #expect(centre.outcome(2) == ["= hold fulfilled", "= held", "app audio off"])
        centre.app(.outcome(centre.performed[2].uuid, isFulfilled: true, at: nil), other)
        #expect(
            centre.app(.end(Self.b, .remoteEnded, at: nil), other) == ["= ended by remote", "\(other) audio off"],
            "and the first stays held")
        Self.begins(Self.c, in: &centre, by: other)
        #expect(centre.performed.count == 4, "what is held is not held again")
        #expect(
            centre.requests([Self.action(.hold(false), Self.a, "5")]) == [
                "app requested 9", "\(other) perform hold #5 5.0 s", "= hold performed", "app perform resume #6 5.0 s",
                "= resume performed",
            ])
    }

    // MARK: Groups

    @Test("C15 calls join a group and leave it; a group of one is none")
    func groups() {
        var centre = Self.talking()
        centre.requests([Self.start(Self.b, "3")])
        centre.outcome(2)
        centre.requests([Self.action(.group(with: Self.a), Self.b, "4")])
        #expect(centre.outcome(3) == ["= group fulfilled", "= grouped", "= grouped"])
        #expect(centre.requests([Self.start(Self.c, "5")]).first == "app requested 9", "two calls are one group")
        centre.outcome(4)
        centre.requests([Self.action(.group(with: Self.b), Self.c, "6")])
        #expect(centre.outcome(5) == ["= group fulfilled", "= grouped"])
        #expect(Set(centre.control.calls.map(\.group)).count == 1)
        centre.requests([Self.action(.group(with: nil), Self.a, "7")])
        #expect(centre.outcome(6) == ["= ungroup fulfilled", "= ungrouped"])
        #expect(centre.app(.end(Self.b, .remoteEnded, at: nil)) == ["= ended by remote", "= ungrouped"])
        #expect(centre.control.calls.map(\.group) == [nil, nil])
    }

    @Test("C8 a group of another app's call is unknown (4), a full one is refused (7)")
    func groupsRefused() {
        var settings = ProviderSettings()
        settings.maximumCallsPerCallGroup = 1
        var centre = Self.talking(settings: settings)
        Self.begins(Self.c, in: &centre, by: Centre.other)
        centre.requests([Self.start(Self.b, "3")])
        #expect(
            centre.requests([Self.action(.group(with: Self.c), Self.a, "4")]) == [
                "app requested 9: 4", "! uuid-unknown",
            ])
        #expect(centre.requests([Self.action(.group(with: Self.b), Self.a, "4")]) == ["app requested 9: 7"])
    }

    @Test("C10 a call that is not held with its group ends")
    func heldInPart() {
        var centre = Self.talking()
        centre.requests([Self.start(Self.b, "3")])
        centre.outcome(2)
        centre.requests([Self.action(.group(with: Self.a), Self.b, "4")])
        centre.outcome(3)
        centre.requests([Self.action(.hold(true), Self.a, "5"), Self.action(.hold(true), Self.b, "6")])
        centre.outcome(4)
        #expect(centre.outcome(5, false).prefix(2) == ["= hold failed", "= ended by system"])
    }

    @Test("C11 an app that leaves ends what it began, and the audio of others stays")
    func leaves() {
        var centre = Self.talking()
        #expect(centre.take(.appGone(Centre.app)).contains("= ended by system"))
        #expect(centre.control.calls.isEmpty && centre.control.deadline == nil)
    }
}
