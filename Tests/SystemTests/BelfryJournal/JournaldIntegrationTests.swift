import BelfryJSON
@testable import BelfryJournal
import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import CBelfryLinux
import Glibc
import Support
import Testing

/// Entries in a real journald, run by `Tests/in-user-manager`, which lets us stop it.
@Suite(.serialized) struct JournaldIntegrationTests {
    static let patienceMilliseconds: Int32 = 20_000

    let group = "group.test.\(bootTimeMicroseconds())"

    func journald() throws -> pid_t {
        guard let text = unsafe getenv("BELFRY_TEST_JOURNALD"), let pid = unsafe pid_t(String(cString: text)) else {
            Issue.record("run this by Tests/in-user-manager")
            throw NoEntry()
        }
        return pid
    }

    /// What journalctl tells of `matches`, as it comes.
    func follow(_ matches: String...) throws -> (process: ChildProcess, lines: LineReader) {
        let output = try DescriptorPair.pipe()
        let process = try ChildProcess(
            ChildCommand(
                path: "/usr/bin/journalctl",
                arguments: ["--user", "--quiet", "--follow", "--lines=all", "--output=json", "--all"] + matches,
                streams: [0: .null, 1: .descriptor(output.writing.number)]
            )
        )
        return (process, LineReader(try output.reading.duplicate()))
    }

    func next(_ lines: LineReader) throws -> JSONObject {
        let line = try #require(lines.next(within: Self.patienceMilliseconds), "no entry came")
        guard case .object(let entry) = try JSONValue.parse(Array(line.utf8)) else {
            throw NoEntry()
        }
        return entry
    }

    struct NoEntry: Error {}

    @Test func aCallsStoryIsFoundByItsID() throws {
        let call = "call-\(bootTimeMicroseconds())"
        let (process, lines) = try follow("BELFRY_CALL=\(call)")
        let writer = JournalWriter()
        var story = JournalStory(group: group)
        let bodies: [Event.Body] = [
            .received(.init(type: .callRequest, call: call, why: nil)), .tick(n: 1, late: 0),
            .warning(code: .badClock, detail: "two\nlines"),
            .ended(.init(call: call, reason: .answered, hangupReason: nil, rang: 3, ticks: 2)),
        ]
        for body in bodies {
            let entry = story.entry(for: Event(at: 0, boot: 0, id: "01234567-89ab-4cde-8f01-23456789abcd", body: body))
            if let entry { writer.write(entry) }
        }
        #expect(writer.finish() == 0)
        let entries = [try next(lines), try next(lines), try next(lines)]
        #expect(entries.map { $0["BELFRY_EVENT"] } == [.string("received"), .string("warning"), .string("ended")])
        #expect(entries.allSatisfy { $0["SYSLOG_IDENTIFIER"] == .string("belfry-worker") })
        #expect(entries.allSatisfy { $0["BELFRY_GROUP"] == .string(group) })
        #expect(entries[0]["PRIORITY"] == .string("6"))
        #expect(entries[1]["BELFRY_DETAIL"] == .string("two\nlines"))
        #expect(entries[1]["MESSAGE"] == .string("Call \(call): warning: bad-clock: two\\u{a}lines"))
        #expect(entries[2]["MESSAGE_ID"] == .string(MessageID.ended.rawValue))
        #expect(try process.reap() == nil)
    }

    @Test func aStoppedJournalDelaysNothingAndHasItAllOnceItGoesOn() throws {
        let journald = try journald()
        let (process, lines) = try follow("BELFRY_GROUP=\(group)")
        let writer = JournalWriter()
        var waiting: Int32?
        writer.onWaiting = { waiting = $0 }
        #expect(kill(journald, SIGSTOP) == 0)
        defer { kill(journald, SIGCONT) }
        var written = 0
        var longestMicroseconds: Int64 = 0
        func write() {
            let entry = JournalEntry(
                message: "\(written)", priority: .info, fields: [.init("BELFRY_GROUP", group)])
            let start = bootTimeMicroseconds()
            writer.write(entry)
            longestMicroseconds = max(longestMicroseconds, bootTimeMicroseconds() - start)
            written += 1
        }
        while waiting == nil {
            write()
            try #require(written < 10_000, "the journal's queue never filled")
        }
        for _ in 0..<20 { write() }
        #expect(longestMicroseconds < 250_000, "a write took \(longestMicroseconds) µs")
        kill(journald, SIGCONT)
        while let descriptor = waiting {
            var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            try #require(unsafe poll(&request, 1, Self.patienceMilliseconds) == 1)
            writer.flush()
        }
        #expect(writer.lostCount == 0)
        for number in 0..<written { #expect(try next(lines)["MESSAGE"] == .string("\(number)")) }
        #expect(try process.reap() == nil)
    }
}
