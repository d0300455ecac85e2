import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import Glibc
import Support
import Testing

extension IntegrationTests {
    @Suite("R21 a desktop that is to disturb nobody mutes rings, in whichever way it says so") struct Manners {
        private static let notifications = "org.freedesktop.Notifications"
        private static let notificationsPath = "/org/freedesktop/Notifications"

        /// A notification server that shows nothing, of `vendor`: python-dbusmock has the bus's side of it.
        private func server(of vendor: String) throws -> BusService {
            let server = try BusService(
                "/usr/bin/python3",
                ["-m", "dbusmock", "--session", Self.notifications, Self.notificationsPath, Self.notifications],
                name: Self.notifications)
            for (member, taken, answered, code) in [
                ("GetServerInformation", "", "ssss", "ret = ('a server', '\(vendor)', '1', '1.2')"),
                ("GetCapabilities", "", "as", "ret = ['actions', 'body']"), ("CloseNotification", "u", "", "pass"),
                ("Notify", "susssasa{sv}i", "u", "ret = 7"),
            ] { try mock("AddMethod", Self.notifications, member, taken, answered, code) }
            return server
        }

        private func mock(_ method: String, _ arguments: String...) throws {
            let done = try Bus.call(
                Self.notifications, Self.notificationsPath, "org.freedesktop.DBus.Mock.\(method)", arguments)
            #expect(done.status.isSuccess, "\(done.errors)")
        }

        private func succeed(_ path: String, _ arguments: String...) throws {
            let done = try run(path, arguments)
            #expect(done.status.isSuccess, "\(done.errors)")
        }

        /// Rings while nobody is to be disturbed, then may be, and then once more not; `set` says so.
        private func expectMuted(_ phone: Phone, by set: (Bool) throws -> Void) throws {
            try set(true)
            // What mutes the next ring is told also while belfry-desktop, which leaves, does not run.
            #expect(try phone.belfry("status", "--json").output.contains(#""doNotDisturb":"desktop""#))
            try phone.wakeDesktop()
            let call = try phone.call("A")
            let first = try call.wait(for: "ringing").ringing
            #expect(first?.mode == .silent && first?.why == .doNotDisturb && first?.vibrate == false)
            let property = try Bus.call(
                "org.belfry.Calls1", "/org/belfry/Calls1", "org.freedesktop.DBus.Properties.Get",
                ["org.belfry.Calls1", "DoNotDisturb"])
            #expect(property.output.contains("'on'"))
            try set(false)
            #expect(try call.waitForRing(.loud).why == nil)
            try set(true)
            #expect(try call.waitForRing(.silent).why == .doNotDisturb)
            try set(false)
            try call.waitForRing(.loud)
            try phone.belfry("answer")
            #expect(try call.wait(for: "ended").ended?.reason == .answered)
        }

        private func setGNOME(_ isMuted: Bool) throws {
            try succeed(
                "/usr/bin/gsettings", "set", "org.gnome.desktop.notifications", "show-banners", "\(!isMuted)")
        }

        @Test(
            "GNOME's and Phosh's setting, in dconf, where their server shows notifications",
            arguments: ["GNOME", "Phosh"])
        func gnome(vendor: String) throws {
            let server = try server(of: vendor)
            try expectMuted(try Phone(hasDesktop: true), by: setGNOME)
            _ = server
        }

        @Test("GNOME's setting means nothing to another server") func gnomeElsewhere() throws {
            let server = try server(of: "Somebody")
            try setGNOME(true)
            let phone = try Phone(hasDesktop: true)
            try phone.wakeDesktop()
            let call = try phone.call("A")
            #expect(try call.wait(for: "ringing").ringing?.mode == .loud)
            try phone.belfry("answer")
            _ = call.story()
            try setGNOME(false)
            _ = server
        }

        @Test("Plasma's Inhibited") func plasma() throws {
            let server = try server(of: "KDE")
            try mock("AddProperty", Self.notifications, "Inhibited", "<false>")
            try expectMuted(try Phone(hasDesktop: true)) {
                try mock("UpdateProperties", Self.notifications, "{'Inhibited': <\($0)>}")
            }
            _ = server
        }

        @Test("Xfce's setting, in xfconfd") func xfce() throws {
            let xfconfd = try BusService(
                "/usr/lib/x86_64-linux-gnu/xfce4/xfconf/xfconfd", name: "org.xfce.Xfconf")
            let setting = ["-c", "xfce4-notifyd", "-p", "/do-not-disturb"]
            try expectMuted(try Phone(hasDesktop: true)) {
                let change = $0 ? ["-n", "-t", "bool", "-s", "true"] : ["-r"]
                let done = try run("/usr/bin/xfconf-query", setting + change)
                #expect(done.status.isSuccess, "\(done.errors)")
            }
            _ = xfconfd
        }

        @Test("dunst's pause") func dunst() throws {
            let screen = try Screen()
            let dunst = try screen.startDunst()
            try expectMuted(try Phone(hasDesktop: true)) {
                try succeed("/usr/bin/dunstctl", "set-paused", "\($0)")
            }
            try Screen.end(dunst)
        }

        @Test("a critical call passes, and whoever calls again soon; [Ring] DoNotDisturb=ignore minds nothing")
        func passing() throws {
            let server = try server(of: "KDE")
            try mock("AddProperty", Self.notifications, "Inhibited", "<true>")
            let phone = try Phone(["BELFRY_ALLOW_REPEATED": "3min"], hasDesktop: true)
            try phone.wakeDesktop()
            let mode = { (call: Client) in try call.wait(for: "ringing").ringing?.mode }
            let first = try phone.call("A", #""handle": "+49 1""#)
            #expect(try mode(first) == .silent)
            _ = try phone.hangUp("A").story()
            #expect(first.story().suffix(2) == ["ended hangup cancelled", "missed"])
            let again = try phone.call("B", #""handle": "+49 1""#)
            #expect(try mode(again) == .loud)
            try phone.belfry("decline", "B")
            _ = again.story()
            let critical = try phone.push(
                #"{"aps": {"alert": {"title": "Ada"}, "mutable-content": 1, "interruption-level": "critical"}, "#
                    + #""info": {"type": 1, "callId": "C", "handle": "+49 2"}}"#)
            #expect(try mode(critical) == .loud)
            try phone.belfry("decline", "C")
            _ = critical.story()
            let careless = try Phone(["BELFRY_DO_NOT_DISTURB": "ignore"], hasDesktop: true)
            try phone.systemctl("stop", "\(phone.name)-desktop.service")
            try careless.wakeDesktop()
            let loud = try careless.call("D")
            #expect(try mode(loud) == .loud)
            try careless.belfry("answer")
            _ = loud.story()
            _ = server
        }
    }
}
