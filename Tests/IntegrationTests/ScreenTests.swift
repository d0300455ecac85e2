import BelfryAppGroup
import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import CallLedger
import Glibc
import Support
import Testing

extension IntegrationTests {
    @Suite("What the screen says is so") struct TrueScreen {
        private static let white: UInt32 = 0xFFFFFF
        private static let someNotification = 10_000...200_000

        /// A call that is missed, as its worker says.
        private func miss(_ id: String, on phone: Phone) throws {
            let call = try phone.call(id)
            try call.wait(for: "tick")
            _ = try phone.hangUp(id).story()
            #expect(call.story().suffix(2) == ["ended hangup cancelled", "missed"])
        }

        @Test("Xfce's do-not-disturb leaves no call that is over, and the missed one is shown after it")
        func xfce() throws {
            let screen = try Screen()
            let folder = "/usr/lib/x86_64-linux-gnu/xfce4"
            let xfconfd = try BusService("\(folder)/xfconf/xfconfd", name: "org.xfce.Xfconf")
            let server = try screen.start("\(folder)/notifyd/xfce4-notifyd", [])
            func set(_ change: [String]) throws {
                let setting = ["-c", "xfce4-notifyd", "-p", "/do-not-disturb"]
                #expect(try run("/usr/bin/xfconf-query", setting + change).status.isSuccess)
            }
            try set(["-n", "-t", "bool", "-s", "true"])
            let phone = try Phone(hasDesktop: true)
            let call = try phone.call("A")
            try call.waitForNotification(.shown)
            #expect(screen.shows(Self.white, on: Self.someNotification, keepingAs: "xfce-dnd-call"))
            _ = try phone.hangUp("A").story()
            _ = call.story()
            #expect(screen.shows(Self.white, on: 0...0, keepingAs: "xfce-dnd-over"))
            try set(["-r"])
            #expect(screen.shows(Self.white, on: Self.someNotification, keepingAs: "xfce-dnd-missed"))
            try phone.belfry("calls", "--clear-missed")
            #expect(screen.shows(Self.white, on: 0...0, keepingAs: "xfce-cleared"))
            try Screen.end(server)
            _ = xfconfd
        }

        @Test("what nobody was shown is shown once a server is there, and again at the next login, with its time")
        func login() throws {
            let phone = try Phone(hasDesktop: true)
            try miss("A", on: phone)
            let server = try StubServer()
            let asked = try server.asked()
            #expect(asked.category == "call.unanswered" && asked.replaces == 0)
            let time = asked.body.split(separator: ", ").last.map(String.init) ?? ""
            #expect(time.utf8.count == 5 && time.dropFirst(2).first == ":", "\(asked.body)")
            try server.end()
            try phone.systemctl("stop", "\(phone.name)-desktop.service")
            let next = try StubServer()
            // As the unit is started at a login.
            try phone.systemctl("start", "\(phone.name)-desktop.service")
            let again = try next.asked()
            #expect(again.body == asked.body)
            next.obey("close \(again.id) 2")
            #expect(waitUntil { contents(of: "\(phone.state.path)/desktop.closed").contains(#""call":"A""#) })
            try phone.systemctl("stop", "\(phone.name)-desktop.service")
            try phone.systemctl("start", "\(phone.name)-desktop.service")
            #expect(try next.next(within: 1_000) == nil, "what somebody has closed is not shown again")
        }

        @Test("what is cleared from the list goes from the screen, and the next call of that caller is the first")
        func cleared() throws {
            let server = try StubServer()
            let phone = try Phone(hasDesktop: true)
            for clear in 0..<2 {
                try miss("A\(clear)", on: phone)
                #expect(try server.shows { $0.contains { $0.category == "call.unanswered" } })
                #expect(server.shown.values.allSatisfy { !$0.body.contains("2 missed") }, "\(server.shown)")
                if clear == 0 {
                    try phone.belfry("calls", "--clear-missed")
                } else {
                    let cleared = try Bus.call(
                        "org.belfry.Calls1", "/org/belfry/Calls1", "org.belfry.Calls1.ClearMissed", ["", "[]"])
                    #expect(cleared.status.isSuccess, "\(cleared.errors)")
                }
                #expect(try server.shows { $0.isEmpty })
            }
        }

