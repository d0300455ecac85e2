import BelfrySyscalls
import Support
@testable import SystemSound
import Testing

/// Where a ring is played to, and how loud, on a real PulseAudio. One after another: each has a server of its own.
@Suite(.serialized) struct SoundRouteTests {
    let folder = TemporaryFolder()
    let server = PrivateSoundServer()

    /// Longer than any tick.
    var sound: String { folder.write(WaveFile.tone(amplitude: 0.25, milliseconds: 5_000).bytes, to: "long.wav") }

    /// Starts the server, which plays to its sink `ring` and is recorded there, and has a sink `other`.
    func start(default name: String) throws -> SoundRecording {
        try server.start(
            modules: ["ring", "other"].map { "module-null-sink sink_name=\($0) rate=48000 channels=1 norewinds=1" })
        try pactl("set-default-sink", name)
        return try server.record()
    }

    func pactl(_ words: String...) throws {
        let run = try ProgramRun("/usr/bin/pactl", words, environment: server.environment)
        #expect(try run.child.waitUntilExit() == .exited(code: 0), "\(words)")
    }

    @Test("a ring is heard at its device, and not at the server's default") func device() throws {
        let recording = try start(default: "other")
        let ringer = try Ringer(on: server, changing: ["RING_PLAYER_DEVICE": "ring"])
        #expect(try ringer.begin(sound) == "playing \(sound)")
        #expect(recording.millisecondsUntilSound(within: 30_000) != nil)
        try ringer.silence()
        recording.skipToNow()
        _ = recording.listen(milliseconds: SoundPlayerTests.silentWithinMilliseconds)
        let elsewhere = try Ringer(on: server)
        #expect(try elsewhere.begin(sound) == "playing \(sound)")
        #expect(recording.listen(milliseconds: 1_000).sounding == nil)
    }

    @Test("R14: a device that is not there is passed over, which is said once, and another connection looks again")
    func missing() throws {
        let recording = try start(default: "ring")
        let ringer = try Ringer(on: server, changing: ["RING_PLAYER_DEVICE": "nosuch"])
        #expect(try ringer.begin(sound) == "playing \(sound), and not to nosuch, since there is no such sink")
        #expect(recording.millisecondsUntilSound(within: 30_000) != nil)
        for _ in 0..<3 { try ringer.play(sound) }
        #expect(ringer.state(within: 0) == nil)
        // A file that is not there is not taken for a sink.
        #expect(try ringer.begin("/nosuch.wav", as: .second)?.hasPrefix("unavailable /nosuch.wav: ") == true)
    }

    @Test("a device that is muted is named, though the server's default is not") func muted() throws {
        _ = try start(default: "ring")
        try pactl("set-sink-mute", "other", "1")
        let ringer = try Ringer(on: server, changing: ["RING_PLAYER_DEVICE": "other"])
        #expect(try ringer.begin(sound) == "muted the sink other is muted")
    }

    @Test("a volume is that of mixers, and a soft ring is quieter than it by as much as ever") func volume() throws {
        let recording = try start(default: "ring")
        let ringer = try Ringer(on: server, changing: ["RING_PLAYER_VOLUME": "50"])
        #expect(try ringer.begin(sound) == "playing \(sound)")
        #expect(recording.millisecondsUntilSound(within: 30_000) != nil)
        // 0.25 at half of the cubic scale is an eighth of it.
        #expect(abs(recording.listen(milliseconds: 300).rms - 0.25 / 8) < 0.003)
        try ringer.play(sound, decibels: SoundFiles.softAttenuationDecibels)
        _ = recording.listen(milliseconds: SoundPlayerTests.silentWithinMilliseconds)
        recording.skipToNow()
        #expect(abs(recording.listen(milliseconds: 300).rms - 0.25 / 8 / 5) < 0.001)
    }

    @Test(
        "without a volume the server's counts; 100 % is said as 0 dB",
        arguments: [
            (nil, 0, nil), (nil, 14, "-14.0"), (100, 0, "0.0"), (50, 0, "-18.1"), (50, 14, "-32.1"), (1, 0, "-120.0"),
        ])
    func decibels(percent: Int?, attenuation: Int, text: String?) {
        #expect(SoundRoute(volumePercent: percent).decibels(attenuatedBy: attenuation) == text)
    }
}
