import BelfryDevices
import BelfryEventLoop
import BelfrySyscalls
import BelfryTerms
import Glibc
import PushCarrier
import PushQueue
import Support
import Synchronization
import Testing

/// What the carrier itself keeps: whom it follows, and what it waits for.
@Suite struct SocketCarrierTests {
    private static let handOver = HandOver(
        push: EndpointPush(
            apnsID: "a", token: .random(), topic: "com.example.phone", pushType: .alert, payload: Array("{}".utf8),
            acceptedAt: WallTime(microseconds: 1_800_000_000_000_000)),
        registration: Registration(
            token: .random(), deviceID: "d", kind: .alert, bundleID: "com.example.phone", appGroup: nil,
            environment: .production))

    /// Workers that have taken their pushes and live on, and what is told of each.
    private final class Crowd {
        static let received =
            #"{"event":"received","at":0.1,"boot":1.5,"id":"i","type":"alert","intercepted":true}"# + "\n"

        let loop: Loop
        private let carrier: SocketCarrier
        private let worker: ScriptedWorker
        private let connections: Connections
        private(set) var told: [[CarrierNews]] = []

        private final class Connections: Sendable {
            let all = Mutex<[Int32]>([])
        }

        init() throws {
            let connections = Connections()
            worker = ScriptedWorker(connections: 1_000) { connection in
                _ = ScriptedWorker.readAll(connection)
                connections.all.withLock { $0.append(dup(connection)) }
                ScriptedWorker.write(Self.received, to: connection)
            }
            self.connections = connections
            loop = try Loop()
            carrier = SocketCarrier(socketPath: worker.path, on: loop)
        }

        /// Hands a push over, and goes on until a worker has taken it.
        func carry() {
            let index = told.count
            told.append([])
            carrier.carry(SocketCarrierTests.handOver) { [self] in
                told[index].append($0)
                if index == 0 || $0 == .received { loop.stop() }
            }
            loop.run()
        }

        /// Has the workers with these indices say something, and goes on until it was heard, if anybody listens.
        func say(_ indices: Int...) {
            // What was said before these is ready before them.
            for index in indices + [0, 0] {
                ScriptedWorker.write("{\"event\":\"news\",\"at\":0.2,\"boot\":1.6,\"id\":\"i\"}\n", to: number(index))
                if index == 0 { loop.run() }
            }
        }

        func end(_ index: Int) { shutdown(number(index), Int32(SHUT_RDWR)) }

        private func number(_ index: Int) -> Int32 { connections.all.withLock { $0[index] } }
    }

    /// In a process of its own, whose descriptors are nobody else's.
    @Test("256 pushes are followed at once, of more is told that they were taken, until one of those has ended")
    func followed() async {
        await #expect(processExitsWith: .success) {
            let crowd = try Crowd()
            for _ in 0..<258 { crowd.carry() }
            crowd.say(255, 256, 257)
            #expect(crowd.told[255] == [.received, .event("news", code: nil)])
            #expect(crowd.told[256] == [.received, .over] && crowd.told[257] == [.received, .over])
            crowd.end(1)
            crowd.say()
            crowd.carry()
            crowd.say(258)
            #expect(crowd.told[258] == [.received, .event("news", code: nil)])
        }
    }

    @Test(
        "R12 of a worker that ends while a foreign extension has its notification the original is delivered",
        arguments: [(["started"], true), (["started", "delivered"], false), ([], false)])
    func killed(said: [String], isTold: Bool) throws {
        let start = #"","at":0.2,"boot":1.6,"id":"i""#
        let lines = [
            "started": "{\"event\":\"extension\(start),\"state\":\"started\",\"seconds\":0.0}\n",
            "delivered": "{\"event\":\"delivered\(start),\"by\":\"extension\",\"content\":{}}\n",
        ]
        let worker = ScriptedWorker(connections: 1) { connection in
            _ = ScriptedWorker.readAll(connection)
            ScriptedWorker.write(Crowd.received + said.compactMap { lines[$0] }.joined(), to: connection)
            shutdown(connection, Int32(SHUT_RDWR))
        }
        let loop = try Loop()
        let carrier = SocketCarrier(socketPath: worker.path, on: loop)
        var told: [CarrierNews] = []
        carrier.carry(Self.handOver) {
            told.append($0)
            if $0 == .over { loop.stop() }
        }
        loop.run()
        #expect(told.first == .received && told.count == 2 + said.count + (isTold ? 1 : 0), "\(told)")
        #expect(told.contains(.event("delivered", code: "crash")) == isTold)
    }

    @Test("a socket that comes is told once, each time that a push has found none, however many have")
    func returns() throws {
        let folder = TemporaryFolder()
        let path = "\(folder.path)/push.sock"
        let loop = try Loop()
        let carrier = SocketCarrier(socketPath: path, on: loop)
        var returnsCount = 0
        carrier.onReturn = { _ in returnsCount += 1 }
        func carry() {
            var told: [CarrierNews] = []
            carrier.carry(Self.handOver) { told.append($0) }
            guard case .offline(.noSocket, _)? = told.first else { return #expect(Bool(false), "\(told)") }
        }
        carry()
        carry()
        let directory = try Directory.open(path: folder.path, makes: false)
        let watch = try loop.watchDirectory(directory.descriptor.number, description: "test") { loop.stop() }
        folder.write([], to: "push.sock")
        loop.run()
        #expect(returnsCount == 1)
        folder.write([], to: "another")
        loop.run()
        #expect(returnsCount == 1)
        unsafe unlink(path)
        carry()
        folder.write([], to: "push.sock")
        loop.run()
        #expect(returnsCount == 2)
        watch.cancel()
    }
}
