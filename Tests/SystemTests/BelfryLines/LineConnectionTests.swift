import BelfryEventLoop
import BelfryLines
import BelfrySyscalls
import Glibc
import Support
import Testing

/// What two processes say to each other, line by line, and its limits.
@Suite final class LineConnectionTests {
    private let loop = PolledLoop()
    private let connection: LineConnection
    private var peer: OwnedDescriptor?
    private var news: [String] = []

    init() throws {
        let pair = try SocketPair()
        connection = LineConnection(
            try pair.reading.duplicate(),
            LineConnection.Limits(lineBytesMax: 8, unsentBytesMax: Self.unsentBytesMax, filesMax: 2), on: loop,
            description: "peer")
        peer = try pair.writing.duplicate()
        try connection.listen { [unowned self] in hear($0) }
    }

    private static let unsentBytesMax = 1 << 20

    private func hear(_ news: LineConnection.News) {
        switch news {
        case .line(let line): self.news.append(String(decoding: line, as: UTF8.self))
        case .taken: self.news.append("taken")
        case .ended(.left(let unfinished)): self.news.append("left '\(String(decoding: unfinished, as: UTF8.self))'")
        case .ended(.lineTooLong): self.news.append("too long")
        case .lost: self.news.append("lost")
        }
        if self.news.last == "quit" { connection.close() }
    }

    /// The peer's end.
    private func number() throws -> Int32 {
        let number = peer?.number
        return try #require(number)
    }

    private func say(_ text: String, passing file: Int32? = nil) {
        guard let peer = peer?.number else { preconditionFailure("the peer has left") }
        #expect(sendAll(Array(text.utf8), passing: file, to: peer))
        loop.settle()
    }

    /// What the peer can read now.
    private func received() -> [UInt8] {
        guard let peer = peer?.number else { return [] }
        var all: [UInt8] = []
        while isReady(peer, for: POLLIN) {
            let some = receiveSome(from: peer, bytesMax: 64 << 10).bytes
            guard !some.isEmpty else { break }
            all += some
        }
        return all
    }

    @Test("lines are told one by one, however they come; what was begun at the end is not lost") func lines() {
        say("one\ntwo\nth")
        #expect(news == ["one", "two"])
        say("ree\n\nfo")
        peer = nil
        loop.settle()
        #expect(news == ["one", "two", "three", "left 'fo'"])
        #expect(loop.watchedCount == 0)
    }

    @Test("a line may be as long as the limit and no longer; nothing after it is heard") func tooLong() {
        say("12345678\n")
        say("123456789")
        say("\nmore\n")
        #expect(news == ["12345678", "too long"] && loop.watchedCount == 0)
    }

    @Test("whoever closes the connection as it hears a line hears no more") func closes() throws {
        say("one\nquit\ntwo\n")
        #expect(news == ["one", "quit"] && loop.watchedCount == 0)
        #expect(received() == [])
        let peer = try number()
        #expect(!sendAll([1], passing: nil, to: peer), "it is left")
    }

    /// Asks a peer that has said `words` already, and that nothing is ready to wait for; what was heard of it before
    /// that, and how many descriptors are watched then.
    private func asked(_ words: String, within milliseconds: Int32) throws -> (heard: [String], watched: Int) {
        let pair = try SocketPair()
        let connection = LineConnection(
            try pair.reading.duplicate(), LineConnection.Limits(lineBytesMax: 8, unsentBytesMax: 8), on: loop,
            description: "peer")
        #expect(sendAll(Array(words.utf8), passing: nil, to: pair.writing.number))
        news = []
        let watchedBefore = loop.watchedCount
        try connection.ask(Array("ask\n".utf8), within: milliseconds) {
            [unowned self] in
            hear($0)
            if case .line(let line) = $0, line == Array("none".utf8) { connection.close() }
        }
        defer { connection.close() }
        #expect(receiveSome(from: pair.writing.number, bytesMax: 8).bytes == Array("ask\n".utf8))
        return (news, loop.watchedCount - watchedBefore)
    }

    @Test("what an asked peer says at once is heard before the loop listens; who is done by then is not watched")
    func asks() throws {
        #expect(try asked("wait\n", within: 60_000) == (["taken", "wait"], 1))
        #expect(try asked("none\n", within: 60_000) == (["taken", "none"], 0))
        #expect(try asked("", within: 1) == (["taken"], 1), "one that says nothing is waited for by the loop")
    }

    @Test("a peer is told at once what it takes, and has taken it") func sends() {
        connection.send(Array("hello\n".utf8))
        #expect(news == ["taken"] && received() == Array("hello\n".utf8))
    }

