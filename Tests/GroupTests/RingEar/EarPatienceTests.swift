import BelfryPropertyList
import BelfrySyscalls
import BelfryTerms
import CallLedger
import Glibc
@testable import RingEar
import Support
import Testing

/// How long either end of an ear waits for the other, and for how many, to the millisecond: R7, S5.
@Suite struct EarPatienceTests {
    let place = TemporaryFolder()
    let loop = PolledLoop()
    let group: GroupName
    let folder: RingFolder
    /// The folder of another process, which has it not open yet.
    let askersFolder: RingFolder
    let owner = Owner(bootID: "boot", pid: 4, start: 5)

    init() throws {
        group = try #require(GroupName("group.belfry"))
        let runtime = RuntimeDirectory(path: place.path)
        folder = RingFolder(runtime: runtime, statePath: "/state", group: group)
        askersFolder = RingFolder(runtime: runtime, statePath: "/state", group: group)
    }

    private func ring(_ id: String, by owner: Owner) -> Call {
        let moment = Moment(
            now: loop.now, wall: WallTime(microseconds: 1_800_000_000_000_000), bootID: owner.bootID, fileModified: nil
        ) { _ in true }
        var ledger = Ledger(reading: [:], at: moment)
        _ = ledger.admit(
            RingRequest(key: CallKey(id)), until: loop.now + .seconds(30), secondCall: .soft, callsMax: 9, owner: owner)
        guard let call = ledger.call(CallKey(id)) else { preconditionFailure("no ring") }
        return call
    }

    private var earPath: String { get throws { try folder.address(of: Ear.name(of: owner)) } }

    /// One who has connected; closed at the test's end.
    private final class Peer {
        let socket: Int32
        init(at path: String) throws {
            let socket = try makePacketSocket()
            try connectUnixSocket(socket.number, to: path)
            self.socket = socket.release()
        }
        deinit { close(socket) }

        func send(_ packet: [UInt8]) throws { try sendPacket(packet, to: socket) }
        /// nil if nothing has come, empty if the connection was closed.
        var received: [UInt8]? { get throws { try receivePacket(from: socket, bytesMax: 1_024) } }
        var isOpen: Bool { get throws { try received == nil } }
    }

    private var message: [UInt8] { RingMessage(group: group, call: CallKey("a"), ask: .answer()).packet }

    /// An ear that keeps what it is to answer with.
    private final class Listener {
        var heard = 0
        var answers: [(RingAnswer?) -> Void] = []
    }

    private func listen(_ ear: Ear) throws -> Listener {
        let listener = Listener()
        try ear.listen(on: loop) { _, answer in
            listener.heard += 1
            listener.answers.append(answer)
        }
        return listener
    }

    private let answered = RingAnswer(key: CallKey("a"), state: .answered, isRecorded: true)

    @Test("R22 who has no descriptor for one that connects listens again a moment later, and not in between")
    func noDescriptor() throws {
        let ear = try Ear(of: owner, in: folder)
        let listener = try listen(ear)
        let peer = try Peer(at: earPath)
        withoutAccepting { loop.settle() }
        #expect(loop.watchedCount == 0)
        try peer.send(message)
        loop.advance(by: .milliseconds(99))
        #expect(listener.heard == 0)
        loop.advance(by: .milliseconds(1))
        #expect(listener.heard == 1)
        ear.close()
    }

    @Test("S5 who connects has a second to say something, and is waited for no longer") func silent() throws {
        let ear = try Ear(of: owner, in: folder)
        let listener = try listen(ear)
        let (silent, slow) = (try Peer(at: earPath), try Peer(at: earPath))
        loop.advance(by: .milliseconds(999))
        try slow.send(message)
        loop.settle()
        #expect(listener.heard == 1)
        #expect(try silent.isOpen && slow.isOpen)
        loop.advance(by: .milliseconds(1))
        #expect(try silent.received == [] && slow.isOpen)
        ear.close()
        #expect(loop.pending.isEmpty && loop.watchedCount == 0)
    }

