import BelfryEventLoop
import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import CallService
import Showing
import Support
import SystemSound
import Testing

@Suite("An alert's sound") struct AlertSoundTests {
    let folder = TemporaryFolder()
    let loop: Loop
    let told = Told()

    final class Told { var events: [String] = [] }

    /// A desktop that has said its first word.
    private final class Desktop: RingDesktop {
        let word: DesktopWord
        init(isMuted: Bool) { word = DesktopWord(isMuted: isMuted, vibrates: false) }
        func beforeRing(_ begin: @escaping () -> Void) { begin() }
        func onMuted(_ changed: @escaping (Bool) -> Void) { changed(word.isMuted) }
    }

    init() throws { loop = try Loop() }

    /// Without a sound server: what would be heard is unavailable.
    private func sound(_ setting: String = "ring", minute: Int = 720) -> AlertSound {
        var settings = RingSettings(
            duration: .seconds(30), interval: .seconds(1), sound: setting, secondCall: .soft, callsMax: 1)
        settings.quietHours = DayHours("22:00-07:00") ?? DayHours()
        let loop = loop
        return AlertSound(
            player: SoundPlayer(loop: loop, runtimeDirectory: nil, libraryName: "libcanberra-missing.so.0"),
            settings: settings, environment: ["BELFRY_SOUNDS_DIRECTORY": sourceFile("Sounds"), "XDG_DATA_DIRS": ":"],
            timers: loop, minuteOfDay: { minute }
        ) { [told] body in
            guard case .sound(let state, let detail) = body else {
                Issue.record("\(body)")
                return
            }
            told.events.append(state == .unavailable ? "tried" : "\(state.rawValue) \(detail)")
        }
    }

    private func alert(
        _ level: InterruptionLevel = .active, _ sound: NotificationSound? = NotificationSound(name: "default")
    ) throws -> ShownAlert {
        var content = NotificationContent()
        (content.title, content.sound, content.interruptionLevel) = ("t", sound, level)
        return ShownAlert(content, in: try #require(GroupName("group.a")), name: "x")
    }

    /// What is told until it is over.
    private func outcome(_ sound: AlertSound, _ alert: ShownAlert) -> [String] {
        told.events = []
        sound.begin(alert)
        sound.finish { [loop] in
            _ = loop.schedule(at: loop.now, description: "over") { loop.stop() }
        }
        loop.run()
        return told.events
    }

    @Test("it is played; without one, by Sound=none, or of a passive alert nothing is") func played() throws {
        #expect(outcome(sound(), try alert()) == ["tried"])
        #expect(outcome(sound(), try alert(.active, nil)) == [])
        #expect(outcome(sound("none"), try alert(.critical)) == [])
        #expect(outcome(sound(), try alert(.passive)) == [])
    }

    @Test("R21 quiet hours and do-not-disturb mute it, unless the alert is critical") func muted() throws {
        let critical = NotificationSound(name: "default", isCritical: true)
        for (minute, isMuted, why) in [(1_400, false, "muted quiet-hours"), (720, true, "muted do-not-disturb")] {
            let desktop = Desktop(isMuted: isMuted)
            func another() -> AlertSound {
                let another = sound(minute: minute)
                another.desktop = desktop
                return another
            }
            #expect(outcome(another(), try alert()) == [why])
            #expect(outcome(another(), try alert(.timeSensitive)) == [why])
            #expect(outcome(another(), try alert(.critical)) == ["tried"])
            #expect(outcome(another(), try alert(.active, critical)) == ["tried"])
        }
        let heard = sound()
        let desktop = Desktop(isMuted: false)
        heard.desktop = desktop
        #expect(outcome(heard, try alert()) == ["tried"])
    }

    @Test("R17 once it was stopped nothing sounds") func stopped() throws {
        let stopped = sound()
        stopped.stop()
        #expect(outcome(stopped, try alert()) == [])
    }
}
