import BelfrySyscalls
import BelfryTerms
import Glibc
import Support
@testable import SystemSound
import Testing

/// A ring heard, and not heard, on a real PulseAudio. One after another: each has a server and a recorder of its own.
@Suite(.serialized) struct SoundPlayerTests {
    /// How late a sound that was stopped may still be in the recording: what the sink and the recorder hold.
    static let silentWithinMilliseconds = 200
    /// How long a loop may be held up on a machine where other tests build and run: far less than any call that blocks.
    static let gapMicrosecondsMax = 500_000

    let folder = TemporaryFolder()
    let server = PrivateSoundServer()

    /// Longer than any tick, so that only being stopped ends it.
    func longSound(amplitude: Double = 0.25) -> String {
        folder.write(WaveFile.tone(amplitude: amplitude, milliseconds: 5_000).bytes, to: "long-\(amplitude).wav")
    }

    @Test func aRingIsHeardAndSilentOnceItsSilenceIsConfirmed() throws {
        let recording = try server.start()
        let ringer = try Ringer(on: server)
        let sound = longSound()
        #expect(try ringer.begin(sound) == "playing \(sound)")
        #expect(recording.millisecondsUntilSound(within: 30_000) != nil)
        #expect(abs(recording.listen(milliseconds: 300).rms - 0.25) < 0.01)
        var took = try ringer.silence()
        recording.skipToNow()
        let after = recording.listen(milliseconds: 1_000)
        #expect(after.sounding.map { $0.upperBound < Self.silentWithinMilliseconds } ?? true, "\(after)")
        for _ in 0..<9 where took >= 100_000 {
            try ringer.play(sound)
            took = try ringer.silence()
        }
        #expect(took < 100_000, "a live server confirms: \(took) µs")
        #expect(try ringer.gap() < Self.gapMicrosecondsMax)
    }

    @Test func R14_noTicksSoundOutlastsItsInterval() throws {
        let recording = try server.start()
        let ringer = try Ringer(on: server)
        let sound = longSound()
        #expect(try ringer.begin(sound) == "playing \(sound)")
        for _ in 0..<6 {
            // Two at once would be twice as loud.
            #expect(recording.listen(milliseconds: 300).peak < 0.3)
            try ringer.play(sound)
        }
        #expect(ringer.state(within: 0) == nil, "told once, not at each tick")
    }

    @Test("R6 R14 a tune sounds whole and again, whatever ticks come, and is silent once that is confirmed")
    func tune() throws {
        let recording = try server.start()
        let ringer = try Ringer(on: server)
        // What follows on itself without a pause would be one sound.
        var sample = SoundSample(.wave, milliseconds: 3_000)
        sample.pauseMilliseconds = 500
        let tune = "\(folder.path)/tune.wav"
        try sample.write(to: tune)
        try ringer.tick(tune)
        #expect(recording.millisecondsUntilSound(within: 30_000) != nil)
        #expect(ringer.state() == "playing tune")
        // How long each sound lasted, in pieces of 20 ms that are loud all through.
        var (sounds, pauses) = ([0], 0)
        for piece in 0..<400 {
            if piece % 12 == 0 { try ringer.tick(tune) }
            let loudness = recording.listen(milliseconds: 20)
            #expect(loudness.peak < 0.4, "two at once would be twice as loud")
            if loudness.rms > 0.2 {
                sounds[sounds.count - 1] += 20
            } else {
                pauses += 1
                if sounds.last != 0 { sounds.append(0) }
            }
        }
        #expect(sounds.prefix(2).allSatisfy { (2_440...2_560).contains($0) }, "\(sounds)")
        #expect(sounds.count == 3 && sounds[2] > 1_000 && (40..<90).contains(pauses), "\(sounds), \(pauses) pauses")
        #expect(ringer.state(within: 0) == nil, "told once, not at each time")
        let took = try ringer.silence()
        #expect(took < 100_000, "\(took) µs")
        recording.skipToNow()
        let after = recording.listen(milliseconds: 4_000)
        #expect(after.sounding.map { $0.upperBound < Self.silentWithinMilliseconds } ?? true, "\(after)")
    }

    @Test func aSoftRingIsQuieter() throws {
        let recording = try server.start()
        let ringer = try Ringer(on: server)
        try ringer.play(longSound(), decibels: SoundFiles.softAttenuationDecibels)
        #expect(recording.millisecondsUntilSound(within: 30_000) != nil)
        // 0.25 lowered by 14 dB.
        #expect(abs(recording.listen(milliseconds: 300).rms - 0.05) < 0.005)
    }

