import BelfryAppGroup
import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import CallLedger
import DesktopChannel
import Glibc
import Support
import Testing

extension IntegrationTests {
    @Suite("C16 a call that goes on, on the desktop") struct Ongoing {
        @Test("played server: it is asked for without sound and time, changed in place, and closed with its call")
        func asked() throws {
            let server = try StubServer()
            let phone = try Phone(hasDesktop: true)
            let call = try OngoingEnd(on: phone) { ($0.name, $0.handle) = ("<i>Ada", "+49 & 1") }
            let asked = try server.asked()
            #expect(asked.summary == "<i>Ada" && asked.body.hasPrefix("+49 &amp; 1\nPhone · since "))
            #expect(asked.actions == ["call.mute", "Mute", "call.hold", "Hold", "call.end", "End"])
            #expect(asked.category == "call" && asked.urgency == 1 && asked.expires == 0)
            #expect(asked.isQuiet && asked.isResident && asked.desktopEntry == "org.belfry.Belfry")
            try call.say { ($0.isMuted, $0.state) = (true, .held) }
            let changed = try server.asked()
            #expect(changed.replaces == asked.id && changed.body.contains("On hold · since "))
            #expect(changed.actions == ["call.unmute", "Unmute", "call.resume", "Resume", "call.end", "End"])
            for (key, command) in [
                ("call.unmute", .mute(false)), ("call.resume", .hold(false)), ("call.end", .end),
            ] as [(String, CallCommand)] {
                server.obey("choose \(asked.id) \(key)")
                #expect(call.nextChosen() == command)
            }
            call.leave()
            try server.waitForClose(of: asked.id)
            #expect(server.shown.isEmpty)
            #expect(waitUntil(seconds: 20) { phone.desktop == nil }, "it leaves when nothing goes on")
            #expect(try !phone.hasFailedUnits())
        }

        @Test("without buttons the body says what to type; a name that a shell would read is none to type")
        func noActions() throws {
            let server = try StubServer("--capabilities", "body")
            let phone = try Phone(hasDesktop: true)
            let call = try OngoingEnd(on: phone, "A;reboot")
            let body = try server.asked().body
            #expect(body.hasSuffix("\nbelfry mute \(call.uuid)\nbelfry hold \(call.uuid)\nbelfry end \(call.uuid)"))
        }

        @Test("a call that rings meanwhile is accepted in the place of the one that is on, which is said first")
        func secondCall() throws {
            let server = try StubServer()
            let phone = try Phone(hasDesktop: true)
            for (key, holds) in [("call.hold-accept", true), ("call.end-accept", false)] {
                let call = try OngoingEnd(on: phone)
                let shown = try server.asked()
                let id = "R\(holds)"
                let ring = try phone.call(id)
                let asked = try server.asked()
                let keys = asked.actions.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
                #expect(keys == ["call.hold-accept", "call.end-accept", "call.decline"])
                try ring.waitForNotification(.shown)
                server.obey("choose \(asked.id) \(key)")
                #expect(call.nextChosen() == .giveWay(to: id, holds: holds))
                #expect(try ring.wait(for: "ended").ended?.reason == .answered)
                // Or it might ring on, for a moment, with no call that is on.
                try server.waitForClose(of: asked.id)
                call.leave()
                try server.waitForClose(of: shown.id)
            }
            let call = try OngoingEnd(on: phone)
            let shown = try server.asked()
            let ring = try phone.call("U")
            #expect(try server.asked().actions.first == "call.hold-accept")
            call.leave()
            #expect(
                try server.shows { $0.count == 1 && $0[0].actions.first == "call.accept" }, "no call is on any more")
            #expect(!server.shown.keys.contains(shown.id))
            try phone.belfry("decline")
            #expect(try ring.wait(for: "ended").ended?.reason == .declined)
        }

        @Test("five are shown, and how many more; a hundred that change at once cost no server more than that")
        func many() throws {
            let server = try StubServer()
            let phone = try Phone(hasDesktop: true)
            let calls = try (0..<100).map { try OngoingEnd(on: phone, "C\($0)") }
            #expect(try server.shows { shown in shown.contains { $0.body == "and 95 more" } && shown.count == 6 })
            for call in calls { try call.say { $0.isMuted = true } }
            #expect(try server.shows { $0.count { $0.body.hasSuffix("Muted") } == 5 })
            for call in calls { call.leave() }
            #expect(try server.shows { $0.isEmpty })
        }

        @Test("belfry-desktop killed in a call: it comes back and shows it once; the button works")
        func desktopKilled() throws {
            let server = try StubServer()
            let phone = try Phone(hasDesktop: true)
            let call = try OngoingEnd(on: phone)
            _ = try server.asked()
            let killed = try #require(phone.desktop)
            kill(killed, SIGKILL)
            #expect(call.isOver(within: Client.patienceMilliseconds))
            // As who has the call does.
            let again = try OngoingEnd(on: phone)
            #expect(waitUntil { phone.desktop.map { $0 != killed } ?? false })
            let asked = try server.asked()
            #expect(try server.next(within: 1_000).map { $0 != .notify(asked) } ?? true)
            #expect(server.shown.count == 1, "\(server.shown)")
            let isChosen = waitUntil {
                server.obey("choose \(server.shown.keys.first ?? 0) call.mute")
                return again.nextChosen(within: 200) == .mute(true)
            }
            #expect(isChosen)
            again.leave()
            #expect(try server.shows { $0.isEmpty })
            #expect(try !phone.hasFailedUnits())
        }

