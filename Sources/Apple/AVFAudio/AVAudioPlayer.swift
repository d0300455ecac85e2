import BelfryAppleGround
import BelfrySoundDecoding
import BelfrySyscalls
import BelfryTerms
import KeeperChannel

/// Plays a sound, as ``AVAudioFile`` reads it: in an extension by the worker, up to 30 s at a time; in an app to the
/// sound server. Source: Apple, `AVAudioPlayer`.
open class AVAudioPlayer: NSObject, @unchecked Sendable {
    private struct State {
        var isPlaying = false
        var loopsLeft = 0
        /// Counts up with each start and stop, so that the end of a sound that was stopped is known as such.
        var turn = 0
        /// What an app plays now.
        var sound: AppSound?
    }

    /// The number of the next player's sound: above all of AudioToolbox.
    private static let next = LockedValue<Int64>(0x1_0000_0000)
    private static let queue = DispatchQueue(label: "belfry.players")

    /// Where the sound is; nil for one that was made of data.
    public let url: URL?
    /// The sound's bytes; nil for one of a file.
    public let data: Data?
    /// How long it is, in seconds.
    public let duration: TimeInterval
    /// How many channels it has.
    public let numberOfChannels: Int
    /// The format of its frames.
    public let format: AVAudioFormat
    /// How often it is repeated; below 0 until it is stopped.
    open var numberOfLoops = 0
    /// Kept; what is heard is as loud as the sound server has it.
    open var volume: Float = 1
    /// Keeps the volume, at once.
    open func setVolume(_ volume: Float, fadeDuration duration: TimeInterval) { self.volume = volume }
    /// Kept.
    open var pan: Float = 0
    /// Kept.
    open var enableRate = false
    /// Kept.
    open var rate: Float = 1
    /// Kept: a sound is always played from its beginning.
    open var currentTime: TimeInterval = 0

    /// Learns of the end, on the main queue.
    open weak var delegate: (any AVAudioPlayerDelegate)?

    private let number: Int64
    private let path: String
    private let isOwnFile: Bool
    private let door = KeeperDoor.current
    private let audio = CallAudio.current
    private let state = LockedValue(State())

    /// A player of the file at `url`.
    ///
    /// - Throws: as ``AVAudioFile/init(forReading:)`` does.
    public convenience init(contentsOf url: URL) throws { try self.init(url, nil) }

    /// A player of the file at `url`, of which `utiType` changes nothing.
    ///
    /// - Throws: as ``AVAudioFile/init(forReading:)`` does.
    public convenience init(contentsOf url: URL, fileTypeHint utiType: String?) throws { try self.init(url, nil) }

    /// A player of `data`, which is kept in a temporary file for as long as the player is there.
    ///
    /// - Throws: as ``AVAudioFile/init(forReading:)`` does, or if there is no room for the file.
    public convenience init(data: Data) throws {
        let url = URL(fileURLWithPath: NSTemporaryDirectory()).appendingPathComponent("\(UUID().uuidString).sound")
        try data.write(to: url)
        do {
            try self.init(url, data)
        } catch {
            try? FileManager.default.removeItem(at: url)
            throw error
        }
    }

    private init(_ url: URL, _ data: Data?) throws {
        let file = try AVAudioFile(forReading: url)
        let rate = file.processingFormat.sampleRate
        duration = rate > 0 ? Double(file.length) / rate : 0
        format = file.processingFormat
        numberOfChannels = Int(file.processingFormat.channelCount)
        self.url = data == nil ? url : nil
        self.data = data
        isOwnFile = data != nil
        path = url.standardizedFileURL.path
        number = Self.next.withLock { next in
            defer { next += 1 }
            return next
        }
        super.init()
    }

    deinit {
        if isPlaying { stop() }
        guard isOwnFile else { return }
        // On the queue: the file may still be read there.
        let path = path
        Self.queue.async { try? FileManager.default.removeItem(atPath: path) }
    }

    /// Whether it plays now.
    open var isPlaying: Bool { state.withLock { $0.isPlaying } }

    /// True: nothing has to be prepared.
    @discardableResult
    open func prepareToPlay() -> Bool { true }

