import BelfryProtocol
import BelfryTerms
import CallChannel
@testable import CallControl
import Testing

/// Groups of calls: who joins, who may not, and what holds mean for them.
@Suite struct GroupTests {
    private static let a = Centre.uuid("A")
    private static let b = Centre.uuid("B")
    private static let c = Centre.uuid("C")

    /// An app that has begun these calls, which go on, in any number of groups.
    private static func talking(_ calls: [CallUUID], callsPerGroup: Int64 = 5) -> Centre {
        var settings = ProviderSettings()
        (settings.maximumCallGroups, settings.maximumCallsPerCallGroup) = (1_000, callsPerGroup)
        var centre = Centre.running()
        centre.app(.provider(settings))
        for call in calls {
            let start = CallAction(
                .start(CallStart(CallHandle(.generic, "x"))), of: call, uuid: centre.control.makeUUID())
            _ = centre.requests([start])
            centre.outcome(centre.performed.count)
            centre.app(.outgoing(call, .connected, at: nil))
        }
        return centre
    }

    /// Asks for it, has the delegate do it, and returns how that was answered.
    @discardableResult
    private static func does(_ kind: CallAction.Kind, _ call: CallUUID, in centre: inout Centre) -> String? {
        let answer = centre.requests([CallAction(kind, of: call, uuid: centre.control.makeUUID())]).first
        if answer == "app requested 9" { centre.outcome(centre.performed.count) }
        return answer
    }

    private static func groups(_ centre: Centre) -> [Int64?] { centre.control.calls.map(\.group) }

    @Test("C8 C15 a group has as many calls as the configuration says; a member of it joins it again for nothing")
    func full() {
        var centre = Self.talking([Self.a, Self.b, Self.c], callsPerGroup: 2)
        #expect(Self.does(.group(with: Self.a), Self.b, in: &centre) == "app requested 9")
        #expect(Self.does(.group(with: Self.b), Self.c, in: &centre) == "app requested 9: 7")
        #expect(Self.does(.group(with: Self.b), Self.a, in: &centre) == "app requested 9")
        #expect(Self.groups(centre) == [1, 1, nil])
        centre.take(.command(.merge, call: Self.c.text, from: 5))
        #expect(Self.groups(centre) == [1, 1, nil])
    }

    @Test("C15 who joins another group has left its own, which is none if one is left")
    func moves() {
        var centre = Self.talking([Self.a, Self.b, Self.c])
        Self.does(.group(with: Self.a), Self.b, in: &centre)
        Self.does(.group(with: Self.c), Self.b, in: &centre)
        #expect(Self.groups(centre) == [nil, 2, 2])
    }

    @Test("C8 what does not support it, does not go on, or is in no group, is refused with 6")
    func unsupported() {
        var cannot = CallUpdate()
        cannot.supportsGrouping = false
        for call in [Self.a, Self.b] {
            var centre = Self.talking([Self.a, Self.b])
            centre.app(.update(call, cannot))
            #expect(Self.does(.group(with: Self.a), Self.b, in: &centre) == "app requested 9: 6")
        }
        var stays = CallUpdate()
        stays.supportsUngrouping = false
        var centre = Self.talking([Self.a, Self.b])
        #expect(Self.does(.group(with: nil), Self.a, in: &centre) == "app requested 9: 6")
        Self.does(.group(with: Self.a), Self.b, in: &centre)
        centre.app(.update(Self.a, stays))
        #expect(Self.does(.group(with: nil), Self.a, in: &centre) == "app requested 9: 6")
        #expect(centre.take(.command(.split, call: Self.a.text, from: 5)).first?.hasPrefix("client 5 refused") == true)
        #expect(Self.does(.group(with: nil), Self.b, in: &centre) == "app requested 9")
        var ringing = Self.talking([Self.a])
        ringing.push(1)
        ringing.reports(Self.b, push: 1)
        ringing.rings(1)
        #expect(Self.does(.group(with: Self.b), Self.a, in: &ringing) == "app requested 9: 6")
        #expect(Self.does(.group(with: Self.a), Self.b, in: &ringing) == "app requested 9: 6")
    }

