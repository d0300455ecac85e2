import BelfryEventLoop
import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import Glibc
import NotificationDelivery
import Testing

/// A client and the worker's end of one connection, on a loop driven by hand.
private final class Peer {
    let loop: Loop
    let client: Int32
    let worker: Int32
    let connection: ClientConnection
    private(set) var readings: [PushReading] = []

    init() throws {
        loop = try Loop()
        var ends: [Int32] = [0, 0]
        let result = unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends)
        try #require(result == 0)
        (client, worker) = (ends[0], ends[1])
        connection = ClientConnection(loop: loop, input: worker, output: worker, acceptedAt: loop.now)
    }

    deinit {
        close(client)
        close(worker)
    }

    func read() {
        connection.read { [unowned self] in readings.append($0) }
        loop.runUntilIdle()
    }

    func send(_ text: String) {
        let sent = unsafe Glibc.send(client, text, text.utf8.count, Int32(MSG_NOSIGNAL))
        #expect(sent == text.utf8.count)
        loop.runUntilIdle()
    }

    /// The notification, once it is whole.
    var notification: String? {
        guard case .complete(let bytes)? = readings.first, readings.count == 1 else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// All that the client can read now, and whether the end is in it.
    func received() -> (text: String, isEnd: Bool) {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = unsafe recv(client, &chunk, chunk.count, Int32(MSG_DONTWAIT))
            guard count > 0 else { return (String(decoding: bytes, as: UTF8.self), count == 0) }
            bytes += chunk[..<count]
        }
    }

    /// Runs the loop until the connection has closed.
    func closeAndWait(refused: Bool) {
        connection.close(refused: refused) { [loop] in loop.stop() }
        loop.run()
    }
}

private func event(_ body: Event.Body) -> Event { Event(at: 0, boot: 0, id: "id", body: body) }
private let tick = event(.tick(n: 1, late: 0))
private let silent = event(.silent(call: "A", why: .stale))

@Suite("The push socket's connection") struct ClientConnectionTests {
    @Test("ends at the matching brace, newlines inside included") func prettyPrinted() throws {
        let peer = try Peer()
        peer.read()
        peer.send("{\n  \"aps\": {\n")
        #expect(peer.readings.isEmpty)
        peer.send("  }\n}\n")
        #expect(peer.notification == "{\n  \"aps\": {\n  }\n}")
    }

    @Test("ends at the first newline if it is not an object") func line() throws {
        let peer = try Peer()
        peer.read()
        peer.send("hello\nworld")
        #expect(peer.notification == "hello")
    }

    @Test("ends with the client's half close, and still gets its events") func halfClose() throws {
        let peer = try Peer()
        peer.send("{\"aps\": ")
        shutdown(peer.client, Int32(SHUT_WR))
        peer.read()
        #expect(peer.notification == "{\"aps\": ")
        peer.connection.write(silent)
        peer.closeAndWait(refused: false)
        let (text, isEnd) = peer.received()
        #expect(text.hasPrefix("{\"event\":\"silent\""))
        #expect(isEnd)
    }

    @Test("S5: 64 KiB and a byte is too large, before its end is seen") func tooLarge() throws {
        let peer = try Peer()
        peer.read()
        peer.send("{" + String(repeating: " ", count: 65_536))
        guard case .tooLarge? = peer.readings.first else {
            Issue.record("\(peer.readings)")
            return
        }
    }

    @Test("a client that left loses its events, and disturbs nobody") func fullClose() throws {
        let peer = try Peer()
        peer.send("{}")
        peer.read()
        shutdown(peer.client, Int32(SHUT_RDWR))
        for _ in 0..<10 { peer.connection.write(silent) }
        peer.loop.runUntilIdle()
        peer.closeAndWait(refused: false)
    }

    @Test("S5: a client that does not read loses ticks first; other events wait for it") func neverReads() throws {
        let peer = try Peer()
        var size: Int32 = 1
        unsafe setsockopt(peer.worker, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        for _ in 0..<5_000 { peer.connection.write(tick) }
        peer.connection.write(silent)
        var text = ""
        while !text.contains("silent") {
            peer.loop.runUntilIdle()
            let (more, isEnd) = peer.received()
            try #require(!isEnd && !more.isEmpty)
            text += more
        }
        let ticks = text.split(separator: "\n").count { $0.contains("\"tick\"") }
        #expect(ticks > 100 && ticks < 5_000)
        #expect(text.hasSuffix("\n"))
    }

    @Test("S5: past 1 MiB unread a client counts as gone, and the connection closes all the same") func gone() throws {
        let peer = try Peer()
        for _ in 0..<20_000 { peer.connection.write(silent) }
        _ = peer.received()
        peer.loop.runUntilIdle()
        #expect(peer.received().text.isEmpty, "what waited for it has gone with it")
        peer.closeAndWait(refused: false)
        #expect(peer.received().isEnd)
    }

    @Test("R16: a refused client that sends a mebibyte more can still read why") func refusedWhileSending() throws {
        let peer = try Peer()
        peer.send("[]\n")
        peer.read()
        let flood = String(repeating: "x", count: 1 << 20)
        var left = flood.utf8.count
        let sender = try peer.loop.watch(descriptor: peer.client, events: .writable, description: "flood") { _ in
            let sent = unsafe Glibc.send(peer.client, flood, min(left, 65_536), Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
            left -= max(sent, 0)
            if left == 0 || (sent < 0 && errno != EAGAIN) { shutdown(peer.client, Int32(SHUT_WR)) }
        }
        peer.connection.write(event(.rejected(reason: .notAnObject, detail: "")))
        peer.closeAndWait(refused: true)
        sender.cancel()
        #expect(left == 0)
        let (text, isEnd) = peer.received()
        #expect(text.contains("NotAnObject"))
        #expect(isEnd)
    }

    @Test("what follows the notification does not turn the client's end into an error") func trailing() throws {
        let peer = try Peer()
        peer.send("{}\n")
        peer.read()
        peer.send("more that nobody reads\n")
        peer.connection.write(silent)
        peer.closeAndWait(refused: false)
        let (text, isEnd) = peer.received()
        #expect(text.contains("silent"))
        #expect(isEnd, "errno \(errno)")
        // Bytes that nobody has read make close(2) reset the connection.
        var left: UInt8 = 0
        #expect(unsafe recv(peer.worker, &left, 1, Int32(MSG_DONTWAIT)) == 0)
    }

    @Test("no byte that follows the notification is left unread, be it a single one") func trailingByte() throws {
        let peer = try Peer()
        peer.send("{}")
        peer.read()
        peer.send("\n")
        peer.closeAndWait(refused: false)
        var left: UInt8 = 0
        #expect(unsafe recv(peer.worker, &left, 1, Int32(MSG_DONTWAIT)) == 0)
    }

    @Test("a half close that comes after the rest ends the notification too") func laterHalfClose() throws {
        let peer = try Peer()
        peer.read()
        peer.send("{\"aps\": ")
        shutdown(peer.client, Int32(SHUT_WR))
        peer.loop.runUntilIdle()
        #expect(peer.notification == "{\"aps\": ")
    }

    @Test("S5: a notification has five seconds to arrive, a refused client one second and 2 MiB to finish sending")
    func limits() {
        #expect(ClientConnection.notificationPatience == .seconds(5))
        #expect(ClientConnection.closingPatience == .seconds(1))
        #expect(ClientConnection.discardedBytesMax == 2_097_152)
    }

    @Test("the peer of a socket is known") func peerUser() throws {
        let peer = try Peer()
        #expect(peer.connection.peerUser == geteuid())
    }
}
