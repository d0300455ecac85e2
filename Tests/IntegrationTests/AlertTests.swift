import BelfryJSON
import BelfryProtocol
import BelfryTerms
import Glibc
import Support
import Testing

extension IntegrationTests {
    @Suite("An alert") struct Alerts {
        private let folder = TemporaryFolder()

        private static func payload(_ title: String, _ more: String = "") -> String {
            #"{"payload": {"aps": {"alert": {"title": "\#(title)", "body": "one\ntwo & <three>"}\#(more)}, "#
                + #""url": "https://a.example/"}, "collapseId": "\#(title)"}"#
        }

        private static func sounds(_ client: Client) -> [String] {
            client.events.compactMap { event in
                if case .sound(let state, let detail) = event.body { "\(state.rawValue) \(detail)" } else { nil }
            }
        }

        /// What dunst has shown and closed, by its first lines.
        private func history() throws -> [String: JSONObject] {
            _ = try run("/usr/bin/dunstctl", ["close-all"])
            let output = try run("/usr/bin/dunstctl", ["history"]).output
            let lists = try JSONValue.parse(Array(output.utf8)).objectValue?["data"]?.arrayValue ?? []
            var shown: [String: JSONObject] = [:]
            for entry in lists.first?.arrayValue?.compactMap(\.objectValue) ?? [] {
                if let title = entry["summary"]?.objectValue?["data"]?.stringValue { shown[title] = entry }
            }
            return shown
        }

