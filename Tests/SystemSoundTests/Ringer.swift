import BelfrySyscalls
import Glibc
import Support
import Testing

/// A RingPlayer process that plays on a private sound server, and what it says.
final class Ringer {
    /// How long an answer may take on a busy machine before the test fails.
    static let patienceMilliseconds: Int32 = 20_000

    private let process: ChildProcess
    private let lines: LineReader
    private let commands: OwnedDescriptor
    /// What it said of the sound while an answer was awaited.
    private var states: [String] = []

    init(on server: PrivateSoundServer, changing changes: [String: String] = [:]) throws {
        let input = try DescriptorPair.pipe()
        let output = try DescriptorPair.pipe()
        process = try ChildProcess(
            ChildCommand(
                path: builtProgram("RingPlayer"),
                environment: server.environment.merging(changes) { $1 },
                streams: [0: .descriptor(input.reading.number), 1: .descriptor(output.writing.number)]
            )
        )
        lines = LineReader(try output.reading.duplicate())
        commands = try input.writing.duplicate()
    }

    /// Makes one tick's sound.
    func play(_ path: String, decibels: Int = 0) throws {
        let took = try ask("play \(path) \(decibels)", answer: "played")
        #expect(took < SoundPlayerTests.gapMicrosecondsMax, "play held up the loop for \(took) µs")
    }

    /// Ends the ring; tells the microseconds until its silence was confirmed.
    @discardableResult
    func silence() throws -> Int { try ask("silence", answer: "silent") }

    /// The longest that the loop was held up since the last time, in microseconds.
    func gap() throws -> Int { try ask("gap", answer: "gap") }

    /// RssAnon in KiB.
    func memory() throws -> Int { try ask("memory", answer: "memory") }

    /// The next change of the sound's state, such as `playing /a/ring.wav`.
    func state(within milliseconds: Int32 = patienceMilliseconds) -> String? {
        if states.isEmpty, let line = lines.next(startingWith: Self.stateMark, within: milliseconds) { note(line) }
        return states.isEmpty ? nil : states.removeFirst()
    }

    /// Ticks until its state changes.
    func playUntilStateChanges(_ path: String) throws -> String? {
        for _ in 0..<Int(Self.patienceMilliseconds) / 250 {
            try play(path)
            if let state = state(within: 250) { return state }
        }
        return nil
    }

    /// Kills it without warning.
    func kill() throws {
        try process.signal(9)
        try process.waitUntilExit()
    }

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
            if line.hasPrefix(Self.stateMark) {
                note(line)
            } else {
                try #require(line.hasPrefix("\(answer) "))
                return try #require(Int(line.dropFirst(answer.count + 1)))
            }
        }
    }

    private static let stateMark = "state "

    private func note(_ line: String) { states.append(String(line.dropFirst(Self.stateMark.count))) }
}
