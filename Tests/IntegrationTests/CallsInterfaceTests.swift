import BelfryAppGroup
import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import CallLedger
import Glibc
import Support
import Testing

extension IntegrationTests {
    @Suite("org.belfry.Calls1, member by member, as busctl(1) and gdbus(1) see it", .serialized) struct CallsInterface {
        private static let name = "org.belfry.Calls1"
        private static let error = "org.belfry.Error"

        private func call(_ method: String, _ arguments: String...) throws -> Finished {
            try Bus.call(Self.name, "/org/belfry/Calls1", "\(Self.name).\(method)", arguments)
        }

        private func property(_ method: String, _ arguments: String...) throws -> Finished {
            try Bus.call(
                Self.name, "/org/belfry/Calls1", "org.freedesktop.DBus.Properties.\(method)", [Self.name] + arguments)
        }

        /// A call that rings, and that a server shows: belfry-desktop knows of it, and has its name.
        private func ring(_ phone: Phone, _ id: String, _ more: String = "", group: String? = nil) throws -> Client {
            let client = try phone.call(id, more, group: group)
            try client.waitForNotification(.shown)
            return client
        }

        @Test("busctl finds every method, signal and property, with its types") func introspection() throws {
            let server = try StubServer()
            let phone = try Phone(hasDesktop: true)
            _ = try ring(phone, "A")
            let text = try run(
                "/usr/bin/busctl", ["--user", "introspect", "--no-pager", Self.name, "/org/belfry/Calls1", Self.name]
            ).output
            let members = text.split(separator: "\n").dropFirst().map { line in
                line.split(separator: " ", omittingEmptySubsequences: true).prefix(4).joined(separator: " ")
            }
            #expect(
                Set(members) == [
                    ".Answer method ss -", ".ClearMissed method sas -", ".CollectAnswer method ss a{sv}",
                    ".Decline method ss -", ".List method s aa{sv}", ".ListAnswers method s aa{sv}",
                    ".ListMissed method s aa{sv}", #".Version property s "1""#, ".RingingCount property u 1",
                    ".MissedCount property u 0", #".DoNotDisturb property s "off""#, ".AnswerPending signal ss -",
                    ".Ended signal sss -", ".MissedChanged signal su -", ".ModeChanged signal sss -",
                    ".Ringing signal sa{sv} -", ".Silence method ss -", ".AnswerFor method ssu -",
                    ".ListActive method s aa{sv}", ".CallerChanged signal ssssb -",
                    ".End method ss -", ".Hold method ssb -", ".Mute method ssb -", ".Keypad method sss -",
                    ".CallChanged signal sa{sv} -",
                ])
            let above = try run("/usr/bin/busctl", ["--user", "tree", "--list", "--no-pager", Self.name]).output
            #expect(above.split(separator: "\n").contains("/org/belfry/Calls1"), "\(above)")
            _ = server
        }

        @Test("the first argument is the group, and \"\" the configured one; errors say what is wrong")
        func errors() throws {
            let server = try StubServer()
            let phone = try Phone(hasDesktop: true)
            let configured = try ring(phone, "A")
            let other = try ring(phone, "B", group: "group.other")
            #expect(try call("List", "").output.contains("'call': <'A'>"))
            #expect(try call("List", "group.other").output.contains("'call': <'B'>"))
            #expect(try call("List", "group.none").output == "(@aa{sv} [],)\n")
            for method in ["Answer", "Decline", "Silence", "CollectAnswer"] {
                #expect(try call(method, "", "C").errors.contains("\(Self.error).NoSuchCall"))
                #expect(try call(method, "a/b", "").errors.contains("\(Self.error).BadGroup"))
            }
            #expect(try call("Silence", "group.other", "B").status.isSuccess)
            #expect(try other.wait(for: "ringing").ringing?.why == .silenced)
            #expect(try call("List", "group.other").output.contains("'mode': <'silent'>"))
            #expect(try call("Decline", "group.other", "").status.isSuccess)
            #expect(try other.wait(for: "ended").ended?.reason == .declined)
            #expect(try call("Answer", "", "A").status.isSuccess)
            #expect(try configured.wait(for: "ended").ended?.reason == .answered)
            for method in ["Answer", "Decline"] {
                let late = try call(method, "", "A").errors
                #expect(late.contains("\(Self.error).AlreadyEnded: answered"), "\(late)")
                let declined = try call(method, "group.other", "B").errors
                #expect(declined.contains("\(Self.error).AlreadyEnded: declined"), "\(declined)")
            }
            #expect(try call("Answer", "", "").errors.contains("\(Self.error).NoSuchCall"), "nothing rings")
            let file = phone.file("group.bad").path
            _ = try run("/usr/bin/install", ["-D", "-m", "000", "/dev/null", file])
            for method in ["List", "ListMissed", "ListAnswers"] {
                let unusable = try call(method, "group.bad").errors
                #expect(unusable.contains("\(Self.error).GroupUnusable"), "\(unusable)")
            }
            #expect(server.process.exitStatus == nil)
        }

