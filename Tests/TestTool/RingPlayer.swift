import BelfryEventLoop
import BelfrySoundDecoding
import BelfrySyscalls
import BelfryTerms
import Glibc
import SystemSound

/// What a test may be told in one read.
private let inputBytesMax = 64 << 10

/// A process that rings as a worker does, told by lines on standard input, for tests that kill it, starve it or watch
/// its memory. Each line is answered on standard output; one that begins with `second ` is about a second ring of the
/// same player, and so are its answer and its states:
///
///   play PATH [DECIBELS]   one tick            played MICROSECONDS (how long the call took, as gap)
///   tune PATH              one tick of a ring  played MICROSECONDS
///                          with an app's tune, the same at every tick
///   silence                the end of a ring   silent MICROSECONDS (from the call to its confirmation)
///   end                    the ring's object   ended 0
///   gap                                        gap MICROSECONDS (the longest the loop was held up since the last gap,
///                                              but for the time in which others had the processors)
///   memory                                     memory KIBIBYTES (RssAnon)
///   leave                  exit(3)             no answer
///
/// DECIBELS makes it quieter, and a soft ring. Besides, whenever it changes, `state playing …` or `state unavailable …`
/// is said. At the end of its input it exits.
final class RingPlayer {
    private let loop: Loop
    private var rings: [String: PlayerSound] = [:]
    private var tune: ResolvedSound?
    private var input: [UInt8] = []
    private var lastBeat: Stopwatch
    private var longestGap = TimeSpan.zero

    /// Obeys the lines of standard input until it ends.
    static func run() throws {
        let loop = try Loop()
        let player = RingPlayer(loop: loop)
        let source = try loop.watch(descriptor: 0, events: .readable, description: "commands") { _ in
            player.readInput()
        }
        player.beat()
        loop.run()
        source.cancel()
    }

    private init(loop: Loop) {
        self.loop = loop
        lastBeat = Stopwatch(loop)
        let libraryName = environmentValue("RING_PLAYER_LIBRARY") ?? "libcanberra.so.0"
        let route = SoundRoute(
            device: environmentValue("RING_PLAYER_DEVICE"),
            volumePercent: environmentValue("RING_PLAYER_VOLUME").flatMap { Int($0) })
        let player = SoundPlayer(
            loop: loop, runtimeDirectory: environmentValue("XDG_RUNTIME_DIR"), route: route, libraryName: libraryName
        )
        for prefix in ["", "second "] {
            rings[prefix] = player.makeSound { state in
                switch state {
                case .playing(let detail): say("\(prefix)state playing \(detail)")
                case .muted(let detail): say("\(prefix)state muted \(detail)")
                case .unavailable(let detail): say("\(prefix)state unavailable \(detail)")
                }
            }
        }
    }

    private static func tune(_ path: String) -> ResolvedSound? {
        guard let file = try? SoundDecoder.tune(ofFileAt: path) else { return nil }
        return try? ResolvedSound(passed: file, name: "tune", repeats: true)
    }

    /// Beats every 10 ms, so that a call that blocks shows as a gap.
    private func beat() {
        longestGap = max(longestGap, lastBeat.elapsed)
        lastBeat = Stopwatch(loop)
        _ = loop.schedule(at: loop.now + .milliseconds(10), description: "beat") { [unowned self] in beat() }
    }

    private func readInput() {
        var buffer = [UInt8](repeating: 0, count: inputBytesMax)
        let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(0, $0.baseAddress, $0.count) }
        guard count > 0 else { _exit(0) }
        input += buffer[..<count]
        while let end = input.firstIndex(of: UInt8(ascii: "\n")) {
            obey(String(decoding: input[..<end], as: UTF8.self).split(separator: " ").map(String.init))
            input.removeSubrange(...end)
        }
    }

    private func obey(_ line: [String]) {
        let (start, watch) = (loop.now, Stopwatch(loop))
        let prefix = line.first == "second" ? "second " : ""
        let words = line.first == "second" ? Array(line.dropFirst()) : line
        switch words.first {
        case "play" where words.count > 1:
            let decibels = words.count > 2 ? Int(words[2]) ?? 0 : 0
            rings[prefix]?.play(
                ResolvedSound(name: "test", path: words[1], attenuationDecibels: decibels, isSoft: decibels > 0))
            say("\(prefix)played \(watch.elapsed.microseconds)")
        case "tune" where words.count > 1:
            let tune = tune ?? Self.tune(words[1])
            self.tune = tune
            if let tune { rings[prefix]?.play(tune) }
            say("\(prefix)played \(watch.elapsed.microseconds)")
        case "silence":
            rings[prefix]?.silence { [loop] in say("\(prefix)silent \((loop.now - start).microseconds)") }
        case "gap":
            say("gap \(longestGap.microseconds)")
            longestGap = .zero
        case "memory":
            say("memory \(anonymousKibibytes())")
        case "end":
            // Without a word to the sound: it ends with its object.
            rings[prefix] = nil
            say("\(prefix)ended 0")
        case "leave":
            exit(0)
        default:
            say("unknown \(words)")
        }
    }
}

/// Measures what this thread does or waits for, but not how long it was ready to run and had no processor: on a busy
/// machine that is more than any call that blocks.
private struct Stopwatch {
    private let loop: Loop
    private let start: Instant
    private let startOfWaiting: TimeSpan

    init(_ loop: Loop) {
        self.loop = loop
        start = loop.now
        startOfWaiting = Self.waiting
    }

    var elapsed: TimeSpan { max(.zero, loop.now - start - (Self.waiting - startOfWaiting)) }

    /// How long it has waited for a processor in all: the second of the file's words, in nanoseconds (the kernel's
    /// Documentation/scheduler/sched-stats.rst); zero where the kernel keeps no account of that.
    private static var waiting: TimeSpan {
        guard let file = unsafe fopen("/proc/self/schedstat", "re") else { return .zero }
        defer { unsafe fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        guard unsafe fgets(&line, Int32(line.count), file) != nil else { return .zero }
        let words = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self).split(
            separator: " ")
        return words.count > 1 ? TimeSpan(microseconds: (Int64(words[1]) ?? 0) / 1_000) : .zero
    }
}

private func environmentValue(_ name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    return unsafe String(cString: value)
}

private func anonymousKibibytes() -> Int {
    guard let file = unsafe fopen("/proc/self/status", "re") else { return -1 }
    defer { unsafe fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    while unsafe fgets(&line, Int32(line.count), file) != nil {
        let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        if text.hasPrefix("RssAnon:") { return Int(text.filter(\.isNumber)) ?? -1 }
    }
    return -1
}