    @Test("C8 a hundred calls of an app may live, those that a transaction begins among them") func limit() {
        let calls = (0..<99).map { number -> CallUUID in
            let text = "0000000C-0000-4000-8000-0000000000" + (number < 10 ? "0" : "") + "\(number)"
            return CallUUID(text) ?? { preconditionFailure("\(text) is no UUID") }()
        }
        var centre = Self.talking(calls)
        let starts = [Self.a, Self.b].map {
            CallAction(.start(CallStart(CallHandle(.generic, "x"))), of: $0, uuid: centre.control.makeUUID())
        }
        #expect(centre.requests(starts) == ["app requested 9: 0"])
        #expect(centre.requests([starts[0]]).first == "app requested 9")
        #expect(centre.requests([starts[1]]) == ["app requested 9: 0"])
    }

    @Test("C13 who goes on with a call of a group leaves the group's others on, and holds all else")
    func goesOn() {
        var centre = Self.talking([Self.a, Self.b, Self.c])
        Self.does(.group(with: Self.a), Self.b, in: &centre)
        Self.does(.hold(true), Self.b, in: &centre)
        let before = centre.performed.count
        centre.take(.command(.hold(false), call: Self.b.text, from: 5))
        #expect(centre.performed.dropFirst(before).map(\.kind) == [.hold(true), .hold(false)])
        #expect(centre.performed.dropFirst(before).map(\.call) == [Self.c, Self.b])
    }

    @Test("C10 a hold that fails leaves its call as it was, unless others of its group are held already")
    func fails() {
        for isGrouped in [false, true] {
            for isOtherHeld in [false, true] {
                var centre = Self.talking([Self.a, Self.b])
                if isGrouped { Self.does(.group(with: Self.a), Self.b, in: &centre) }
                if isOtherHeld { Self.does(.hold(true), Self.a, in: &centre) }
                _ = centre.requests([CallAction(.hold(true), of: Self.b, uuid: Centre.uuid("9"))])
                let said = centre.outcome(centre.performed.count, false)
                #expect(said.contains("= ended by system") == (isGrouped && isOtherHeld))
            }
        }
    }

    @Test("C10 a hold, or a lift of it, that changes nothing is not told") func unchanged() {
        var centre = Self.talking([Self.a])
        let observed = centre.observed.count
        #expect(Self.does(.hold(false), Self.a, in: &centre) == "app requested 9")
        #expect(Self.does(.mute(false), Self.a, in: &centre) == "app requested 9")
        #expect(centre.observed.count == observed)
        _ = centre.requests([CallAction(.mute(false), of: Self.a, uuid: Centre.uuid("9"))])
        #expect(centre.outcome(centre.performed.count) == ["= unmute fulfilled"])
    }

    @Test("C16 of two that are active the latest is meant, and a merge is with the latest other")
    func latest() {
        var centre = Self.talking([Self.a, Self.b, Self.c])
        centre.take(.command(.mute(true), call: nil, from: 5))
        #expect(centre.performed.last?.call == Self.c)
        centre.take(.command(.merge, call: nil, from: 5))
        #expect(centre.performed.last?.kind == .group(with: Self.b) && centre.performed.last?.call == Self.c)
        Self.does(.hold(true), Self.a, in: &centre)
        Self.does(.hold(true), Self.b, in: &centre)
        centre.take(.command(.hold(false), call: nil, from: 5))
        #expect(centre.performed.last?.kind == .hold(false) && centre.performed.last?.call == Self.b)
    }

    @Test("C16 who wants an end that is asked for waits for it by either name") func waits() {
        var centre = Self.talking([Self.a, Self.b])
        centre.take(.command(.end, call: Self.b.text, from: 4))
        let before = centre.performed.count
        #expect(centre.take(.command(.end, call: Self.b.text.lowercased(), from: 5)).isEmpty)
        #expect(
            centre.take(.command(.mute(true), call: Self.b.text, from: 6)) == [
                "client 6 no call: \(Self.b.text) is being ended"
            ])
        #expect(centre.performed.count == before)
        let said = centre.outcome(before)
        #expect(said.contains("client 4 done") && said.contains("client 5 done"))
        #expect(centre.control.calls.map(\.uuid) == [Self.a])
    }

    @Test("C16 digits are for one call, 128 at most") func digits() {
        var centre = Self.talking([Self.a])
        let most = String(repeating: "1", count: 128)
        #expect(centre.take(.command(.keypad(most), call: nil, from: 5)).count { $0.hasPrefix("app perform") } == 128)
        #expect(centre.take(.command(.keypad("1"), call: nil, from: 5)).first?.hasPrefix("app perform dtmf") == true)
    }
}
