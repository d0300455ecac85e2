import BelfryProtocol
import BelfryTerms
import CallChannel
@testable import CallControl
import Testing

/// What is said of mistakes, and to those who observe calls.
@Suite struct DiagnosisTests {
    private static let a = Centre.uuid("A")

    @Test("C12 of a UUID that no call has it is said which have one, when it ended, or that it is an action's")
    func unknown() {
        var centre = WalkTests.ringing()
        #expect(centre.app(.update(Centre.uuid("B"), CallUpdate())) == ["! uuid-unknown"])
        #expect(centre.warnings.last?.detail.contains("it has \(Self.a.text)") == true)
        centre.ends(1, .answered)
        let action = centre.performed[0].uuid
        centre.requests([CallAction(.end, of: action, uuid: Centre.uuid("1"))])
        #expect(centre.warnings.last?.detail.contains("its callUUID is \(Self.a.text)") == true)
        centre.outcome(1, false)
        centre.wait(2_500)
        #expect(centre.app(.end(Self.a, .failed, at: nil)) == ["! uuid-unknown"])
        #expect(centre.warnings.last?.detail.contains("it ended 2.5 s ago") == true)
        centre.app(.update(Centre.uuid("B"), CallUpdate()))
        #expect(centre.warnings.last?.detail.contains("nor any other") == true)
    }

