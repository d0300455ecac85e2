import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import CallLedger
import Glibc
import Support
import Testing

extension IntegrationTests {
    @Suite("On the desktop, with notification servers that are played") struct NotificationServers {
        @Test("what a call asks for; markup is escaped in the body alone, and only for a server that reads it")
        func asked() throws {
            let server = try StubServer()
            let phone = try Phone(hasDesktop: true)
            let call = try phone.push(
                Phone.payload(
                    #""type": 1, "callId": "A", "callerName": "<i>Ada", "handle": "+49 & \u202e1""#, "", group: nil))
            let asked = try server.asked()
            #expect(asked.summary == "<i>Ada" && asked.body == "+49 &amp; 1\nIncoming call")
            #expect(
                asked.actions == [
                    "call.accept", "Accept", "call.decline", "Decline", "call.silence", "Silence",
                ])
            #expect(asked.category == "call.incoming" && asked.urgency == 2 && asked.isQuiet && !asked.hasPicture)
            #expect(asked.isResident && asked.feedback == "none", "Phosh would ring itself")
            #expect(asked.desktopEntry == "org.belfry.Belfry", "Units/desktop has its file")
            #expect((30_000...35_000).contains(asked.expires))
            try call.waitForNotification(.shown)
            _ = try phone.hangUp("A").story()
            let missed = try server.asked()
            #expect(missed.replaces == asked.id && missed.actions == ["call.seen", "Seen"])
            #expect(missed.category == "call.unanswered" && missed.urgency == 1 && missed.expires == 0)
            #expect(!missed.isQuiet && !missed.isResident && missed.feedback == "")
            #expect(missed.body.hasPrefix("+49 &amp; 1\nMissed call, "))
        }

        @Test("without buttons, and without markup, the body says what to type")
        func noActions() throws {
            let server = try StubServer("--capabilities", "body")
            let phone = try Phone(hasDesktop: true)
            let call = try phone.call("A", #""handle": "+49 <1>&""#)
            let asked = try server.asked()
            #expect(asked.actions == [] && asked.body == "+49 <1>&\nIncoming call\nbelfry answer A")
            try phone.belfry("answer", "A")
            #expect(try call.wait(for: "ended").ended?.reason == .answered)
            try server.waitForClose(of: asked.id)
            #expect(server.shown.isEmpty)
        }

        @Test("R14: a server that refuses is told of once a call, and the call rings")
        func refuses() throws {
            let excess = "org.freedesktop.Notifications.Error.ExcessNotificationGeneration"
            let server = try StubServer("--refuse", excess)
            let phone = try Phone(hasDesktop: true)
            for id in ["A", "B"] {
                let call = try phone.call(id)
                try call.waitForNotification(.unavailable)
                try call.wait(for: "tick")
                _ = try phone.hangUp(id).story()
                #expect(call.story().suffix(2) == ["ended hangup cancelled", "missed"])
                let told = call.events.compactMap { event in
                    if case .notification(let state, let detail) = event.body { (state, detail) } else { nil }
                }
                #expect(told.count == 1 && told[0].0 == .unavailable && told[0].1.contains(excess))
            }
            #expect(server.shown.isEmpty)
            #expect(try !phone.hasFailedUnits())
        }

        @Test("R14: a server that refuses the missed call shows no dead call either")
        func refusesMissed() throws {
            let server = try StubServer()
            let phone = try Phone(hasDesktop: true)
            let call = try phone.call("A")
            let asked = try server.asked()
            try call.waitForNotification(.shown)
            server.obey("refuse org.example.Full")
            _ = try phone.hangUp("A").story()
            #expect(try server.asked().replaces == asked.id)
            try server.waitForClose(of: asked.id)
            #expect(server.shown.isEmpty)
        }

        @Test(
            "R14: a server that never answers delays nothing; what it shows later is closed, or becomes the missed call"
        )
        func neverAnswers() throws {
            let server = try StubServer("--silent")
            let phone = try Phone(hasDesktop: true)
            let declined = try phone.call("A")
            let first = try server.asked()
            try declined.wait(for: "tick")
            try phone.belfry("decline")
            #expect(try declined.wait(for: "ended").ended?.reason == .declined)
            let missed = try phone.call("B")
            let second = try server.asked()
            try missed.wait(for: "tick")
            _ = try phone.hangUp("B").story()
            #expect(missed.story().suffix(2) == ["ended hangup cancelled", "missed"])
            server.obey("answer")
            #expect(try server.shows { $0.count == 1 && $0[0].category == "call.unanswered" })
            #expect(server.shown[first.id] == nil && server.shown[second.id]?.replaces == second.id)
        }

        @Test("S6: another server is shown the call anew, and what the one before says counts for nothing")
        func handedOver() throws {
            let before = try StubServer()
            let phone = try Phone(hasDesktop: true)
            let call = try phone.call("A")
            let asked = try before.asked()
            try call.waitForNotification(.shown)
            let after = try StubServer()
            let again = try after.asked()
            #expect(again.replaces == 0 && again.category == "call.incoming")
            before.obey("choose \(asked.id) call.decline")
            before.obey("close \(asked.id) 2")
            // Its own messages come in order.
            before.obey("call Decline group.belfry nobody")
            #expect(try before.outcome().error == "org.belfry.Error.NoSuchCall")
            #expect(phone.ledger().call(CallKey("A"))?.state == .ringing)
            after.obey("choose \(again.id) call.accept")
            #expect(try call.wait(for: "ended").ended?.reason == .answered)
            try after.waitForClose(of: again.id)
            #expect(after.shown.isEmpty)
        }

        @Test("R21: a call is silenced by its button, and by a person who closes its notification")
        func silenced() throws {
            let server = try StubServer()
            let phone = try Phone(hasDesktop: true)
            for act in ["choose ID call.silence", "close ID 2"] {
                let call = try phone.call(act)
                let asked = try server.asked()
                try call.waitForNotification(.shown)
                server.obey(act.replacing("ID", with: "\(asked.id)"))
                #expect(try call.wait(for: "ringing").ringing?.why == .silenced)
                // What is closed is not shown again, what is shown has no third button any more.
                if act.hasPrefix("choose") { #expect(try server.asked().actions.count == 4) }
                try phone.belfry("answer")
                #expect(try call.wait(for: "ended").ended?.reason == .answered)
            }
        }

        @Test("where OnClose=none a person who closes a call's notification decides nothing; nor does a foreign choice")
        func closed() throws {
            let server = try StubServer()
            let phone = try Phone(["BELFRY_ON_CLOSE": "none"], hasDesktop: true)
            let call = try phone.call("A")
            let asked = try server.asked()
            try call.waitForNotification(.shown)
            server.obey("choose \(asked.id) default")
            server.obey("close \(asked.id) 2")
            try call.waitForNotification(.closed)
            try call.wait(for: "tick")
            #expect(phone.ledger().call(CallKey("A"))?.state == .ringing)
            _ = try phone.hangUp("A").story()
            #expect(try server.asked().category == "call.unanswered")
        }
    }
}
