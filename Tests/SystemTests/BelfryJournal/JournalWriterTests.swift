@testable import BelfryJournal
import BelfrySyscalls
import CBelfryLinux
import Glibc
import Support
import Testing

/// What the journal gets, and that nobody waits for it: R14.
@Suite struct JournalWriterTests {
    func entry(_ text: String, padding: Int = 0) -> JournalEntry {
        let fields = padding == 0 ? [] : [JournalEntry.Field("PADDING", String(repeating: "x", count: padding))]
        return JournalEntry(message: text, priority: .info, fields: fields)
    }

    @Test func entriesArriveInOrderAndWhole() throws {
        let journal = try FakeJournal()
        let writer = JournalWriter(path: journal.path)
        writer.write(JournalEntry(message: "one", priority: .warning, fields: [.init("BELFRY_CALL", "a\nb\0c")]))
        writer.write(entry("two"))
        let first = try #require(try journal.nextFields())
        #expect(
            first == [
                "MESSAGE": "one", "PRIORITY": "4", "SYSLOG_IDENTIFIER": "belfry-worker", "BELFRY_CALL": "a\nb\0c",
            ])
        #expect(try journal.nextFields()?["MESSAGE"] == "two")
        #expect(journal.nextDatagram() == nil)
        #expect(writer.finish() == 0)
    }

    @Test func R14_aFullJournalDelaysNothingAndGetsWhatWaitedLater() throws {
        let journal = try FakeJournal()
        let writer = JournalWriter(path: journal.path)
        var waiting: [Int32?] = []
        writer.onWaiting = { waiting.append($0) }
        var written = 0
        while waiting.isEmpty {
            writer.write(entry("\(written)"))
            written += 1
            try #require(written < 10_000, "the queue of a socket that nobody reads never filled")
        }
        for _ in 0..<10 {
            writer.write(entry("\(written)"))
            written += 1
        }
        let first = try #require(waiting.first)
        let descriptor = try #require(first)
        #expect(!isWritable(descriptor))
        var read = 0
        while let fields = try journal.nextFields() {
            #expect(fields["MESSAGE"] == "\(read)")
            read += 1
            if isWritable(descriptor) { writer.flush() }
        }
        #expect(read == written)
        #expect(waiting.count == 2 && waiting.last == .some(nil))
        #expect(writer.lostCount == 0)
    }

    @Test func whatWaitsIsBoundedAndTheNextEntryTellsWhatWasLost() throws {
        let journal = try FakeJournal()
        let writer = JournalWriter(path: journal.path)
        var isWaiting = false
        writer.onWaiting = { isWaiting = $0 != nil }
        while !isWaiting { writer.write(entry("before")) }
        for number in 1...JournalWriter.backlogEntriesMax + 4 { writer.write(entry("\(number)")) }
        // One waited already, so five had to go: that one and the numbers 1 to 4.
        #expect(writer.lostCount == 5)
        while let fields = try journal.nextFields() {
            #expect(fields["MESSAGE"] == "before")
        }
        writer.flush()
        let first = try #require(try journal.nextFields())
        #expect(first["MESSAGE"] == "5 (5 entries before this were lost)" && first["BELFRY_LOST"] == "5")
        let second = try #require(try journal.nextFields())
        #expect(second["MESSAGE"] == "6" && second["BELFRY_LOST"] == nil)
    }

    @Test func whatWaitsIsBoundedInBytes() throws {
        let journal = try FakeJournal()
        let writer = JournalWriter(path: journal.path)
        var isWaiting = false
        writer.onWaiting = { isWaiting = $0 != nil }
        while !isWaiting { writer.write(entry("before")) }
        for _ in 0..<40 { writer.write(entry("big", padding: 2_000)) }
        #expect(writer.lostCount > 0)
        let left = writer.finish()
        #expect(left > 0 && left <= JournalWriter.backlogBytesMax / 2_000)
        #expect(!isWaiting && writer.lostCount == 41)
    }

    @Test(arguments: [(0, 0), (1, 1)])
    func whatWaitsMayHaveAllOfItsBytesAndNoMore(over: Int, lost: Int) throws {
        let journal = try FakeJournal()
        let writer = JournalWriter(path: journal.path)
        var isWaiting = false
        writer.onWaiting = { isWaiting = $0 != nil }
        while !isWaiting { writer.write(entry("before")) }
        func bytes(_ entry: JournalEntry) -> Int { entry.datagram(identifier: "belfry-worker", lost: 0).count }
        let unpadded = bytes(entry("entry", padding: 1)) - 1
        var rest = JournalWriter.backlogBytesMax - bytes(entry("before")) + over
        while rest > 0 {
            let size = rest > 2_000 ? min(1_500, rest - 1_000) : rest
            writer.write(entry("entry", padding: size - unpadded))
            rest -= size
        }
        #expect(writer.lostCount == lost)
    }

    @Test func whatWaitsIsSentAtTheEndIfThereIsRoomByThen() throws {
        let journal = try FakeJournal()
        let writer = JournalWriter(path: journal.path)
        var descriptor: Int32?
        writer.onWaiting = { descriptor = $0 ?? descriptor }
        while descriptor == nil { writer.write(entry("before")) }
        let watched = try #require(descriptor)
        #expect(fcntl(watched, F_GETFD) & FD_CLOEXEC != 0 && fcntlFlags(watched) & O_NONBLOCK != 0)
        while try journal.nextFields() != nil {}
        #expect(writer.finish() == 0 && writer.lostCount == 0)
        #expect(try journal.nextFields()?["MESSAGE"] == "before")
    }

    @Test func aRestartedJournalIsFoundAgain() throws {
        let journal = try FakeJournal()
        let writer = JournalWriter(path: journal.path, standardError: try closedPipe())
        writer.write(entry("one"))
        journal.leave()
        try journal.listen()
        writer.write(entry("two"))
        #expect(try journal.nextFields()?["MESSAGE"] == "two")
        #expect(writer.lostCount == 0)
    }

    @Test func R14_withoutAJournalStandardErrorIsTold() throws {
        let journal = try FakeJournal(isListening: false)
        let pipe = try DescriptorPair.pipe()
        let writer = JournalWriter(path: journal.path, standardError: pipe.writing.number)
        writer.write(entry("it rings"))
        #expect(text(of: pipe.reading.number) == "belfry-worker: it rings\n")
        // A journal that is there but has left says ECONNREFUSED.
        try journal.listen()
        writer.write(entry("two"))
        #expect(try journal.nextFields()?["MESSAGE"] == "two")
    }

    @Test func R14_standardErrorThatNobodyReadsDelaysNothing() throws {
        let journal = try FakeJournal(isListening: false)
        let pipe = try DescriptorPair.pipe()
        let writer = JournalWriter(path: journal.path, standardError: pipe.writing.number)
        // A pipe holds 64 KiB.
        for _ in 0..<100 { writer.write(entry(String(repeating: "x", count: 2_000))) }
        #expect(writer.lostCount > 0)
        #expect(fcntlFlags(pipe.writing.number) & O_NONBLOCK == 0, "whom we share it with must not find it changed")
        #expect(pipe.reading.number >= 0)
    }

    @Test func standardErrorMayBeASocket() throws {
        let journal = try FakeJournal(isListening: false)
        let pipe = try SocketPair()
        let writer = JournalWriter(path: journal.path, standardError: pipe.writing.number)
        writer.write(entry("it rings"))
        #expect(text(of: pipe.reading.number) == "belfry-worker: it rings\n")
        for _ in 0..<1_000 { writer.write(entry(String(repeating: "x", count: 2_000))) }
        #expect(writer.lostCount > 0)
    }

    @Test func standardErrorMayBeGone() throws {
        let journal = try FakeJournal(isListening: false)
        let writer = JournalWriter(path: journal.path, standardError: try closedPipe())
        writer.write(entry("it rings"))
        #expect(writer.lostCount == 1)
    }

    @Test func theLongestLineIsWhole() throws {
        let pipe = try DescriptorPair.pipe()
        let text = String(repeating: "x", count: StandardErrorLine.lineBytesMax - 1)
        let wasWritten = StandardErrorLine(descriptor: pipe.writing.number).write(text)
        #expect(wasWritten && self.text(of: pipe.reading.number) == text + "\n")
    }

    @Test(arguments: ["a", "ab"]) func aLongLineIsCutAtACharacter(start: String) throws {
        let pipe = try DescriptorPair.pipe()
        let line = StandardErrorLine(descriptor: pipe.writing.number)
        let wasWritten = line.write(start + String(repeating: "é", count: StandardErrorLine.lineBytesMax))
        #expect(wasWritten)
        let got = text(of: pipe.reading.number)
        #expect(got.utf8.count <= StandardErrorLine.lineBytesMax && got.hasSuffix("é\n"))
    }

    /// The writing end of a pipe that nobody can read; stays open, or its number could be another's.
    private func closedPipe() throws -> Int32 {
        signal(SIGPIPE, SIG_IGN)
        return try DescriptorPair.pipe().writing.duplicate().release()
    }

    private func isWritable(_ descriptor: Int32) -> Bool {
        var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return unsafe poll(&request, 1, 0) == 1
    }

    private func fcntlFlags(_ descriptor: Int32) -> Int32 { fcntl(descriptor, F_GETFL) }

    private func text(of descriptor: Int32) -> String {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
        return String(decoding: buffer[..<max(count, 0)], as: UTF8.self)
    }
}