    @Test("C12 a report without handle or name, and a handle that is not what its type says")
    func reports() {
        var update = CallUpdate()
        var centre = Centre.running()
        #expect(
            centre.reports(Self.a, update) == [
                "! update-without-handle", "! update-without-name", "ring \(Self.a.text) - -",
            ])
        update.handle = CallHandle(.generic, "")
        update.name = ""
        #expect(
            centre.reports(Centre.uuid("B"), n: 2, update).prefix(2) == [
                "! update-without-handle", "! update-without-name",
            ])
        let cases: [(CallHandle, Set<CallHandle.Kind>, Bool)] = [
            (CallHandle(.phoneNumber, "+49 30 123-4"), [], true), (CallHandle(.phoneNumber, "ada@x.org"), [], false),
            (CallHandle(.phoneNumber, "0800ADA"), [], false), (CallHandle(.emailAddress, "ada@x.org"), [], true),
            (CallHandle(.emailAddress, "ada"), [], false), (CallHandle(.generic, "ada"), [.phoneNumber], false),
            (CallHandle(.generic, "ada"), [.generic], true),
        ]
        for (handle, supported, isFine) in cases {
            var centre = Centre.running()
            var settings = ProviderSettings()
            settings.supportedHandleTypes = supported
            centre.app(.provider(settings))
            update.name = "Ada"
            update.handle = handle
            centre.reports(Self.a, update)
            #expect(centre.warnings.map(\.code) == (isFine ? [] : ["handle-type"]), "\(handle)")
            #expect(centre.app(.update(Self.a, update)).isEmpty == isFine)
        }
    }

    @Test("C12 a warning names the call, how long ago that was, and the remedy") func details() {
        var centre = WalkTests.ringing()
        centre.ends(1, .answered)
        centre.outcome(1)
        centre.wait(1_500)
        #expect(centre.outcome(1) == ["! action-twice"])
        #expect(
            centre.warnings.last?.detail == "the answer action of \(Self.a.text) was fulfilled or failed 1500.0 ms "
                + "before: the second has no effect, as on iOS. Do it once")
        centre.requests([CallAction(.end, of: Self.a, uuid: Centre.uuid("1"))])
        centre.wait(6_000)
        #expect(centre.outcome(2) == ["! action-after-timeout"])
        let late = "the end action of \(Self.a.text) was fulfilled or failed 1000.0 ms after its time was over"
        #expect(centre.warnings.last?.detail.hasPrefix(late) == true, "\(centre.warnings)")
        var update = CallUpdate()
        (update.name, update.handle) = ("Ada", CallHandle(.emailAddress, "ada"))
        centre.reports(Centre.uuid("B"), n: 2, update)
        #expect(centre.warnings.last?.detail.hasPrefix("the handle of \(Centre.uuid("B").text) is an e-mail") == true)
    }

    @Test("C12 an end that is reported while the delegate performs the person's; none if the caller's side ended it")
    func endByReport() {
        for (reason, warnings) in [(EndReason.declined, ["end-by-report"]), (.hangup, [])] {
            var centre = WalkTests.ringing()
            centre.ends(1, reason)
            centre.app(.end(Self.a, .remoteEnded, at: nil))
            #expect(centre.warnings.map(\.code) == warnings)
            #expect(centre.control.liveCalls == 0)
        }
    }

    @Test("C12 what the app's side finds is passed on, to its newest open push, and no longer than people read")
    func passedOn() {
        var centre = WalkTests.ringing()
        let long = String(repeating: "x", count: 100_000)
        #expect(centre.app(.warning(CodeWord(.mainBlocked), detail: long)) == ["! main-blocked at 1"])
        #expect(centre.warnings.last?.detail.count == 1_024)
        #expect(centre.app(.warning(CodeWord(rawValue: "later"), detail: "")) == ["! later at 1"])
    }

    @Test("C12 an app whose Info.plist lacks voip has its pushes, and it is said that iOS brings none")
    func noVoIPMode() {
        var centre = Centre()
        centre.push(1)
        centre.starts(types: [], hasVoIPMode: false)
        #expect(centre.app(.registry(["voip"])).prefix(2) == ["! voip-mode-missing", "app push 1 must"])
    }

    @Test("C12 a name and a handle are shown up to a length, in whole characters")
    func cut() {
        var update = CallUpdate()
        update.name = String(repeating: "ä", count: 2_000)
        update.handle = CallHandle(.generic, String(repeating: "1", count: 1 << 20))
        var centre = Centre.running()
        centre.reports(Self.a, update)
        #expect(centre.rings[0].caller.name?.unicodeScalars.count == 1_024)
        #expect(centre.rings[0].caller.handle?.utf8.count == 1_024)
        #expect(centre.control.calls[0].update == update.shown && update.shown != update, "no more is kept")
        update.name = String(repeating: "o", count: 5_000)
        centre.app(.update(Self.a, update))
        #expect(centre.control.calls[0].update == update.shown)
    }

    @Test("C12 an event names its push, its call's key, and the app")
    func names() throws {
        var centre = WalkTests.ringing()
        centre.push(2, id: "q", call: "d")
        centre.reports(Centre.uuid("B"), push: 2, n: 2)
        centre.rings(2)
        let ended = Event.Ended(call: "d", reason: .declined, hangupReason: nil, rang: 1, ticks: 1)
        let effects = centre.control.take(.worker(WorkerNumber(2), .ended(ended)), at: centre.now)
        guard case .app(_, .perform(let action, _, _))? = effects.first else {
            Issue.record("nothing is performed: \(effects)")
            return
        }
        #expect(action.call == Centre.uuid("B"))
        let performed = Event.Action(
            .end, .performed, call: "d", uuid: action.uuid.text, app: Centre.app, seconds: 0)
        #expect(effects.last == .tell(.action(performed), id: "q", about: nil))
        let done = centre.control.take(
            .app(Centre.app, .outcome(action.uuid, isFulfilled: true, at: nil)), at: centre.now + .seconds(1))
        let fulfilled = Event.Action(
            .end, .fulfilled, call: "d", uuid: action.uuid.text, app: Centre.app, seconds: 1)
        let over = Event.AppCall(.ended, call: "d", uuid: Centre.uuid("B").text, app: Centre.app, by: .person)
        #expect(
            done.prefix(2) == [
                .tell(.action(fulfilled), id: "q", about: nil), .tell(.call(over), id: "q", about: nil),
            ])
    }

    @Test("C12 observers see the calls of all apps once they are accepted, at each change, and once more when over")
    func observers() {
        var centre = Centre.running(apps: [Centre.app, Centre.other])
        centre.reports(Self.a)
        centre.ringComes(1, worker: 1)
        #expect(centre.observed.isEmpty)
        var call = ObservedCall(Self.a)
        centre.rings(1)
        #expect(centre.observed == [[call], [call]])
        centre.ends(1, .answered)
        #expect(centre.observed.count == 2)
        call.hasConnected = true
        centre.outcome(1)
        #expect(centre.observed.dropFirst(2) == [[call], [call]])
        centre.starts("org.belfry.third")
        #expect(centre.observed.dropFirst(4) == [[call]])
        call.hasEnded = true
        centre.app(.end(Self.a, .failed, at: nil))
        #expect(centre.observed.dropFirst(5) == [[call], [call], [call]])
    }
}
