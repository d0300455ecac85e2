import BelfryEventLoop
import BelfryProtocol
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
}

extension WorkerConnections.Input {
    fileprivate var name: String {
        switch self {
        case .came: "came"
        case .event(_, _, let event): "told \(event.name)"
        case .left: "left"
        }
    }
}
