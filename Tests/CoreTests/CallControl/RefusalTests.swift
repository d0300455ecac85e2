import BelfryProtocol
import BelfryTerms
import CallChannel
import CallControl
import Testing

/// Reports and transactions that are refused, each with its number.
@Suite struct RefusalTests {
    private static let a = Centre.uuid("A")
    private static let b = Centre.uuid("B")

    @Test("C7 a UUID that any app's call has: error 2, and that call is left alone")
    func known() {
        var centre = Centre.running(apps: [Centre.app, Centre.other])
        centre.push(1)
        centre.reports(Self.a, push: 1)
        centre.rings(1)
        #expect(
            centre.reports(Self.a, n: 2, by: Centre.other) == [
                "\(Centre.other) reported 2: 2", "= refused 2", "! uuid-reused",
            ])
        #expect(centre.ends(1, .answered).first == "app perform answer #1 60.0 s")
    }

    @Test("C7 the push of a refused report does not ring, and one that rings by itself ends, not missed")
    func silences() {
        var centre = WalkTests.ringing()
        centre.push(2)
        #expect(
            centre.reports(Self.a, push: 2, n: 2) == [
                "app reported 2: 2", "= refused 2", "! uuid-reused at 2", "worker 2 silent duplicate",
            ])
        centre.ends(1, .answered)
        centre.push(3)
        #expect(centre.reports(Self.a, push: 3, n: 3).last == "worker 3 silent answered")
        centre.push(4)
        centre.wait(5_000)
        centre.rings(4)
        #expect(centre.reports(Self.a, push: 4, n: 4).last == "worker 4 end hangup answered-elsewhere")
        #expect(centre.ends(4, .hangup) == [])
    }

    @Test("C7 a hundred calls of an app may live; the next report gets error 0, and its push is busy")
    func limit() {
        var centre = Centre.running(apps: [Centre.app, Centre.other])
        for number in 0..<100 {
            centre.reports(Self.numbered(number), n: Int64(number))
            centre.ringComes(number + 1, worker: Int64(number + 1))
            centre.rings(Int64(number + 1))
        }
        #expect(centre.control.liveCalls == 100)
        centre.push(200)
        #expect(
            centre.reports(Self.numbered(100), push: 1, n: 100) == [
                "app reported 100: 0", "= refused 0", "worker 200 silent busy",
            ])
        centre.push(201)
        centre.wait(5_000)
        #expect(centre.reports(Self.numbered(100), push: 2, n: 100).last == "worker 201 end hangup busy")
        #expect(centre.reports(Self.numbered(100), n: 1, by: Centre.other).count == 1, "each app has a hundred")
        #expect(centre.reports(Self.numbered(99), n: 101).first == "app reported 101: 2", "error 2 comes first")
        centre.app(.end(Self.numbered(0), .failed, at: nil))
        #expect(centre.reports(Self.numbered(101), n: 102).count == 1)
    }

    @Test("C7 rings that nobody wants any more count until their workers came")
    func unwanted() {
        var centre = Centre.running()
        for number in 0..<100 {
            centre.reports(Self.numbered(number))
            centre.app(.end(Self.numbered(number), .failed, at: nil))
        }
        #expect(centre.control.liveCalls == 0)
        #expect(centre.reports(Self.a) == ["app reported 1: 0", "= refused 0"])
        centre.ringComes(1, worker: 1)
        #expect(centre.reports(Self.a) == ["ring \(Self.a.text) Ada +49"])
    }

    @Test("C7 a UUID of zeros, and a report without a provider: error 0")
    func unusable() {
        var centre = Centre.running()
        #expect(
            centre.reports(Centre.uuid("0")) == ["app reported 1: 0", "= refused 0", "! uuid-unknown"])
        centre.app(.invalidated)
        #expect(centre.reports(Self.a) == ["app reported 1: 0", "= refused 0"])
    }

    @Test("C7 a UUID is free again once its call is over")
    func free() {
        var centre = WalkTests.ringing()
        centre.ends(1, .declined)
        #expect(centre.reports(Self.a, n: 2).first == "app reported 2: 2")
        centre.outcome(1)
        #expect(centre.reports(Self.a, n: 3) == ["ring \(Self.a.text) Ada +49"])
    }

    @Test("C8 a transaction is refused as a whole, for the first of its faults")
    func transactions() {
        let end = CallAction(.end, of: Self.a, uuid: Centre.uuid("1"))
        let translate = CallAction(.other("CXSetTranslatingCallAction"), of: Self.a, uuid: Centre.uuid("2"))
        let hold = CallAction(.hold(true), of: Self.a, uuid: Centre.uuid("3"))
        let unknown = CallAction(.end, of: Self.b, uuid: Centre.uuid("4"))
        let unknownHold = CallAction(.hold(true), of: Self.b, uuid: Centre.uuid("5"))
        let none = CallAction(.other("CXAction"), of: nil, uuid: Centre.uuid("6"))
        let cases: [([CallAction], [String])] = [
            ([], ["app requested 9: 3"]),
            ([end, unknown], ["app requested 9: 4", "! uuid-unknown"]),
            ([unknown, translate], ["app requested 9: 4", "! uuid-unknown"]),
            ([translate, unknown], ["app requested 9: 6", "! unsupported"]),
            ([end, hold], ["app requested 9: 6"]),
            ([unknownHold], ["app requested 9: 4", "! uuid-unknown"]),
            ([none], ["app requested 9: 6", "! unsupported"]),
        ]
        for (actions, answer) in cases {
            var centre = WalkTests.ringing()
            #expect(centre.requests(actions) == answer)
            #expect(centre.performed.isEmpty)
        }
        var other = Centre.running(apps: [Centre.app, Centre.other])
        other.reports(Self.a)
        #expect(other.requests([end], Centre.other) == ["\(Centre.other) requested 9: 4", "! uuid-unknown"])
        var invalid = WalkTests.ringing()
        invalid.app(.invalidated)
        #expect(invalid.requests([end]) == ["app requested 9: 2"])
        #expect(invalid.requests([]) == ["app requested 9: 3"])
    }

    @Test("C8 an answer to what does not ring, and an action that is open, are refused with 6")
    func invalid() {
        var centre = WalkTests.ringing()
        let answer = CallAction(.answer, of: Self.a, uuid: Centre.uuid("1"))
        #expect(centre.requests([answer]) == ["app requested 9", "worker 1 end answer"])
        #expect(centre.requests([answer]) == ["app requested 9: 6"])
        #expect(centre.requests([CallAction(.answer, of: Self.a, uuid: Centre.uuid("2"))]) == ["app requested 9: 6"])
        #expect(centre.requests([CallAction(.end, of: Self.a, uuid: Centre.uuid("1"))]) == ["app requested 9: 6"])
        centre.ends(1, .answered)
        #expect(centre.requests([CallAction(.end, of: Self.a, uuid: Centre.uuid("1"))]) == ["app requested 9: 6"])
        #expect(centre.requests([CallAction(.answer, of: Self.a, uuid: Centre.uuid("2"))]) == ["app requested 9: 6"])
    }

    @Test("C8 what names a call of another app is refused with 4, and disturbs neither") func foreign() {
        var centre = Centre.running(apps: [Centre.app, Centre.other])
        for (number, uuid, app) in [(Int64(1), Self.a, Centre.app), (2, Self.b, Centre.other)] {
            centre.push(number, call: "k\(number)", topic: app + ".voip")
            centre.reports(uuid, push: Int(number), n: number, by: app)
            centre.rings(number)
            centre.ends(number, .answered)
        }
        let held = centre.performed.count
        let kinds: [CallAction.Kind] = [
            .answer, .end, .hold(false), .mute(true), .group(with: Self.a), .group(with: nil),
            .dtmf(CallDigits("1", type: 1)),
        ]
        for kind in kinds {
            let action = CallAction(kind, of: Self.b, uuid: Centre.uuid("1"))
            #expect(centre.requests([action]).first == "app requested 9: 4", "\(kind)")
        }
        let joins = CallAction(.group(with: Self.b), of: Self.a, uuid: Centre.uuid("1"))
        #expect(centre.requests([joins]).first == "app requested 9: 4")
        #expect(centre.performed.count == held && centre.control.liveCalls == 2)
    }

    @Test("C8 a thousand actions may wait for their outcomes") func actions() {
        var centre = WalkTests.ringing()
        centre.ends(1, .answered)
        let mutes = (0..<999).map { CallAction(.mute(true), of: Self.a, uuid: Self.numbered($0)) }
        #expect(centre.requests(mutes + mutes.prefix(1)) == ["app requested 9: 6"])
        let all = mutes + [CallAction(.mute(true), of: Self.a, uuid: Self.numbered(1_000))]
        #expect(centre.requests(all) == ["app requested 9: 0"], "its answer waits too")
        #expect(centre.requests(mutes).first == "app requested 9")
        #expect(centre.requests([all[999]]) == ["app requested 9: 0"])
        #expect(centre.performed.count == 1_000)
        centre.outcome(1)
        #expect(centre.requests([all[999]]).first == "app requested 9")
    }

    @Test("C8 there is one action that ends a call: another is refused with 4, in the same transaction too")
    func oneEnd() {
        var ringing = WalkTests.ringing()
        let ends = ["1", "2"].map { CallAction(.end, of: Self.a, uuid: Centre.uuid($0)) }
        #expect(ringing.requests(ends) == ["app requested 9: 4"])
        #expect(ringing.requests([ends[0]]).first == "app requested 9")
        #expect(ringing.requests([ends[1]]) == ["app requested 9: 4"])
        var ongoing = WalkTests.ringing()
        ongoing.ends(1, .answered)
        #expect(ongoing.requests(ends) == ["app requested 9: 4"])
        ongoing.take(.command(.end, call: nil, from: nil))
        #expect(ongoing.requests([ends[0]]) == ["app requested 9: 4"])
        #expect(ongoing.warnings.isEmpty)
    }

    private static func numbered(_ number: Int) -> CallUUID {
        let digits = String(number)
        let text = "0000000B-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
        return CallUUID(text) ?? { preconditionFailure("\(text) is no UUID") }()
    }
}
