import BelfrySyscalls
import CBelfryLinux
import Glibc
import Support
import Testing

/// A `test-tool ring` process that plays on a private sound server, and what it says.
final class Ringer {
    /// One of the rings of its player.
    enum Ring: String {
        case first = ""
        case second = "second "
    }

    /// How long an answer may take on a busy machine before the test fails.
    static let patienceMilliseconds: Int32 = 20_000
    private static let unanswered = "unavailable the sound server does not answer"

    private let process: ChildProcess
    private let lines: LineReader
    private let commands: OwnedDescriptor
    /// What it said of its rings while an answer was awaited.
    private var states: [Ring: [String]] = [:]

    init(on server: PrivateSoundServer, changing changes: [String: String] = [:]) throws {
        let input = try DescriptorPair.pipe()
        let output = try DescriptorPair.pipe()
        process = try ChildProcess(
            ChildCommand(
                path: builtProgram("test-tool"), arguments: ["ring"],
                environment: server.environment.merging(changes) { $1 },
                streams: [0: .descriptor(input.reading.number), 1: .descriptor(output.writing.number)]
            )
        )
        lines = LineReader(try output.reading.duplicate())
        commands = try input.writing.duplicate()
    }

    /// Makes one tick's sound.
    func play(_ path: String, decibels: Int = 0, as ring: Ring = .first) throws {
        let took = try ask("\(ring.rawValue)play \(path) \(decibels)", answer: "\(ring.rawValue)played")
        #expect(took < SoundPlayerTests.gapMicrosecondsMax, "play held up the loop for \(took) µs")
    }

    /// Makes one tick of a ring with an app's tune.
    func tick(_ path: String) throws { _ = try ask("tune \(path)", answer: "played") }

    /// Ends a ring; the microseconds until its silence was confirmed.
    @discardableResult
    func silence(_ ring: Ring = .first) throws -> Int {
        try ask("\(ring.rawValue)silence", answer: "\(ring.rawValue)silent")
    }

    /// Lets go of a ring without silencing it.
    func end(_ ring: Ring) throws { _ = try ask("\(ring.rawValue)end", answer: "\(ring.rawValue)ended") }

    /// The longest that the loop was held up since the last time, in microseconds.
    func gap() throws -> Int { try ask("gap", answer: "gap") }

    /// RssAnon in KiB.
    func memory() throws -> Int { try ask("memory", answer: "memory") }

    /// The next change of a ring's state, such as `playing /a/ring.wav`.
    func state(of ring: Ring = .first, within milliseconds: Int32 = patienceMilliseconds) -> String? {
        let deadline = bootTimeMicroseconds() + Int64(milliseconds) * 1_000
        while states[ring, default: []].isEmpty {
            let left = max(0, deadline - bootTimeMicroseconds()) / 1_000
            guard let line = lines.next(within: Int32(left)) else { return nil }
            if Self.isState(line) { note(line) }
        }
        return states[ring]?.removeFirst()
    }

    /// Ticks until its state changes.
    func playUntilStateChanges(_ path: String, as ring: Ring = .first) throws -> String? {
        for _ in 0..<Int(Self.patienceMilliseconds) / 250 {
            try play(path, as: ring)
            if let state = state(of: ring, within: 250) { return state }
        }
        return nil
    }

    /// Ticks until its state changes, on a server that lives. On a busy machine that may not answer in time, which is
    /// told, and the next tick asks again (R14).
    func playUntilAnswered(_ path: String, as ring: Ring = .first) throws -> String? {
        var state = try playUntilStateChanges(path, as: ring)
        for _ in 0..<9 where state == Self.unanswered { state = try playUntilStateChanges(path, as: ring) }
        return state
    }

    /// Begins a ring on a server that lives; its state once that has answered.
    func begin(_ path: String, as ring: Ring = .first) throws -> String? {
        try play(path, as: ring)
        let state = state(of: ring)
        return state == Self.unanswered ? try playUntilAnswered(path, as: ring) : state
    }

    /// Kills it without warning.
    func kill() throws {
        try process.signal(9)
        try process.waitUntilExit()
    }

    /// Stops it in its tracks (SIGSTOP).
    func stop() throws { try process.signal(SIGSTOP) }

    /// Has it exit as a program does that is done; tells whether it went cleanly.
    func leave() throws -> Bool {
        try tell("leave")
        let descriptor = process.pidDescriptor
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        try #require(unsafe poll(&request, 1, Self.patienceMilliseconds) == 1, "it does not end")
        return try process.waitUntilExit().isSuccess
    }

    private func tell(_ command: String) throws {
        let bytes = Array((command + "\n").utf8)
        let number = commands.number
        try checked("write") { unsafe bytes.withUnsafeBytes { unsafe write(number, $0.baseAddress, $0.count) } }
    }

    private func ask(_ command: String, answer: String) throws -> Int {
        try tell(command)
        while true {
            let line = try #require(lines.next(within: Self.patienceMilliseconds), "no answer to \(command)")
            if Self.isState(line) {
                note(line)
            } else {
                try #require(line.hasPrefix("\(answer) "))
                return try #require(Int(line.dropFirst(answer.count + 1)))
            }
        }
    }

    private static let stateMark = "state "

    private static func isState(_ line: String) -> Bool {
        line.hasPrefix(stateMark) || line.hasPrefix(Ring.second.rawValue + stateMark)
    }

    private func note(_ line: String) {
        let ring = line.hasPrefix(Ring.second.rawValue) ? Ring.second : .first
        states[ring, default: []].append(String(line.dropFirst(ring.rawValue.count + Self.stateMark.count)))
    }
}