        @Test("settings count from the next call on, also while a missed one is shown, and so do hooks")
        func settings() throws {
            let server = try StubServer()
            let folder = TemporaryFolder()
            let hook = folder.write(Array("#!/bin/sh\ntouch \(folder.path)/$1\n".utf8), to: "hook")
            unsafe chmod(hook, 0o755)
            let phone = try Phone(
                configuration: "[Ring]\nSound=none\n[Desktop]\nOnMissed=\(hook) first\n", hasDesktop: true)
            try miss("A", on: phone)
            #expect(waitUntil { names(in: folder.path).contains("first") })
            let process = phone.desktop
            phone.configure("[Ring]\nSound=none\n[Desktop]\nOnMissed=\(hook) second\nOnCallBack=\(hook) back\n")
            try miss("B", on: phone)
            #expect(waitUntil { names(in: folder.path).contains("second") })
            #expect(try server.shows { $0.contains { $0.actions.contains("call.back") } })
            phone.configure("[Ring]\nSound=none\n[Desktop]\nNotify=no\n")
            let call = try phone.call("C")
            guard case .notification(let state, let detail) = try call.wait(for: "notification").body else {
                Issue.record("the notification says nothing")
                return
            }
            #expect(state == .unavailable && detail == "[Desktop] Notify=no")
            #expect(try server.shows { $0.isEmpty })
            try phone.belfry("answer")
            #expect(phone.desktop == process && process != nil)
        }

        @Test("a server that leaves is not started again for what it has shown; the next call starts one")
        func leaves() throws {
            let folder = TemporaryFolder()
            let services = "\(Surroundings.home)/.local/share/dbus-1/services"
            _ = try run("/bin/mkdir", ["-p", services])
            let file = "\(services)/org.freedesktop.Notifications.service"
            let text = """
                [D-BUS Service]
                Name=org.freedesktop.Notifications
                Exec=/usr/bin/touch \(folder.path)/started

                """
            _ = try run("/usr/bin/tee", [file], input: text)
            defer { unsafe unlink(file) }
            _ = try Bus.call("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus.ReloadConfig", [])
            let server = try StubServer()
            let phone = try Phone(["BELFRY_NOTIFY": "yes"], hasDesktop: true)
            try miss("A", on: phone)
            #expect(try server.shows { $0.contains { $0.category == "call.unanswered" } })
            // Also while a call rings.
            let ringing = try phone.call("C")
            try ringing.waitForNotification(.shown)
            try server.end()
            #expect(!waitUntil(seconds: 2) { !names(in: folder.path).isEmpty }, "nothing is started")
            try phone.belfry("answer")
            #expect(try ringing.wait(for: "ended").ended?.reason == .answered)
            try phone.belfry("status")
            try phone.belfry("doctor")
            #expect(names(in: folder.path).isEmpty, "nor by looking")
            let call = try phone.call("B")
            #expect(waitUntil { !names(in: folder.path).isEmpty })
            try phone.belfry("answer")
            #expect(try call.wait(for: "ended").ended?.reason == .answered)
        }

        @Test("status and doctor start no desktop, also where its socket is on") func looking() throws {
            let phone = try Phone(hasDesktop: true)
            #expect(try phone.belfry("status").status.isSuccess)
            #expect(try phone.belfry("doctor").output.contains("a notification went through"))
            #expect(!waitUntil(seconds: 1) { phone.desktop != nil })
        }

        @Test("another version takes over what is shown, once nothing rings") func upgraded() throws {
            let server = try StubServer()
            let folder = TemporaryFolder()
            let program = folder.write(bytes(of: "\(Surroundings.programs)/belfry-desktop"), to: "belfry-desktop")
            unsafe chmod(program, 0o755)
            let phone = try Phone(hasDesktop: true)
            let dropIn = "\(Surroundings.home)/.config/systemd/user/\(phone.name)-desktop.service.d"
            _ = try run("/bin/mkdir", ["-p", dropIn])
            defer { _ = try? run("/bin/rm", ["-r", dropIn]) }
            _ = try run("/usr/bin/tee", ["\(dropIn)/test.conf"], input: "[Service]\nExecStart=\nExecStart=\(program)\n")
            try phone.systemctl("daemon-reload")
            try miss("A", on: phone)
            #expect(try server.shows { $0.contains { $0.category == "call.unanswered" } })
            let call = try phone.call("B")
            try call.waitForNotification(.shown)
            let before = try #require(phone.desktop)
            #expect(try run("/bin/cp", [program, "\(program).new"]).status.isSuccess)
            #expect(unsafe rename("\(program).new", program) == 0)
            #expect(!waitUntil(seconds: 4) { phone.desktop != before }, "not while a call rings")
            try phone.belfry("decline")
            #expect(try call.wait(for: "ended").ended?.reason == .declined)
            #expect(waitUntil(seconds: 20) { phone.desktop.map { $0 != before } ?? false })
            #expect(try server.shows { $0.count == 1 && $0[0].category == "call.unanswered" })
            #expect(try !phone.hasFailedUnits())
            let shown = try #require(server.shown.values.first)
            // It may not listen yet.
            let isSeen = waitUntil {
                server.obey("choose \(shown.id) call.seen")
                return phone.ledger().missedCalls.isEmpty
            }
            #expect(isSeen, "its buttons work")
        }

