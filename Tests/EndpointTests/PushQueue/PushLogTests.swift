import BelfryDevices
import BelfryJSON
import BelfrySyscalls
import BelfryTerms
import DeviceRegistry
import Glibc
import Support
import Synchronization
import Testing

import PushCarrier
@testable import PushQueue

/// The log of what became of pushes, and `belfry-apns apns log` and `watch` as people run them.
@Suite struct PushLogTests {
    private let bench: QueueBench

    init() throws { bench = try QueueBench() }

    private func run(_ words: String...) throws -> ProgramRun {
        try ProgramRun(testedProgram("belfry-apns"), words, environment: ["BELFRY_STATE_DIRECTORY": bench.folder.path])
    }

    private func lines(_ words: String..., exit status: Int32 = 0) throws -> [String] {
        let run = try ProgramRun(
            testedProgram("belfry-apns"), words, environment: ["BELFRY_STATE_DIRECTORY": bench.folder.path])
        let lines = run.lines() + run.complaints()
        #expect(try run.child.waitUntilExit() == .exited(code: status), "\(words) \(lines)")
        return lines
    }

    @Test("log tells what became of pushes, or of one; watch tells it as it happens")
    func log() throws {
        try bench.open()
        let device = try bench.device()
        bench.carrier.answer = .received
        let watch = try run("apns", "watch", "--json")
        for id in ["AAAAAAAA-0000-4000-8000-000000000001", "bbbbbbbb-0000-4000-8000-000000000002"] {
            bench.submit(bench.push(device, id: id))
        }
        bench.loop.settle()
        let all = try lines("apns", "log")
        #expect(all.count == 6 && all.allSatisfy { $0.contains("-4000-8000-") })
        let one = try lines("apns", "log", "aaaaaaaa-0000-4000-8000-000000000001")
        #expect(one.count == 3 && one[0].hasSuffix("accepted 200 alert com.example.phone device \(device.id)"))
        #expect(one[2].hasSuffix("received"))
        let shape = one[0].prefix(24).map { $0.isWholeNumber ? "9" : String($0) }.joined()
        #expect(shape == "9999-99-99 99:99:99.999 ")
        #expect(try lines("apns", "log", "--lines", "2") == all.suffix(2))
        #expect(try lines("apns", "log", "--lines", "0").isEmpty)
        #expect(try lines("apns", "log", "--since", "1970-01-02", "--lines", "7") == all)
        #expect(try lines("apns", "log", "--since", "2999-01-01 10:00").isEmpty)
        for bad in [["--since", "x"], ["--since", "5"], ["--lines", "-1"], ["--lines", "x"]] {
            #expect(try lines("apns", "log", bad[0], bad[1], exit: 64).count == 1)
        }
        #expect(try lines("apns", "watch", "--follow", exit: 64).count == 1)
        #expect(try lines("apns", "log", "--json", "unknown", exit: 66).count == 1)
        let followed = try run("apns", "log", "--follow", "--lines", "1")
        #expect(followed.line(within: 5_000) == all.last)
        try followed.child.signal(9)
        _ = try followed.child.waitUntilExit()
        // Watch begins with what comes after it has begun, which nobody is told: so more is sent until it tells.
        var told = ""
        while !told.contains("\"step\":\"accepted\"") {
            bench.submit(bench.push(device))
            bench.loop.settle()
            told = watch.line(within: 200) ?? ""
        }
        try watch.child.signal(9)
        _ = try watch.child.waitUntilExit()
    }

    @Test("a background push of priority 10 is taken, and its line says that this is an error by the documentation")
    func backgroundPriority() throws {
        try bench.open()
        let device = try bench.device()
        for (type, code) in [(APNsPushType.background, " background-priority"), (.alert, "")] {
            let push = bench.push(device, type: type)
            bench.submit(push)
            bench.loop.settle()
            #expect(try bench.steps(of: push.0.apnsID).first == "accepted\(code)")
        }
    }

