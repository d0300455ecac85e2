import BelfryJSON
import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import CallLedger
import Glibc
import Support
import Testing

extension IntegrationTests {
    @Suite("An iOS app's calling code, right or wrong, under the units") struct CallingApps {
        private static let id = "com.example.calling"
        private static let uuid = "01234567-89AB-4CDE-8F01-23456789ABCD"
        let folder = TemporaryFolder()

        /// A phone whose app runs, and is to report within 3 s: `key` of its `Info.plist` is `value`. If it is
        /// `Late`, it is started by its first push. Its actions time out after `timeout`, if that is what is tried.
        func phone(_ key: String = "Registry", _ value: String = "", timeout: String? = nil) throws -> Phone {
            let path = folder.makeFolder("Calling.app")
            let text = """
                <plist version="1.0"><dict><key>CFBundleIdentifier</key><string>\(Self.id)</string>
                <key>CFBundleExecutable</key><string>Calling</string><key>\(key)</key><string>\(value)</string>
                <key>UIBackgroundModes</key><array><string>voip</string></array></dict></plist>
                """
            folder.write(Array(text.utf8), to: "Calling.app/Info.plist")
            let program = folder.write(bytes(of: builtProgram("CallingApp")), to: "Calling.app/Calling")
            #expect(unsafe chmod(program, 0o755) == 0)
            var settings = [
                "BELFRY_APPS": path, "BELFRY_APP_PATIENCE": "3s", "BELFRY_SOUND": key == "Ringtone" ? "ring" : "none",
            ]
            settings["BELFRY_ANSWER_TIMEOUT"] = timeout
            settings["BELFRY_ACTION_TIMEOUT"] = timeout
            let phone = try Phone(settings, hasApps: true)
            guard key != "Late" || value == "delegate" else { return phone }
            let start = try phone.belfry("app", "start", Self.id)
            #expect(start.status == .exited(code: 0), "\(start)")
            return phone
        }

        /// Has what is late come.
        private func signal(_ phone: Phone) throws {
            let list = try phone.belfry("app", "list", "--json").output
            let pid = try #require(JSONValue.parse(Array(list.utf8)).objectValue?["pid"]?.numberValue)
            #expect(kill(Int32(pid), SIGUSR1) == 0)
        }

        /// Whether the app answers its action after 1.5 s, or not at all.
        private static func isNeverInTime(_ way: String) -> Bool { way == "late" || way == "never" }

