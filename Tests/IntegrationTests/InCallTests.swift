import BelfryJSON
import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import CallLedger
import Glibc
import Support
import Testing

extension IntegrationTests {
    @Suite("C8 C13 C16: what goes on in a call, of one app and of two, under the units") struct InCalls {
        private let folder = TemporaryFolder()
        private static let a = "01234567-89AB-4CDE-8F01-23456789ABCA"
        private static let b = "01234567-89AB-4CDE-8F01-23456789ABCB"
        private static let c = "01234567-89AB-4CDE-8F01-23456789ABCC"

        /// An app that does what its pushes say, and tells what is done, a line each.
        private struct App {
            let name: String
            let folder: TemporaryFolder

            var id: String { "com.example.\(name)" }
            var pushes: Int { told.count { $0 == "push" } }
            var told: [String] { contents(of: "\(folder.path)/\(name)/told").split(separator: "\n").map(String.init) }

            init(_ name: String, in folder: TemporaryFolder) {
                (self.name, self.folder) = (name, folder)
                folder.makeFolder(name)
                folder.makeFolder("\(name)/Calling.app")
                let text = """
                    <plist version="1.0"><dict><key>CFBundleIdentifier</key><string>\(id)</string>
                    <key>CFBundleExecutable</key><string>Calling</string><key>CFBundleName</key><string>\(name)</string>
                    <key>UIBackgroundModes</key><array><string>voip</string></array></dict></plist>
                    """
                folder.write(Array(text.utf8), to: "\(name)/Calling.app/Info.plist")
                let program = folder.write(bytes(of: builtProgram("CallingApp")), to: "\(name)/Calling.app/Calling")
                #expect(unsafe chmod(program, 0o755) == 0)
            }