    @Test("R7 what becomes of a ring is told however long its end takes, and then the connection ends")
    func late() throws {
        let ear = try Ear(of: owner, in: folder)
        let listener = try listen(ear)
        let early = try Peer(at: earPath)
        try early.send(message)
        loop.settle()
        let peer = try Peer(at: earPath)
        loop.settle()
        try peer.send(message)
        loop.advance(by: .seconds(5))
        for answer in listener.answers { answer(answered) }
        for peer in [early, peer] {
            #expect(try peer.received.flatMap(RingAnswer.init) == answered)
            #expect(try peer.received == [])
        }
        #expect(listener.heard == 2 && loop.pending.isEmpty)
        ear.close()
    }

    @Test("S5 sixteen may be silent at once; for one more the first is sent away") func many() throws {
        let ear = try Ear(of: owner, in: folder)
        _ = try listen(ear)
        let peers = try (0..<17).map { _ in
            let peer = try Peer(at: earPath)
            loop.settle()
            return peer
        }
        #expect(try peers[0].received == [])
        #expect(try peers.dropFirst().allSatisfy { try $0.isOpen })
        ear.close()
        #expect(try peers.allSatisfy { try !$0.isOpen })
    }

    @Test("R7 who has had an answer makes nobody wait in vain who has not") func answeredMakeRoom() throws {
        let ear = try Ear(of: owner, in: folder)
        let listener = try listen(ear)
        let first = try Peer(at: earPath)
        try first.send(message)
        loop.settle()
        let answer = try #require(listener.answers.first)
        for _ in 0..<20 {
            let peer = try Peer(at: earPath)
            try peer.send(message)
            loop.settle()
            listener.answers.last?(answered)
        }
        answer(answered)
        #expect(try first.received.flatMap(RingAnswer.init) == answered)
        ear.close()
    }

