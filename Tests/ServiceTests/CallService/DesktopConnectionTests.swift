import BelfryEventLoop
import BelfryProtocol
import BelfryTerms
import CallService
import DesktopChannel
import Glibc
import Support
import Testing

/// A worker's connection to a desktop that is played, on real sockets; time is moved by hand.
@Suite struct DesktopConnectionTests {
    private let loop = PolledLoop()
    private let desktop: DesktopEnd

    init() throws { desktop = try DesktopEnd() }

    private func connection(listens: Bool = true) -> DesktopConnection {
        DesktopConnection(to: desktop.path, saying: DesktopEnd.hello, listens: listens, on: loop)
    }

    private static func event(_ body: Event.Body) -> Event { Event(at: 1, boot: 2, id: "A", body: body) }

    private static let received = event(.received(.init(type: .callRequest, call: "A", why: nil)))
    private static let attached = event(
        .attachment(
            .init(url: "https://a/1", outcome: .attached(path: "/p", type: "public.png", bytes: 1, seconds: 1))))
    private static let skipped = event(
        .attachment(.init(url: "https://a/2", outcome: .skipped(reason: .off, detail: ""))))
    private static let sound = event(.sound(state: .playing, detail: ""))
    private static let ended = event(
        .ended(.init(call: "A", reason: .hangup, hangupReason: .cancelled, rang: 1, ticks: 1)))
    private static let missed = event(.missed(call: "A", content: NotificationContent()))

    private static func ringing(_ mode: RingMode) -> Event {
        event(.ringing(.init(call: "A", mode: mode, duration: 9, interval: 1, sound: "ring", vibrate: true)))
    }

    private static func caller(_ name: String) -> Event {
        event(.caller(.init(call: "A", name: name, handle: "", hasVideo: false)))
    }

    private static func tick(_ number: Int64) -> Event { event(.tick(n: number, late: 0)) }

    private static func lines(_ events: Event...) -> [UInt8] { DesktopEnd.hello.line + events.flatMap(\.line) }

    @Test("it says hello, and tells all but ticks and what the desktop itself has said") func tells() throws {
        let connection = connection()
        let kept = [Self.received, Self.ringing(.loud), Self.sound, Self.attached, Self.ended, Self.missed]
        let left = [
            Self.tick(1), Self.event(.notification(state: .shown, detail: "")),
            Self.event(.vibration(state: .playing, detail: "")),
        ]
        for event in kept + left { connection.write(event) }
        #expect(try connection.isConnected && desktop.letIn())
        #expect(desktop.heard() == DesktopEnd.hello.line + kept.flatMap(\.line))
    }

    @Test("its reports become events, however they are cut; what is none is passed over") func reports() throws {
        let connection = connection()
        var reports: [Event.Body] = []
        connection.onReport = { reports.append($0) }
        #expect(try desktop.letIn())
        desktop.report(.notification(.shown, detail: "by a server"))
        #expect(loop.watchedCount == 0, "an iteration late")
        loop.settle()
        #expect(reports == [.notification(state: .shown, detail: "by a server")])
        desktop.say("\n{}\nnonsense\n{\"report\": \"later\"}\n{\"report\":\"vibra")
        loop.settle()
        // What an earlier call failed with counts for nothing.
        errno = EAGAIN
        for byte in "tion\",\"state\":\"playing\"}\n" {
            desktop.say(String(byte))
            loop.settle()
        }
        #expect(reports.dropFirst() == [.vibration(state: .playing, detail: "")])
        // A line without an end ends the connection, and nothing else.
        desktop.say(String(repeating: "x", count: 100_000))
        loop.settle()
        #expect(connection.isConnected)
        for _ in 0..<11 {
            desktop.say(String(repeating: "x", count: 100_000))
            loop.settle()
        }
        #expect(!connection.isConnected && reports.count == 2)
        #expect(desktop.heard() == DesktopEnd.hello.line)
        desktop.waitUntilLeft()
    }

    @Test("who does not listen hears nothing, and does not come back") func deaf() throws {
        let connection = connection(listens: false)
        connection.onReport = { Issue.record("\($0)") }
        #expect(try desktop.letIn())
        desktop.report(.notification(.shown, detail: ""))
        loop.settle()
        #expect(loop.watchedCount == 0 && loop.pending.isEmpty)
        desktop.hangUp()
        connection.write(Self.received)
        #expect(!connection.isConnected)
        connection.write(Self.tick(1))
        #expect(try !connection.isConnected && !desktop.letIn())
    }

    @Test("R14 a ring begins with the first word, or 100 ms later without") func beforeRing() throws {
        let first = connection()
        #expect(try desktop.letIn())
        var begun = 0
        first.beforeRing { begun += 1 }
        loop.advance(by: .milliseconds(50))
        #expect(begun == 0 && first.word == .none)
        desktop.report(.first(isMuted: true, vibrates: true))
        loop.settle()
        #expect(begun == 1 && first.word == DesktopWord(isMuted: true, vibrates: true))
        loop.advance(by: .seconds(1))
        #expect(begun == 1 && loop.pending.isEmpty)
        first.beforeRing { begun += 1 }
        #expect(begun == 2, "the word is known")

        let second = connection()
        second.beforeRing { begun += 1 }
        loop.advance(by: .milliseconds(99))
        #expect(begun == 2)
        loop.advance(by: .milliseconds(1))
        #expect(begun == 3 && second.word == .none && second.isConnected)
        #expect(try desktop.letIn())
        desktop.report(.first(isMuted: false, vibrates: true))
        loop.settle()
        #expect(begun == 3 && second.word.vibrates)
    }