            func push(_ fields: String, to phone: Phone) throws -> Client {
                try phone.push(#"{"payload": {\#(fields)}, "pushType": "voip", "topic": "\#(id).voip"}"#)
            }

            /// Has the app ask for `words`, and returns what it has told once that many lines are new.
            func asks(_ words: String, _ lines: Int, _ phone: Phone) throws -> [String] {
                let before = pushes
                let push = try push(#""type": "mail", "how": "asks", "ask": "\#(words)""#, to: phone)
                let since = { Array(told.reversed().prefix { $0 != "push" }.reversed()) }
                #expect(
                    waitUntil { pushes > before && since().count >= lines },
                    "\(words): \(told.suffix(12)), \(push.story())")
                return since()
            }

            /// Has the call `uuid` ring and be answered by the person.
            func answers(_ uuid: String, _ key: String, _ phone: Phone) throws {
                let call = try push(#""callId": "\#(key)", "uuid": "\#(uuid)""#, to: phone)
                try call.wait(for: "ringing")
                let answered = try phone.belfry("answer", key)
                #expect(answered.status == .exited(code: 0), "\(answered)")
                #expect(waitUntil { told.contains("perform answer") })
            }
        }

        private func phone(_ apps: [App], _ settings: [String: String] = [:]) throws -> Phone {
            let paths = apps.map { "\(folder.path)/\($0.name)/Calling.app" }.joined(separator: " ")
            let all = ["BELFRY_APPS": paths, "BELFRY_ACTION_TIMEOUT": "2s"].merging(settings) { $1 }
            let phone = try Phone(all, hasDesktop: settings["DESKTOP"] != nil, hasApps: true)
            for app in apps {
                let start = try phone.belfry("app", "start", app.id)
                #expect(start.status == .exited(code: 0), "\(start)")
            }
            return phone
        }

        private func states(_ phone: Phone) throws -> [String] {
            try phone.belfry("calls", "--json").output.split(separator: "\n").compactMap { line in
                try JSONValue.parse(Array(line.utf8)).objectValue?["state"]?.stringValue
            }
        }

        @Test("an outgoing call: performed, on in its group's file, so that another rings softly until it is over")
        func outgoing() throws {
            let app = App("one", in: folder)
            let phone = try phone([app], ["BELFRY_SOUND": "ring"])
            let started = try app.asks("start \(Self.a)", 3, phone)
            #expect(Set(started) == ["asked start", "perform start", "active"] && started.last == "active")
            #expect(try states(phone) == ["connecting"])
            _ = try app.asks("connecting \(Self.a); connected \(Self.a)", 0, phone)
            #expect(try waitUntil { try states(phone) == ["active"] })
            #expect(waitUntil { phone.ledger().activeCalls.map(\.key.text) == [Self.a] })
            let second = try phone.call("B")
            #expect(try second.wait(for: "ringing").ringing?.mode.known == .soft)
            #expect(try phone.belfry("end").status.isSuccess)
            #expect(waitUntil { app.told.suffix(2) == ["perform end", "inactive"] }, "\(app.told)")
            #expect(try second.wait(for: "ringing").ringing?.mode.known == .loud)
            #expect(phone.ledger().activeCalls.isEmpty)
            _ = try phone.hangUp("B").story()
        }

        @Test("two apps: the second's call holds the first's, nothing goes on by itself, and both see all calls")
        func twoApps() throws {
            let (one, two) = (App("one", in: folder), App("two", in: folder))
            let phone = try phone([one, two])
            _ = try two.asks("observe", 0, phone)
            try one.answers(Self.a, "first", phone)
            #expect(waitUntil { one.told.last == "active" }, "\(one.told)")
            try two.answers(Self.b, "second", phone)
            #expect(waitUntil { one.told.suffix(2) == ["perform hold", "inactive"] }, "\(one.told)")
            #expect(try waitUntil { try states(phone) == ["held", "active"] })
            #expect(waitUntil { phone.ledger().activeCalls.map(\.key.text) == ["second"] })
            #expect(try phone.belfry("end", "second").status.isSuccess)
            #expect(waitUntil { two.told.contains("inactive") }, "\(two.told)")
            #expect(try states(phone) == ["held"] && phone.ledger().activeCalls.isEmpty)
            #expect(one.told.suffix(2) == ["perform hold", "inactive"], "nothing goes on by itself")
            #expect(try phone.belfry("hold", "--off").status.isSuccess)
            #expect(waitUntil { one.told.suffix(2) == ["perform resume", "active"] }, "\(one.told)")
            #expect(try phone.belfry("end").status.isSuccess)
            let saw = { two.told.filter { $0.hasPrefix("saw") } }
            let expected = [
                "saw A incoming", "saw A incoming connected", "saw B incoming", "saw A incoming connected held",
                "saw B incoming connected", "saw B incoming connected ended", "saw A incoming connected",
                "saw A incoming connected ended",
            ]
            #expect(waitUntil { Set(saw()) == Set(expected) && saw().count == expected.count }, "\(saw())")
        }

        @Test("one app: hold and answer in one transaction, swap, group, digits, a third call too many, end all")
        func oneApp() throws {
            let app = App("one", in: folder)
            let phone = try phone([app])
            try app.answers(Self.a, "first", phone)
            #expect(waitUntil { app.told.last == "active" })
            let second = try app.push(#""callId": "second", "uuid": "\#(Self.b)""#, to: phone)
            try second.wait(for: "ringing")
            let both = try app.asks("hold \(Self.a), answer \(Self.b)", 5, phone)
            #expect(
                both.last == "active"
                    && Set(both) == ["asked hold", "perform hold", "perform answer", "inactive", "active"], "\(both)")
            #expect(try waitUntil { try states(phone) == ["held", "active"] })
            let full = try app.asks("start \(Self.c)", 1, phone)
            #expect(full == ["asked start 7"], "two groups are all: \(full)")
            let swap = try app.asks("hold \(Self.b), resume \(Self.a)", 3, phone)
            #expect(Set(swap).isSuperset(of: ["asked hold", "perform hold", "perform resume"]), "\(swap)")
            #expect(try waitUntil { try states(phone) == ["active", "held"] })
            let group = try app.asks("group \(Self.b) \(Self.a)", 2, phone)
            #expect(Set(group) == ["asked group", "perform group"], "\(group)")
            let digits = try app.asks("dtmf \(Self.a) 12", 2, phone)
            #expect(Set(digits) == ["asked dtmf", "perform digits 12"], "\(digits)")
            let apart = try app.asks("ungroup \(Self.b)", 2, phone)
            #expect(Set(apart) == ["asked ungroup", "perform ungroup"], "\(apart)")
            let ends = try app.asks("end \(Self.a), end \(Self.b)", 3, phone)
            #expect(ends.filter { $0 == "perform end" }.count == 2, "\(ends)")
            #expect(try waitUntil { try states(phone).isEmpty } && phone.ledger().activeCalls.isEmpty)
        }

        @Test("a second call is accepted by the desktop's button: a hold and an answer")
        func holdAndAccept() throws {
            let server = try StubServer()
            let app = App("one", in: folder)
            let phone = try phone([app], ["DESKTOP": "1"])
            try app.answers(Self.a, "first", phone)
            #expect(try server.shows { $0.contains { $0.actions.contains("call.end") } })
            let second = try app.push(#""callId": "second", "uuid": "\#(Self.b)""#, to: phone)
            try second.wait(for: "ringing")
            #expect(try server.shows { $0.contains { $0.actions.contains("call.hold-accept") } })
            let ring = try #require(server.shown.values.first { $0.actions.contains("call.hold-accept") })
            server.obey("choose \(ring.id) call.hold-accept")
            #expect(try second.wait(for: "ended").ended?.reason == .answered)
            #expect(try waitUntil { try states(phone) == ["held", "active"] }, "\(app.told)")
            let performed = app.told.filter { $0.hasPrefix("perform") }
            #expect(performed == ["perform answer", "perform hold", "perform answer"], "\(app.told)")
            #expect(try server.shows { $0.count { $0.actions.contains("call.end") } == 2 })
            _ = try app.asks("end \(Self.a), end \(Self.b)", 3, phone)
            #expect(try server.shows { $0.isEmpty })
        }

        @Test("button, bus, command, the app and the other side end a call at once: one action at most, and one end")
        func allEndIt() throws {
            let seed = UInt64.random(in: 0...UInt64(UInt32.max))
            var random = SeededRandom(seed: seed)
            let server = try StubServer()
            let app = App("one", in: folder)
            // Of pushes without a report no more than a hundred are waited for at once.
            let phone = try phone([app], ["DESKTOP": "1", "BELFRY_APP_PATIENCE": "1s"])
            let watch = try ProgramRun(
                "\(Surroundings.programs)/belfry", ["watch", "--json"], environment: phone.environment.mapValues { $0 })
            var ends: [String: Int] = [:]
            for number in 0..<(Surroundings.meetings ?? 4) {
                let uuid = Self.a.dropLast(3) + "\(100 + number)"
                _ = try app.asks("start \(uuid); connected \(uuid)", 3, phone)
                #expect(try server.shows { $0.count == 1 && $0[0].body.contains("since") })
                let shown = try #require(server.shown.values.first)
                var commands: [TypedCommand] = []
                for way in [0, 1, 2, 3, 4].shuffled(using: &random) {
                    switch way {
                    case 0: server.obey("choose \(shown.id) call.end")
                    case 1:
                        _ = try Bus.call(
                            "org.belfry.Calls1", "/org/belfry/Calls1", "org.belfry.Calls1.End", ["", "\(uuid)"])
                    case 2: commands.append(try TypedCommand(["end", "\(uuid)"], for: phone))
                    case 3: _ = try app.asks("end \(uuid)", 0, phone)
                    default: if random.oneIn(2) { _ = try app.asks("over \(uuid)", 0, phone) }
                    }
                }
                for command in commands {
                    let (isDone, errors) = try command.end()
                    #expect(isDone || errors.contains("\(uuid)"), "seed \(seed): \(errors)")
                }
                #expect(try server.shows { $0.isEmpty }, "seed \(seed)")
                #expect(try waitUntil { try states(phone).isEmpty } && phone.ledger().activeCalls.isEmpty)
                var actions = 0
                while ends["\(uuid)"] == nil, let line = watch.line(within: 20_000) {
                    let event = try JSONValue.parse(Array(line.utf8)).objectValue
                    let isOfCall = event?["call"]?.stringValue == "\(uuid)"
                    if isOfCall, event?["kind"] == "end", event?["state"] == "performed" { actions += 1 }
                    if isOfCall, event?["event"] == "call", event?["state"] == "ended" {
                        ends["\(uuid)", default: 0] += 1
                    }
                }
                #expect(actions <= 1 && ends["\(uuid)"] == 1, "seed \(seed), \(uuid): \(actions), \(ends)")
            }
            try watch.child.signal(SIGTERM)
            _ = try watch.child.waitUntilExit()
            print("ends of calls: seed \(seed)")
        }

        @Test("the desktop dies in a call: it shows it again, and its button works; belfry-calls too, in either order")
        func desktopKilled() throws {
            let server = try StubServer()
            let app = App("one", in: folder)
            let phone = try phone([app], ["DESKTOP": "1"])
            try app.answers(Self.a, "first", phone)
            #expect(try server.shows { $0.contains { $0.body.contains("since") } })
            kill(try #require(phone.desktop), SIGKILL)
            let isMuted = try waitUntil {
                // It may be asked for anew, under another number.
                while try server.next(within: 300) != nil {}
                for id in server.shown.keys { server.obey("choose \(id) call.mute") }
                return app.told.last == "perform mute"
            }
            #expect(isMuted, "\(app.told)")
            #expect(try server.shows { $0.contains { $0.body.contains("Muted") } })
            kill(try #require(phone.calls), SIGKILL)
            #expect(waitUntil { app.told.last == "reset" })
            #expect(try server.shows { !$0.contains { $0.actions.contains("call.end") } })
            _ = try app.asks("start \(Self.b)", 3, phone)
            #expect(try server.shows { $0.contains { $0.actions.contains("call.end") } })
        }

        @Test("a thousand holds and lifts at once, and dates of other centuries, disturb no other call") func storm()
            throws
        {
            let (one, two) = (App("one", in: folder), App("two", in: folder))
            // A thousand actions take their time on a busy machine.
            let phone = try phone([one, two], ["BELFRY_ACTION_TIMEOUT": "60s"])
            _ = try two.asks("start \(Self.b); connected \(Self.b)", 3, phone)
            #expect(try waitUntil { try states(phone) == ["active"] })
            _ = try one.asks("start \(Self.a); long-ago \(Self.a); far-ahead \(Self.a)", 3, phone)
            #expect(try waitUntil { try states(phone) == ["held", "active"] })
            let performed = try one.asks("often \(Self.a)", 1_000, phone)
            #expect(performed.count { $0.hasPrefix("perform") } == 1_000)
            #expect(try waitUntil { try states(phone) == ["held", "active"] })
            #expect(try phone.belfry("end", Self.b).status.isSuccess)
            #expect(waitUntil { two.told.contains("perform end") }, "\(two.told)")
            #expect(try states(phone) == ["active"])
        }

        @Test("belfry-calls dies in a call: one reset, nothing goes on or rings, and the app calls anew")
        func centreKilled() throws {
            let app = App("one", in: folder)
            let phone = try phone([app], ["DESKTOP": "1"])
            let server = try StubServer()
            try app.answers(Self.a, "first", phone)
            #expect(waitUntil { phone.ledger().activeCalls.count == 1 })
            kill(try #require(phone.calls), SIGKILL)
            #expect(waitUntil { app.told.last == "reset" }, "\(app.told)")
            #expect(try phone.belfry("calls", "--json").output.isEmpty)
            #expect(phone.ledger().activeCalls.isEmpty && phone.ledger().rings.isEmpty)
            _ = try app.asks("start \(Self.b)", 3, phone)
            #expect(waitUntil { app.told.last == "active" }, "\(app.told)")
            #expect(app.told.count { $0 == "reset" } == 1)
            _ = server
        }

        @Test("an app dies in a call: that ends as failed, is on no longer, and the other's goes on")
        func appKilled() throws {
            let (one, two) = (App("one", in: folder), App("two", in: folder))
            let phone = try phone([one, two])
            _ = try two.asks("observe", 0, phone)
            try one.answers(Self.a, "first", phone)
            #expect(waitUntil { two.told.last == "saw A incoming connected" }, "\(two.told)")
            #expect(try phone.belfry("app", "stop", one.id).status.isSuccess)
            #expect(waitUntil { two.told.last == "saw A incoming connected ended" }, "\(two.told)")
            #expect(try states(phone).isEmpty && phone.ledger().activeCalls.isEmpty)
            let none = try phone.belfry("end")
            #expect(none.status == .exited(code: 66) && none.errors == "belfry: no call goes on\n", "\(none)")
        }
    }
}
