import BelfryAppGroup
import BelfrySyscalls
import BelfryTerms
import CallLedger
import Support
import Testing

extension IntegrationTests {
    @Suite("belfry doctor, on a desktop") struct Doctor {
        private static let red: UInt32 = 0x602020

        @Test("--ring rings two seconds through all: heard, shown and felt, and leaves no missed call")
        func ring() throws {
            let screen = try Screen()
            let dunst = try screen.startDunst()
            let motor = try MotorStandIn()
            let phone = try Phone(motor.environment.merging(["BELFRY_SOUND": "ring"]) { $1 }, hasDesktop: true)
            let recording = Recording()
            let doctor = try phone.belfry("doctor", "--ring")
            let line = doctor.output.split(separator: "\n").first { $0.contains("  ring  ") } ?? ""
            #expect(line.hasPrefix("ok"), "\(doctor.output)")
            for part in ["rang loud", "sound playing", "notification shown", "vibration playing"] {
                #expect(line.contains(part), "\(line)")
            }
            #expect(recording.isHeard)
            let calls = motor.calls
            let pushes = calls.filter { $0.what == "play 1" }
            #expect((2...3).contains(pushes.count), "two seconds of 400 ms on and 600 ms off: \(calls)")
            #expect(waitUntil { motor.calls.last?.what == "close" }, "\(motor.calls)")
            #expect(screen.shows(Self.red, on: 0...0, keepingAs: "doctor"))
            #expect(phone.ledger().missedCalls.isEmpty)
            #expect(Recording.waitUntilSilent(forMilliseconds: 600))
            try Screen.end(dunst)
        }

        @Test("a hook that nothing runs, and a unit that is not there, are mistakes of config check and doctor")
        func hooks() throws {
            let folder = TemporaryFolder()
            let text = "[Desktop]\nOnAnswer=/bin/true\nOnMissed=nosuch@.service\n"
            let file = folder.write(Array(text.utf8), to: "hooks.conf")
            let off = "nothing runs it, since belfry-desktop.socket is off: systemctl --user enable --now"
            let belfry = "\(Surroundings.programs)/belfry"
            let check = try run(belfry, ["config", "check", file])
            #expect(check.status == .exited(code: 78))
            for line in ["\(file):2: OnAnswer=/bin/true: \(off)", "\(file):3: OnMissed=nosuch@.service: \(off)"] {
                #expect(check.output.contains(line), "\(check.output)")
            }
            #expect(check.output.contains("\(file):3: OnMissed=nosuch@.service: there is no such unit\n"))
            let variables = ["BELFRY_ON_ANSWER": "/nosuch/prog"]
            let doctor = try run(belfry, ["doctor"], environment: variables).output.split(separator: "\n")
            let found = doctor.filter {
                $0.hasPrefix("warn  configuration  $BELFRY_ON_ANSWER: OnAnswer=/nosuch/prog: ")
            }
            #expect(found.count == 2, "\(doctor)")
        }

        @Test("--ring shows the call while it rings") func shown() throws {
            let screen = try Screen()
            let dunst = try screen.startDunst()
            let phone = try Phone(hasDesktop: true)
            let doctor = try ChildProcess(
                ChildCommand(
                    path: "\(Surroundings.programs)/belfry", arguments: ["doctor", "--ring"],
                    environment: inherited().merging(
                        ["BELFRY_SOCKET": phone.socket, "BELFRY_STATE_DIRECTORY": phone.state.path]) { $1 },
                    streams: [0: .null, 1: .null, 2: .null]))
            #expect(screen.shows(Self.red, on: 5_000...200_000, keepingAs: "doctor-rings"))
            _ = try doctor.waitUntilExit()
            #expect(screen.shows(Self.red, on: 0...0, keepingAs: "doctor-done"))
            try Screen.end(dunst)
        }

        @Test("says what vibrates, and that do-not-disturb is on, as far as the session's parts tell")
        func parts() throws {
            let folder = TemporaryFolder()
            let feedbackd = try BusService.feedbackd(folder)
            try BusService.setProfile("silent")
            let phone = try Phone(hasDesktop: true)
            try phone.wakeDesktop()
            let lines = try phone.belfry("doctor").output.split(separator: "\n")
            let line = { (subject: String) in lines.first { $0.contains("  \(subject)  ") } ?? "" }
            #expect(line("vibration").hasPrefix("warn"), "no device here rumbles, whatever runs")
            #expect(line("vibration").contains("feedbackd runs, its profile is silent"))
            #expect(line("do-not-disturb").hasPrefix("warn"), "\(lines)")
            #expect(line("do-not-disturb").contains("on: calls ring without sound"))
            try BusService.setProfile("full")
            #expect(
                try waitUntil {
                    try phone.belfry("doctor").output.split(separator: "\n").contains {
                        $0.hasPrefix("ok") && $0.contains("do-not-disturb") && $0.contains("off: rings are heard")
                    }
                })
            _ = feedbackd
        }

        @Test("tries the extension with the installed unit's settings, and finds one that drops what it attaches")
        func unitOfTheExtension() throws {
            let folder = TemporaryFolder()
            let installation = try Installation()
            let path = sampleExtension(in: folder)
            let found = {
                let told = try installation.shell("belfry doctor || true", ["BELFRY_EXTENSION": path]).output
                return told.split(separator: "\n").first { $0.contains("  extension  ") } ?? told[...]
            }
            let good = try found()
            #expect(good.hasPrefix("ok") && good.contains("with the settings of belfry@.service"), "\(good)")
            // As RestrictSUIDSGID=yes answers openat2(2).
            try installation.addDropIn(
                "filter", "[Service]\nSystemCallFilter=~linkat:ENOSYS", to: "belfry@.service")
            try installation.systemctl("daemon-reload")
            let bad = try found()
            #expect(bad.hasPrefix("fail") && bad.contains("what it attaches is dropped: linkat"), "\(bad)")
            try installation.addDropIn("start", "[Service]\nPrivateTmp=yes\nRootDirectory=/none", to: "belfry@.service")
            try installation.systemctl("daemon-reload")
            let none = try found()
            #expect(none.hasPrefix("fail") && none.contains("is not run"), "\(none)")
            #expect(names(in: "\(Surroundings.runtimeDirectory)/systemd/user").allSatisfy { !$0.contains("doctor") })
        }

        @Test("names the motor that this user may not open, and the remedy") func denied() throws {
            let motor = try MotorStandIn(isDenied: true)
            let phone = try Phone()
            let doctor = try run(
                "\(Surroundings.programs)/belfry", ["doctor", "--json"],
                environment: ["BELFRY_SOCKET": phone.socket].merging(motor.environment) { $1 })
            #expect(doctor.output.contains("/dev/input/event3 could vibrate: Permission denied"), "\(doctor.output)")
            #expect(doctor.output.contains("usermod -aG input"))
        }
    }
}