    @Test func aRingAfterASilenceIsHeardAndReportedAnew() throws {
        let recording = try server.start()
        let ringer = try Ringer(on: server)
        let sound = longSound()
        #expect(try ringer.begin(sound) == "playing \(sound)")
        try ringer.silence()
        recording.skipToNow()
        #expect(try ringer.begin(sound) == "playing \(sound)")
        #expect(recording.millisecondsUntilSound(within: 30_000) != nil)
    }

    @Test func R7_ofTwoRingsOfAPlayerTheOneThatIsSilencedStopsAndTheOtherIsHeardOn() throws {
        let recording = try server.start()
        let ringer = try Ringer(on: server)
        let (sound, other) = (longSound(), longSound(amplitude: 0.1))
        #expect(try ringer.begin(sound) == "playing \(sound)")
        #expect(try ringer.begin(other, as: .second) == "playing \(other)")
        #expect(recording.millisecondsUntilSound(within: 30_000) != nil)
        recording.skipToNow()
        // Both are the same tone, begun at different moments: all that is sure is that it is not the second alone.
        #expect(recording.listen(milliseconds: 300).rms > 0.12)
        let took = try ringer.silence()
        #expect(took < 100_000, "a live server confirms: \(took) µs")
        _ = recording.listen(milliseconds: Self.silentWithinMilliseconds)
        recording.skipToNow()
        #expect(abs(recording.listen(milliseconds: 300).rms - 0.1) < 0.01)
        #expect(ringer.state(within: 0) == nil && ringer.state(of: .second, within: 0) == nil)
        // It rings again beside the other, then the other is let go of.
        #expect(try ringer.begin(sound) == "playing \(sound)")
        try ringer.end(.second)
        _ = recording.listen(milliseconds: Self.silentWithinMilliseconds)
        recording.skipToNow()
        #expect(abs(recording.listen(milliseconds: 300).rms - 0.25) < 0.02)
        try ringer.silence()
        recording.skipToNow()
        let after = recording.listen(milliseconds: 1_000)
        #expect(after.sounding.map { $0.upperBound < Self.silentWithinMilliseconds } ?? true, "\(after)")
    }

    @Test func R23_twoRingsOfAPlayerShareOnePlaceUntilBothAreSilent() throws {
        try server.start()
        let sound = longSound()
        let ringer = try Ringer(on: server)
        #expect(try ringer.begin(sound) == "playing \(sound)")
        #expect(try ringer.begin(sound, as: .second) == "playing \(sound)")
        var others: [Ringer] = []
        for _ in 1..<SoundSlot.slotsMax {
            let other = try Ringer(on: server)
            #expect(try other.begin(sound) == "playing \(sound)")
            others.append(other)
        }
        try ringer.silence()
        let ninth = try Ringer(on: server)
        #expect(try ninth.begin(sound) == "unavailable busy", "the second ring keeps the place")
        try ringer.silence(.second)
        #expect(try ninth.playUntilAnswered(sound) == "playing \(sound)")
    }

    @Test func R14_aKilledWorkersSoundStopsWithIt() throws {
        let recording = try server.start()
        let ringer = try Ringer(on: server)
        try ringer.play(longSound())
        #expect(recording.millisecondsUntilSound(within: 30_000) != nil)
        try ringer.kill()
        recording.skipToNow()
        let after = recording.listen(milliseconds: 1_000)
        #expect(after.sounding.map { $0.upperBound < Self.silentWithinMilliseconds } ?? true, "\(after)")
    }

    @Test("a sound that nobody hears is told as muted, and not as playing") func muted() throws {
        try server.start()
        let mute = try ProgramRun(
            "/usr/bin/pactl", ["set-sink-mute", "ring", "1"], environment: server.environment)
        #expect(try mute.child.waitUntilExit() == .exited(code: 0))
        #expect(try Ringer(on: server).begin(longSound()) == "muted the sink ring is muted")
    }

    @Test func R14_noSoundServerIsOneEventAndDelaysNothing() throws {
        let ringer = try Ringer(on: server)
        let sound = longSound()
        try ringer.play(sound)
        #expect(ringer.state() == "unavailable no sound server answers")
        for _ in 0..<3 {
            try ringer.play(sound)
            #expect(ringer.state(within: 300) == nil)
        }
        #expect(try ringer.silence() < Self.gapMicrosecondsMax, "nothing was heard, so there is nothing to wait for")
        #expect(try ringer.gap() < Self.gapMicrosecondsMax)
    }

    @Test func R14_aServerThatComesLateIsHeard() throws {
        let ringer = try Ringer(on: server)
        let sound = longSound()
        try ringer.play(sound)
        #expect(ringer.state() == "unavailable no sound server answers")
        let recording = try server.start()
        #expect(try ringer.playUntilAnswered(sound) == "playing \(sound)")
        #expect(recording.millisecondsUntilSound(within: 30_000) != nil)
    }