    @Test("R22 who was answered leaves a descriptor to the ring, which may need it to read how it ended")
    func givenBack() async {
        await #expect(processExitsWith: .success) {
            let test = try EarPatienceTests()
            let ear = try Ear(of: test.owner, in: test.folder)
            let listener = try test.listen(ear)
            let peer = try Peer(at: test.earPath)
            // Those of the ear: what the machinery of the tests opens meanwhile is not the ring's.
            func open() -> Int {
                (0..<Int32(1_024)).count { number in
                    var (address, bytes) = (sockaddr_un(), socklen_t(MemoryLayout<sockaddr_un>.size))
                    let result = unsafe withUnsafeMutableBytes(of: &address) {
                        unsafe getsockname(
                            number, $0.baseAddress!.assumingMemoryBound(to: sockaddr.self), &bytes)
                    }
                    return result == 0 && bytes > MemoryLayout<sa_family_t>.size
                }
            }
            let before = open()
            try peer.send(test.message)
            test.loop.settle()
            #expect(open() == before + 1 && listener.heard == 1)
            listener.answers.last?(test.answered)
            #expect(open() == before)
            ear.close()
        }
    }

    @Test("64 who ask may wait to be heard") func backlog() throws {
        let ear = try Ear(of: owner, in: folder)
        var peers: [Peer] = []
        while let peer = try? Peer(at: earPath) { peers.append(peer) }
        // Linux keeps one more.
        #expect(peers.count == 65)
        ear.close()
    }

    /// What an ask at the ears of `rings` is answered, and when.
    private final class Asked {
        var answers: [RingAnswer]?
    }

    private func ask(_ rings: [Call], in folder: RingFolder? = nil) -> Asked {
        let asked = Asked()
        RingCalls.ask(.answer(), of: rings, in: group, folder: folder ?? askersFolder, on: loop) {
            #expect(asked.answers == nil, "done twice")
            asked.answers = $0
        }
        return asked
    }

    @Test("R7 a process that stands still is waited for a tenth of a second") func patience() throws {
        let ear = try Ear(of: owner, in: folder)
        let asked = ask([ring("a", by: owner)])
        loop.advance(by: .milliseconds(99))
        #expect(asked.answers == nil)
        loop.advance(by: .milliseconds(1))
        #expect(asked.answers == [])
        #expect(loop.pending.isEmpty && loop.watchedCount == 0)
        ear.close()
    }

    @Test("R7 nobody is waited for who is not there, or has answered") func atOnce() throws {
        #expect(ask([ring("a", by: owner)]).answers == [], "no folder")
        let ear = try Ear(of: owner, in: folder)
        let gone = ring("gone", by: Owner(bootID: "boot", pid: 6, start: 7))
        #expect(ask([gone]).answers == [], "no ear")
        let listener = try listen(ear)
        let asked = ask([gone, ring("a", by: owner)])
        loop.settle()
        listener.answers.last?(answered)
        loop.settle()
        #expect(asked.answers == [answered])
        #expect(loop.pending.isEmpty)
        ear.close()
    }

    @Test("R7 one answer is counted once, while another process is waited for") func oneOfTwo() throws {
        let ear = try Ear(of: owner, in: folder)
        let other = Owner(bootID: "boot", pid: 6, start: 7)
        let still = try Ear(of: other, in: folder)
        let listener = try listen(ear)
        let asked = ask([ring("a", by: owner), ring("b", by: other)])
        loop.settle()
        listener.answers.last?(answered)
        loop.advance(by: .milliseconds(99))
        #expect(asked.answers == nil && loop.watchedCount == 2, "the ear, and the one that is waited for")
        loop.advance(by: .milliseconds(1))
        #expect(asked.answers == [answered])
        ear.close()
        still.close()
    }

    @Test("R7 who finds more waiting at the ear than may wait goes without an answer, and the ear stays")
    func crowded() throws {
        let ear = try Ear(of: owner, in: folder)
        var peers: [Peer] = []
        while let peer = try? Peer(at: earPath) { peers.append(peer) }
        let asked = ask([ring("a", by: owner)])
        #expect(asked.answers == [] && loop.pending.isEmpty)
        #expect(try unsafe access(earPath, F_OK) == 0, "its process lives")
        ear.close()
    }

    @Test("R10 a wake-up is heard, and makes nothing where nobody rings") func wake() throws {
        RingCalls.wake([ring("a", by: owner)], in: group, folder: askersFolder)
        #expect(unsafe access("\(place.path)/rings", F_OK) == -1)
        let ear = try Ear(of: owner, in: folder)
        var heard: [RingAsk] = []
        try ear.listen(on: loop) { message, answer in
            heard.append(message.ask)
            answer(nil)
        }
        RingCalls.wake([ring("a", by: owner), ring("b", by: owner)], in: group, folder: askersFolder)
        loop.settle()
        #expect(heard == [.look])
        ear.close()
    }

    @Test("a second ear in one process is a trap, as it would make the first one deaf; a later one is not")
    func secondEar() async throws {
        for _ in 0..<2 { try Ear(of: owner, in: folder).close() }
        // In a process of its own: a child that another test forks has the first one's socket until it is a program.
        await #expect(processExitsWith: .success) {
            let place = TemporaryFolder()
            guard let group = GroupName("group.test") else { exit(EXIT_FAILURE) }
            let folder = RingFolder(
                runtime: RuntimeDirectory(path: place.path), statePath: "/state", group: group)
            let owner = Owner(bootID: "boot", pid: 5, start: 6)
            _ = try Ear(of: owner, in: folder)
            try Ear(of: owner, in: folder).close()
        }
        await #expect(processExitsWith: .failure) {
            let place = TemporaryFolder()
            let owner = Owner(bootID: "boot", pid: 5, start: 6)
            guard let group = GroupName("group.test") else { exit(EXIT_SUCCESS) }
            let folders = (0..<2).map { _ in
                RingFolder(runtime: RuntimeDirectory(path: place.path), statePath: "/state", group: group)
            }
            let first = try Ear(of: owner, in: folders[0])
            try Ear(of: owner, in: folders[1]).close()
            first.close()
        }
    }

    @Test("what lies where the ear shall be is in nobody's way") func leftEar() throws {
        try folder.open(makes: true)
        let path = try earPath
        try checked("mknod") { unsafe mknod(path, S_IFREG | 0o600, 0) }
        let ear = try Ear(of: owner, in: folder)
        let listener = try listen(ear)
        _ = ask([ring("a", by: owner)])
        loop.settle()
        #expect(listener.heard == 1)
        ear.close()
    }

    @Test("only what is spelled as an ear is one's") func names() {
        #expect(Ear.owner(named: "4-5.ear").map { [$0.pid, $0.start] } == [4, 5])
        for name in ["4--5.ear", "-4-5.ear", "4-5-.ear", "4.ear", "4-5", "4-5.ear.x", "a-5.ear"] {
            #expect(Ear.owner(named: name) == nil, "\(name)")
        }
    }
}
