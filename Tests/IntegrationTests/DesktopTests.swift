import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import CallLedger
import Glibc
import Support
import Testing

extension IntegrationTests {
    @Suite("On the desktop, in dunst") struct Desktop {
        let screen: Screen
        let dunst: ChildProcess

        init() throws {
            screen = try Screen()
            dunst = try screen.startDunst()
        }

        private func over() throws { try Screen.end(dunst) }

        @Test("a call is shown and answered there, silent at once, and its notification goes")
        func accepted() throws {
            let phone = try Phone(hasDesktop: true)
            let call = try phone.call("A", #""handle": "+49 123""#)
            try call.waitForNotification(.shown)
            #expect(screen.shows(Screen.critical, on: Screen.oneNotification, keepingAs: "call"))
            try screen.choose("Accept")
            #expect(try call.wait(for: "ended").ended?.reason == .answered)
            #expect(screen.shows(Screen.critical, on: 0...0, keepingAs: "answered"))
            #expect(phone.ledger().call(CallKey("A"))?.state == .answered)
            try over()
        }

        @Test("a call is declined there") func declined() throws {
            let phone = try Phone(hasDesktop: true)
            let call = try phone.call("A")
            try call.waitForNotification(.shown)
            try screen.choose("Decline")
            #expect(try call.wait(for: "ended").ended?.reason == .declined)
            #expect(screen.shows(Screen.critical, on: 0...0, keepingAs: "declined"))
            try over()
        }

        @Test("R11: a missed call takes the place of the call, until somebody has seen it; then nothing of ours runs")
        func missed() throws {
            let phone = try Phone(hasDesktop: true)
            let call = try phone.call("A")
            try call.waitForNotification(.shown)
            _ = try phone.hangUp("A").story()
            #expect(call.story().suffix(2) == ["ended hangup cancelled", "missed"])
            #expect(screen.shows(Screen.normal, on: Screen.oneNotification, keepingAs: "missed"))
            #expect(screen.count(of: Screen.critical) == 0)
            try screen.choose("Seen")
            #expect(screen.shows(Screen.normal, on: 0...0, keepingAs: "seen"))
            #expect(waitUntil(seconds: 20) { phone.desktop == nil }, "it leaves when nothing is shown")
            #expect(try phone.isDesktopListening())
            try over()
        }

        @Test("R14: without a server, or with one that is killed, a call rings; the next server shows it")
        func serverGone() throws {
            let phone = try Phone(hasDesktop: true)
            let call = try phone.call("A")
            try call.waitForNotification(.shown)
            try Screen.end(dunst, by: SIGKILL)
            try call.waitForNotification(.unavailable)
            try call.wait(for: "tick")
            let next = try screen.startDunst()
            try call.waitForNotification(.shown)
            #expect(screen.shows(Screen.critical, on: Screen.oneNotification, keepingAs: "next-server"))
            try phone.belfry("answer")
            #expect(try call.wait(for: "ended").ended?.reason == .answered)
            #expect(screen.shows(Screen.critical, on: 0...0, keepingAs: "next-server-answered"))
            try Screen.end(next)
        }

        @Test("R14: what a stopped server shows when it goes on is closed if the call is over by then")
        func serverStopped() throws {
            let phone = try Phone(hasDesktop: true)
            try dunst.signal(SIGSTOP)
            let call = try phone.call("A")
            try call.wait(for: "tick")
            try phone.belfry("decline")
            #expect(try call.wait(for: "ended").ended?.reason == .declined)
            try dunst.signal(SIGCONT)
            // Only one that wanted to show something has to be waited for.
            #expect(waitUntil(seconds: 20) { phone.desktop == nil })
            #expect(screen.count(of: Screen.critical) == 0)
            try over()
        }

        @Test("R12: a killed worker's notification goes, and becomes the missed call") func workerKilled() throws {
            let phone = try Phone(hasDesktop: true)
            let call = try phone.call("A")
            try call.waitForNotification(.shown)
            kill(try #require(phone.worker(of: "A")), SIGKILL)
            #expect(screen.shows(Screen.normal, on: Screen.oneNotification, keepingAs: "killed-worker"))
            #expect(screen.count(of: Screen.critical) == 0)
            try over()
        }

        @Test("belfry-desktop killed while a call rings: it comes back, shows the call once, and the button works")
        func desktopKilled() throws {
            let phone = try Phone(hasDesktop: true)
            let call = try phone.call("A")
            try call.waitForNotification(.shown)
            #expect(screen.shows(Screen.critical, on: Screen.oneNotification, keepingAs: "before-kill"))
            let before = screen.count(of: Screen.critical)
            let killed = try #require(phone.desktop)
            kill(killed, SIGKILL)
            #expect(waitUntil { phone.desktop.map { $0 != killed } ?? false })
            try call.waitForNotification(.shown)
            #expect(abs(screen.count(of: Screen.critical) - before) < before / 2, "one notification, not two")
            try screen.choose("Accept")
            #expect(try call.wait(for: "ended").ended?.reason == .answered)
            #expect(screen.shows(Screen.critical, on: 0...0, keepingAs: "after-kill"))
            #expect(try !phone.hasFailedUnits())
            try over()
        }

        @Test("belfry-desktop stopped: tick 0 waits 100 ms, delivery does not; it rings and can be silenced")
        func desktopStopped() throws {
            let phone = try Phone(hasDesktop: true)
            let first = try phone.call("A")
            try first.waitForNotification(.shown)
            let desktop = try #require(phone.desktop)
            kill(desktop, SIGSTOP)
            try phone.belfry("answer", "A")
            _ = first.story()
            let call = try phone.call("B")
            let delivered = try call.wait(for: "delivered")
            let ringing = try call.wait(for: "ringing")
            #expect(ringing.at > max(delivered.at, 0.1) && ringing.at < 5)
            try phone.belfry("answer", "B")
            #expect(try call.wait(for: "ended").ended?.reason == .answered)
            kill(desktop, SIGCONT)
            #expect(screen.shows(Screen.critical, on: 0...0, keepingAs: "continued"))
            try over()
        }

        @Test("an alert is shown, and replaced by what has its collapse id") func alerts() throws {
            let phone = try Phone(hasDesktop: true)
            for body in ["one", "two"] {
                let alert =
                    #"{"payload": {"aps": {"alert": {"title": "News", "body": "\#(body)"}}}, "collapseId": "n"}"#
                #expect(try phone.push(alert).story().last == "delivered passthrough")
            }
            #expect(screen.shows(Screen.normal, on: Screen.oneNotification, keepingAs: "alert"))
            try over()
        }
    }

    @Suite("org.belfry.Calls1 on the session bus") struct BusInterface {
        private func call(_ method: String, _ arguments: String...) throws -> Finished {
            try Bus.call("org.belfry.Calls1", "/org/belfry/Calls1", method, arguments)
        }

        /// A call that rings, and of which belfry-desktop knows.
        private func ring(_ phone: Phone, _ id: String) throws -> Client {
            let client = try phone.call(id, #""handle": "+49""#)
            try client.wait(for: "notification")
            _ = try waitUntil {
                try Bus.call(
                    "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus.NameHasOwner",
                    ["org.belfry.Calls1"]
                ).output.contains("true")
            }
            return client
        }

        @Test("describes itself") func introspection() throws {
            let phone = try Phone(hasDesktop: true)
            _ = try ring(phone, "A")
            let text = try run(
                "/usr/bin/gdbus",
                ["introspect", "--session", "--dest", "org.belfry.Calls1", "--object-path", "/org/belfry/Calls1"]
            ).output
            for name in ["CollectAnswer", "ListMissed", "MissedChanged", "readonly u RingingCount = 1", "Version"] {
                #expect(text.contains(name), "\(text)")
            }
            try phone.belfry("answer")
        }

        @Test("lists who rings, answers, and says why it cannot") func answer() throws {
            let phone = try Phone(hasDesktop: true)
            let client = try ring(phone, "A")
            let list = try call("org.belfry.Calls1.List", "").output
            #expect(list.contains("'call': <'A'>") && list.contains("'mode': <'loud'>"), "\(list)")
            #expect(try call("org.belfry.Calls1.Answer", "", "B").errors.contains("org.belfry.Error.NoSuchCall"))
            #expect(try call("org.belfry.Calls1.Answer", "a/b", "").errors.contains("org.belfry.Error.BadGroup"))
            #expect(try call("org.belfry.Calls1.Answer", "", "").status.isSuccess)
            #expect(try client.wait(for: "ended").ended?.reason == .answered)
            let late = try call("org.belfry.Calls1.Decline", "", "A").errors
            #expect(late.contains("org.belfry.Error."), "\(late)")
            #expect(try call("org.belfry.Calls1.ListAnswers", "").output.contains("'handle': <'+49'>"))
            #expect(try call("org.belfry.Calls1.CollectAnswer", "", "A").status.isSuccess)
            #expect(try call("org.belfry.Calls1.CollectAnswer", "", "A").errors.contains("NoSuchCall"))
            #expect(try call("org.belfry.Calls1.Nothing", "").errors.contains("UnknownMethod"))
            #expect(try call("org.belfry.Calls1.Answer", "").errors.contains("InvalidArgs"))
        }

        @Test("lists missed calls until they are cleared") func missed() throws {
            let phone = try Phone(hasDesktop: true)
            let client = try ring(phone, "A")
            _ = try phone.hangUp("A").story()
            _ = client.story()
            #expect(try call("org.belfry.Calls1.ListMissed", "").output.contains("'reason': <'cancelled'>"))
            #expect(try call("org.belfry.Calls1.ClearMissed", "", "[]").status.isSuccess)
            #expect(try !call("org.belfry.Calls1.ListMissed", "").output.contains("'call'"))
        }
    }

    @Test("Without a desktop's socket a call rings as ever, and tells nothing of a notification")
    func noDesktop() throws {
        let phone = try Phone()
        let call = try phone.call("A")
        #expect(try call.wait(for: "ringing").ringing?.mode == .loud)
        try call.wait(for: "tick")
        _ = try phone.hangUp("A").story()
        _ = call.story()
        #expect(!call.events.contains { $0.name == "notification" })
    }

    @Test("Without a notification server a call says so, once, and rings; no unit is left failed")
    func noServer() throws {
        let phone = try Phone(hasDesktop: true)
        let call = try phone.call("A")
        try call.waitForNotification(.unavailable)
        try call.wait(for: "tick")
        _ = try phone.hangUp("A").story()
        #expect(call.story().suffix(2) == ["ended hangup cancelled", "missed"])
        #expect(call.events.count { $0.name == "notification" } == 1)
        #expect(try !phone.hasFailedUnits())
    }
}

extension Client {
    /// Waits until the call's notification is in `state`.
    func waitForNotification(_ state: NotificationState) throws {
        while true {
            guard case .notification(let found, _) = try wait(for: "notification").body else { continue }
            if found == state { return }
        }
    }
}
