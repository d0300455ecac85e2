import BelfryEventLoop
import BelfryProtocol
import DesktopChannel
import Testing

@testable import Desktop

@Suite("Who is connected to the desktop's socket") struct WorkerConnectionsTests {
    @Test("a worker comes, is heard, and has left once it says what is no event") func comesAndLeaves() throws {
        let worker = try WorkerEnd()
        let loop = try Loop()
        var heard: [String] = []
        let connections = try WorkerConnections(on: loop, listener: worker.listener) { heard.append($0.name) }
        #expect(connections.isEmpty)
        loop.runUntilIdle()
        #expect(heard == ["came"] && !connections.isEmpty)
        worker.tell(.tick(n: 1, late: 0))
        loop.runUntilIdle()
        worker.say(Array("{}\n".utf8))
        loop.runUntilIdle()
        #expect(heard == ["came", "told tick", "left"] && connections.isEmpty)
    }

    /// What comes of a peer that says these lines, each after the one before was heard.
    private func heard(_ lines: [[UInt8]], first: OngoingCall? = WorkerEnd.call) throws -> [String] {
        let peer = try WorkerEnd(first)
        let loop = try Loop()
        var heard: [String] = []
        let connections = try WorkerConnections(on: loop, listener: peer.listener) { heard.append($0.name) }
        loop.runUntilIdle()
        for line in lines {
            peer.say(line)
            loop.runUntilIdle()
        }
        return withExtendedLifetime(connections) { heard }
    }

    private func line(_ ongoing: OngoingCall?) -> [UInt8] {
        var hello = DesktopHello(group: WorkerEnd.group)
        hello.ongoing = ongoing
        return hello.line
    }

    @Test("C16 a call that goes on is said again and again; who says anything else has left, and is no worker")
    func ongoing() throws {
        var (muted, other) = (WorkerEnd.call, OngoingCall(call: "B", uuid: "B", app: "b"))
        (muted.isMuted, other.state) = (true, .held)
        let changes = ["goes on A active", "goes on A active muted", "goes on B held"]
        #expect(try heard([line(muted), line(other)]) == changes)
        let tick = Event(at: 0, boot: 1, id: "i", body: .tick(n: 1, late: 0)).line
        for strange in [line(nil), tick, Array("{}\n".utf8), Array(" \n".utf8)] {
            #expect(try heard([strange, line(muted)]) == ["goes on A active", "left"])
        }
        #expect(try heard([line(muted)], first: nil) == ["came", "left"], "a worker says events")
        let later = Array(#"{"group": "group.a", "ongoing": {"call": "A", "state": "parked"}}"#.utf8) + [10]
        #expect(try heard([later]) == ["goes on A active", "left"])
        // A line without an end, as much at once as a socket takes.
        let part = [UInt8](repeating: UInt8(ascii: " "), count: 64 << 10)
        #expect(try heard(Array(repeating: part, count: 17)) == ["goes on A active", "left"])
    }

    @Test("do-not-disturb is reported to workers alone") func reports() throws {
        for isCall in [false, true] {
            let peer = try WorkerEnd(isCall ? WorkerEnd.call : nil)
            let loop = try Loop()
            let connections = try WorkerConnections(on: loop, listener: peer.listener) { _ in }
            loop.runUntilIdle()
            connections.reportToAll(.muted(true))
            #expect(peer.reports() == (isCall ? [] : [.muted(true)]))
        }
    }
}

extension WorkerConnections.Input {
    fileprivate var name: String {
        switch self {
        case .came: "came"
        case .goesOn(_, _, let call): "goes on \(call.call) \(call.state)\(call.isMuted ? " muted" : "")"
        case .event(_, _, let event): "told \(event.name)"
        case .left: "left"
        }
    }
}
