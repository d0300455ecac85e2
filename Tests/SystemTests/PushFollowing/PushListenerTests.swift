import BelfryEventLoop
import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import Glibc
import PushFollowing
import RingEar
import Support
import Testing

/// Both ends of the folder where pushes are followed.
@Suite final class PushListenerTests {
    private let loop = PolledLoop()
    private let place = TemporaryFolder()
    private var heard: [String] = []

    private var runtime: RuntimeDirectory { RuntimeDirectory(path: "\(place.path)/run") }
    private var folder: FollowersFolder { FollowersFolder(in: runtime) }
    private var names: [String] { (try? Directory.names(at: runtime.followersPath, max: 100)) ?? [] }

    private func listener() throws -> PushListener {
        try PushListener(in: runtime, on: loop) { [unowned self] record, source in
            heard.append("\(source) \(record.id)\(record.word)")
        }
    }

    private func connections() -> [PassedFile] {
        var connections: [PassedFile] = []
        folder.connect { connections.append(PassedFile($0)) }
        return connections
    }

    private func say(_ record: PushRecord, on connection: PassedFile) {
        ScriptedWorker.write(record.line, to: connection.descriptor.number)
    }

    private static func push(_ id: String) -> PushRecord {
        .push(PushRecord.Taken(unreadable: id, at: WallTime(microseconds: 0)))
    }

    private static func request(_ id: String) -> PushRecord {
        .request(
            PushRecord.Request(
                apnsID: id, time: WallTime(microseconds: 0), method: "POST", path: "/", headers: [:], payload: "",
                device: nil, status: 200, reason: nil, uniqueID: nil))
    }

    @Test("where nobody follows, nobody is connected to, no record is made, and nothing is left")
    func nobody() throws {
        folder.send(unmade())
        #expect(unsafe connections().isEmpty && access(runtime.path, F_OK) == -1)
        try listener().close()
        folder.send(unmade())
        #expect(connections().isEmpty && names.isEmpty)
    }

    private func unmade() -> PushRecord {
        Issue.record("a record is made")
        return Self.request("a")
    }

    @Test("whoever would not be heard of is refused") func full() throws {
        let most = try (0..<FollowersFolder.followersMax).map { _ in try listener() }
        #expect(throws: SystemError(errno: EUSERS, call: "listen", subject: runtime.followersPath)) { try listener() }
        most[0].close()
        #expect(throws: Never.self) { try listener() }
        #expect(connections().count == FollowersFolder.followersMax - 1, "the last one is gone again")
    }

    @Test("each listener hears each push; one whose worker leaves without a word has an end that is not whole")
    func hears() throws {
        let listeners = [try listener(), try listener()]
        let workers = connections()
        #expect(workers.count == 2)
        for worker in workers {
            say(Self.push("a"), on: worker)
            say(.end(id: "a", isWhole: true), on: worker)
        }
        loop.settle()
        #expect(heard.sorted() == ["1 a end", "1 a end", "1 a push", "1 a push"])
        heard = []
        for worker in connections() {
            say(Self.push("b"), on: worker)
            ScriptedWorker.write("nonsense\n", to: worker.descriptor.number)
            shutdown(worker.descriptor.number, Int32(SHUT_RDWR))
        }
        loop.settle()
        #expect(heard.sorted() == ["2 b broken", "2 b broken", "2 b push", "2 b push"])
        for listener in listeners { listener.close() }
        #expect(names.isEmpty)
    }

    @Test("the request of a push is heard before the push, also if the push's connection is looked at first")
    func order() throws {
        // The real loop: it may look at any of what is ready first.
        let loop = try Loop()
        let listener = try PushListener(in: runtime, on: loop) { [unowned self] record, _ in
            heard.append(record.id + record.word)
        }
        let early = (0..<20).flatMap { _ in connections() }
        loop.runUntilIdle()
        for (number, worker) in early.enumerated().reversed() {
            folder.send(Self.request("r\(number)"))
            say(Self.push("r\(number)"), on: worker)
        }
        loop.runUntilIdle()
        #expect(heard.count == 40)
        for number in 0..<20 {
            let places = ["r\(number) request", "r\(number) push"].compactMap { heard.firstIndex(of: $0) }
            #expect(places.count == 2 && places == places.sorted(), "\(number): \(places)")
        }
        listener.close()
    }

    @Test("what was said before the end is heard, and whoever is still there then is cut off") func close() throws {
        let listener = try listener()
        let worker = connections()[0]
        say(Self.push("a"), on: worker)
        listener.close()
        #expect(heard == ["1 a push", "1 a broken"])
        listener.close()
    }

    @Test("the socket of a dead follower is removed by the next one, and that of a living one is not")
    func dead() throws {
        let living = try listener()
        let known = try #require(names.first)
        let dead = "\(runtime.followersPath)/1-999999999-x"
        _ = try listenPrivately(at: dead, backlog: 1)
        #expect(connections().count == 1)
        let other = try listener()
        #expect(names.contains(known) && names.count == 2)
        withExtendedLifetime((living, other)) {}
    }

    @Test("a folder that others may write to has no followers") func foreign() throws {
        let listener = try listener()
        #expect(unsafe chmod(runtime.followersPath, 0o777) == 0)
        #expect(connections().isEmpty)
        #expect(unsafe chmod(runtime.followersPath, 0o700) == 0)
        listener.close()
    }

    @Test("a follower that never looks takes what the kernel keeps, and holds nobody up") func stuck() throws {
        let listener = try listener()
        let (worker, line) = (connections()[0], Self.request("a").line)
        var count = 0
        while case .wrote = sendSome(line[...], passing: nil, to: worker.descriptor.number), count < 100_000 {
            count += 1
        }
        #expect(count > 10 && count < 100_000)
        for _ in 0..<200 { folder.send(Self.request("b")) }
        listener.close()
        #expect(heard.filter { $0.hasSuffix("b request") }.count == 200)
    }
}

extension PushRecord {
    fileprivate var word: String {
        switch self {
        case .push: " push"
        case .event: " event"
        case .end(_, let isWhole): isWhole ? " end" : " broken"
        case .request: " request"
        }
    }
}
