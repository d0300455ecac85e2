import BelfryAppGroup
import BelfryJSON
import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import CallDirectoryFiles
import CallLedger
import Glibc
import Support
import Testing

extension IntegrationTests {
    @Suite("What a number does to a call, under the units") struct DirectoryCalls {
        private static let id = "com.example.calling"
        private static let number: Int64 = 49_30_1234567
        private static let handle = "+49 30 1234567"
        let folder = TemporaryFolder()

        /// A phone whose person has blocked the number, or has a label for it.
        private func phone(isBlocked: Bool, _ settings: [String: String] = [:], hasApp: Bool = false) throws -> Phone {
            var settings = settings
            if hasApp {
                settings["BELFRY_APPS"] = app()
                settings["BELFRY_APP_PATIENCE"] = "3s"
            }
            let phone = try Phone(settings, hasDesktop: !hasApp, hasApps: hasApp)
            let directory = try FilledDirectory(inStateDirectory: phone.state.path)
            try directory.fill(
                .list, blocked: isBlocked ? [Self.number] : [], labels: [Self.number: isBlocked ? "Swindle" : "Bank"])
            if hasApp {
                let start = try phone.belfry("app", "start", Self.id)
                #expect(start.status == .exited(code: 0), "\(start)")
            }
            return phone
        }

        private func app() -> String {
            let path = folder.makeFolder("Calling.app")
            let text = """
                <plist version="1.0"><dict><key>CFBundleIdentifier</key><string>\(Self.id)</string>
                <key>CFBundleExecutable</key><string>Calling</string>
                <key>UIBackgroundModes</key><array><string>voip</string></array></dict></plist>
                """
            folder.write(Array(text.utf8), to: "Calling.app/Info.plist")
            let program = folder.write(bytes(of: builtProgram("CallingApp")), to: "Calling.app/Calling")
            #expect(unsafe chmod(program, 0o755) == 0)
            return path
        }