        @Test("a server that never answers, one that is killed, and none: the call goes on, and the bus has it")
        func servers() throws {
            let silent = try StubServer("--silent")
            let phone = try Phone(hasDesktop: true)
            let call = try OngoingEnd(on: phone)
            #expect(try silent.asked().category == "call")
            func ask(_ method: String, _ arguments: String...) throws -> Finished {
                try Bus.call("org.belfry.Calls1", "/org/belfry/Calls1", "org.belfry.Calls1.\(method)", arguments)
            }
            #expect(try ask("List", "").output.contains("'state': <'active'>"))
            try silent.end()
            try call.say { $0.state = .held }
            #expect(try waitUntil { try ask("List", "").output.contains("'state': <'held'>") })
            let muted = try ask("Mute", "", "A", "true")
            #expect(muted.status.isSuccess, "\(muted.errors)")
            #expect(call.nextChosen() == .mute(true))
            let next = try StubServer()
            #expect(try next.asked().body.contains("On hold"))
            call.leave()
            #expect(try next.shows { $0.isEmpty })
        }

        @Test("no session bus: the call is said on and on, to the same desktop") func noBus() throws {
            let phone = try Phone(["DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent"], hasDesktop: true)
            let call = try OngoingEnd(on: phone)
            #expect(waitUntil { phone.desktop != nil })
            let desktop = phone.desktop
            for isMuted in [true, false] {
                try call.say { $0.isMuted = isMuted }
                #expect(!call.isOver(within: 1_000))
            }
            #expect(phone.desktop == desktop)
            #expect(try !phone.hasFailedUnits())
        }

        @Test("dunst: it is shown with its buttons in the menu, changed, chosen in again, and goes with its call")
        func dunst() throws {
            let screen = try Screen()
            let dunst = try screen.startDunst()
            let phone = try Phone(hasDesktop: true)
            let call = try OngoingEnd(on: phone) { $0.handle = "+49 123" }
            #expect(screen.shows(Screen.normal, on: Screen.oneNotification, keepingAs: "ongoing"))
            try screen.choose("Mute")
            #expect(call.nextChosen() == .mute(true))
            try call.say { $0.isMuted = true }
            #expect(screen.shows(Screen.normal, on: Screen.oneNotification, keepingAs: "ongoing-muted"))
            let isChosen = try waitUntil {
                try screen.choose("Unmute")
                return call.nextChosen(within: 500) == .mute(false)
            }
            #expect(isChosen, "it is there after a choice")
            let ring = try phone.call("R")
            try ring.waitForNotification(.shown)
            #expect(screen.shows(Screen.critical, on: Screen.oneNotification, keepingAs: "ongoing-second-call"))
            try screen.choose("Hold & accept")
            #expect(call.nextChosen() == .giveWay(to: "R", holds: true))
            #expect(try ring.wait(for: "ended").ended?.reason == .answered)
            call.leave()
            #expect(screen.shows(Screen.normal, on: 0...0, keepingAs: "ongoing-over"))
            try Screen.end(dunst)
        }
    }
}

/// Who has a call that goes on, as the desktop knows it: its connection, and what comes back over that.
final class OngoingEnd {
    private let number: Int32
    private let lines: LineReader
    private var call: OngoingCall

    var uuid: String { call.uuid }

    /// A call of this phone's that is on since a minute ago.
    init(on phone: Phone, _ id: String = "A", _ change: (inout OngoingCall) -> Void = { _ in }) throws {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = OwnedDescriptor(owning: try checked("socket") { Glibc.socket(AF_UNIX, kind, 0) })
        number = descriptor.number
        try connectUnixSocket(number, to: "\(Surroundings.runtimeDirectory)/\(phone.name)/desktop.sock")
        lines = LineReader(descriptor)
        call = OngoingCall(call: id, uuid: "6F9619FF-\(id.filter { $0.isNumber })", app: "org.belfry.phone")
        (call.name, call.appName, call.state, call.canHold) = ("Ada", "Phone", .active, true)
        call.since = Instant(microseconds: max(0, bootTimeMicroseconds() - 60_000_000))
        try say(change)
    }

    deinit { leave() }

    /// Says that it is so now.
    func say(_ change: (inout OngoingCall) -> Void) throws {
        change(&call)
        var hello = DesktopHello(group: try #require(GroupName("group.belfry")))
        hello.ongoing = call
        let line = hello.line
        let sent = unsafe line.withUnsafeBytes {
            unsafe Glibc.send(number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        try #require(sent == line.count)
    }

    /// It is over.
    func leave() { shutdown(number, Int32(SHUT_RDWR)) }

    /// What the person wants done next; nil if nothing comes.
    func nextChosen(within milliseconds: Int32 = Client.patienceMilliseconds) -> CallCommand? {
        guard let line = lines.next(within: milliseconds),
            case .chosen(let command)? = DesktopReport(line: Array(line.utf8))
        else { return nil }
        return command
    }

    /// Whether the desktop closes the connection, without having said anything.
    func isOver(within milliseconds: Int32) -> Bool {
        var request = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&request, 1, milliseconds) > 0 else { return false }
        var byte: UInt8 = 0
        return unsafe recv(number, &byte, 1, Int32(MSG_PEEK)) <= 0
    }
}
