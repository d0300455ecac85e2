import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import Glibc
import Support
import Testing

extension IntegrationTests {
    @Suite("A ring is felt, by feedbackd") struct FeltByFeedbackd {
        private let folder = TemporaryFolder()
        private let feedbackd: BusService

        init() throws { feedbackd = try BusService.feedbackd(folder) }

        private func ring(_ phone: Phone) throws -> Client {
            try phone.wakeDesktop()
            let recording = Recording()
            let call = try phone.call("A")
            #expect(try call.wait(for: "ringing").ringing?.vibrate == true)
            #expect(try call.waitForVibration(.playing) == "feedbackd")
            #expect(recording.waitUntilHeard())
            return call
        }

        @Test("from its start to its end, over and over, and once told") func answered() throws {
            #expect(Recording.waitUntilSilent())
            let phone = try Phone(hasDesktop: true)
            let call = try ring(phone)
            for _ in 0..<2 {
                // The sound is shorter than this.
                _ = Recording.listening(forMilliseconds: 1_600)
                #expect(Recording().waitUntilHeard())
            }
            try phone.belfry("answer")
            _ = call.story()
            #expect(Recording.isOver())
            #expect(call.vibrations == ["playing"])
        }

        @Test("R12 a killed worker's vibration stops with it") func workerKilled() throws {
            let phone = try Phone(hasDesktop: true)
            _ = try ring(phone)
            kill(try #require(phone.worker(of: "A")), SIGKILL)
            #expect(Recording.isOver())
        }

        @Test("a killed belfry-desktop's stops with it; it comes back, and is felt again until the end")
        func desktopKilled() throws {
            let phone = try Phone(hasDesktop: true)
            let call = try ring(phone)
            let killed = try #require(phone.desktop)
            kill(killed, SIGKILL)
            #expect(waitUntil { phone.desktop.map { $0 != killed } ?? false })
            try call.waitForVibration(.playing)
            #expect(Recording().waitUntilHeard())
            try phone.belfry("decline")
            _ = call.story()
            #expect(Recording.isOver())
            #expect(try !phone.hasFailedUnits())
        }

        @Test("the next call is felt, once the one before is answered") func next() throws {
            let phone = try Phone(hasDesktop: true)
            let first = try ring(phone)
            let second = try phone.call("B")
            #expect(try second.wait(for: "ringing").ringing?.mode == .soft)
            try phone.belfry("answer", "A")
            _ = first.story()
            try second.waitForVibration(.playing)
            #expect(Recording().waitUntilHeard())
            try phone.belfry("decline", "B")
            _ = second.story()
            #expect(Recording.isOver())
        }

        @Test("R21 by its profile: quiet is felt and not heard, silent is neither; a change counts at once")
        func profiles() throws {
            try BusService.setProfile("quiet")
            let phone = try Phone(hasDesktop: true)
            try phone.wakeDesktop()
            let recording = Recording()
            let call = try phone.call("A")
            let ringing = try call.wait(for: "ringing").ringing
            #expect(ringing?.mode == .silent && ringing?.why == .doNotDisturb && ringing?.vibrate == true)
            try call.waitForVibration(.playing)
            #expect(recording.waitUntilHeard())
            try BusService.setProfile("silent")
            #expect(Recording.isOver())
            try BusService.setProfile("full")
            let loud = try call.wait(for: "ringing").ringing
            #expect(loud?.mode == .loud && loud?.why == nil)
            #expect(Recording().waitUntilHeard())
            try phone.belfry("answer")
            _ = call.story()
            #expect(Recording.isOver())
        }

        @Test("[Ring] Vibrate=no is not felt, and tells nothing of it") func switchedOff() throws {
            let phone = try Phone(["BELFRY_VIBRATE": "no"], hasDesktop: true)
            let recording = Recording()
            let call = try phone.call("A")
            #expect(try call.wait(for: "ringing").ringing?.vibrate == false)
            for _ in 0..<2 { try call.wait(for: "tick") }
            try phone.belfry("answer")
            _ = call.story()
            #expect(call.vibrations.isEmpty && !recording.isHeard)
        }

        @Test("what a foreign extension asks to vibrate is felt once, and briefly") func foreign() throws {
            folder.makeFolder("Sample.appex")
            let keys = "<key>CFBundleIdentifier</key><string>com.example.sample</string>"
            folder.write(
                Array("<plist version=\"1.0\"><dict>\(keys)</dict></plist>".utf8), to: "Sample.appex/Info.plist")
            unsafe symlink(builtProgram("ExtensionSample"), "\(folder.path)/Sample.appex/Sample")
            let phone = try Phone(["BELFRY_EXTENSION": "\(folder.path)/Sample.appex"], hasDesktop: true)
            // The push is over as soon as the extension has asked, and tells nothing of what is felt later.
            try phone.wakeDesktop()
            let recording = Recording()
            let push = try phone.push(
                #"{"aps": {"alert": {"title": "t", "body": "b"}, "mutable-content": 1}, "do": "sound"}"#)
            #expect(try push.waitForVibration(.playing) == "feedbackd")
            #expect(recording.waitUntilHeard())
            #expect(Recording.isOver())
            // Its sound, of no file, never comes to an end.
            push.leave()
            _ = push.story()
            #expect(push.vibrations == ["playing"])
        }
    }

    @Suite("A ring is felt, by a motor of this machine that a stand-in plays") struct FeltByMotor {
        @Test("by [Ring] VibratePattern=, from its start to its end") func pattern() throws {
            let motor = try MotorStandIn()
            let phone = try Phone(
                motor.environment.merging(["BELFRY_VIBRATE_PATTERN": "200ms 300ms"]) { $1 }, hasDesktop: true)
            try phone.wakeDesktop()
            let call = try phone.call("A")
            let ringing = try call.wait(for: "ringing")
            #expect(ringing.ringing?.vibrate == true)
            #expect(try call.waitForVibration(.playing) == "event3")
            for _ in 0..<3 { try call.wait(for: "tick") }
            try phone.belfry("answer")
            let ended = try call.wait(for: "ended")
            #expect(waitUntil { motor.calls.last?.what == "close" })
            let calls = motor.calls
            #expect(calls.prefix(3).map(\.what) == ["open", "upload -1 for 200 ms", "play 1"], "\(calls)")
            #expect(calls.suffix(2).map(\.what) == ["play 0", "close"], "\(calls)")
            #expect(calls[0].at - ringing.boot < 1 && (calls.last?.at ?? 0) - ended.boot < 1)
            let pushes = calls.filter { $0.what == "play 1" }.map(\.at)
            #expect(pushes.count >= 2)
            let pauses = zip(pushes.dropFirst(), pushes).map(-).sorted()
            #expect(abs(pauses[pauses.count / 2] - 0.5) < 0.1, "\(pauses)")
            #expect(call.vibrations == ["playing"])
        }

        @Test("R12 a killed worker's vibration stops with it") func workerKilled() throws {
            let motor = try MotorStandIn()
            let phone = try Phone(motor.environment, hasDesktop: true)
            let call = try phone.call("A")
            try call.waitForVibration(.playing)
            kill(try #require(phone.worker(of: "A")), SIGKILL)
            #expect(waitUntil { motor.calls.last?.what == "close" })
        }

        @Test("one that may not be opened is told once, and what is in the way") func denied() throws {
            let motor = try MotorStandIn(isDenied: true)
            let phone = try Phone(motor.environment, hasDesktop: true)
            let call = try phone.call("A")
            #expect(try call.wait(for: "ringing").ringing?.vibrate == false)
            #expect(try call.waitForVibration(.unavailable) == "/dev/input/event3: Permission denied")
            try phone.belfry("answer")
            _ = call.story()
            #expect(call.vibrations == ["unavailable"])
        }

        @Test("feedbackd that has nothing to vibrate with leaves it to the motor") func besideFeedbackd() throws {
            let folder = TemporaryFolder()
            let feedbackd = try BusService.feedbackd(folder, plays: nil)
            let motor = try MotorStandIn()
            let phone = try Phone(motor.environment, hasDesktop: true)
            let call = try phone.call("A")
            #expect(try call.waitForVibration(.playing) == "event3")
            try phone.belfry("answer")
            _ = call.story()
            #expect(waitUntil { motor.calls.last?.what == "close" })
            #expect(call.vibrations == ["playing"])
            _ = feedbackd
        }

        @Test("R14: where feedbackd is killed while a ring is felt, the motor goes on") func feedbackdKilled() throws {
            let folder = TemporaryFolder()
            var feedbackd: BusService? = try BusService.feedbackd(folder)
            let motor = try MotorStandIn()
            let phone = try Phone(motor.environment, hasDesktop: true)
            let call = try phone.call("A")
            #expect(try call.waitForVibration(.playing) == "feedbackd")
            #expect(feedbackd != nil && motor.calls.isEmpty)
            feedbackd = nil
            #expect(waitUntil { motor.calls.contains { $0.what == "play 1" } })
            try phone.belfry("answer")
            _ = call.story()
            #expect(waitUntil { motor.calls.last?.what == "close" })
        }
    }

    @Test("Where nothing vibrates a ring says so, once") func nothingVibrates() throws {
        let phone = try Phone(hasDesktop: true)
        let call = try phone.call("A")
        #expect(try call.wait(for: "ringing").ringing?.vibrate == false)
        #expect(try call.waitForVibration(.unavailable) == "nothing here vibrates")
        try call.wait(for: "tick")
        try phone.belfry("answer")
        _ = call.story()
        #expect(call.vibrations == ["unavailable"])
    }
}