        @Test("dunst shows all of its text, by the urgency of its level; a long one too") func shown() throws {
            let screen = try Screen()
            let dunst = try screen.startDunst()
            let phone = try Phone(hasDesktop: true)
            try phone.wakeDesktop()
            let long = (1...40).map { "Line \($0) of a message that is long" }.joined(separator: "\\n")
            let levels = ["passive", "active", "time-sensitive", "critical"]
            for level in levels {
                _ = try phone.push(Self.payload(level, #", "interruption-level": "\#(level)""#)).story()
            }
            _ = try phone.push(#"{"aps": {"alert": {"title": "long", "body": "\#(long)"}}}"#).story()
            #expect(
                try waitUntil {
                    try run("/usr/bin/dunstctl", ["count"]).output.contains("Currently displayed: 5")
                })
            // Its colours are by urgency; this version does not say it otherwise.
            #expect(screen.shows(Screen.critical, on: Screen.oneNotification, keepingAs: "alerts"))
            let shown = try history()
            func text(_ title: String, _ key: String) -> String? {
                shown[title]?[key]?.objectValue?["data"]?.stringValue
            }
            for level in levels {
                #expect(text(level, "body")?.contains("one\ntwo") == true, "\(level)")
            }
            #expect(text("time-sensitive", "category") == "x-belfry.time-sensitive")
            #expect(text("long", "body") == long.split(separator: "\\n").joined(separator: "\n"))
            try Screen.end(dunst)
        }

        @Test("its level is its urgency; its server is asked for no sound, and keeps it as long as it likes")
        func urgency() throws {
            let server = try StubServer()
            let phone = try Phone(hasDesktop: true)
            for (level, urgency) in [("passive", 0), ("active", 1), ("time-sensitive", 1), ("critical", 2)] {
                _ = try phone.push(Self.payload(level, #", "interruption-level": "\#(level)""#)).story()
                let asked = try server.asked()
                #expect(asked.summary == level && asked.urgency == urgency, "\(level)")
                #expect(asked.isQuiet && !asked.isResident && asked.expires == -1 && asked.actions.isEmpty, "\(level)")
                #expect(asked.body == "one\ntwo &amp; &lt;three&gt;")
            }
        }

        @Test("a click runs what OnClick= names, once, with what was clicked") func clicked() throws {
            let out = "\(folder.path)/out"
            let program = folder.write(
                Array("#!/bin/sh\nenv | grep ^BELFRY_ | sort > \(out).new; mv \(out).new \(out)\n".utf8), to: "hook")
            unsafe chmod(program, 0o755)
            let screen = try Screen()
            let dunst = try screen.startDunst()
            let phone = try Phone(["BELFRY_ON_CLICK": program], hasDesktop: true)
            _ = try phone.push(Self.payload("chat")).story()
            #expect(screen.shows(Screen.normal, on: Screen.oneNotification, keepingAs: "alert-click"))
            _ = try run("/usr/bin/dunstctl", ["action"])
            #expect(waitUntil { unsafe access(out, R_OK) == 0 })
            let lines = String(decoding: bytes(of: out), as: UTF8.self)
            #expect(lines.contains("BELFRY_ALERT=chat\nBELFRY_BODY=one two & <three>\nBELFRY_GROUP=group.belfry\n"))
            #expect(lines.contains("BELFRY_REASON=clicked\nBELFRY_TITLE=chat\n"))
            #expect(lines.contains(#""url":"https://a.example/""#))
            #expect(screen.shows(Screen.normal, on: 0...0, keepingAs: "alert-clicked"))
            try Screen.end(dunst)
        }

        @Test("its sound is heard once, with or without mutable-content, and it is listed with its whole text")
        func sound() throws {
            let phone = try Phone(["BELFRY_SOUND": "ring"])
            for more in [#", "sound": "default""#, #", "sound": "ring.caf", "mutable-content": 1"#] {
                #expect(Recording.waitUntilSilent())
                let recording = Recording()
                let alert = try phone.push(Self.payload("chat", more))
                #expect(alert.story().first?.hasPrefix("received alert") == true)
                let sounds = Self.sounds(alert)
                #expect(sounds.count == 1 && sounds[0].hasPrefix("playing "), "\(sounds)")
                #expect(Recording.waitUntilSilent(forMilliseconds: 1_500))
                #expect(recording.bursts == 1)
            }
            let silent = try phone.push(Self.payload("chat"))
            _ = silent.story()
            #expect(Self.sounds(silent) == [])
            let listed = try phone.belfry("alerts", "--json").output.split(separator: "\n")
            #expect(listed.count == 3 && listed.allSatisfy { $0.contains(#""body":"one\ntwo & <three>""#) })
            #expect(try phone.belfry("alerts").output.contains("  two & <three>\n"))
            #expect(try !phone.hasFailedUnits())
        }

        @Test("R23: eight long ones hold all places; a call sounds by its second, and a ninth is busy")
        func places() throws {
            try SoundSample(.wave, milliseconds: 25_000).write(to: "\(folder.path)/long.wav")
            let ring = sourceFile("Sounds/ring.wav")
            let phone = try Phone(["BELFRY_SOUND": ring, "BELFRY_SOUNDS_DIRECTORY": folder.path])
            func alert(_ number: Int) throws -> Client {
                let alert = try phone.push(Self.payload("a\(number)", #", "sound": "long.wav""#))
                try alert.wait(for: "sound")
                return alert
            }
            let alerts = try (1...8).map(alert)
            #expect(alerts.allSatisfy { Self.sounds($0).first?.hasPrefix("playing ") == true })
            let call = try phone.call("A")
            try call.wait(for: "sound")
            #expect(Self.sounds(call) == ["unavailable busy"])
            try call.wait(for: "sound")
            #expect(Self.sounds(call).last == "playing \(ring)" && call.ticks.count <= 5, "\(call.story)")
            alerts[0].story()
            #expect(Self.sounds(alerts[0]).last == "unavailable busy", "the oldest gave way")
            #expect(try Self.sounds(alert(9)) == ["unavailable busy"])
            _ = try phone.hangUp("A").story()
        }

        @Test("R21: do-not-disturb mutes its sound, unless it is critical") func muted() throws {
            let screen = try Screen()
            let dunst = try screen.startDunst()
            let phone = try Phone(["BELFRY_SOUND": "ring"], hasDesktop: true)
            try phone.wakeDesktop()
            _ = try run("/usr/bin/dunstctl", ["set-paused", "true"])
            #expect(Recording.waitUntilSilent())
            let recording = Recording()
            let alert = try phone.push(
                Self.payload("chat", #", "sound": "default", "interruption-level": "time-sensitive""#))
            _ = alert.story()
            #expect(Self.sounds(alert) == ["muted do-not-disturb"])
            #expect(Recording.waitUntilSilent() && !recording.isHeard)
            let critical = try phone.push(
                Self.payload("chat", #", "sound": {"critical": 1, "name": "default", "volume": 1}"#))
            _ = critical.story()
            #expect(Self.sounds(critical).first?.hasPrefix("playing ") == true)
            #expect(recording.isHeard)
            try Screen.end(dunst)
        }
    }
}