    /// Plays the sound from its beginning; does nothing while it plays.
    ///
    /// - Returns: true.
    @discardableResult
    open func play() -> Bool {
        let loops = numberOfLoops
        let turn = state.withLock { state -> Int? in
            guard !state.isPlaying else { return nil }
            state.isPlaying = true
            state.loopsLeft = loops
            state.turn += 1
            return state.turn
        }
        guard let turn else { return true }
        audio.plays(number)
        if door.hasKeeper { ask(turn) } else { playAlone(turn) }
        return true
    }

    /// Plays the sound at once, whatever `time` says.
    @discardableResult
    open func play(atTime time: TimeInterval) -> Bool { play() }

    /// Stops it; it does not go on from there.
    open func pause() { stop() }

    /// Stops it, without a word to the delegate.
    open func stop() {
        let sound = state.withLock { state in
            state.isPlaying = false
            state.turn += 1
            defer { state.sound = nil }
            return state.sound
        }
        sound?.stop()
        audio.ended(number)
        let (door, number) = (door, number)
        Self.queue.async { door.say(.disposed(number)) }
    }

    /// Asks the keeper to play the sound once.
    private func ask(_ turn: Int) {
        let (door, number, path) = (door, number, path)
        let token = door.ask(Asked(CodeWord(.sound), path: path)) { [weak self] in self?.played(turn) }
        guard let token else { return }
        Self.queue.async {
            do throws(SoundDecodingError) {
                let wave = try SoundDecoder.wave(ofFileAt: path)
                door.say(.sound(FoundSound(token: token, sound: number, problem: nil), wave))
            } catch {
                door.say(.sound(FoundSound(token: token, sound: number, problem: error.detail), nil))
            }
        }
    }

    /// Plays it in this process, with its repetitions.
    private func playAlone(_ turn: Int) {
        let sound = AppSound(path)
        let isWanted = state.withLock { state in
            guard state.turn == turn else { return false }
            state.sound = sound
            return true
        }
        guard isWanted else { return }
        sound.play { [weak self] in
            self?.repeats(turn) ?? false
        } ended: { [weak self, door] problem in
            if let problem { door.run { KeeperDoor.warn(.unsupported, "AVAudioPlayer.play(): \(problem)") } }
            self?.ended(turn, successfully: problem == nil)
        }
    }

    /// The keeper has played the sound once, in the turn with this number.
    private func played(_ turn: Int) {
        if repeats(turn) { ask(turn) } else { ended(turn, successfully: true) }
    }

    /// Whether the sound is to be played once more in this turn.
    private func repeats(_ turn: Int) -> Bool {
        state.withLock { state in
            guard state.turn == turn, state.loopsLeft != 0 else { return false }
            state.loopsLeft -= state.loopsLeft > 0 ? 1 : 0
            return true
        }
    }

    /// The sound and its repetitions are over, unless they were stopped before.
    private func ended(_ turn: Int, successfully flag: Bool) {
        let isNews = state.withLock { state in
            guard state.turn == turn, state.isPlaying else { return false }
            (state.isPlaying, state.sound) = (false, nil)
            return true
        }
        guard isNews else { return }
        audio.ended(number)
        door.run(on: .main) { self.delegate?.audioPlayerDidFinishPlaying(self, successfully: flag) }
    }
}

/// Learns what a player does. Source: Apple, `AVAudioPlayerDelegate`.
public protocol AVAudioPlayerDelegate: AnyObject {
    /// `player` has played its sound to the end, and all of its repetitions.
    func audioPlayerDidFinishPlaying(_ player: AVAudioPlayer, successfully flag: Bool)
    /// `player` could not decode its sound.
    func audioPlayerDecodeErrorDidOccur(_ player: AVAudioPlayer, error: (any Error)?)
}

extension AVAudioPlayerDelegate {
    /// Does nothing.
    public func audioPlayerDidFinishPlaying(_ player: AVAudioPlayer, successfully flag: Bool) {}
    /// Does nothing.
    public func audioPlayerDecodeErrorDidOccur(_ player: AVAudioPlayer, error: (any Error)?) {}
}
