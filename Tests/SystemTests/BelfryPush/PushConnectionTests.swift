import BelfryEventLoop
import BelfryProtocol
@testable import BelfryPush
import Support
import Testing

@Suite struct PushConnectionTests {
    static let tick = #"{"event":"tick","at":1.0,"boot":2.0,"id":"i","n":1,"late":0.001}"#
    static let delivered = #"{"event":"delivered","at":1.0,"boot":2.0,"id":"i"}"#
    static let rejected = #"{"event":"rejected","at":1.0,"boot":2.0,"id":"i","reason":"TooDeep","detail":"d"}"#

    /// Pushes `bytes` and follows to the end.
    func follow(_ worker: ScriptedWorker, _ bytes: [UInt8]) throws -> (lines: [String], events: Int, error: PushError?)
    {
        let loop = try Loop()
        var lines: [String] = []
        var events = 0
        var failure: PushError?
        try PushConnection(
            to: PushSocket(path: worker.path), sending: bytes, on: loop,
            onLine: { line in
                lines.append(String(decoding: line.bytes, as: UTF8.self))
                if line.event != nil { events += 1 }
            },
            onEnd: { error in
                failure = error
                loop.stop()
            })
        loop.run()
        return (lines, events, failure)
    }

    @Test func itSendsAllAndReadsAll() throws {
        let notification = [UInt8](repeating: 0x20, count: 900_000) + Array("{}".utf8)
        let received = ReceivedBytes()
        let worker = ScriptedWorker { connection in
            received.set(ScriptedWorker.readAll(connection))
            ScriptedWorker.write(Self.tick + "\n" + Self.tick + "\nnonsense\n" + Self.delivered, to: connection)
        }
        defer { withExtendedLifetime(worker) {} }
        let answer = try follow(worker, notification)
        #expect(answer.error == nil)
        #expect(answer.lines == [Self.tick, Self.tick, "nonsense", Self.delivered])
        #expect(answer.events == 3)
        #expect(received.bytes == notification)
    }

    @Test func aWorkerThatRefusesWithoutReadingIsHeard() throws {
        let worker = ScriptedWorker { connection in ScriptedWorker.write(Self.rejected + "\n", to: connection) }
        defer { withExtendedLifetime(worker) {} }
        let answer = try follow(worker, [UInt8](repeating: 0x20, count: 4 << 20))
        #expect(answer.error == nil)
        #expect(answer.lines == [Self.rejected])
    }

    @Test func aLineTooLongEndsIt() throws {
        let worker = ScriptedWorker { connection in
            ScriptedWorker.write([UInt8](repeating: 0x20, count: LineFraming.lineBytesMax + 2), to: connection)
        }
        defer { withExtendedLifetime(worker) {} }
        let answer = try follow(worker, [])
        #expect(answer.error?.code == .lineTooLong)
        #expect(answer.error?.exitStatus == 70)
    }

    @Test func withoutASocketItSaysHowToStartIt() throws {
        let loop = try Loop()
        let error = #expect(throws: PushError.self) {
            try PushConnection(
                to: PushSocket(path: "/nonexistent/push.sock"), sending: [], on: loop, onLine: { _ in }, onEnd: { _ in }
            )
        }
        #expect(error?.code == .noSocket && error?.exitStatus == 69)
        let remedies = ["systemctl --user enable --now belfry.socket", "belfry serve -- COMMAND"]
        #expect(remedies.contains { error?.description.hasSuffix($0) == true })
    }

    @Test func cancellingInACallBackIsTheLastOfIt() throws {
        let worker = ScriptedWorker { connection in
            ScriptedWorker.write(Self.tick + "\n" + Self.tick + "\n", to: connection)
            _ = ScriptedWorker.readAll(connection)
        }
        defer { withExtendedLifetime(worker) {} }
        let loop = try Loop()
        var seen = 0
        var connection: PushConnection?
        connection = try PushConnection(
            to: PushSocket(path: worker.path), sending: [], on: loop,
            onLine: { _ in
                seen += 1
                connection?.cancel()
                _ = loop.afterThis(description: "end") { loop.stop() }
            },
            onEnd: { _ in Issue.record("a cancelled connection has no end") })
        loop.run()
        #expect(seen == 1)
    }
}
