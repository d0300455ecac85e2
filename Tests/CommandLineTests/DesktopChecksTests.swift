import BelfrySyscalls
import BelfryVibration
import Glibc
import Support
import Testing
@testable import belfry

/// What `belfry doctor` makes of what busctl(1) prints.
@Suite struct DesktopChecksTests {
    @Test("a server is named with its version, and told of if it has no buttons") func server() {
        let dunst = #"ssss "dunst" "knopwob" "1.9.0" "1.2""# + "\n"
        let whole = DesktopChecks.server(dunst, abilities: #"as 3 "actions" "body" "icon-static""# + "\n")
        #expect(whole.level == .ok && whole.detail == "dunst 1.9.0 shows calls, with Accept and Decline")
        for abilities in ["as 1 \"body\"\n", "as 0\n", ""] {
            let finding = DesktopChecks.server(dunst, abilities: abilities)
            #expect(finding.level == .warn && finding.detail.hasPrefix("dunst 1.9.0 shows calls, without buttons"))
        }
        #expect(DesktopChecks.server("", abilities: "").detail.hasPrefix(" shows calls, without"))
    }

    @Test("do-not-disturb is told of where it mutes rings, or might") func doNotDisturb() {
        for (disturbance, level, words) in [
            (DesktopDisturbance.on, Finding.Level.warn, "on: calls ring without sound"),
            (.off, .ok, "off: rings are heard"), (.unheard, .ok, "belfry-desktop.socket is off"),
            (.ignored, .ok, "[Ring] DoNotDisturb=ignore"), (.unknown, .warn, "there is no session bus"),
        ] {
            let finding = DesktopChecks.doNotDisturb(disturbance)
            #expect(finding.level == level && finding.detail.hasPrefix(words), "\(disturbance)")
        }
    }

    @Test("dunst without its menu program lets nobody choose") func noMenu() {
        let dunst = #"ssss "dunst" "knopwob" "1.9.0" "1.2""# + "\n"
        let finding = DesktopChecks.server(
            dunst, abilities: "as 2 \"actions\" \"body\"\n", missingMenu: "/usr/bin/dmenu")
        #expect(finding.level == .warn && finding.remedy.contains("suckless-tools"))
        #expect(finding.detail.contains("nobody can choose") && finding.detail.contains("/usr/bin/dmenu is missing"))
        let other = DesktopChecks.server(
            #"ssss "Plasma" "KDE" "5" "1.2""#, abilities: "as 2 \"actions\" \"body\"\n", missingMenu: "/usr/bin/dmenu")
        #expect(other.level == .ok)
    }

    @Test("a ring is felt where a device rumbles, whatever is said of feedbackd") func vibration() {
        for feedbackd in [nil, "feedbackd runs, its profile is full"] {
            #expect(DesktopChecks.vibration(.found("event3"), feedbackd: feedbackd).level == .ok)
            #expect(DesktopChecks.vibration(.nothing, feedbackd: feedbackd).level == .warn)
            #expect(DesktopChecks.vibration(.denied("event3", "no"), feedbackd: feedbackd).level == .warn)
        }
        #expect(DesktopChecks.vibration(.nothing, feedbackd: nil).remedy == "on a phone: apt install feedbackd")
        #expect(DesktopChecks.vibration(.nothing, feedbackd: "feedbackd is installed").remedy == "")
    }

    @Test("in quiet hours no ring is heard, and that is said beside do-not-disturb") func quietHours() throws {
        let folder = TemporaryFolder()
        let run = try ProgramRun(
            testedProgram("belfry"), ["doctor", "--json"],
            environment: [
                "HOME": folder.path, "BELFRY_STATE_DIRECTORY": "\(folder.path)/state",
                "BELFRY_QUIET_HOURS": "00:00-23:59", "BELFRY_DO_NOT_DISTURB": "ignore",
            ])
        let found = run.lines().filter { $0.contains(#""check":"do-not-disturb""#) }
        #expect(found.count == 2 && found[0].contains(#""level":"warn""#), "\(found)")
        #expect(found[0].contains("quiet hours, 00:00-23:59: calls ring without sound"), "\(found)")
        _ = run.complaints()
        _ = try run.child.waitUntilExit()
        #expect(DesktopChecks.doNotDisturb(.off, isQuiet: true).detail == "the desktop's is off")
    }

    @Test("a sound server that a question would start is known by its units") func sleepingSoundServer() {
        let shown = { (socket: String, service: String) in
            "Id=pipewire-pulse.socket\nActiveState=\(socket)\n\nId=pipewire-pulse.service\nActiveState=\(service)\n"
        }
        #expect(SleepingSoundServer.socket(in: shown("active", "inactive")) == "pipewire-pulse.socket")
        #expect(SleepingSoundServer.socket(in: shown("active", "active")) == nil)
        #expect(SleepingSoundServer.socket(in: shown("inactive", "inactive")) == nil)
        #expect(SleepingSoundServer.socket(in: "") == nil)
    }

    @Test("an extension's process is started once, and its end is told of", arguments: ["exit 3", "sleep 60"])
    func extensionStarts(code: String) throws {
        let folder = TemporaryFolder()
        folder.makeFolder("A.appex")
        let plist = "<plist version=\"1.0\"><dict><key>CFBundleIdentifier</key><string>a</string></dict></plist>"
        folder.write(Array(plist.utf8), to: "A.appex/Info.plist")
        unsafe chmod(folder.write(Array("#!/bin/sh\necho broken >&2\n\(code)\n".utf8), to: "A.appex/A"), 0o755)
        let path = "\(folder.path)/A.appex"
        let run = try ProgramRun(
            testedProgram("belfry"), ["doctor", "--json"],
            environment: [
                "HOME": folder.path, "BELFRY_STATE_DIRECTORY": "\(folder.path)/state", "BELFRY_EXTENSION": path,
            ])
        let end = code == "exit 3" ? "ends at once, with status 3: broken" : "did not say within"
        let found = run.lines().filter { $0.contains(#""check":"extension""#) }
        #expect(found.count == 1 && found.allSatisfy { $0.contains(#""level":"fail""#) }, "\(found)")
        #expect(found.first?.contains(end) == true, "\(found)")
        _ = run.complaints()
        _ = try run.child.waitUntilExit()
    }
}
