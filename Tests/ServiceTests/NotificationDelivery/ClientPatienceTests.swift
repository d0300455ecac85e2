import BelfryEventLoop
import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import Glibc
@testable import NotificationDelivery
import Support
import Testing

/// How long a client is waited for, and how much may wait for it, to the millisecond and the byte: S5.
@Suite struct ClientPatienceTests {
    let loop = PolledLoop()
    let client: Int32
    let worker: Int32

    init() throws {
        var ends: [Int32] = [0, 0]
        let result = unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends)
        try #require(result == 0)
        (client, worker) = (ends[0], ends[1])
    }

    private func closeEnds() {
        close(client)
        close(worker)
    }

    private func send(_ text: String) {
        #expect(unsafe Glibc.send(client, text, text.utf8.count, Int32(MSG_NOSIGNAL)) == text.utf8.count)
    }

    /// All that the client can read now.
    private func received() -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while case let count = unsafe recv(client, &chunk, chunk.count, Int32(MSG_DONTWAIT)), count > 0 {
            bytes += chunk[..<count]
        }
        return bytes
    }

    @Test("S5 a notification that is unfinished after five seconds is refused, and the client may read why")
    func unfinished() {
        defer { closeEnds() }
        let connection = ClientConnection(loop: loop, input: worker, output: worker, acceptedAt: loop.now)
        var (bytes, closed) = ([Int](), 0)
        connection.read { reading in
            guard case .incomplete(let count) = reading else {
                Issue.record("\(reading)")
                return
            }
            bytes.append(count)
            connection.close(refused: true) { closed += 1 }
        }
        send("{\"aps\"")
        loop.advance(by: .milliseconds(4_999))
        #expect(bytes == [])
        loop.advance(by: .milliseconds(1))
        #expect(bytes == [6] && closed == 0)
        loop.advance(by: .milliseconds(999))
        #expect(closed == 0, "the client may finish sending")
        loop.advance(by: .milliseconds(1))
        #expect(closed == 1)
        loop.advance(by: .seconds(9))
        #expect(bytes == [6] && closed == 1 && loop.pending.isEmpty && loop.watchedCount == 0)
    }

    @Test("S5 a client whose notification is too large may finish sending, and read why") func tooLarge() {
        defer { closeEnds() }
        let connection = ClientConnection(loop: loop, input: worker, output: worker, acceptedAt: loop.now)
        var (refused, closed) = (0, 0)
        connection.read { reading in
            guard case .tooLarge = reading else {
                Issue.record("\(reading)")
                return
            }
            refused += 1
            connection.close(refused: true) { closed += 1 }
        }
        send("{" + String(repeating: " ", count: 65_536))
        loop.settle()
        #expect(refused == 1 && closed == 0)
        shutdown(client, Int32(SHUT_WR))
        loop.settle()
        #expect(closed == 1)
    }

    @Test("S5 a client whose notification is whole may be refused as well, and finish sending") func refusedWhole() {
        defer { closeEnds() }
        let connection = ClientConnection(loop: loop, input: worker, output: worker, acceptedAt: loop.now)
        var closed = 0
        connection.read { _ in connection.close(refused: true) { closed += 1 } }
        send("[]\n")
        loop.settle()
        #expect(closed == 0)
        shutdown(client, Int32(SHUT_WR))
        loop.settle()
        #expect(closed == 1)
        loop.advance(by: .seconds(9))
        #expect(closed == 1, "nothing of its notification is waited for any more")
    }

    @Test("S5 nobody waits for a client that was not refused, or that is gone", arguments: [false, true])
    func notAwaited(refused: Bool) {
        defer { closeEnds() }
        let connection = ClientConnection(loop: loop, input: worker, output: worker, acceptedAt: loop.now)
        if refused {
            let event = Event(at: 0, boot: 0, id: "id", body: .silent(call: "A", why: .stale))
            for _ in 0..<20_000 { connection.write(event) }
        }
        var closed = 0
        connection.close(refused: refused) { closed += 1 }
        #expect(closed == 1)
    }

    @Test("S5 what a refused client sends is discarded up to a limit", arguments: [1, PushInput.chunkBytes])
    func discarded(beyondOneChunk bytes: Int) {
        defer { closeEnds() }
        let chunk = PushInput.chunkBytes
        send(String(repeating: "x", count: 3 * chunk))
        var finished = 0
        let input = PushInput(loop: loop, descriptor: worker)
        input.discard(bytesMax: chunk + bytes, patience: .seconds(1)) { finished += 1 }
        loop.settle()
        #expect(finished == 1 && unreadCount == chunk)
    }

    @Test("S5 what a client sent after its notification is drained up to a limit") func drained() {
        defer { closeEnds() }
        let chunk = PushInput.chunkBytes
        send(String(repeating: "x", count: 4 * chunk))
        PushInput(loop: loop, descriptor: worker).drain(bytesMax: chunk + 1)
        #expect(unreadCount == 2 * chunk)
    }

    /// How many bytes the worker has not read.
    private var unreadCount: Int {
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        return unsafe recv(worker, &bytes, bytes.count, Int32(MSG_DONTWAIT))
    }

    @Test("a pipe is not drained: an empty one would be waited for") func pipeIsLeft() throws {
        defer { closeEnds() }
        let pipe = try DescriptorPair.pipe()
        #expect(unsafe Glibc.write(pipe.writing.number, "x", 1) == 1)
        PushInput(loop: loop, descriptor: pipe.reading.number).drain(bytesMax: 1)
        #expect(isReady(pipe.reading.number, for: POLLIN))
    }

    @Test("a notification may come from a file, which no loop can watch") func file() throws {
        defer { closeEnds() }
        let folder = TemporaryFolder()
        let path = folder.write(Array("{}".utf8), to: "push")
        let file = OwnedDescriptor(owning: try checked("open") { unsafe open(path, O_RDONLY | O_CLOEXEC) })
        let loop = try Loop()
        let connection = ClientConnection(loop: loop, input: file.number, output: client, acceptedAt: loop.now)
        var read: [UInt8] = []
        connection.read {
            if case .complete(let bytes) = $0 { read = bytes }
        }
        #expect(read == Array("{}".utf8))
    }

    @Test("S5 a client that does not read is given up after a second") func unread() {
        defer { closeEnds() }
        let connection = ClientConnection(loop: loop, input: worker, output: worker, acceptedAt: loop.now)
        fill()
        connection.write(Event(at: 0, boot: 0, id: "id", body: .silent(call: "A", why: .stale)))
        var closed = 0
        connection.close(refused: false) { closed += 1 }
        loop.advance(by: .milliseconds(999))
        #expect(closed == 0)
        loop.advance(by: .milliseconds(1))
        #expect(closed == 1)
    }

    @Test("a notification may come through a pipe, in pieces") func pipe() throws {
        defer { closeEnds() }
        var ends: [Int32] = [0, 0]
        try #require(unsafe Glibc.pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        let connection = ClientConnection(loop: loop, input: ends[0], output: worker, acceptedAt: loop.now)
        var notification: [UInt8]?
        connection.read { reading in
            if case .complete(let bytes) = reading { notification = bytes }
        }
        for piece in ["{\"aps\":", "{}", "}"] {
            #expect(notification == nil)
            #expect(unsafe write(ends[1], piece, piece.utf8.count) == piece.utf8.count)
            loop.settle()
        }
        #expect(notification == Array("{\"aps\":{}}".utf8))
    }

    /// Fills the socket, so that whatever is written next has to wait.
    private func fill() {
        let zeros = [UInt8](repeating: 0, count: 65_536)
        while unsafe Glibc.send(worker, zeros, zeros.count, Int32(MSG_DONTWAIT)) > 0 {}
        while unsafe Glibc.send(worker, zeros, 1, Int32(MSG_DONTWAIT)) > 0 {}
    }

    /// What is not a zero of ``fill()``, in short: each letter and how often it came.
    private func readAll() -> [String] {
        var bytes: [UInt8] = []
        while case let more = received(), !more.isEmpty {
            bytes += more
            loop.settle()
        }
        var runs: [(letter: UInt8, count: Int)] = []
        for byte in bytes where byte != 0 {
            if runs.last?.letter == byte { runs[runs.count - 1].count += 1 } else { runs.append((byte, 1)) }
        }
        return runs.map { "\($0.count)\(Character(UnicodeScalar($0.letter)))" }
    }

    private func line(_ letter: Character, _ count: Int) -> [UInt8] {
        Array(String(repeating: letter, count: count).utf8)
    }

    @Test("S5 ticks are left out where they would make more than 32 KiB wait") func ticks() {
        defer { closeEnds() }
        let output = EventOutput(loop: loop, descriptor: worker)
        fill()
        output.write(line("a", 32_668), isDroppable: false)
        output.write(line("t", 100), isDroppable: true)
        output.write(line("u", 1), isDroppable: true)
        output.write(line("b", 1), isDroppable: false)
        #expect(readAll() == ["32668a", "100t", "1b"])
        output.write(line("c", 5), isDroppable: true)
        #expect(readAll() == ["5c"], "and who has read it all is written to again")
    }

    @Test("S5 64 KiB may wait; for more, ticks go first, and who reads nothing for a second then counts as gone")
    func unreadMax() {
        defer { closeEnds() }
        let output = EventOutput(loop: loop, descriptor: worker)
        fill()
        output.write(line("t", 100), isDroppable: true)
        output.write(line("a", 65_436), isDroppable: false)
        output.write(line("b", 50), isDroppable: false)
        output.write(line("c", 50), isDroppable: false)
        #expect(!output.isGone)
        #expect(readAll() == ["65436a", "50b", "50c"])
        fill()
        output.write(line("a", 65_536), isDroppable: false)
        #expect(!output.isGone)
        var drained = 0
        output.whenDrained { drained += 1 }
        output.write(line("b", 1), isDroppable: false)
        loop.advance(by: .milliseconds(999))
        #expect(!output.isGone && drained == 0)
        loop.advance(by: .milliseconds(1))
        #expect(output.isGone && drained == 1 && loop.watchedCount == 0)
        #expect(readAll() == [])
        output.write(line("c", 1), isDroppable: false)
        #expect(readAll() == [], "what comes later is lost too")
    }

    @Test("S5 who reads is not taken for gone, however much is written at once; for nobody more than 1 MiB waits")
    func reader() {
        defer { closeEnds() }
        let output = EventOutput(loop: loop, descriptor: worker)
        fill()
        for _ in 0..<10 { output.write(line("a", 50_000), isDroppable: false) }
        #expect(!output.isGone)
        // A little a second is reading, too.
        for _ in 0..<3 {
            var chunk = [UInt8](repeating: 0, count: 65_536)
            #expect(unsafe recv(client, &chunk, chunk.count, Int32(MSG_DONTWAIT)) > 0)
            loop.advance(by: .seconds(1))
            #expect(!output.isGone)
        }
        #expect(readAll() == ["500000a"])
        loop.advance(by: .seconds(9))
        #expect(!output.isGone && loop.pending.isEmpty)
        fill()
        for _ in 0..<16 { output.write(line("a", 65_536), isDroppable: false) }
        #expect(!output.isGone)
        output.write(line("a", 1), isDroppable: false)
        #expect(output.isGone)
    }

    @Test("S5 one line may be longer than all that may wait, and does not count; two may not") func longLine() {
        defer { closeEnds() }
        let output = EventOutput(loop: loop, descriptor: worker)
        fill()
        output.write(line("a", 10), isDroppable: false)
        output.write(line("b", 900_000), isDroppable: false)
        output.write(line("t", 100), isDroppable: true)
        output.write(line("c", 65_526), isDroppable: false)
        #expect(!output.isGone)
        #expect(readAll() == ["10a", "900000b", "65526c"])
        fill()
        output.write(line("a", 65_537), isDroppable: false)
        output.write(line("b", 65_537), isDroppable: false)
        #expect(output.isGone && readAll() == [])
    }

    @Test("S5 what was sent of a line does not count, whatever waits behind it") func begunLine() throws {
        defer { closeEnds() }
        makeSmall()
        let output = EventOutput(loop: loop, descriptor: worker)
        output.write(line("a", 30_000), isDroppable: false)
        var sent: Int32 = 0
        try #require(unsafe ioctl(client, UInt(FIONREAD), &sent) == 0)
        try #require((1..<30_000).contains(sent))
        output.write(line("t", 100), isDroppable: true)
        output.write(line("b", 65_537), isDroppable: false)
        let count = 65_536 - (30_000 - Int(sent))
        output.write(line("c", count), isDroppable: false)
        #expect(!output.isGone)
        #expect(readAll() == ["30000a", "65537b", "\(count)c"])
    }

    /// Makes the socket take a few KiB at a time.
    private func makeSmall() {
        var size: Int32 = 1
        unsafe setsockopt(worker, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    }

    @Test("what is written piece by piece arrives whole and in order, and then that is told once") func pieces() {
        defer { closeEnds() }
        makeSmall()
        let output = EventOutput(loop: loop, descriptor: worker)
        var drained = 0
        for (letter, count) in [("a" as Character, 30_000), ("b", 1), ("c", 20_000)] {
            output.write(line(letter, count), isDroppable: false)
        }
        output.whenDrained { drained += 1 }
        #expect(drained == 0)
        #expect(readAll() == ["30000a", "1b", "20000c"])
        #expect(drained == 1)
        output.whenDrained { drained += 1 }
        #expect(drained == 2)
    }

    @Test("what happens before a notification was received is told right after that, and what follows at once")
    func reporter() {
        defer { closeEnds() }
        var told: [String] = []
        let reporter = EventReporter(
            timers: loop, id: "id", receivedAt: loop.now,
            listeners: [
                { event in
                    switch event.body {
                    case .rejected: told.append("rejected")
                    case .tick(let n, _): told.append("\(n) at \(event.at)")
                    default: told.append("other")
                    }
                }
            ])
        reporter.report(.tick(n: 1, late: 0))
        #expect(told == [])
        loop.advance(by: .seconds(1))
        reporter.report(.rejected(reason: .empty, detail: ""))
        reporter.report(.tick(n: 2, late: 0))
        #expect(told == ["rejected", "1 at 1.0", "2 at 1.0"])
    }
}