    @Test("R14 a ring does not wait for a desktop that is not there, or goes") func beginsAlone() throws {
        let left = connection()
        var begun = 0
        left.beforeRing { begun += 1 }
        #expect(try desktop.letIn())
        loop.settle()
        #expect(begun == 0 && loop.watchedCount == 1)
        // It has read all, so that its end is an end and no failure.
        #expect(desktop.heard() == DesktopEnd.hello.line)
        desktop.hangUp()
        errno = EAGAIN
        loop.settle()
        #expect(begun == 1 && loop.pending.isEmpty && loop.watchedCount == 0)

        let alone = DesktopConnection(
            to: "\(desktop.path).none", saying: DesktopEnd.hello, listens: true, on: loop)
        alone.beforeRing { begun += 1 }
        #expect(begun == 2 && !alone.isConnected && alone.word == .none)
        alone.write(Self.received)
        alone.write(Self.tick(1))
        loop.advance(by: .seconds(1))
        #expect(begun == 2 && !alone.isConnected)
    }

    @Test("R21 do-not-disturb is told as it changes, and at once if it is known") func muted() throws {
        let connection = connection()
        var told: [Bool] = []
        connection.beforeRing { #expect(told.isEmpty, "a ring begins with what was said, and then hears of changes") }
        connection.onMuted { told.append($0) }
        #expect(told.isEmpty)
        #expect(try desktop.letIn())
        desktop.report(.first(isMuted: true, vibrates: false))
        desktop.report(.muted(false))
        loop.settle()
        #expect(told == [true, false])
        connection.onMuted { told.append(!$0) }
        #expect(told == [true, false, true], "what was said last")
        desktop.report(.muted(true))
        loop.settle()
        #expect(told == [true, false, true, false], "only who asked last")
        #expect(connection.word == DesktopWord(isMuted: true, vibrates: false), "the first word stays")

        let second = self.connection()
        #expect(try desktop.letIn())
        desktop.report(.first(isMuted: true, vibrates: false))
        loop.settle()
        second.onMuted { told.append($0) }
        #expect(told.last == true && told.count == 5, "the first word tells as well")
    }

    @Test("a ring that has lost its desktop comes back with a tick, and tells its story anew") func comesBack() throws {
        let connection = connection()
        connection.beforeRing {}
        #expect(try desktop.letIn())
        desktop.report(.first(isMuted: true, vibrates: true))
        // Half of a line, which the next desktop's first words do not complete.
        desktop.say("{\"report\":")
        loop.settle()
        for event in [
            Self.received, Self.caller("Ada"), Self.ringing(.soft), Self.attached, Self.ringing(.loud), Self.sound,
            Self.caller("Grace"), Self.skipped,
        ] { connection.write(event) }
        desktop.hangUp()
        loop.settle()
        #expect(!connection.isConnected)
        connection.write(Self.sound)
        #expect(try !desktop.letIn(), "only a tick brings it back")
        connection.write(Self.tick(1))
        #expect(try connection.isConnected && desktop.letIn())
        let story = Self.lines(
            Self.received, Self.attached, Self.ringing(.loud), Self.caller("Grace"), Self.skipped)
        #expect(desktop.heard() == story)
        #expect(connection.word.vibrates, "what the last one said")
        connection.write(Self.tick(2))
        #expect(try !desktop.letIn(), "one is enough")
    }

    @Test("what comes back hears the new desktop") func hearsAgain() throws {
        let connection = connection()
        var reports: [Event.Body] = []
        connection.onReport = { reports.append($0) }
        #expect(try desktop.letIn())
        desktop.say("{\"report\":")
        loop.settle()
        desktop.hangUp()
        loop.settle()
        connection.write(Self.tick(1))
        #expect(try desktop.letIn())
        desktop.report(.notification(.shown, detail: ""))
        loop.settle()
        #expect(reports == [.notification(state: .shown, detail: "")])
    }

    @Test("a ring that is over has no story, and does not come back", arguments: [true, false])
    func over(hasEnded: Bool) throws {
        let connection = connection()
        #expect(try desktop.letIn())
        connection.write(Self.received)
        connection.write(hasEnded ? Self.ended : Self.missed)
        loop.settle()
        desktop.hangUp()
        loop.settle()
        connection.write(Self.tick(1))
        #expect(try !connection.isConnected && !desktop.letIn())
    }

    @Test("R14 a desktop that does not read is given up, and the call goes on") func full() throws {
        let connection = connection()
        #expect(try desktop.letIn())
        var begun = 0
        connection.beforeRing { begun += 1 }
        let long = Self.event(.warning(code: .badClock, detail: String(repeating: "x", count: 4_000)))
        for _ in 0..<1_000 where connection.isConnected { connection.write(long) }
        #expect(!connection.isConnected && begun == 1)
        #expect(desktop.heard().starts(with: DesktopEnd.hello.line))
        desktop.waitUntilLeft()
        connection.write(Self.tick(1))
        #expect(try connection.isConnected && desktop.letIn() && desktop.heard() == DesktopEnd.hello.line)
        loop.settle()
        #expect(loop.watchedCount == 1, "the new one alone is listened to")
    }

    @Test("R14 a desktop at which too many wait is none, and nobody waits for it") func crowded() throws {
        var waiting: [DesktopConnection] = []
        repeat { waiting.append(connection()) } while waiting.last?.isConnected == true && waiting.count < 100
        var begun = 0
        waiting.last?.beforeRing { begun += 1 }
        #expect((2..<100).contains(waiting.count) && begun == 1)
    }

    @Test("what comes often is left out before a desktop is given up") func leavesOut() throws {
        let connection = connection()
        #expect(try desktop.letIn())
        let detail = String(repeating: "x", count: 4_000)
        let often = Self.event(.asked(.init(what: CodeWord(.remove), n: 1, detail: detail)))
        for _ in 0..<1_000 { connection.write(often) }
        #expect(connection.isConnected)
    }
}