        func push(_ fields: String, to phone: Phone) throws -> Client {
            try phone.push(#"{"payload": {\#(fields)}, "pushType": "voip", "topic": "\#(Self.id).voip"}"#)
        }

        /// What the app has told, a line each.
        private var told: [String] { contents(of: "\(folder.path)/told").split(separator: "\n").map(String.init) }

        private func count(_ line: String) -> Int { told.count { $0 == line } }

        /// Whether no call of the app lives any more.
        private func waitUntilOver(_ phone: Phone) -> Bool {
            waitUntil { (try? phone.belfry("app", "list", "--json").output.contains("\"calls\":0")) == true }
        }

        func warnings(_ client: Client) -> [String] {
            client.events.compactMap { event in
                if case .warning(let code, _) = event.body { code.rawValue } else { nil }
            }
        }

        /// Reads on until `client` was warned of all of `codes`.
        private func wait(for codes: [String], _ client: Client) {
            while !Set(codes).isSubset(of: warnings(client)), client.next() != nil {}
        }

        @Test("C5 each way to report a push has its warnings, and rings once") func pushRule() throws {
            let ways: [(how: String, warnings: [String])] = [
                ("at once", []), ("in a task", ["push-reported-late"]), ("after 200 ms", ["push-reported-late"]),
                ("after the patience", ["push-not-reported", "push-reported-late"]),
                ("on a queue", ["push-reported-late"]), ("detached", ["push-reported-late"]),
                ("without completion", ["push-completion-missing"]),
                // Last: a report that names no push would be for this one (C2).
                ("never", ["push-not-reported"]),
            ]
            let phone = try phone()
            for (how, codes) in ways {
                let client = try push(#""callId": "\#(how)", "callerName": "Ada", "how": "\#(how)""#, to: phone)
                let ringing = try client.wait(for: "ringing")
                #expect(ringing.call == how)
                wait(for: codes, client)
                if how == "after the patience" { try client.wait(for: "caller") }
                let name = how == "never" ? "Ada" : "Jane"
                #expect(waitUntil { phone.ledger().call(CallKey(how))?.name == name }, "\(how)")
                try phone.belfry("hangup", how)
                _ = client.story()
                #expect(warnings(client).sorted() == codes, "\(how)")
                #expect(client.events.count { $0.name == "ringing" } == 1, "\(how) rings once")
                #expect(client.events.count { $0.name == "ended" } == 1, "\(how) ends once")
                #expect(waitUntilOver(phone), "\(how)")
            }
            #expect(waitUntil { count("perform end") == ways.count - 1 }, "one action for each: \(told)")
            #expect(count("perform answer") == 0 && phone.ledger().answers.isEmpty)
        }

        @Test("C5 C7 two pushes together ring both, and one report is asked for; a known call's rings once")
        func severalPushes() throws {
            let phone = try phone()
            let together = try ["one", "two"].map { try push(#""callId": "\#($0)", "how": "in a task""#, to: phone) }
            for client in together { try client.wait(for: "ringing") }
            try phone.belfry("hangup")
            for client in together { _ = client.story() }
            #expect(together.flatMap(warnings) == ["push-reported-late"])
            #expect(together.allSatisfy { $0.events.count { $0.name == "ended" } == 1 })
            #expect(waitUntilOver(phone))
            let known = try push(#""callId": "three", "uuid": "\#(Self.uuid)""#, to: phone)
            try known.wait(for: "ringing")
            let again = try push(#""callId": "four", "uuid": "\#(Self.uuid)""#, to: phone)
            let story = again.story()
            #expect(story.suffix(3) == ["warning uuid-reused", "silent duplicate", "delivered app"], "\(story)")
            #expect(try phone.rings().map(\.call) == ["three"])
            try phone.belfry("hangup", "three")
            #expect(known.story().suffix(2) == ["ended hangup cancelled", "missed"])
            #expect(waitUntil { count("reported 2") == 1 && count("reported") == 3 }, "\(told)")
        }

        @Test(
            "C5 an app without a receive method, and one whose registry has a queue of its own",
            arguments: [("deaf", ["push-no-receiver", "push-not-reported"]), ("queue", [])])
        func registries(_ registry: String, codes: [String]) throws {
            let phone = try phone("Registry", registry)
            let client = try push(#""callId": "one""#, to: phone)
            try client.wait(for: "ringing")
            wait(for: codes, client)
            try phone.belfry("hangup", "one")
            _ = client.story()
            #expect(warnings(client) == codes && client.events.count { $0.name == "ringing" } == 1)
        }

        @Test("C6 a push that is no call rings if its app reports one, and else is delivered") func noCall() throws {
            let phone = try phone()
            let client = try push(#""type": "mail", "callId": "one""#, to: phone)
            #expect(try client.wait(for: "ringing").call == "one")
            #expect(phone.ledger().call(CallKey("one"))?.name == "Jane")
            try phone.belfry("answer", "one")
            #expect(client.story().suffix(3) == ["ringing loud", "delivered app", "ended answered"])
            #expect(waitUntil { told.suffix(2) == ["perform answer", "active"] && phone.ledger().answers.isEmpty })
            let ends = try push(#""type": "hangup", "callId": "one", "uuid": "x""#, to: phone)
            _ = ends.story()
            let silent = try push(#""type": "mail", "how": "never""#, to: phone)
            #expect(
                silent.story().suffix(2) == ["warning field-ignored", "delivered app"], "it has a call: none is owed")
        }

        @Test(
            "C9 C10 what the delegate does with its answer, from any thread, late, twice or never",
            arguments: [
                ("", ["active"]), ("thread", ["active"]), ("twice", ["active"]), ("fails", []), ("thread fails", []),
                ("late", ["timed out", "late"]), ("never", ["timed out"]),
            ])
        func outcomes(_ way: String, then: [String]) throws {
            let phone = try phone(timeout: Self.isNeverInTime(way) ? "1s" : nil)
            let fields = #""callId": "one", "uuid": "\#(Self.uuid)""#
            let client = try push(#"\#(fields), "action": "\#(way)""#, to: phone)
            try client.wait(for: "ringing")
            try phone.belfry("answer", "one")
            #expect(client.story().suffix(1) == ["ended answered"])
            let before = ["launched", "token", "push", "reported", "perform answer"]
            #expect(waitUntil { told == before + then }, "\(told)")
            #expect(waitUntil { phone.ledger().answers.isEmpty })
            guard then == ["active"] else {
                #expect(waitUntilOver(phone))
                return
            }
            // The caller's hangup is the app's to carry out: it reports the end.
            _ = try push(#""type": "hangup", "how": "ends", \#(fields)"#, to: phone).story()
            #expect(waitUntilOver(phone))
            #expect(waitUntil { told == before + then + ["push", "reported 2", "inactive"] }, "\(told)")
        }

        @Test(
            "C9 C10 declined, hung up and timed out, it performs an end, whatever comes of that",
            arguments: [
                "", "thread", "twice", "fails", "thread fails", "late", "never",
            ])
        func ends(_ way: String) throws {
            let phone = try phone(timeout: Self.isNeverInTime(way) ? "1s" : nil)
            let client = try push(#""callId": "one", "duration": 1, "action": "\#(way)""#, to: phone)
            try client.wait(for: "ringing")
            if way == "thread" {
                try phone.belfry("hangup", "one")
            } else if way != "" {
                try phone.belfry("decline", "one")
            }
            let end = way == "" ? "timeout" : way == "thread" ? "hangup cancelled" : "declined"
            #expect(client.story().contains("ended \(end)"))
            #expect(waitUntilOver(phone))
            let tail = way == "late" ? ["timed out", "late"] : way == "never" ? ["timed out"] : []
            #expect(waitUntil { told == ["launched", "token", "push", "reported", "perform end"] + tail }, "\(told)")
        }

        @Test("C9 the app says that its call is over while it rings: silent, missed, and no action") func hangsUp()
            throws
        {
            let phone = try phone()
            let client = try push(#""callId": "one", "uuid": "\#(Self.uuid)""#, to: phone)
            try client.wait(for: "ringing")
            let ends = try push(#""callId": "two", "how": "ends", "uuid": "\#(Self.uuid)""#, to: phone)
            #expect(client.story().suffix(2) == ["ended hangup cancelled", "missed"])
            #expect(ends.story().suffix(2) == ["silent duplicate", "delivered app"])
            #expect(waitUntilOver(phone) && told.suffix(2) == ["push", "reported 2"], "\(told)")
        }

        @Test("C9 C10 an answer that a hangup meets: one end, one action, and nobody waits") func meets() throws {
            let seed = UInt64.random(in: 0...UInt64(UInt32.max))
            var random = SeededRandom(seed: seed)
            let phone = try phone()
            var seen: [String: Int] = [:]
            for number in 0..<(Surroundings.meetings ?? 4) {
                let (id, before) = ("call-\(number)", told.count)
                let uuid = Self.uuid.dropLast(3) + "\(100 + number)"
                let fields = #""callId": "\#(id)", "uuid": "\#(uuid)""#
                let call = try push(fields, to: phone)
                try call.wait(for: "ringing")
                let answer = { try TypedCommand(["answer", id], for: phone) }
                // As a voip push, which the app has too, or as an alert's extension might have it.
                let isVoIP = random.oneIn(2)
                let hangUp = { [self] in
                    try isVoIP ? push(#""type": "hangup", \#(fields)"#, to: phone) : phone.hangUp(id)
                }
                // A worker, and a command, takes a while until it can do anything.
                let (isFirst, later) = (random.oneIn(2), Int32.random(in: 0...4, using: &random))
                var (typed, hangup) = (isFirst ? try answer() : nil, isFirst ? nil : try hangUp())
                poll(nil, 0, later)
                (typed, hangup) = (try typed ?? answer(), try hangup ?? hangUp())
                let (isAnswered, errors) = try #require(typed).end()
                _ = (call.story(), hangup?.story())
                let what = "seed \(seed), \(id), hung up by voip: \(isVoIP): \(call.story), \(errors)"
                let ends = call.story.filter { $0.hasPrefix("ended") }
                #expect(ends == [isAnswered ? "ended answered" : "ended hangup cancelled"], "\(what)")
                seen[(isVoIP ? "voip " : "") + "\(ends) \(errors.split(separator: ":").last ?? "")", default: 0] += 1
                #expect(call.story.count { $0 == "missed" } == (isAnswered ? 0 : 1), "\(what)")
                let first = isAnswered ? "perform answer" : "perform end"
                #expect(waitUntil { told.dropFirst(before).contains(first) }, "\(what): \(told.dropFirst(before))")
                // An answered call is the app's to end.
                if isAnswered { _ = try push(#""type": "hangup", "how": "ends", \#(fields)"#, to: phone).story() }
                let reports = 1 + (isVoIP ? 1 : 0) + (isAnswered ? 1 : 0)
                #expect(waitUntil { told.dropFirst(before).count { $0.hasPrefix("reported") } == reports }, "\(what)")
                #expect(waitUntilOver(phone), "\(what)")
                // A call that is over by then is a new one, of which only its end is left.
                let news = told.dropFirst(before).filter { $0 == "reported" }
                #expect(isAnswered ? news.count == 1 : news.count <= reports, "\(what)")
                let performed = told.dropFirst(before).filter { $0.hasPrefix("perform") }
                #expect(performed == news.map { _ in first }, "\(what): \(told.dropFirst(before))")
                #expect(phone.ledger().answers.isEmpty && phone.ledger().rings.isEmpty, "\(what)")
            }
            #expect(count("timed out") == 0)
            print("answers and hangups: seed \(seed), \(seen.sorted { $0.key < $1.key })")
        }

        @Test("C8 C11 what an app asks for in vain, and without a provider, whose call is over") func requests() throws
        {
            let phone = try phone()
            let client = try push(#""callId": "one", "how": "requests", "uuid": "\#(Self.uuid)""#, to: phone)
            let story = client.story()
            #expect(story.contains("silent hung-up") || story.contains("ended hangup failed"), "\(story)")
            #expect(waitUntilOver(phone))
            #expect(waitUntil { told.count == 8 }, "\(told)")
            #expect(
                told.filter { !$0.hasPrefix("reported") }
                    == ["launched", "token", "push", "empty 3", "unknown 4", "hold 6", "gone 2"], "\(told)")
        }

        @Test("C4 C11 belfry-calls dies while a call rings: over, missed, one reset; the app has the next call")
        func centreKilled() throws {
            let phone = try phone()
            let client = try push(#""callId": "one""#, to: phone)
            try client.wait(for: "ringing")
            let centre = try #require(phone.calls)
            #expect(kill(centre, SIGKILL) == 0)
            #expect(client.story().suffix(3) == ["warning calls-unavailable", "ended stopped", "missed"])
            #expect(waitUntil { count("reset") == 1 })
            let next = try push(#""callId": "two""#, to: phone)
            try next.wait(for: "ringing")
            try phone.belfry("answer", "two")
            #expect(waitUntil { told.suffix(2) == ["perform answer", "active"] }, "\(told)")
            #expect(count("reset") == 1 && count("launched") == 1 && count("perform end") == 0)
        }

        @Test("C3 C11 the app dies with a push in its hands: that rings without it, and the next starts it") func dies()
            throws
        {
            let phone = try phone()
            let client = try push(#""callId": "one", "how": "dies""#, to: phone)
            try client.wait(for: "ringing")
            let next = try push(#""callId": "two""#, to: phone)
            #expect(waitUntil { count("launched") == 2 && count("reported") == 1 })
            try phone.belfry("hangup")
            #expect(client.story().contains("warning push-not-reported"))
            #expect(next.story().count { $0.hasPrefix("ended") } == 1)
        }

        @Test(
            "C4 accepted before the app has a registry, a delegate, or runs: the answer waits for it, and is its own",
            arguments: ["registry", "delegate", "launch"])
        func acceptedEarly(_ late: String) throws {
            let phone = try phone("Late", late)
            let client = try push(#""callId": "one""#, to: phone)
            try client.wait(for: "ringing")
            try phone.belfry("answer", "one")
            #expect(client.story().last == "ended answered")
            if late == "registry" { #expect(phone.ledger().answers.count == 1, "nobody has it yet") }
            if late != "launch" { try signal(phone) }
            // That it was reported is told on another queue.
            let performed = { told.filter { $0 != "reported" }.suffix(2) == ["perform answer", "active"] }
            #expect(waitUntil { performed() && count("reported") == 1 }, "\(told)")
            #expect(waitUntil { phone.ledger().answers.isEmpty })
            #expect(count("push") == 1, "\(told)")
        }

        /// What `belfry calls` has of the only call; nil unless it is the only one.
        private func listed(_ phone: Phone) throws -> JSONObject? {
            let lines = try phone.belfry("calls", "--json").output.split(separator: "\n")
            return lines.count == 1 ? try JSONValue.parse(Array(lines[0].utf8)).objectValue : nil
        }

        @Test("calls are listed without starting belfry-calls; a command starts it, and there is no call")
        func notStarted() throws {
            let phone = try Phone(hasApps: true)
            #expect(try phone.belfry("calls").output == "no call rings in group.belfry\n")
            #expect(phone.calls == nil)
            let end = try phone.belfry("end")
            #expect(end.status == .exited(code: 66) && end.errors == "belfry: no call goes on\n", "\(end)")
            #expect(phone.calls != nil)
            #expect(try phone.belfry("calls").output == "no call rings in group.belfry\n")
        }

        @Test("C16 what the person commands reaches the delegate, is listed and told; then there is no call")
        func commanded() throws {
            let phone = try phone()
            let watch = try ProgramRun(
                "\(Surroundings.programs)/belfry", ["watch", "--json"],
                environment: phone.environment.mapValues { $0 })
            let client = try push(#""callId": "one", "uuid": "\#(Self.uuid)""#, to: phone)
            try client.wait(for: "ringing")
            let early = try phone.belfry("end", "one")
            #expect(early.status == .exited(code: 66), "\(early)")
            #expect(early.errors == "belfry: one still rings: belfry decline one\n")
            try phone.belfry("answer", "one")
            #expect(waitUntil { told.suffix(2) == ["perform answer", "active"] }, "\(told)")
            let active = try #require(try listed(phone))
            #expect(active["call"] == "one" && active["state"] == "active" && active["mode"] == "active")
            #expect(active["app"] == .string(Self.id) && active["uuid"] == .string(Self.uuid))
            #expect(active["name"] == "Jane" && active["muted"] == false)
            #expect(try phone.belfry("calls").output.contains("com.example.calling"))
            let steps: [(words: [String], performed: [String], state: String, isMuted: Bool)] = [
                (["mute"], ["perform mute"], "active", true),
                (["hold", "one"], ["perform hold", "inactive"], "held", true),
                (["hold", "--off"], ["perform resume", "active"], "active", true),
                (["mute", "--off", Self.uuid.lowercased()], ["perform unmute"], "active", false),
                (["keypad", "12"], ["perform digits 1", "perform digits 2"], "active", false),
            ]
            for (words, performed, state, isMuted) in steps {
                let before = told.count
                let done = try run("\(Surroundings.programs)/belfry", words, environment: phone.environment)
                #expect(done.status == .exited(code: 0), "\(words): \(done)")
                #expect(done.output == "" && done.errors == "", "\(words): \(done)")
                #expect(waitUntil { Array(told.dropFirst(before)) == performed }, "\(words): \(told)")
                let call = try listed(phone)
                #expect(call?["state"] == .string(state) && call?["muted"] == .bool(isMuted), "\(words)")
            }
            let refused = try phone.belfry("split")
            #expect(refused.status == .exited(code: 69), "\(refused)")
            #expect(refused.errors == "belfry: one is in no group\n")
            #expect(try phone.belfry("end").status == .exited(code: 0))
            #expect(waitUntil { told.suffix(2) == ["perform end", "inactive"] }, "\(told)")
            #expect(try phone.belfry("end").errors == "belfry: no call goes on\n")
            #expect(try phone.belfry("end", "one").status == .exited(code: 66))
            #expect(try phone.belfry("calls", "--json").output == "")
            var story: [String] = []
            while story.last != "call ended", let line = watch.line(within: 20_000) {
                let event = try JSONValue.parse(Array(line.utf8)).objectValue
                let (name, state) = (event?["event"]?.stringValue ?? "", event?["state"]?.stringValue ?? "")
                if name == "call" { story.append("call \(state)") }
                if name == "action", state == "fulfilled" { story.append(event?["kind"]?.stringValue ?? "") }
            }
            try watch.child.signal(SIGTERM)
            _ = try watch.child.waitUntilExit()
            let talk = [
                "mute", "call muted", "hold", "call held", "resume", "call resumed", "unmute", "call unmuted", "dtmf",
                "dtmf", "end", "call ended",
            ]
            #expect(Array(story.suffix(talk.count)) == talk, "\(story)")
        }
    }
}
