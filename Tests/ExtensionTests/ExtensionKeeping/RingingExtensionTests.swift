import BelfryAppGroup
import BelfryPropertyList
import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import Glibc
import Support
import Testing

/// A ringing extension as apps have it, which nobody has edited, behind a real worker: what it reads and shows, and
/// what ends the loop that it blocks in.
@Suite struct RingingExtensionTests {
    private static let call =
        #"{"aps":{"alert":{"title":"Ann","body":"calls"},"mutable-content":1},"info":{"type":1}}"#
    private static let hangup =
        #"{"aps":{"alert":{"title":"Ann","body":"has hung up"},"mutable-content":1},"info":{"type":2}}"#

    /// An extension with its ring, and the app's group.
    private struct App {
        let played = PlayedExtension(
            copyOf: builtProgram("RingingExtension"), resources: ["ring.mp3": "Sounds/ring.wav"])
        let group = "group.xxp.ring.callNotification"

        var file: GroupFile? {
            GroupName(group).map {
                GroupFile(state: StateDirectory(path: "\(played.folder.path)/state"), group: $0)
            }
        }

        var startKey: PropertyListValue? { file?.snapshot().root["keyStartCallTime"] }

        /// Runs a call until it has vibrated twice, then `end`; what happened in all.
        func ring(budget: String = "60s", until end: () throws -> Void = {}) throws -> [Event] {
            let run = try played.run(RingingExtensionTests.call, budget: budget)
            var events: [Event] = []
            while let line = run.line() {
                events.append(try Event(line: Array(line.utf8)))
                if events.vibrations.count == 2, events.last?.isVibration == true { try end() }
            }
            return events
        }
    }

    private func expectRung(_ events: [Event]) {
        #expect(events.delivered?.title == "Ann [modified]" && events.delivered?.body == "calls")
        #expect(events.delivered?.interruptionLevel == .timeSensitive)
        #expect(events.story.contains("delivered extension") && events.story.contains("asked sound 1"))
        // Each a second after the one before, so that the host cannot hear of them sooner.
        let start = events.first { $0.name == "extension" }?.at ?? 0
        #expect(events.vibrations.count >= 2)
        for (number, event) in events.vibrations.enumerated() { #expect(event.at - start >= Double(number)) }
    }

    @Test("a push that hangs up ends the loop: another process takes the key away")
    func hangup() throws {
        let app = App()
        let events = try app.ring {
            #expect(app.startKey != nil)
            let other = try app.played.events(of: Self.hangup, budget: "60s")
            #expect(other.delivered?.title == "Ann" && other.delivered?.body == "has hung up")
        }
        expectRung(events)
        #expect(events.story.contains("extension returned") && !events.story.contains("warning killed-at-budget"))
        #expect(app.startKey == nil)
    }

    @Test("the app that comes to the front ends the loop") func foreground() throws {
        let app = App()
        let events = try app.ring {
            let command = try ProgramRun(
                testedProgram("belfry"), ["app", "foreground", "--group", app.group],
                environment: [
                    "BELFRY_STATE_DIRECTORY": "\(app.played.folder.path)/state",
                    "BELFRY_RUNTIME_DIRECTORY": "\(app.played.folder.path)/run", "BELFRY_CONFIG_FILES": "no",
                ])
            _ = command.lines()
            #expect(command.complaints() == [])
        }
        expectRung(events)
        #expect(events.story.contains("extension returned") && app.startKey == nil)
        // From now on it does not ring.
        let later = try app.played.events(of: Self.call, budget: "60s")
        #expect(!later.story.contains("asked sound 1") && later.delivered?.title == "Ann [modified]")
    }

    @Test("a foreign program that puts another file in the group's place ends the loop") func rename() throws {
        let app = App()
        let events = try app.ring {
            let path = "\(app.played.folder.path)/state/groups/\(app.group)/Library/Preferences/\(app.group).plist"
            let complaints = try ForeignProgram.remove("keyStartCallTime", from: path)
            #expect(complaints == [])
        }
        expectRung(events)
        #expect(events.story.contains("extension returned") && app.startKey == nil)
    }

    @Test("R3 the budget meets it blocking: it is killed, and its key stays, as on iOS") func budget() throws {
        let app = App()
        let events = try app.ring(budget: "6s")
        expectRung(events)
        #expect(events.story.contains("warning killed-at-budget") && events.story.last == "extension ended 137")
        #expect(!events.story.contains("extension returned") && app.startKey != nil)
    }
}

extension Event {
    fileprivate var isVibration: Bool {
        if case .asked(let asked) = body { asked.what.rawValue == "vibration" } else { false }
    }
}

extension [Event] {
    fileprivate var vibrations: [Event] { filter(\.isVibration) }
}