    @Test("what a socket does not hold comes whole as the peer reads, in order") func longLines() {
        let first = [UInt8](repeating: 1, count: 900_000)
        connection.send(first)
        connection.send([2])
        #expect(news.isEmpty)
        say("hi\n")
        #expect(news == ["hi"], "it is heard while it does not read")
        var all: [UInt8] = []
        while all.count < first.count + 1 {
            let some = received()
            guard !some.isEmpty else { break }
            all += some
            loop.settle()
        }
        #expect(all == first + [2] && news == ["hi", "taken"])
        say("ho\n")
        #expect(news.last == "ho" && loop.watchedCount == 1)
    }

    @Test("for a peer that never reads no more waits than may, and what it said is heard yet") func neverReads() {
        let line = [UInt8](repeating: 1, count: 65_536)
        var count = 0
        while !news.contains("lost"), count < 100 {
            connection.send(line)
            count += 1
        }
        let held = received().count
        #expect((Self.unsentBytesMax...(Self.unsentBytesMax + 65_536)).contains(count * 65_536 - held))
        connection.send(line)
        #expect(received() == [], "it is told nothing more")
        say("end\n")
        peer = nil
        loop.settle()
        #expect(news.filter { $0 != "taken" } == ["lost", "end", "left ''"])
    }

    @Test("a peer that has left is found lost as it is told something, after what it said last") func lost() throws {
        say("")
        let number = try number()
        #expect(sendAll(Array("bye\n".utf8), passing: nil, to: number))
        peer = nil
        connection.send([1])
        #expect(news == ["lost"])
        loop.settle()
        #expect(news == ["lost", "bye", "left ''"])
    }

    @Test("one that says nothing more may listen on") func halfClosed() throws {
        let number = try number()
        shutdown(number, Int32(SHUT_WR))
        loop.settle()
        #expect(news == ["left ''"] && loop.watchedCount == 0)
        let long = [UInt8](repeating: 1, count: 900_000)
        connection.send(long)
        var count = 0
        while case let some = received().count, some > 0 {
            count += some
            loop.settle()
        }
        #expect(count == long.count && news == ["left ''", "taken"])
    }

    @Test("whoever ends its sending is heard out, and hears on") func endsSending() {
        connection.send([1])
        connection.endSending()
        #expect(received() == [1])
        say("on\n")
        #expect(news == ["taken", "on"])
    }

    @Test("files come with their lines in their order; beyond the limit the oldest is closed") func files() throws {
        let pipes = try (0..<3).map { _ in try PassedPipe() }
        for pipe in pipes { say("file\n", passing: pipe.number) }
        for pipe in pipes { pipe.closeWriting() }
        #expect(try pipes[0].closes() && pipes[1].isOpen && pipes[2].isOpen)
        for expected in [1, 2] {
            let file = try #require(connection.takeFile())
            var byte = UInt8(expected)
            #expect(unsafe write(file.descriptor.number, &byte, 1) == 1)
            #expect(pipes[expected].byte == UInt8(expected))
        }
        #expect(connection.takeFile() == nil)
    }

    @Test("a file is passed once, with the first bytes of its line, and closed") func passes() throws {
        let pipe = try PassedPipe()
        let line = [UInt8](repeating: 1, count: 900_000)
        connection.send(line, passing: pipe.takeWriting())
        let peer = try number()
        var (count, files): (Int, [PassedFile]) = (0, [])
        while count < line.count, isReady(peer, for: POLLIN) {
            let some = receiveSome(from: peer, bytesMax: 64 << 10)
            (count, files) = (count + some.bytes.count, files + some.files)
            loop.settle()
        }
        #expect(count == line.count && files.count == 1 && pipe.isOpen)
        files = []
        #expect(try pipe.closes())
    }
}

/// A pipe whose end for writing is passed.
private final class PassedPipe {
    private let reading: OwnedDescriptor
    private var writing: OwnedDescriptor?

    init() throws {
        let pipe = try DescriptorPair.pipe()
        reading = try pipe.reading.duplicate()
        writing = try pipe.writing.duplicate()
    }

    var number: Int32? { writing?.number }

    func takeWriting() -> PassedFile? {
        guard let descriptor = writing.take() else { return nil }
        return PassedFile(descriptor)
    }

    func closeWriting() { writing = nil }

    /// Whether anybody can write to it.
    var isOpen: Bool { !isReady(reading.number, for: POLLIN) }

    /// Waits until nobody can: a child that another test has forked has a copy until it runs its program. False if that
    /// takes 20 seconds.
    func closes() throws -> Bool {
        _ = LineReader(try reading.duplicate()).next(within: 20_000)
        return !isOpen
    }

    var byte: UInt8? {
        guard !isOpen else { return nil }
        var byte: UInt8 = 0
        return unsafe read(reading.number, &byte, 1) == 1 ? byte : nil
    }
}