    @Test func R14_aServerStoppedBeforeTheRingDelaysNothing() throws {
        let recording = try server.start()
        try server.hang()
        let ringer = try Ringer(on: server)
        let sound = longSound()
        try ringer.play(sound)
        #expect(ringer.state() == "unavailable the sound server does not answer")
        #expect(SoundPlayer.answerPatience == .seconds(1))
        for _ in 0..<5 { try ringer.play(sound) }
        #expect(try ringer.silence() < Self.gapMicrosecondsMax)
        #expect(try ringer.gap() < Self.gapMicrosecondsMax)
        try server.resume()
        #expect(recording.listen(milliseconds: 1_500).sounding == nil, "it rang after its end")
    }

    @Test func R14_aServerStoppedBetweenTicksDelaysNothingAndRingsOnWhenItResumes() throws {
        let recording = try server.start()
        let ringer = try Ringer(on: server)
        let sound = longSound()
        #expect(try ringer.begin(sound) == "playing \(sound)")
        try server.hang()
        try ringer.play(sound)
        #expect(ringer.state() == "unavailable the sound server does not answer")
        try server.resume()
        #expect(try ringer.playUntilAnswered(sound) == "playing \(sound)")
        recording.skipToNow()
        #expect(recording.millisecondsUntilSound(within: 30_000) != nil)
        try ringer.silence()
        recording.skipToNow()
        let after = recording.listen(milliseconds: 1_000)
        #expect(after.sounding.map { $0.upperBound < Self.silentWithinMilliseconds } ?? true, "\(after)")
        #expect(try ringer.gap() < Self.gapMicrosecondsMax)
    }

    @Test func R7_aServerStoppedAtTheEndDelaysItByItsBoundAndNoMore() throws {
        let recording = try server.start()
        let ringer = try Ringer(on: server)
        try ringer.play(longSound())
        #expect(recording.millisecondsUntilSound(within: 30_000) != nil)
        try server.hang()
        let took = try ringer.silence()
        #expect(SoundPlayer.silencePatience == .milliseconds(100))
        #expect(took >= 100_000 && took < 100_000 + Self.gapMicrosecondsMax)
        recording.skipToNow()
        try server.resume()
        let after = recording.listen(milliseconds: 1_500)
        #expect(after.sounding.map { $0.upperBound < Self.silentWithinMilliseconds } ?? true, "\(after)")
    }

    @Test func R14_aHungServerKeepsNoProcessFromLeaving() throws {
        try server.start()
        let sound = longSound()
        let playing = try Ringer(on: server)
        #expect(try playing.begin(sound) == "playing \(sound)")
        try server.hang()
        let opening = try Ringer(on: server)
        try opening.play(sound)
        #expect(opening.state() == "unavailable the sound server does not answer")
        try playing.play(sound)
        #expect(try opening.leave(), "its thread is inside ca_context_open")
        #expect(try playing.leave(), "its thread is inside ca_context_play_full")
    }

    @Test func R14_aServerThatDiesBetweenTicksAndComesBackIsHeardAgain() throws {
        try server.start()
        let ringer = try Ringer(on: server)
        let sound = longSound()
        #expect(try ringer.begin(sound) == "playing \(sound)")
        server.kill()
        #expect(try ringer.playUntilStateChanges(sound)?.hasPrefix("unavailable ") == true)
        let recording = try server.start()
        #expect(try ringer.playUntilAnswered(sound) == "playing \(sound)")
        #expect(recording.millisecondsUntilSound(within: 30_000) != nil)
    }

    @Test func R14_aServerRestartedBetweenTwoTicksIsFoundByTheSecond() throws {
        try server.start()
        let ringer = try Ringer(on: server)
        let sound = longSound()
        #expect(try ringer.begin(sound) == "playing \(sound)")
        server.kill()
        let recording = try server.start()
        try ringer.play(sound)
        #expect(recording.millisecondsUntilSound(within: 30_000) != nil)
        #expect(ringer.state(within: 0) == nil, "it played before and plays now")
    }

    @Test func R14_aFullServerIsUnavailableUntilThereIsRoom() throws {
        let recording = try server.start()
        var clients = try ServerClients(of: server, count: 64)
        let ringer = try Ringer(on: server)
        let sound = longSound()
        try ringer.play(sound)
        #expect(ringer.state()?.hasPrefix("unavailable ") == true)
        #expect(try ringer.gap() < Self.gapMicrosecondsMax)
        clients.leave()
        #expect(try ringer.playUntilAnswered(sound) == "playing \(sound)")
        #expect(recording.millisecondsUntilSound(within: 30_000) != nil)
    }