    @Test("a line of a connection has no id, and tells certificate, clock and how many more there were")
    func connections() throws {
        let log = try PushLog(state: bench.state)
        var note = PushNote(at: WallTime(microseconds: 1_800_000_000_000_000), apnsID: nil, step: .disconnected)
        (note.code, note.certificate, note.moreCount, note.clockSeconds) = ("left", "f1", 7, -301)
        note.detail = "gone"
        log.add(note)
        log.write()
        #expect(
            try lines("apns", "log", "--json") == [
                #"{"at":1800000000.0,"step":"disconnected","code":"left","certificate":"f1","more":7,"clock":-301,"#
                    + #""detail":"gone"}"#
            ])
        #expect(try lines("apns", "log").first?.hasSuffix(" disconnected left: gone") == true)
        #expect(try lines("apns", "log", "left", exit: 66).count == 1)
    }

    @Test("whoever begins to follow just as a file gets the log's name reads on", arguments: [false, true])
    func begun(hasOlder: Bool) throws {
        let place = "\(bench.folder.path)/apns"
        let path = "\(place)/\(PushLog.fileName)"
        bench.folder.makeFolder("apns")
        let (due, done) = (Turn(), Turn())
        let namer = PosixThread {
            for round in 1...Self.roundsCount {
                due.wait(for: round)
                unsafe rename("\(place)/next", path)
                done.begin(round)
            }
        }
        var blindCount = 0
        for round in 1...Self.roundsCount {
            unsafe unlink(path)
            if hasOlder { bench.folder.write([], to: "apns/\(PushLog.fileName)") }
            bench.folder.write([], to: "apns/next")
            due.begin(round)
            let reader = try PushLogReader(state: bench.state)
            done.wait(for: round)
            bench.folder.write(Array("{}\n".utf8), to: "apns/\(PushLog.fileName)")
            if try reader.newLines() != [Array("{}".utf8)] { blindCount += 1 }
        }
        namer.join()
        #expect(blindCount == 0)
    }

    private static let roundsCount = 2_000

    /// Whose turn it is of two threads that go on in the same moment.
    private final class Turn: Sendable {
        private let round = Atomic(0)

        func begin(_ number: Int) { round.store(number, ordering: .releasing) }

        func wait(for number: Int) {
            while round.load(ordering: .acquiring) < number { sched_yield() }
        }
    }

    @Test("the log's files change places when one is full, and whoever follows reads on")
    func rotation() throws {
        let log = try PushLog(state: bench.state, fileBytesMax: 1_000)
        let reader = try PushLogReader(state: bench.state)
        var read = 0
        for number in 0..<100 {
            log.add(PushNote(at: bench.wall, apnsID: "\(number)", step: .accepted))
            log.write()
            read += try reader.newLines().count
        }
        #expect(read == 100)
        let kept = try PushLog.lines(of: bench.state)
        #expect(kept.count < 50 && String(decoding: kept.last ?? [], as: UTF8.self).contains("\"id\":\"99\""))
    }

    @Test("of a log that nobody writes to the disk no more than a megabyte waits, and nothing is no line")
    func unwritten() throws {
        let log = try PushLog(state: bench.state)
        let path = "\(bench.folder.path)/apns/\(PushLog.fileName)"
        log.write()
        #expect(unsafe access(path, F_OK) != 0)
        for _ in 0..<40 {
            log.add(PushNote(at: bench.wall, apnsID: String(repeating: "a", count: 50_000), step: .accepted))
        }
        log.write()
        #expect(try PushLog.lines(of: bench.state).count == 21)
    }

    @Test("a line is told when it has its end, unless it is too long to be one of ours")
    func unfinishedLines() throws {
        _ = try PushLog(state: bench.state)
        let reader = try PushLogReader(state: bench.state)
        let name = "apns/\(PushLog.fileName)"
        func lines(of text: String) throws -> [Int] {
            bench.folder.write(Array(text.utf8), to: name)
            return try reader.newLines().map(\.count)
        }
        let long = String(repeating: "a", count: 60_000)
        #expect(try lines(of: long) == [])
        #expect(try lines(of: long + "b\nc\n") == [60_001, 1])
        let longer = long + "b\nc\n" + String(repeating: "d", count: 70_000)
        #expect(try lines(of: longer) == [])
        #expect(try lines(of: longer + "\ne\n") == [1])
    }

    @Test(
        "a line of the log tells its time to the microsecond, as short as a real can be written",
        arguments: [
            (0, "0.0"), (1, "0.000001"), (1_800_000_000_000_000, "1800000000.0"),
            (1_800_000_000_100_000, "1800000000.1"), (1_800_000_000_012_340, "1800000000.01234"),
            (1_800_000_000_999_999, "1800000000.999999"),
            (3_162_240_000_000_000, "3162240000.0"), (-500_000, "-0.5"),
        ])
    func times(microseconds: Int64, text: String) throws {
        var line: [UInt8] = []
        var note = PushNote(at: WallTime(microseconds: microseconds), apnsID: "a\"b", step: .accepted)
        note.status = 200
        note.write(to: &line)
        #expect(
            String(decoding: line, as: UTF8.self)
                == #"{"at":\#(text),"id":"a\"b","step":"accepted","status":200}"#)
    }
}
