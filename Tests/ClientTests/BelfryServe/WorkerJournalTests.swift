import BelfryEventLoop
import BelfryJournal
import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import CBelfryLinux
import Glibc
import Support
import Testing
@testable import belfry_worker

/// What a worker and the tidier write to a journal, and when.
@Suite final class WorkerJournalTests {
    private let folder = TemporaryFolder()
    private let loop: Loop
    private let journal: OwnedDescriptor

    private var path: String { "\(folder.path)/socket" }

    init() throws {
        loop = try Loop()
        journal = OwnedDescriptor(owning: try Self.makeSocket())
        try bindUnixSocket(journal.number, to: "\(folder.path)/socket")
    }

    private static func makeSocket() throws -> Int32 {
        let kind = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        return try checked("socket") { socket(AF_UNIX, kind, 0) }
    }

    /// Sends to the journal until it takes no more.
    private func fill() throws {
        let sender = OwnedDescriptor(owning: try Self.makeSocket())
        try connectUnixSocket(sender.number, to: path)
        while unsafe send(sender.number, "full", 4, Int32(MSG_NOSIGNAL)) > 0 {}
        #expect(errno == EAGAIN)
    }

    /// The calls of the entries that have come by now, or what came else.
    private func entries() -> [String] {
        var entries: [String] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = unsafe recv(journal.number, &buffer, buffer.count, 0), count >= 0 {
            let lines = String(decoding: buffer[..<count], as: UTF8.self).split(separator: "\n")
            let call = lines.first { $0.hasPrefix("BELFRY_CALL=") }?.dropFirst("BELFRY_CALL=".count)
            #expect(call == nil || lines.contains("BELFRY_GROUP=group.belfry"))
            entries.append(call.map(String.init) ?? String(lines.first ?? ""))
        }
        return entries
    }

    private func missed(_ call: String) -> Event {
        Event(at: 0, boot: 0, id: "1", body: .missed(call: call, content: NotificationContent()))
    }

    private func entry(_ call: String) throws -> JournalEntry {
        var story = JournalStory(group: "group.belfry")
        let entry = story.entry(for: missed(call))
        return try #require(entry)
    }

    @Test("a worker's events are written one iteration late, at its end at once, and a tick never")
    func later() {
        let sink = JournalSink(loop: loop, path: path)
        sink.begin(group: "group.belfry")
        for round in ["a", "b"] {
            sink.write(missed(round))
            sink.write(missed(round + round))
            sink.write(Event(at: 0, boot: 0, id: "1", body: .tick(n: 1, late: 0)))
            #expect(entries() == [])
            loop.runUntilIdle()
            #expect(entries() == [round, round + round])
        }
        sink.write(missed("c"))
        sink.finish()
        #expect(entries() == ["c"])
    }

    @Test(
        "R14 what a journal that stands still has no room for is written once it has, or at the worker's end",
        arguments: [false, true])
    func full(ends: Bool) throws {
        let sink = JournalSink(loop: loop, path: path)
        sink.begin(group: "group.belfry")
        try fill()
        sink.write(missed("a"))
        loop.runUntilIdle()
        #expect(Set(entries()) == ["full"])
        if ends { sink.finish() } else { loop.runUntilIdle() }
        #expect(entries() == ["a"])
    }

    @Test("R12 the tidier waits for a journal that stands still until it has all, however much that is")
    func patient() throws {
        let journal = PatientJournal(loop: loop, path: path)
        try fill()
        let calls = (0..<JournalWriter.backlogEntriesMax + 9).map { "\($0)" }
        for call in calls { journal.write(try entry(call)) }
        var isDone = false
        journal.finish { isDone = true }
        loop.runUntilIdle()
        #expect(!isDone && Set(entries()) == ["full"])
        var told: [String] = []
        repeat {
            loop.runUntilIdle()
            told += entries()
        } while !isDone
        #expect(told == calls)
    }

    @Test("the tidier waits 20 s for a journal that stands still, and no longer") func impatient() throws {
        let loop = PolledLoop()
        let journal = PatientJournal(loop: loop, path: path)
        try fill()
        journal.write(try entry("a"))
        var isDone = false
        journal.finish { isDone = true }
        loop.advance(by: .milliseconds(19_999))
        #expect(!isDone)
        loop.advance(by: .milliseconds(1))
        #expect(isDone && Set(entries()) == ["full"])
    }

    @Test("the tidier waits for nothing where the journal has all") func nothingWaits() throws {
        let journal = PatientJournal(loop: loop, path: path)
        journal.write(try entry("a"))
        var isDone = false
        journal.finish { isDone = true }
        #expect(isDone && entries() == ["a"])
    }
}
