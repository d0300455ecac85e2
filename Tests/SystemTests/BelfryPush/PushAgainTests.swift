import BelfryEventLoop
@testable import BelfryPush
import BelfrySyscalls
import BelfryTerms
import Glibc
import Support
import Synchronization
import Testing

/// When a notification is pushed once more: while nobody can have taken it, and never after that.
@Suite struct PushAgainTests {
    static let delivered = #"{"event":"delivered","at":1.0,"boot":2.0,"id":"i"}"#

    /// What became of a push, and what each connection received.
    struct Answer {
        var lines: [String] = []
        var error: PushError?
        var received: [String] = []
    }

    /// Pushes `notification` to a worker that does with the connections what `scripts` say, the last again and again.
    func push(
        _ notification: String, patience: TimeSpan = PushConnection.connectPatience,
        _ scripts: [@Sendable (Int32) -> String]
    ) throws -> Answer {
        let received = Mutex<[String]>([])
        let loop = try Loop()
        var answer = Answer()
        do {
            let worker = ScriptedWorker(connections: 1_000) { connection in
                let number = received.withLock { $0.count }
                let text = scripts[min(number, scripts.count - 1)](connection)
                received.withLock { $0.append(text) }
            }
            defer { withExtendedLifetime(worker) {} }
            try PushConnection(
                to: PushSocket(path: worker.path), sending: Array(notification.utf8), on: loop, patience: patience,
                onLine: { answer.lines.append(String(decoding: $0.bytes, as: UTF8.self)) },
                onEnd: { error in
                    answer.error = error
                    loop.stop()
                })
            loop.run()
        }
        answer.received = received.withLock { $0 }
        return answer
    }

    static let closing: @Sendable (Int32) -> String = { _ in "" }

    static let answering: @Sendable (Int32) -> String = { connection in
        let text = String(decoding: ScriptedWorker.readAll(connection), as: UTF8.self)
        ScriptedWorker.write(delivered + "\n", to: connection)
        return text
    }

    /// Waits until something was sent, reads `count` bytes of it and writes `reply`.
    static func reading(_ count: Int, reply: String = "") -> @Sendable (Int32) -> String {
        { connection in
            var bytes = [UInt8](repeating: 0, count: 64)
            _ = unsafe recv(connection, &bytes, 1, Int32(MSG_PEEK))
            let taken = count == 0 ? 0 : unsafe recv(connection, &bytes, count, 0)
            ScriptedWorker.write(reply, to: connection)
            return String(decoding: bytes[..<max(0, taken)], as: UTF8.self)
        }
    }

    @Test("what nobody can have taken is pushed again: dropped at once, unread, or read but for its last byte")
    func nobodyTookIt() throws {
        let notification = #"{"aps":{}}"#
        let scripts = [Self.closing, Self.reading(0), Self.reading(notification.utf8.count - 1), Self.answering]
        let answer = try push(notification, scripts)
        #expect(answer.error == nil && answer.lines == [Self.delivered])
        #expect(answer.received == ["", "", String(notification.dropLast()), notification])
    }

    @Test("what a worker has read to the end is not, though more stood behind it")
    func perhapsTaken() throws {
        let answer = try push("{\"aps\":{}}\n\n{}", [Self.reading(10), Self.answering])
        #expect(answer.received == [#"{"aps":{}}"#])
        #expect(answer.error?.code == .endedEarly && answer.error?.exitStatus == 75)
    }

    @Test("what was pushed again, and read to the end then, is not pushed once more")
    func perhapsTakenLater() throws {
        let answer = try push(#"{"aps":{}}"#, [Self.reading(0), Self.reading(10), Self.answering])
        #expect(answer.received == ["", #"{"aps":{}}"#] && answer.error?.code == .endedEarly)
    }

    @Test("what was answered is not, though the rest was left unread")
    func answered() throws {
        let answer = try push(#"{"aps":{}}"#, [Self.reading(1, reply: "{"), Self.answering])
        #expect(answer.received == ["{"] && answer.lines == ["{"])
        #expect(answer.error?.code == .endedEarly)
    }

    @Test("whoever drops every connection is given up once patience is over")
    func patience() throws {
        let began = ContinuousClock.now
        let answer = try push("{}", patience: .milliseconds(50), [Self.reading(0)])
        #expect(.now - began >= .milliseconds(50))
        #expect(answer.error?.code == .connectionFailed && answer.error?.exitStatus == 75)
        #expect(answer.error?.detail.hasSuffix("dropped the connection for 0.05 s") == true)
    }

    @Test("a full socket is tried again until it has room, or patience is over", arguments: [true, false])
    func full(hasRoomLater: Bool) throws {
        let folder = TemporaryFolder()
        let path = "\(folder.path)/full.sock"
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        let listener = OwnedDescriptor(owning: try checked("socket") { socket(AF_UNIX, kind, 0) })
        try bindUnixSocket(listener.number, to: path)
        try checked("listen") { listen(listener.number, 0) }
        let filler = OwnedDescriptor(owning: try checked("socket") { socket(AF_UNIX, kind, 0) })
        try connectUnixSocket(filler.number, to: path)
        let loop = try Loop()
        var error: PushError?
        let patience = hasRoomLater ? PushConnection.connectPatience : .milliseconds(50)
        try PushConnection(
            to: PushSocket(path: path), sending: Array("{}".utf8), on: loop, patience: patience, onLine: { _ in },
            onEnd: {
                error = $0
                loop.stop()
            })
        let number = listener.number
        let thread = PosixThread {
            for _ in 0..<(hasRoomLater ? 2 : 0) {
                let connection = accept(number, nil, nil)
                _ = Self.answering(connection)
                close(connection)
            }
        }
        shutdown(filler.number, Int32(SHUT_WR))
        loop.run()
        thread.join()
        #expect(hasRoomLater ? error == nil : error?.detail.hasSuffix("took no connection for 0.05 s") == true)
        withExtendedLifetime(filler) {}
    }
}