        @Test("another version of the APNs endpoint takes over as well") func endpointUpgraded() throws {
            let folder = TemporaryFolder()
            let program = folder.write(bytes(of: "\(Surroundings.programs)/belfry-apns"), to: "belfry-apns")
            unsafe chmod(program, 0o755)
            let phone = try Phone()
            let dropIn = "\(Surroundings.home)/.config/systemd/user/\(phone.name)-apns.service.d"
            _ = try run("/bin/mkdir", ["-p", dropIn])
            defer { _ = try? run("/bin/rm", ["-r", dropIn]) }
            _ = try run("/usr/bin/tee", ["\(dropIn)/test.conf"], input: "[Service]\nExecStart=\nExecStart=\(program)\n")
            try phone.systemctl("daemon-reload")
            try phone.systemctl("start", "\(phone.name)-apns.socket", "\(phone.name)-apns.service")
            let before = try #require(phone.endpoint)
            #expect(try run("/bin/cp", [program, "\(program).new"]).status.isSuccess)
            #expect(unsafe rename("\(program).new", program) == 0)
            #expect(waitUntil(seconds: 20) { phone.endpoint.map { $0 != before } ?? false })
            #expect(try !phone.hasFailedUnits())
        }

        @Test("on dunst without its menu the text says how to answer, and a middle click does") func noMenu() throws {
            let screen = try Screen()
            let file = screen.folder.write(
                Array("[global]\norigin = top-right\noffset = 10x10\nwidth = 400\ndmenu = /nowhere/dmenu\n".utf8),
                to: "bare")
            let dunst = try screen.start("/usr/bin/dunst", ["-conf", file])
            let phone = try Phone(hasDesktop: true)
            let call = try phone.call("A")
            try call.waitForNotification(.shown)
            #expect(waitUntil { screen.drawn() != nil })
            screen.keep("no-menu")
            // What a middle click does, by dunst's setting.
            #expect(try run("/usr/bin/dunstctl", ["action", "0"]).status.isSuccess)
            #expect(try call.wait(for: "ended").ended?.reason == .answered)
            let installation = try Installation()
            try installation.systemctl("start", "belfry-desktop.socket")
            let doctor = try installation.shell("belfry doctor || true").output
            #expect(doctor.contains("its menu program /nowhere/dmenu is missing"), "\(doctor)")
            try Screen.end(dunst)
        }

        @Test("feedbackd that is installed is started by a ring, and by nothing else") func feedbackdStarts() throws {
            let folder = TemporaryFolder()
            let theme = """
                {"name": "test", "profiles": [{"name": "full", "feedbacks": []}, {"name": "quiet", "feedbacks":
                [{"event-name": "phone-incoming-call", "type": "Sound", "effect": "phone-incoming-call"}]},
                {"name": "silent", "feedbacks": []}]}
                """
            let themeFile = folder.write(Array(theme.utf8), to: "theme.json")
            let services = "\(Surroundings.home)/.local/share/dbus-1/services"
            _ = try run("/bin/mkdir", ["-p", services])
            let name = "org.sigxcpu.Feedback"
            let file = "\(services)/\(name).service"
            _ = try run(
                "/usr/bin/tee", [file],
                input: """
                    [D-BUS Service]
                    Name=\(name)
                    Exec=/usr/bin/env FEEDBACK_THEME=\(themeFile) GSETTINGS_BACKEND=memory /usr/libexec/feedbackd

                    """)
            let bus = ("org.freedesktop.DBus", "/org/freedesktop/DBus")
            defer { unsafe unlink(file) }
            _ = try Bus.call(bus.0, bus.1, "\(bus.0).ReloadConfig", [])
            let owner = {
                let answer = try Bus.call(bus.0, bus.1, "\(bus.0).GetConnectionUnixProcessID", [name])
                return answer.status.isSuccess ? Int32(answer.output.filter { $0.isNumber }.dropFirst(2)) : nil
            }
            let phone = try Phone(hasDesktop: true)
            try phone.wakeDesktop()
            #expect(try phone.belfry("doctor").output.contains("feedbackd is installed, and starts with a ring"))
            #expect(try owner() == nil)
            let call = try phone.call("A")
            guard case .vibration(let state, let detail) = try call.wait(for: "vibration").body else {
                Issue.record("the vibration says nothing")
                return
            }
            #expect(state == .playing && detail == "feedbackd", "\(detail)")
            let process = try #require(try owner())
            try phone.belfry("answer")
            kill(process, SIGTERM)
            #expect(try waitUntil { try owner() == nil })
        }
    }
}