    @Test func R23_theNinthProcessIsBusyUntilOneOfTheEightIsGone() throws {
        try server.start()
        let sound = longSound()
        let ringers = try eightRingers(sound)
        let ninth = try Ringer(on: server)
        #expect(try ninth.begin(sound) == "unavailable busy")
        try ringers[3].kill()
        #expect(try ninth.playUntilAnswered(sound) == "playing \(sound)")
        let tenth = try Ringer(on: server)
        #expect(try tenth.begin(sound) == "unavailable busy")
        try ringers[5].silence()
        #expect(try tenth.playUntilAnswered(sound) == "playing \(sound)")
    }

    /// Eight processes that sound, the oldest first.
    func eightRingers(_ sound: String) throws -> [Ringer] {
        try (0..<SoundSlot.slotsMax).map { _ in
            let ringer = try Ringer(on: server)
            #expect(try ringer.begin(sound) == "playing \(sound)")
            return ringer
        }
    }

    @Test func R23_aNewRingSoundsByItsSecondTickAndTheOldestOfEightFallsSilent() throws {
        let recording = try server.start()
        let (sound, other) = (longSound(amplitude: 0.001), longSound())
        let oldest = try Ringer(on: server)
        #expect(try oldest.begin(other) == "playing \(other)")
        #expect(try oldest.begin(other, as: .second) == "playing \(other)")
        var ringers: [Ringer] = []
        for _ in 1..<SoundSlot.slotsMax {
            let ringer = try Ringer(on: server)
            #expect(try ringer.begin(sound) == "playing \(sound)")
            ringers.append(ringer)
        }
        let ninth = try Ringer(on: server)
        #expect(try ninth.begin(sound) == "unavailable busy")
        for ringer in ringers { try ringer.play(sound) }
        try oldest.play(other)
        #expect(oldest.state() == "unavailable busy")
        #expect(try ninth.begin(sound) == "playing \(sound)")
        ringers.append(ninth)
        recording.skipToNow()
        _ = recording.listen(milliseconds: Self.silentWithinMilliseconds)
        #expect(recording.listen(milliseconds: 300).peak < 0.1, "both of its rings fell silent")
        try oldest.play(other, as: .second)
        #expect(oldest.state(of: .second) == "unavailable busy")
        for _ in 0..<3 { for ringer in [oldest] + ringers { try ringer.play(sound) } }
        for ringer in [oldest] + ringers { #expect(ringer.state(within: 100) == nil, "nothing goes round") }
        try ringers[7].silence()
        #expect(try oldest.playUntilAnswered(sound) == "playing \(sound)")
    }

    @Test func R23_aStoppedHolderKeepsNoNewRingSilent() throws {
        try server.start()
        let sound = longSound()
        let ringers = try eightRingers(sound)
        try ringers[0].stop()
        let ninth = try Ringer(on: server)
        #expect(try ninth.begin(sound) == "unavailable busy")
        for ringer in ringers[1...] { try ringer.play(sound) }
        #expect(ringers[1].state() == "unavailable busy")
        #expect(try ninth.begin(sound) == "playing \(sound)")
    }

    @Test func R14_aMissingLibraryIsOneEvent() throws {
        let ringer = try Ringer(on: server, changing: ["RING_PLAYER_LIBRARY": "libcanberra-missing.so.0"])
        try ringer.play(longSound())
        #expect(ringer.state()?.hasPrefix("unavailable libcanberra cannot be opened: libcanberra-missing.so.0") == true)
        try ringer.play(longSound())
        #expect(ringer.state(within: 300) == nil)
        #expect(try ringer.silence() < Self.gapMicrosecondsMax)
    }

    @Test func R14_aSoundThatVanishedOrWasBrokenIsOneEventAndTheNextIsHeard() throws {
        let recording = try server.start()
        let ringer = try Ringer(on: server)
        let sound = longSound()
        let broken = folder.write(Array("RIFF".utf8), to: "broken.wav")
        try ringer.play("\(folder.path)/vanished.wav")
        #expect(ringer.state()?.hasPrefix("unavailable \(folder.path)/vanished.wav: ") == true)
        try ringer.play(broken)
        #expect(ringer.state()?.hasPrefix("unavailable \(broken): ") == true)
        #expect(try ringer.begin(sound) == "playing \(sound)")
        #expect(recording.millisecondsUntilSound(within: 30_000) != nil)
    }
}

/// Clients that take up a sound server's places and say nothing.
struct ServerClients {
    private var descriptors: [Int32] = []

    init(of server: PrivateSoundServer, count: Int) throws {
        for _ in 0..<count {
            let number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            try #require(number >= 0)
            descriptors.append(number)
            try connectUnixSocket(number, to: server.socketPath)
        }
    }

    mutating func leave() {
        for descriptor in descriptors { close(descriptor) }
        descriptors = []
    }
}
