import BelfryAppGroup
import BelfryPropertyList
import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import Glibc
import Support
import Testing

extension IntegrationTests {
    @Suite("A ringing extension as apps have it, unedited, under the units and heard") struct RingingExtensions {
        private static let group = "group.xxp.ring.callNotification"
        private static let call =
            #"{"aps":{"alert":{"title":"Ann","body":"calls"},"mutable-content":1},"info":{"type":1}}"#
        private static let hangup =
            #"{"aps":{"alert":{"title":"Ann","body":"has hung up"},"mutable-content":1},"info":{"type":2}}"#

        private let folder = TemporaryFolder()

        /// What ends the loop that the extension blocks in.
        enum End: CaseIterable {
            case hangup, foreground, rename, budget
        }

        private func phone(_ settings: [String: String]) throws -> Phone {
            folder.makeFolder("Ringing.appex")
            let keys = "<key>CFBundleIdentifier</key><string>com.example.ringing</string>"
            folder.write(
                Array("<plist version=\"1.0\"><dict>\(keys)</dict></plist>".utf8), to: "Ringing.appex/Info.plist")
            folder.write(bytes(of: sourceFile("Sounds/ring.wav")), to: "Ringing.appex/ring.mp3")
            // Itself, since the folder of a link's target would be the main bundle.
            let program = folder.write(bytes(of: builtProgram("RingingExtension")), to: "Ringing.appex/Ringing")
            unsafe chmod(program, 0o755)
            let own = ["BELFRY_EXTENSION": "\(folder.path)/Ringing.appex", "BELFRY_SOUND": "ring"]
            return try Phone(own.merging(settings) { $1 })
        }

        /// Pushes a call, and waits until it is shown, heard, and has vibrated twice.
        private func ring(_ phone: Phone) throws -> Client {
            let recording = Recording()
            let call = try phone.push(Self.call)
            let content = try call.wait(for: "delivered").content
            #expect(content?.title == "Ann [modified]" && content?.interruptionLevel == .timeSensitive)
            #expect(recording.waitUntilHeard(seconds: 20))
            let start = call.events.first { $0.name == "extension" }?.at ?? 0
            while let event = call.next() {
                guard let asked = event.asked, asked.what == .vibration else { continue }
                #expect(event.at - start >= Double(asked.n - 1))
                if asked.n == 2 { break }
            }
            return call
        }

        private func expectSilence(_ call: Client, returns: Bool) {
            while let event = call.next() {
                if event.extensionProcess?.state == (returns ? .returned : .ended) { break }
            }
            #expect(Recording.waitUntilSilent())
            #expect(call.events.contains { $0.extensionProcess?.state == .returned } == returns)
        }

        private func hangUp(_ phone: Phone) throws {
            let delivered = try phone.push(Self.hangup).wait(for: "delivered")
            #expect(delivered.content?.title == "Ann" && delivered.content?.body == "has hung up")
        }

        @Test("R3 it shows, sounds and vibrates, until something ends its loop", arguments: End.allCases)
        func ends(_ end: End) throws {
            let phone = try phone(["BELFRY_EXPIRY_BUDGET": end == .budget ? "6s" : "60s"])
            let call = try ring(phone)
            let key = { phone.file(Self.group).snapshot().root["keyStartCallTime"] }
            #expect(key() != nil)
            switch end {
            case .hangup: try hangUp(phone)
            case .foreground: #expect(try phone.belfry("app", "foreground", "--group", Self.group).status.isSuccess)
            case .rename: phone.foreign(Self.group) { $0["keyStartCallTime"] = nil }
            case .budget: break
            }
            expectSilence(call, returns: end != .budget)
            // Whoever is killed at its budget leaves its key, as on iOS.
            #expect((key() == nil) == (end != .budget))
        }

        @Test("C14 it falls silent once a call becomes active, and one that begins beside that call is heard")
        func inCall() throws {
            let phone = try phone(["BELFRY_EXPIRY_BUDGET": "60s"])
            let call = try ring(phone)
            let softphone = try ChildProcess(ChildCommand(path: "/bin/sleep", arguments: ["600"]))
            defer { kill(softphone.pid, SIGKILL) }
            let other = try phone.push(#"{"payload": {"callId": "other"}, "pushType": "voip", "topic": "a.voip"}"#)
            try other.wait(for: "ringing")
            #expect(try phone.belfry("answer", "other", "--pid", "\(softphone.pid)").status.isSuccess)
            #expect(Recording.waitUntilSilent())
            try hangUp(phone)
            expectSilence(call, returns: true)
            let states = call.events.compactMap { event in
                if case .sound(let state, _) = event.body { state.known } else { nil }
            }
            #expect(states.contains(.muted), "\(states)")
            let next = try ring(phone)
            try hangUp(phone)
            expectSilence(next, returns: true)
        }

        @Test(
            "a push while it blocks is handled at once: after its reply with Strict=, by a second object with Reuse=",
            arguments: ["BELFRY_EXTENSION_STRICT", "BELFRY_EXTENSION_REUSE"])
        func hosted(setting: String) throws {
            let phone = try phone([setting: "yes", "BELFRY_EXPIRY_BUDGET": "60s"])
            let call = try ring(phone)
            try hangUp(phone)
            expectSilence(call, returns: true)
        }
    }
}