        private func voip(_ fields: String, to phone: Phone) throws -> Client {
            try phone.push(#"{"payload": {\#(fields)}, "pushType": "voip", "topic": "\#(Self.id).voip"}"#)
        }

        /// The id of a call that no other test has in the journal.
        private static func unusedID() -> String { "directory-\(UInt32.random(in: .min ... .max))" }

        /// The journal's entries that `call` does not ring.
        private func silences(of call: String) -> String {
            let journal = try? run(
                "/usr/bin/journalctl", ["--user", "--output=cat", "BELFRY_CALL=\(call)", "BELFRY_EVENT=silent"])
            return journal?.output ?? ""
        }

        /// What `org.belfry.Calls1` answers of the configured group.
        private func bus(_ method: String) throws -> String {
            let name = "org.belfry.Calls1"
            return try Bus.call(name, "/org/belfry/Calls1", "\(name).\(method)", [""]).output
        }

        private var told: [String] { contents(of: "\(folder.path)/told").split(separator: "\n").map(String.init) }

        /// Has the app ask for `words`, and returns what it has told of it.
        private func ask(_ words: String, of phone: Phone) throws -> String? {
            let before = told.count
            _ = try voip(#""type": "mail", "how": "asks", "ask": "\#(words)""#, to: phone)
            let answer = words.hasPrefix("reload") ? "reloaded" : "enabled"
            var heard: String?
            #expect(
                waitUntil {
                    heard = told.dropFirst(before).first { $0.hasPrefix(answer) }
                    return heard != nil
                }, "\(told)")
            return heard
        }

        @Test("an app has its own extension loaded by the unit, whose numbers then decide") func loaded() throws {
            let plugIn = "Calling.app/PlugIns/Numbers.appex"
            folder.makeFolder(plugIn)
            let id = "\(Self.id).numbers"
            let text = """
                <plist version="1.0"><dict><key>CFBundleIdentifier</key><string>\(id)</string>
                <key>CFBundleExecutable</key><string>Numbers</string>
                <key>NSExtension</key><dict><key>NSExtensionPointIdentifier</key>
                <string>com.apple.callkit.call-directory</string></dict></dict></plist>
                """
            folder.write(Array(text.utf8), to: "\(plugIn)/Info.plist")
            let program = folder.write(bytes(of: builtProgram("DirectorySample")), to: "\(plugIn)/Numbers")
            #expect(unsafe chmod(program, 0o755) == 0)
            // More memory than the unit of belfry-calls has.
            folder.write(Array("hold 100\nblock \(Self.number)\ncomplete\n".utf8), to: "\(plugIn)/do.txt")
            let phone = try phone(isBlocked: false, hasApp: true)
            #expect(try ask("enabled \(id)", of: phone) == "enabled 1")
            #expect(try ask("reload \(id)", of: phone) == "reloaded 6")
            #expect(try ask("reload com.example.other", of: phone) == "reloaded 1")
            var settings = phone.environment
            settings["BELFRY_APPS"] = "\(folder.path)/Calling.app"
            let enabled = try run(
                "\(Surroundings.programs)/belfry", ["directory", "enable", id], environment: settings)
            #expect(enabled.status == .exited(code: 0), "\(enabled)")
            try phone.belfry("directory", "remove", "+\(Self.number)")
            folder.write(
                Array("hold 100\nlabel \(Self.number) Swindle\nblock \(Self.number)\ncomplete\n".utf8),
                to: "\(plugIn)/do.txt")
            #expect(try ask("reload \(id)", of: phone) == "reloaded well")
            #expect(try ask("enabled \(id)", of: phone) == "enabled 2")
            let client = try phone.call(Self.unusedID(), #""handle": "\#(Self.handle)""#)
            #expect(client.story() == ["received call-request", "silent blocked", "delivered extension"])
            #expect(client.events.last { $0.name == "silent" }?.label?.text == "Swindle")
            let found = try phone.belfry("directory", "lookup", Self.handle).output
            #expect(found.contains("blocked") && found.contains(id), "\(found)")
        }

        @Test("R24 a blocked caller's alert is delivered unseen, and nobody has missed it") func blocked() throws {
            let phone = try phone(isBlocked: true)
            let call = Self.unusedID()
            let client = try phone.call(call, #""handle": "\#(Self.handle)""#)
            #expect(client.story() == ["received call-request", "silent blocked", "delivered extension"])
            #expect(
                client.events.last?.isShown == false
                    && client.events.last { $0.name == "silent" }?.label?.text == "Swindle")
            #expect(phone.ledger().calls.isEmpty && phone.ledger().missedCalls.isEmpty)
            #expect(waitUntil { silences(of: call) == "Call \(call): does not ring: blocked\n" })
            #expect(try !phone.hasFailedUnits())
        }

        @Test("R24 whose number it is shows in belfry calls and among the missed") func labelled() throws {
            let phone = try phone(isBlocked: false)
            let client = try phone.call("one", #""handle": "\#(Self.handle)""#)
            #expect(try client.wait(for: "ringing").label == NumberLabel("Bank", from: "list"))
            #expect(try phone.belfry("calls").output.contains("Bank"))
            let object = try JSONValue.parse(Array(phone.belfry("calls", "--json").output.utf8)).objectValue
            #expect(object?["label"] == "Bank" && object?["labelFrom"] == "list")
            #expect(try bus("List").contains("'label': <'Bank'>, 'labelFrom': <'list'>"))
            try phone.belfry("hangup", "one")
            #expect(client.story().last == "missed")
            #expect(try bus("ListMissed").contains("'label': <'Bank'>, 'labelFrom': <'list'>"))
            #expect(
                try phone.belfry("calls", "--missed", "--json").output.contains(#""label":"Bank","labelFrom":"list""#))
        }

        @Test("R24 an app's report of a blocked caller gets error 4, and nothing rings") func blockedReport() throws {
            let phone = try phone(isBlocked: true, hasApp: true)
            let client = try voip(#""callId": "one", "number": "\#(Self.handle)""#, to: phone)
            #expect(client.story() == ["received call-request voip", "silent blocked", "delivered app"])
            #expect(client.events.last?.isShown == false)
            #expect(waitUntil { told.contains("reported 4") }, "\(told)")
            #expect(phone.ledger().calls.isEmpty && phone.ledger().missedCalls.isEmpty)
        }

        @Test("R24 an app's call is known by its number; with AppCalls=no it is Apple's, and rings unnamed")
        func labelledReport() throws {
            for looksUp in [true, false] {
                let phone = try phone(
                    isBlocked: !looksUp, ["BELFRY_DIRECTORY_APP_CALLS": looksUp ? "yes" : "no"], hasApp: true)
                let client = try voip(#""callId": "one", "number": "\#(Self.handle)""#, to: phone)
                let ringing = try client.wait(for: "ringing")
                #expect(ringing.label == (looksUp ? NumberLabel("Bank", from: "list") : nil))
                #expect(phone.ledger().call(CallKey("one"))?.label == ringing.label)
                try phone.belfry("answer", "one")
                _ = client.story()
                let going = waitUntil { (try? phone.belfry("calls", "--json").output.contains("\"uuid\"")) == true }
                #expect(going)
                #expect(try phone.belfry("calls", "--json").output.contains("\"labelFrom\"") == looksUp)
                try phone.belfry("end", "one")
            }
        }

        @Test("R24 a voip push that its app does not report is looked up by its own fields") func unreported() throws {
            let phone = try phone(isBlocked: true, hasApp: true)
            let client = try voip(
                #""callId": "one", "how": "never", "handle": "\#(Self.handle)""#, to: phone)
            let story = client.story()
            #expect(story.contains("silent blocked") && story.last?.hasPrefix("delivered") == true, "\(story)")
            #expect(!client.events.contains { $0.name == "ringing" } && phone.ledger().calls.isEmpty)
        }

        @Test("R24 what a push server sends to the endpoint is looked up like any") func endpoint() throws {
            let phone = try phone(isBlocked: true)
            try phone.belfry("apns", "setup")
            let device = try object(phone.belfry("device", "add", "--bundle-id", "com.example.phone", "--json"))
            let token = try #require(device["voipToken"]?.stringValue)
            let certificate = try phone.pushCertificate()
            try phone.systemctl("start", "\(phone.name)-apns.socket")
            let blocked = Self.unusedID()
            for (id, handle) in [(blocked, Self.handle), ("two", "+1")] {
                let payload = #"{"callId": "\#(id)", "handle": "\#(handle)"}"#
                #expect(try phone.push(payload, to: token, by: certificate) == "200")
            }
            #expect(try waitUntil { try phone.rings().map(\.call) == ["two"] })
            #expect(waitUntil { silences(of: blocked) == "Call \(blocked): does not ring: blocked\n" })
            #expect(phone.ledger().call(CallKey(blocked)) == nil)
            try phone.belfry("hangup", "two")
        }
    }
}
