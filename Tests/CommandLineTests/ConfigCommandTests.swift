import BelfryCommandLine
import BelfrySettings
import BelfrySyscalls
import Support
import Testing
@testable import belfry

@Suite struct ConfigCommandTests {
    let folder = TemporaryFolder()

    @Test func everySettingIsShownWithItsOrigin() {
        folder.makeFolder(".config/belfry")
        let file = folder.write(Array("[Ring]\nDuration=7s\nInterval=1h\n".utf8), to: ".config/belfry/belfry.conf")
        let run = CommandRun(["config"], ["HOME": folder.path, "BELFRY_SOUND": "none"])
        #expect(run.status == .done)
        #expect(run.lines.contains { $0.hasPrefix("Duration=7s ") && $0.hasSuffix("\(file):2") })
        #expect(run.lines.contains { $0.hasPrefix("Sound=none ") && $0.hasSuffix("$BELFRY_SOUND") })
        #expect(run.lines.contains { $0.hasPrefix("Interval=1s ") && $0.hasSuffix("default") })
        #expect(run.complaints.hasPrefix("belfry: warning: \(file):3: Interval=1h is ignored"))
        #expect(CommandRun(["config", "--json"], ["HOME": folder.path]).lines.count == Setting.allCases.count)
    }

    @Test("what the unit has instead stands below what the person has") func unitBeside() {
        func loaded(_ environment: [String: String]) -> LoadedSettings {
            SettingsLoader.load(environment: Environment(environment))
        }
        let own = loaded(["HOME": folder.path, "BELFRY_SOUND": "none"])
        let rows = Command.settingRows(of: own, besides: loaded(["HOME": folder.path, "BELFRY_RING_DURATION": "7s"]))
        #expect(rows.contains(["Sound=none", "$BELFRY_SOUND"]))
        #expect(
            rows.filter { $0[0].hasPrefix(" ") } == [
                ["  the unit has 7s", "$BELFRY_RING_DURATION"], ["  the unit has ring", "default"],
            ])
        #expect(rows.count(where: { $0.count == 1 }) == Set(Setting.allCases.map(\.section)).count)
        #expect(!Command.settingRows(of: own, besides: nil).contains { $0[0].hasPrefix(" ") })
    }

    @Test func checkNamesEveryMistakeAndIs78() {
        let bad = folder.write(Array("[Ring]\nDuraton=7s\nInterval=1h\n\u{1B}\n".utf8), to: "bad.conf")
        let run = CommandRun(["config", "check", bad])
        #expect(run.status == .badConfiguration && run.lines.count == 3)
        #expect(run.lines[0] == "\(bad):2: there is no [Ring] Duraton=, ignored; did you mean Duration=?")
        #expect(run.lines[2].contains("\\u{1b}"))
        let good = folder.write(Array("[Extension]\nExpiryBudget=60s\n".utf8), to: "good.conf")
        let advised = CommandRun(["config", "check", good])
        #expect(advised.status == .done && advised.output.hasPrefix("note: ") && advised.output.contains("iOS"))
        let missing = CommandRun(["config", "check", good + "x"])
        #expect(missing.status == .notFound && missing.output.hasPrefix("\(good)x: "))
        #expect(CommandRun(["config", "chekc"]).status == .usage)
    }

    @Test func checkFindsASoundThatIsMissingOrBroken() {
        let cut = folder.write(Array(ring.prefix(ring.count / 2)), to: "cut.wav")
        let whole = folder.write(ring, to: "whole.wav")
        func check(_ sound: String) -> CommandRun {
            let file = folder.write(Array("[Ring]\nSound=\(sound)\n".utf8), to: "sound.conf")
            return CommandRun(["config", "check", file], ["BELFRY_SOUNDS_DIRECTORY": folder.path])
        }
        for sound in ["ring", "none", "whole", whole] { #expect(check(sound).status == .done, "\(sound)") }
        for sound in ["rnig", "cut", cut, "\(folder.path)/none.wav"] {
            let run = check(sound)
            #expect(run.status == .badConfiguration && run.lines.count == 1, "\(sound)")
            #expect(run.output.contains("sound.conf:2: Sound=\(sound) is not played but ring: "), "\(run.output)")
        }
        #expect(check("cut").output.contains("\(cut): a WAVE file that is cut short"))
        let shown = CommandRun(["config"], ["HOME": folder.path, "BELFRY_SOUND": "rnig"])
        #expect(shown.complaints.hasPrefix("belfry: warning: $BELFRY_SOUND: Sound=rnig is not played but ring: "))
    }

    @Test("a program of a hook that is not there, or is none, is a mistake with its place") func hooks() {
        let file = folder.write(
            Array("[Desktop]\nOnAnswer=/nosuch/prog --open\nOnMissed=/etc/passwd\nOnDecline=/bin/true x\n".utf8),
            to: "hooks.conf")
        let run = CommandRun(["config", "check", file])
        #expect(run.status == .badConfiguration)
        let faults = run.lines.filter { !$0.contains("belfry-desktop.socket is off") }
        #expect(
            faults == [
                "\(file):2: OnAnswer=/nosuch/prog --open: No such file or directory",
                "\(file):3: OnMissed=/etc/passwd: /etc/passwd is no program that may be run",
            ])
    }

    @Test("what only a shell would read is said so") func shellWords() {
        for value in ["~/x.wav", "\"/x.wav\"", "$HOME/x.wav"] {
            let file = folder.write(Array("[Ring]\nSound=\(value)\n".utf8), to: "shell.conf")
            #expect(
                CommandRun(["config", "check", file]).output.contains("no shell reads it, so that ~, $ and quotes"))
        }
    }

    @Test("of several files each is to be checked by itself") func severalFiles() {
        let run = CommandRun(["config", "check", "a", "b"])
        #expect(run.status == .usage && run.complaints.contains("belfry config check takes one file, not 2"))
    }

    /// The sound that Belfry brings along.
    private let ring = sourceBytes("Sounds/ring.wav")
}
