import AVFAudio
import BelfryAppleGround
import BelfryTerms
import KeeperChannel
import Support
import Synchronization
import Testing

/// Players of sounds, as far as their keeper hears of them; and what else of AVFoundation is a value.
@Suite struct PlayerTests {
    private let folder = TemporaryFolder()
    /// A sound of this test's own, by which its requests are known: others' code in this process asks at any door.
    private let ring: URL

    init() throws {
        ring = URL(fileURLWithPath: "\(folder.path)/ring.wav")
        try FileManager.default.copyItem(atPath: sourceFile("Sounds/ring.wav"), toPath: ring.path)
    }

    private final class Listener: AVAudioPlayerDelegate, Sendable {
        let ends = Mutex(0)
        let failures = Mutex(0)

        func audioPlayerDidFinishPlaying(_ player: AVAudioPlayer, successfully flag: Bool) {
            if flag { ends.withLock { $0 += 1 } } else { failures.withLock { $0 += 1 } }
        }
    }

    /// A keeper that hears what is asked for of the sound at `path`, any if that is nil, and says that it is over.
    private final class Heard: Sendable {
        let words = Mutex<[KeeperDoor.Word]>([])
        private let path: String?

        init(of path: String? = nil) { self.path = path }

        var asked: [Asked] {
            words.withLock { $0 }.compactMap { word in
                if case .asked(let asked) = word, path == nil || asked.path == path { asked } else { nil }
            }
        }
        var sounds: [FoundSound] {
            let tokens = asked.map(\.token)
            return words.withLock { $0 }.compactMap { word in
                if case .sound(let sound, _) = word, tokens.contains(sound.token) { sound } else { nil }
            }
        }
        var disposed: [Int64] {
            let numbers = sounds.map(\.sound)
            return words.withLock { $0 }.compactMap { word in
                if case .disposed(let number) = word, numbers.contains(number) { number } else { nil }
            }
        }
    }

    private final class Told: Sendable {
        let warnings = Mutex<[String]>([])
    }

    private func emptyWave() -> Data {
        let format: [UInt8] = [16, 0, 0, 0, 1, 0, 1, 0, 0x40, 0x1F, 0, 0, 0x80, 0x3E, 0, 0, 2, 0, 16, 0]
        return Data("RIFF".utf8) + Data([36, 0, 0, 0]) + Data("WAVEfmt ".utf8) + Data(format)
            + Data("data".utf8) + Data([0, 0, 0, 0])
    }

    private func open(_ heard: Heard) -> KeeperDoor {
        KeeperDoor.open(KeeperGreeting(stateDirectory: folder.path, memoryBytesMax: 1)) { word in
            heard.words.withLock { $0.append(word) }
        }
    }

    private func wait(until isTrue: () -> Bool) async throws {
        for _ in 0..<1_000 where !isTrue() {
            await withCheckedContinuation { done in
                DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(10)) { done.resume() }
            }
        }
        #expect(isTrue())
    }

    @Test("a sound is played as often as it was asked to be, and then its delegate hears so") func repeats()
        async throws
    {
        let heard = Heard(of: ring.path)
        let door = open(heard)
        defer { door.close() }
        let player = try door.run { try AVAudioPlayer(contentsOf: ring) }
        let listener = Listener()
        player.delegate = listener
        player.numberOfLoops = 1
        #expect(player.duration > 0.5 && player.prepareToPlay() && player.play() && player.play() && player.isPlaying)
        try await wait { heard.sounds.count == 1 }
        #expect(heard.asked.map(\.path) == [ring.path] && heard.sounds.first?.problem == nil)
        door.finished(try #require(heard.asked.first?.token))
        try await wait { heard.asked.count == 2 && player.isPlaying }
        door.finished(try #require(heard.asked.last?.token))
        try await wait { !player.isPlaying && listener.ends.withLock { $0 } == 1 }
        #expect(heard.asked.count == 2)
    }

    @Test("a sound that repeats until it is stopped is silent then, and nothing more is asked for") func stops()
        async throws
    {
        let heard = Heard(of: ring.path)
        let door = open(heard)
        defer { door.close() }
        let player = try door.run { try AVAudioPlayer(contentsOf: ring, fileTypeHint: nil) }
        let listener = Listener()
        player.delegate = listener
        player.numberOfLoops = -1
        player.play()
        for count in 1...3 {
            try await wait { heard.asked.count == count }
            door.finished(try #require(heard.asked.last?.token))
        }
        try await wait { heard.asked.count == 4 }
        player.stop()
        door.finished(try #require(heard.asked.last?.token))
        try await wait { heard.disposed.count == 1 && heard.disposed == [heard.sounds.first?.sound] }
        #expect(!player.isPlaying && heard.asked.count == 4 && listener.ends.withLock { $0 } == 0)
    }

    @Test("in an app a player whose file is gone or empty fails, which its delegate hears", arguments: [true, false])
    func alone(isEmpty: Bool) async throws {
        let told = Told()
        let audio = CallAudio()
        let door = KeeperDoor.openForApp(stateDirectory: folder.path) { warning, text in
            told.warnings.withLock { $0.append("\(warning.rawValue) \(text)") }
        }
        defer { door.close() }
        let listener = Listener()
        let player = try audio.run { try door.run { try AVAudioPlayer(contentsOf: ring) } }
        player.delegate = listener
        player.numberOfLoops = -1
        try FileManager.default.removeItem(at: ring)
        // The header of a WAVE that has no samples.
        if isEmpty { try emptyWave().write(to: ring) }
        #expect(player.play())
        try await wait { listener.failures.withLock { $0 } == 1 }
        #expect(!player.isPlaying && listener.ends.withLock { $0 } == 0)
        // Others' code in this process warns at any door.
        let problem = isEmpty ? "has no sound in it" : "cannot be read"
        let expected = "unsupported AVAudioPlayer.play(): \(ring.path) \(problem)"
        #expect(told.warnings.withLock { $0 }.filter { $0.contains(ring.path) } == [expected])
    }

    @Test("data is a sound, and what is none is an error") func data() async throws {
        let heard = Heard()
        let door = open(heard)
        defer { door.close() }
        try door.run {
            let player = try AVAudioPlayer(data: Data(contentsOf: ring))
            #expect(player.url == nil && player.numberOfChannels > 0 && player.play())
            #expect(throws: NSError.self) { try AVAudioPlayer(data: Data([1])) }
            #expect(throws: NSError.self) { try AVAudioPlayer(contentsOf: URL(fileURLWithPath: "/nowhere.wav")) }
        }
        let path = try #require(heard.asked.compactMap(\.path).first { $0.hasSuffix(".sound") })
        // Its player is gone, and so is its file.
        try await wait { !FileManager.default.fileExists(atPath: path) }
    }

    @Test("a rectangle of a shape lies in the middle of another") func rectangle() {
        let outer = CGRect(x: 10, y: 0, width: 100, height: 50)
        let square = AVMakeRect(aspectRatio: CGSize(width: 2, height: 2), insideRect: outer)
        #expect(square == CGRect(x: 35, y: 0, width: 50, height: 50))
        #expect(AVMakeRect(aspectRatio: CGSize(width: 4, height: 1), insideRect: outer).height == 25)
        #expect(AVMakeRect(aspectRatio: .zero, insideRect: outer).width == 0)
    }
}
