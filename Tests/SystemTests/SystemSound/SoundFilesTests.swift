import BelfrySyscalls
import BelfryTerms
import Glibc
import Support
@testable import SystemSound
import Testing

@Suite struct SoundFilesTests {
    let folder = TemporaryFolder()

    var files: SoundFiles { SoundFiles(folders: ["\(folder.path)/none", folder.path]) }

    func problem(_ setting: String) -> String? {
        do {
            _ = try files.find(configured: setting)
            return nil
        } catch { return error.description }
    }

    @Test func noneIsNoSound() throws {
        folder.write(WaveFile().bytes, to: "none.wav")
        #expect(try files.find(configured: "none") == nil)
        #expect(try files.find(configured: "none", soft: true) == nil)
    }

    @Test func aNameIsLookedUpInTheFoldersInOrder() throws {
        let first = TemporaryFolder()
        folder.write(WaveFile().bytes, to: "a.wav")
        folder.write(WaveFile().bytes, to: "b.wav")
        first.write(WaveFile().bytes, to: "a.wav")
        let files = SoundFiles(folders: [first.path, folder.path])
        #expect(try files.find(named: "a") == ResolvedSound(name: "a", path: "\(first.path)/a.wav"))
        #expect(try files.find(named: "b").path == "\(folder.path)/b.wav")
        #expect(try files.find(named: "b.wav").path == "\(folder.path)/b.wav")
    }

    @Test func aPathIsAFile() throws {
        let path = folder.write(WaveFile().bytes, to: "x y.wav")
        #expect(try files.find(configured: path)?.path == path)
        #expect(problem("\(folder.path)/missing.wav") == "\(folder.path)/missing.wav: No such file or directory")
    }

