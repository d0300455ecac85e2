import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import CBelfryLinux
import CallLedger
import Glibc
import Support
import Testing

extension IntegrationTests {
    @Suite("R14: what a desktop lacks or loses costs no call") struct DesktopFaults {
        private func answer(_ call: Client, on phone: Phone) throws {
            try call.wait(for: "tick")
            try phone.belfry("answer")
            #expect(try call.wait(for: "ended").ended?.reason == .answered)
            #expect(try !phone.hasFailedUnits())
        }

        @Test("no session bus") func noBus() throws {
            let phone = try Phone(["DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent"], hasDesktop: true)
            let call = try phone.call("A")
            try call.waitForNotification(.unavailable)
            #expect(phone.desktop != nil, "it is ready without a bus")
            try answer(call, on: phone)
            #expect(call.events.count { $0.name == "notification" } == 1)
        }

        @Test("a bus that is killed while a call rings; once there is one again the call is shown there")
        func busKilled()
            throws
        {
            var server = try StubServer()
            let phone = try Phone(hasDesktop: true)
            let call = try phone.call("A")
            try call.waitForNotification(.shown)
            let bus = try phone.systemctl("show", "--property=MainPID", "--value", "dbus.service").output
            kill(try #require(Int32(bus.filter { $0.isNumber })), SIGKILL)
            try call.waitForNotification(.unavailable)
            try call.wait(for: "tick")
            server = try StubServer()
            let again = try server.asked()
            #expect(again.replaces == 0 && again.category == "call.incoming")
            try call.waitForNotification(.shown)
            server.obey("choose \(again.id) call.accept")
            #expect(try call.wait(for: "ended").ended?.reason == .answered)
            try server.waitForClose(of: again.id)
            #expect(try !phone.hasFailedUnits())
        }

        @Test("a display that nobody has: no server is started there, where it would die") func noDisplay() throws {
            let phone = try Phone(hasDesktop: true)
            let call = try phone.call("A")
            guard case .notification(let state, let detail) = try call.wait(for: "notification").body else {
                Issue.record("the notification says nothing")
                return
            }
            #expect(state == .unavailable && detail.contains("no display"))
            try answer(call, on: phone)
            let failed = try phone.systemctl("list-units", "--state=failed", "--no-legend", "--plain").output
            #expect(!failed.contains("dunst") && !failed.contains("notifyd"), "\(failed)")
        }

        @Test("a server that is stopped after it has shown a call closes it when it goes on") func serverStopped()
            throws
        {
            let screen = try Screen()
            let dunst = try screen.startDunst()
            let phone = try Phone(hasDesktop: true)
            let call = try phone.call("A")
            try call.waitForNotification(.shown)
            #expect(screen.shows(Screen.critical, on: Screen.oneNotification, keepingAs: "before-stop"))
            try dunst.signal(SIGSTOP)
            try answer(call, on: phone)
            try dunst.signal(SIGCONT)
            #expect(screen.shows(Screen.critical, on: 0...0, keepingAs: "after-stop"))
            try Screen.end(dunst)
        }

        @Test("belfry-desktop stopped for good: calls ring, and are answered") func desktopStopped() throws {
            let server = try StubServer()
            let phone = try Phone(hasDesktop: true)
            let call = try phone.call("A")
            try call.waitForNotification(.shown)
            kill(try #require(phone.desktop), SIGSTOP)
            try answer(call, on: phone)
            kill(try #require(phone.desktop), SIGKILL)
            // The next one finds what is shown, and that nobody rings any more.
            #expect(try server.shows { $0.isEmpty })
            #expect(waitUntil { phone.desktop != nil })
            #expect(try !phone.hasFailedUnits())
        }

        @Test("belfry-desktop without a descriptor: calls ring, it idles, and shows them once it has some")
        func noDescriptors() throws {
            let server = try StubServer()
            let phone = try Phone(hasDesktop: true)
            let first = try phone.call("A")
            try first.waitForNotification(.shown)
            let desktop = try #require(phone.desktop)
            // The lowest free one is what it would get next.
            let taken = Set(names(in: "/proc/\(desktop)/fd").compactMap { Int($0) })
            try limit(desktop, to: (0...taken.count).first { !taken.contains($0) } ?? taken.count)
            let second = try phone.call("B")
            try second.wait(for: "tick")
            let before = try ticks(of: desktop)
            for _ in 0..<2 { try second.wait(for: "tick") }
            #expect(try ticks(of: desktop) - before < 50, "two seconds have 200 ticks of a processor")
            try limit(desktop, to: 4_096)
            try second.waitForNotification(.shown)
            #expect(server.process.exitStatus == nil)
        }

        private func limit(_ process: Int32, to descriptors: Int) throws {
            let done = try run("/usr/bin/prlimit", ["--pid=\(process)", "--nofile=\(descriptors):"])
            #expect(done.status.isSuccess, "\(done.errors)")
        }

        /// How long `process` has kept a processor busy, in the kernel's ticks of 10 ms.
        private func ticks(of process: Int32) throws -> Int {
            let fields = contents(of: "/proc/\(process)/stat").split(separator: " ")
            return try #require(Int(fields[13])) + #require(Int(fields[14]))
        }

        @Test("a thousand calls, each in a group of its own: five are shown, and how many more there are")
        func thousand() throws {
            let limit = setDescriptorLimit(4_096)
            defer { _ = setDescriptorLimit(limit) }
            let server = try StubServer()
            // The first of them still ring as the last begins, however busy the machine is.
            let phone = try Phone(["BELFRY_EXPIRY_BUDGET": "120s", "BELFRY_RING_DURATION": "120s"], hasDesktop: true)
            let calls = try (0..<1_000).map { try phone.call("A", group: "group.\($0)") }
            for call in calls { try call.wait(for: "ringing", within: 60_000) }
            #expect(
                try server.shows { shown in
                    shown.contains { $0.body.hasPrefix("and ") && $0.body.hasSuffix(" more") && $0.actions.isEmpty }
                        && shown.count { !$0.actions.isEmpty && $0.category == "call.incoming" } == 5
                })
            // One by its button, one by command.
            let chosen = try #require(server.shown.values.first { $0.actions.first == "call.accept" })
            server.obey("choose \(chosen.id) call.accept")
            try server.waitForClose(of: chosen.id)
            let last = calls[999]
            try phone.belfry("decline", "--group", "group.999", "A")
            #expect(try last.wait(for: "ended", within: 60_000).ended?.reason == .declined)
            try phone.systemctl("stop", "\(phone.name)@*.service")
            for call in calls { #expect(call.story(within: 60_000).contains { $0.hasPrefix("ended") }) }
            #expect(try server.shows(within: 60_000) { $0.allSatisfy { $0.category == "call.unanswered" } })
            #expect(server.shown.count <= 20)
            #expect(server.callsMost == 5, "also as they ended, all at once")
            #expect(try !phone.hasFailedUnits())
        }

        /// How many descriptors this process may have from now on, as far as the machine allows; how many it might.
        private func setDescriptorLimit(_ count: rlim_t) -> rlim_t {
            var limit = rlimit()
            let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
            _ = unsafe getrlimit(resource, &limit)
            let before = limit.rlim_cur
            limit.rlim_cur = min(count, limit.rlim_max)
            _ = unsafe setrlimit(resource, &limit)
            return before
        }
    }
}