        @Test("signals tell what happens, and properties what has changed") func signals() throws {
            let server = try StubServer()
            let phone = try Phone(hasDesktop: true)
            let monitor = try BusMonitor(of: Self.name)
            let first = try ring(phone, "A", #""handle": "+49""#)
            let ringing = try monitor.next(#""Ringing""#)
            for part in [
                #"["group.belfry",{"#, #""call":{"type":"s","data":"A"}"#, #""handle":{"type":"s","data":"+49"}"#,
                #""mode":{"type":"s","data":"loud"}"#, #""until":{"type":"t","#,
            ] {
                #expect(ringing.contains(part), "\(ringing)")
            }
            _ = try monitor.next(#""RingingCount":{"type":"u","data":1}"#)
            let second = try ring(phone, "B")
            #expect(try monitor.next(#""Ringing""#).contains(#""mode":{"type":"s","data":"soft"}"#))
            _ = try monitor.next(#""RingingCount":{"type":"u","data":2}"#)
            #expect(try call("Answer", "", "").status.isSuccess)
            #expect(try monitor.next(#""Ended""#).contains(#""data":["group.belfry","A","answered"]"#))
            #expect(try monitor.next(#""AnswerPending""#).contains(#""data":["group.belfry","A"]"#))
            _ = try monitor.next(#""RingingCount":{"type":"u","data":1}"#)
            #expect(try monitor.next(#""ModeChanged""#).contains(#""data":["group.belfry","B","loud"]"#))
            _ = try phone.hangUp("B").story()
            #expect(try monitor.next(#""Ended""#).contains(#""data":["group.belfry","B","hangup"]"#))
            #expect(try monitor.next(#""MissedChanged""#).contains(#""data":["group.belfry",1]"#))
            _ = try monitor.next(#""MissedCount":{"type":"u","data":1}"#)
            _ = (first.story(), second.story())
            #expect(try call("ClearMissed", "", "['B']").status.isSuccess)
            #expect(try monitor.next(#""MissedChanged""#).contains(#""data":["group.belfry",0]"#))
            #expect(server.process.exitStatus == nil)
        }

        @Test("R12: of a call whose worker dies it tells the end, once that is recorded") func died() throws {
            let server = try StubServer()
            let phone = try Phone(hasDesktop: true)
            let monitor = try BusMonitor(of: Self.name)
            _ = try ring(phone, "A")
            kill(try #require(phone.worker(of: "A")), SIGKILL)
            #expect(try monitor.next(#""Ended""#).contains(#""data":["group.belfry","A","died"]"#))
            #expect(try server.shows { $0.contains { $0.category == "call.unanswered" } })
        }

        @Test("do-not-disturb of the notification server is a property, and tells of its changes") func muted() throws {
            let screen = try Screen()
            let dunst = try screen.startDunst()
            let phone = try Phone(hasDesktop: true)
            let monitor = try BusMonitor(of: Self.name)
            let client = try ring(phone, "A")
            _ = try run("/usr/bin/dunstctl", ["set-paused", "true"])
            #expect(try monitor.next(#""DoNotDisturb""#).contains(#""data":"on""#))
            #expect(try property("Get", "DoNotDisturb").output == "(<'on'>,)\n")
            _ = try run("/usr/bin/dunstctl", ["set-paused", "false"])
            #expect(try monitor.next(#""DoNotDisturb""#).contains(#""data":"off""#))
            try phone.belfry("answer")
            _ = client.story()
            try Screen.end(dunst)
        }

        @Test("properties are read one by one and together, and cannot be written") func properties() throws {
            let server = try StubServer()
            let phone = try Phone(hasDesktop: true)
            _ = try ring(phone, "A")
            #expect(try property("Get", "Version").output == "(<'1'>,)\n")
            let all = try property("GetAll").output
            for name in ["Version", "RingingCount", "MissedCount", "DoNotDisturb"] {
                #expect(all.contains("'\(name)': <"), "\(all)")
            }
            #expect(try property("Get", "Nothing").errors.contains("UnknownProperty"))
            #expect(try property("Set", "MissedCount", "<uint32 7>").errors.contains("PropertyReadOnly"))
            #expect(server.process.exitStatus == nil)
        }

        @Test("a question on the bus is answered where belfry-desktop.socket is off, which stays off")
        func activation() throws {
            let phone = try Phone(hasDesktop: true)
            try phone.systemctl("stop", "\(phone.name)-desktop.socket")
            let service = try ActivatedService(of: phone)
            #expect(phone.desktop == nil)
            #expect(try call("List", "").output == "(@aa{sv} [],)\n")
            #expect(phone.standIn != nil && phone.desktop == nil)
            #expect(try !phone.isDesktopListening(), "what is off stays off, whoever asks")
            #expect(waitUntil(seconds: 20) { phone.standIn == nil }, "it leaves when nobody needs it")
            #expect(try call("List", "").status.isSuccess, "and comes again")
            try phone.systemctl("start", "\(phone.name)-desktop.socket", "\(phone.name)-desktop.service")
            #expect(waitUntil { phone.standIn == nil }, "and goes once belfry-desktop is there")
            #expect(try call("List", "").status.isSuccess)
            #expect(try !phone.hasFailedUnits())
            _ = service
        }
    }
}

/// What busctl(1) hears of a name's signals, also of those that are sent as soon as the name is taken: gdbus(1) only
/// asks for signals once it has seen that.
private final class BusMonitor {
    private let process: ChildProcess
    private let lines: LineReader
    private var passed: [String] = []

    init(of name: String) throws {
        let output = try DescriptorPair.pipe()
        let errors = try DescriptorPair.pipe()
        process = try ChildProcess(
            ChildCommand(
                path: "/usr/bin/busctl",
                arguments: ["--user", "--json=short", "--match=type='signal',sender='\(name)'", "monitor"],
                environment: inherited(),
                streams: [
                    0: .null, 1: .descriptor(output.writing.number), 2: .descriptor(errors.writing.number),
                ]))
        output.writing.close()
        errors.writing.close()
        lines = LineReader(output.reading)
        // It says so once it listens.
        guard LineReader(errors.reading).next(startingWith: "Monitoring", within: Client.patienceMilliseconds) != nil
        else { preconditionFailure("busctl does not listen") }
    }

    deinit {
        try? process.signal(SIGKILL)
        _ = try? process.waitUntilExit()
    }

    /// The first line with `part` in it that was not asked for yet: what two workers tell has no order.
    func next(_ part: String) throws -> String {
        if let index = passed.firstIndex(where: { $0.contains(part) }) { return passed.remove(at: index) }
        while let line = lines.next(within: Client.patienceMilliseconds) {
            if line.contains(part) { return line }
            passed.append(line)
        }
        throw StubServer.Nothing(what: "\(part) in \(passed)")
    }
}

/// The file by which the bus starts a phone's belfry-desktop, as `make install` installs it.
private final class ActivatedService {
    private static let unit = "SystemdService=belfry-bus.service"
    private let path: String

    init(of phone: Phone) throws {
        let name = "org.belfry.Calls1.service"
        let installed = contents(of: "\(Surroundings.programs)/../share/dbus-1/services/\(name)")
        let text = installed.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            line == Self.unit ? "SystemdService=\(phone.name)-bus.service" : String(line)
        }
        precondition(installed.contains(Self.unit), "\(name) names another unit")
        let folder = "\(Surroundings.home)/.local/share/dbus-1/services"
        _ = try run("/bin/mkdir", ["-p", folder])
        path = "\(folder)/\(name)"
        _ = try run("/usr/bin/tee", [path], input: text.joined(separator: "\n"))
        try Self.reload()
    }

    deinit {
        unsafe unlink(path)
        try? Self.reload()
    }

    private static func reload() throws {
        _ = try Bus.call("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus.ReloadConfig", [])
    }
}