    @Test(arguments: [
        "..", ".", ".hidden", "a b", "a/../b", "/etc/passwd", "", "é", "../ring",
        String(repeating: "x", count: SoundName.bytesMax + 1),
    ])
    func S1_anOutsideNameNeverBecomesAPath(name: String) {
        #expect(throws: SoundProblem.badName(String(name.prefix(SoundName.bytesMax)))) {
            try files.find(named: name)
        }
    }

    @Test func S1_anAlertsSoundIsABareNameWithOrWithoutItsEndingElseTheDefault() throws {
        for name in ["alert", "ping", "chime.caf"] { folder.write(WaveFile().bytes, to: "\(name).wav") }
        folder.makeFolder("x")
        folder.write(WaveFile().bytes, to: "x/inside.wav")
        folder.write(Array("broken".utf8), to: "broken.wav")
        let expected = [
            "ping": "ping", "ping.caf": "ping", "ping.wav": "ping", "chime.caf": "chime.caf", "default": "alert",
            "": "alert", "none": "alert", "broken": "alert", "x/inside": "alert", "\(folder.path)/ping.wav": "alert",
            "../ping": "alert", ".ping": "alert",
        ]
        for (name, file) in expected {
            let sound = try #require(files.find(alert: name), "\(name)")
            #expect(sound.path == "\(folder.path)/\(file).wav" && sound.tellsEnd, "\(name)")
        }
        #expect(SoundFiles(folders: []).find(alert: "ping") == nil)
    }

    @Test func S1_controlCharactersAreNoPartOfAName() {
        for name in ["a\0b", "a\n", "\u{7F}"] {
            #expect(throws: SoundProblem.badName(name)) { try files.find(named: name) }
        }
    }

    @Test func theLongestNameIsANameStill() throws {
        let name = String(repeating: "x", count: SoundName.bytesMax)
        folder.write(WaveFile().bytes, to: "\(name).wav")
        #expect(try files.find(named: name).name == name)
    }

    @Test func aMissingNameSaysWhereItWasLookedFor() {
        #expect(problem("xyz") == "no sound \"xyz\" in \(folder.path)/none, \(folder.path)")
    }

    @Test func aSoftRingTakesTheSoftVariantElseIsQuieter() throws {
        folder.write(WaveFile().bytes, to: "a.wav")
        folder.write(WaveFile().bytes, to: "a-soft.wav")
        folder.write(WaveFile().bytes, to: "b.wav")
        folder.write(WaveFile().bytes, to: "c.wav")
        folder.write(Array("broken".utf8), to: "c-soft.wav")
        let variant = ResolvedSound(name: "a", path: "\(folder.path)/a-soft.wav", isSoft: true)
        #expect(try files.find(named: "a", soft: true) == variant)
        let quieter = ResolvedSound(name: "b", path: "\(folder.path)/b.wav", attenuationDecibels: 14, isSoft: true)
        #expect(try files.find(named: "b", soft: true) == quieter)
        #expect(try files.find(named: "c", soft: true).attenuationDecibels == 14)
        #expect(try files.find(configured: "\(folder.path)/a.wav", soft: true)?.path == "\(folder.path)/a-soft.wav")
        #expect(SoundFiles.softPath(of: "/a.b/c") == "/a.b/c-soft")
        #expect(SoundFiles.softPath(of: "x.y.ogg") == "x.y-soft.ogg")
    }

    @Test func aMistakeNeverSilencesACall() {
        folder.write(WaveFile().bytes, to: "ring.wav")
        let resolved = files.resolve(configured: "rnig")
        #expect(resolved.sound?.path == "\(folder.path)/ring.wav")
        #expect(resolved.problem == .notFound(name: "rnig", folders: files.folders))
        #expect(files.resolve(configured: "none").sound == nil && files.resolve(configured: "none").problem == nil)
        #expect(SoundFiles(folders: []).resolve(configured: "ring").sound == nil)
    }

    @Test func theFoldersAreTheConfiguredTheInstalledAndTheSourceTrees() {
        folder.makeFolder("tree/.build/debug")
        folder.makeFolder("tree/Sounds")
        folder.write([], to: "tree/Package.swift")
        let program = "\(folder.path)/tree/.build/debug/belfry-worker"
        let files = SoundFiles(
            environment: ["BELFRY_SOUNDS_DIRECTORY": "/opt/sounds", "XDG_DATA_DIRS": ":"], programPath: program)
        #expect(
            files.folders == [
                "/opt/sounds", "\(folder.path)/tree/.build/share/belfry/sounds", "\(folder.path)/tree/Sounds",
            ]
        )
        folder.makeFolder("bin")
        folder.makeFolder("Sounds")
        let installed = SoundFiles(
            environment: ["XDG_DATA_DIRS": ":"], programPath: "\(folder.path)/bin/belfry-worker")
        #expect(installed.folders == ["\(folder.path)/share/belfry/sounds"])
        #expect(SoundFiles(environment: ["XDG_DATA_DIRS": ":"], programPath: nil).folders.isEmpty)
    }

    @Test func theFoldersOfTheSoundThemeComeLast() {
        func folders(_ environment: [String: String]) -> [String] {
            SoundFiles(environment: Environment(environment), programPath: nil).folders
        }
        let machine = ["/usr/local/share/sounds/freedesktop/stereo", "/usr/share/sounds/freedesktop/stereo"]
        #expect(folders([:]) == machine)
        #expect(folders(["HOME": "/h"]) == ["/h/.local/share/sounds/freedesktop/stereo"] + machine)
        #expect(
            folders([
                "BELFRY_SOUNDS_DIRECTORY": "/own", "HOME": "/h", "XDG_DATA_HOME": "/d", "XDG_DATA_DIRS": "x:/a:/b",
            ]) == [
                "/own", "/d/sounds/freedesktop/stereo", "/a/sounds/freedesktop/stereo", "/b/sounds/freedesktop/stereo",
            ]
        )
    }

    @Test func aNameOfTheSoundThemeIsFoundAndChecked() throws {
        let stereo = folder.makeFolder("data/sounds/freedesktop/stereo")
        let whole = folder.write(OggFile().bytes, to: "data/sounds/freedesktop/stereo/phone-incoming-call.oga")
        folder.write(Array(OggFile().bytes.dropLast()), to: "data/sounds/freedesktop/stereo/bell.oga")
        let files = SoundFiles(environment: ["XDG_DATA_DIRS": "\(folder.path)/data"], programPath: nil)
        #expect(
            try files.find(configured: "phone-incoming-call")
                == ResolvedSound(name: "phone-incoming-call", path: whole))
        #expect(
            files.resolve(configured: "bell").problem
                == .unusable(path: "\(stereo)/bell.oga", why: "an Ogg file that is cut short"))
    }

    @Test func ourOwnSoundsCanBePlayed() throws {
        let files = SoundFiles(environment: [:], programPath: runningProgramPath())
        for name in ["ring", "hangup"] { #expect(try files.find(named: name).attenuationDecibels == 0) }
        #expect(try files.find(named: "ring", soft: true).path.hasSuffix("/Sounds/ring-soft.wav"))
    }
}
