import BelfryEventLoop
import BelfryProtocol
import BelfrySoundDecoding
import BelfrySyscalls
import BelfryTerms
import CallService
import Support
import SystemSound
import Testing

@Suite("What a ring sounds like, by its setting") struct RingerTests {
    let folder = TemporaryFolder()
    let loop: Loop
    let told = Told()

    final class Told { var events: [String] = [] }

    init() throws { loop = try Loop() }

    /// A ringer for `[Ring] Sound=`, without a sound server.
    func ringer(_ sound: String, sounds: String? = nil) -> Ringer {
        let settings = RingSettings(
            duration: .seconds(30), interval: .seconds(1), sound: sound, secondCall: .soft, callsMax: 1)
        let player = SoundPlayer(loop: loop, runtimeDirectory: nil, libraryName: "libcanberra-missing.so.0")
        let environment: Environment = [
            "BELFRY_SOUNDS_DIRECTORY": sounds ?? sourceFile("Sounds"), "XDG_DATA_DIRS": ":",
        ]
        return Ringer(player: player, settings: settings, environment: environment) { [told] body in
            switch body {
            case .warning(let code, let detail): told.events.append("warning \(code.rawValue): \(detail)")
            case .sound(let state, let detail): told.events.append("sound \(state.rawValue): \(detail)")
            default: Issue.record("\(body)")
            }
        }
    }

    @Test func aSoundThatIsRightIsNamedAsItIsConfigured() {
        let file = folder.write(sourceBytes("Sounds/ring.wav"), to: "own.wav")
        for sound in ["ring", "hangup", file, "none"] {
            #expect(ringer(sound).soundName(of: .loud) == sound)
            #expect(ringer(sound).soundName(of: .soft) == sound)
            #expect(ringer(sound).soundName(of: .silent) == "none")
        }
        #expect(told.events.isEmpty)
    }

    @Test("an app's tune is the loud sound; soft rings, silent ones and Sound=none stay as they are")
    func tune() throws {
        let tune = try makeTune(in: folder)
        let ringer = ringer("hangup")
        ringer.ring(with: tune)
        #expect(ringer.soundName(of: .loud) == "tune" && ringer.soundName(of: .soft) == "hangup")
        #expect(ringer.soundName(of: .silent) == "none")
        let none = self.ringer("none")
        none.ring(with: tune)
        none.pulse(.loud)
        #expect(none.soundName(of: .loud) == "none" && told.events.isEmpty)
    }

    @Test func aSilentRingMakesNoSoundAndNeverAsksForOne() {
        let ringer = ringer("rnig")
        ringer.pulse(.silent)
        #expect(ringer.soundName(of: .silent) == "none" && told.events.isEmpty)
    }

    @Test func aRingWithoutSoundLooksForNone() {
        ringer("none").pulse(.loud)
        #expect(told.events.isEmpty)
    }

    @Test func aSoundThatIsCutShortOrMissingIsAMistakeAndRingIsNamedInItsPlace() {
        let ring = sourceBytes("Sounds/ring.wav")
        let cut = folder.write(Array(ring.prefix(ring.count / 2)), to: "cut.wav")
        let broken = ringer(cut)
        for _ in 0..<2 { #expect(broken.soundName(of: .loud) == "ring") }
        #expect(told.events == ["warning configuration: [Ring] Sound=: \(cut): a WAVE file that is cut short"])
        #expect(ringer("rnig").soundName(of: .loud) == "ring")
        #expect(told.events.last?.hasPrefix("warning configuration: [Ring] Sound=: no sound \"rnig\" in ") == true)
    }

    @Test func ifNoSoundCanBeFoundThatIsSaidOnceAndByItsFirstTick() {
        // The first `ring` there is decides, so that the one of the source tree is not found.
        folder.write([], to: "ring.wav")
        let ringer = ringer("own", sounds: folder.path)
        #expect(ringer.soundName(of: .loud) == "none")
        #expect(told.events.count == 1)
        for _ in 0..<2 {
            ringer.pulse(.loud)
            #expect(told.events.last == "sound unavailable: no sound can be found" && told.events.count == 2)
        }
    }
}

/// A tune as an app passes it.
func makeTune(in folder: TemporaryFolder) throws -> ResolvedSound {
    try ResolvedSound(passed: makeTuneFile(in: folder), name: "tune", repeats: true)
}

/// The file of a tune as an app passes it.
func makeTuneFile(in folder: TemporaryFolder) throws -> PassedFile {
    try SoundSample(.wave, milliseconds: 100).write(to: "\(folder.path)/tune.wav")
    return try SoundDecoder.tune(ofFileAt: "\(folder.path)/tune.wav")
}
