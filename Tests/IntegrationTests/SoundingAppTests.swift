import BelfryJSON
import BelfrySyscalls
import Glibc
import Support
import Testing

extension IntegrationTests {
    /// `Tests/CallingApp`, which plays from its first activation on, and at a sound server that is real.
    @Suite("The sound of an app in its calls") struct SoundingApps {
        private static let id = "com.example.calling"
        private static let uuid = "01234567-89AB-4CDE-8F01-23456789ABCD"
        private let folder = TemporaryFolder()
        private let phone: Phone

        init() throws {
            let path = folder.makeFolder("Calling.app")
            let text = """
                <plist version="1.0"><dict><key>CFBundleIdentifier</key><string>\(Self.id)</string>
                <key>CFBundleExecutable</key><string>Calling</string>
                <key>Plays</key><string>\(folder.write(Self.tone, to: "tone.wav"))</string>
                <key>UIBackgroundModes</key><array><string>voip</string></array></dict></plist>
                """
            folder.write(Array(text.utf8), to: "Calling.app/Info.plist")
            let program = folder.write(bytes(of: builtProgram("CallingApp")), to: "Calling.app/Calling")
            #expect(unsafe chmod(program, 0o755) == 0)
            phone = try Phone(
                [
                    "BELFRY_APPS": path, "BELFRY_SOUND": sourceFile("Sounds/ring.wav"), "BELFRY_APP_PATIENCE": "10s",
                ], hasApps: true)
            let start = try phone.belfry("app", "start", Self.id)
            #expect(start.status == .exited(code: 0), "\(start)")
        }

        /// A WAVE of two seconds: 440 Hz, 8,000 samples a second.
        private static var tone: [UInt8] {
            let samples = (0..<16_000).flatMap { little($0 / 9 % 2 == 0 ? 8_000 : 65_536 - 8_000, 2) }
            let format =
                little(1, 2) + little(1, 2) + little(8_000, 4) + little(16_000, 4) + little(2, 2) + little(16, 2)
            let head = Array("RIFF".utf8) + little(36 + samples.count, 4) + Array("WAVEfmt ".utf8) + little(16, 4)
            return head + format + Array("data".utf8) + little(samples.count, 4) + samples
        }

        private static func little(_ number: Int, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        }

        private var told: [String] { contents(of: "\(folder.path)/told").split(separator: "\n").map(String.init) }

        private func push(_ fields: String) throws -> Client {
            try phone.push(
                #"{"payload": {"uuid": "\#(Self.uuid)", \#(fields)}, "pushType": "voip", "topic": "\#(Self.id).voip"}"#)
        }

        /// The streams at the sound server that are of the process `pid`.
        private func streams(of pid: Int) throws -> [Substring] {
            let list = try run("/usr/bin/pactl", ["list", "sink-inputs"]).output
            return list.split(separator: "Sink Input #").filter { $0.contains("application.process.id = \"\(pid)\"") }
        }

        @Test("C14 silent before perform, in the role phone from didActivate on, and told what is early and late")
        func walk() throws {
            let log = "\(folder.path)/watched"
            let watching = try ChildProcess(
                ChildCommand(
                    path: "/bin/sh", arguments: ["-c", "exec \(Surroundings.programs)/belfry watch >\(log)"],
                    environment: inherited().merging(phone.environment) { $1 }, streams: [0: .null]))
            defer {
                try? watching.signal(SIGTERM)
                _ = try? watching.waitUntilExit()
            }
            let recording = Recording()
            let client = try push(#""callId": "one", "action": "late""#)
            try client.wait(for: "ringing")
            #expect(recording.waitUntilHeard())
            try phone.belfry("answer", "one")
            #expect(waitUntil { told.last == "perform answer" }, "\(told)")
            #expect(Recording.peakFromNow() == 0, "the ring has ended")
            #expect(told.suffix(2) == ["early 561017449", "perform answer"], "not fulfilled yet: \(told)")
            #expect(waitUntil { Set(told.suffix(2)) == ["active", "late"] }, "\(told)")
            #expect(Recording().waitUntilHeard(), "the app plays")
            let list = try phone.belfry("app", "list", "--json").output
            let pid = try #require(JSONValue.parse(Array(list.utf8)).objectValue?["pid"]?.numberValue)
            let streams = try streams(of: Int(pid))
            #expect(streams.count == 1 && streams.allSatisfy { $0.contains("media.role = \"phone\"") }, "\(streams)")
            _ = try push(#""type": "hangup", "how": "ends""#).story()
            #expect(waitUntil { told.last == "inactive" }, "\(told)")
            #expect(waitUntil { contents(of: log).contains("audio-after-end") }, "\(contents(of: log))")
            let warned = contents(of: log).split(separator: "\n").filter { $0.contains("audio-") }
            #expect(warned.count == 2 && warned.allSatisfy { $0.contains(Self.uuid) }, "\(warned)")
            #expect(warned.first?.contains("audio-early") == true)
            #expect(Recording.listening(forMilliseconds: 2_500)?.isHeard == true)
            #expect(try #require(Recording.peakFromNow()) > 0.1, "it sounds again and again")
            #expect(kill(Int32(pid), SIGUSR1) == 0)
            #expect(waitUntil { told.last == "stopped" }, "\(told)")
            #expect(Recording.listening(forMilliseconds: 300) != nil, "what the server had already")
            #expect(Recording.peakFromNow() == 0)
            #expect(try self.streams(of: Int(pid)).isEmpty)
            try phone.belfry("app", "stop", Self.id)
        }
    }
}
