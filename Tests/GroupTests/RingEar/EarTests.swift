import BelfryEventLoop
import BelfryPropertyList
import BelfrySyscalls
import BelfryTerms
import CallLedger
import Glibc
@testable import RingEar
import Support
import Testing

/// Both ends of an ear over real sockets, with peers that misbehave: R7, S5.
@Suite struct EarTests {
    let place = TemporaryFolder()
    let loop: Loop
    let group: GroupName
    let folder: RingFolder
    let owner = Owner(bootID: "boot", pid: Int64(getpid()), start: 7)

    init() throws {
        loop = try Loop()
        group = try #require(GroupName("group.belfry"))
        folder = RingFolder(
            runtime: RuntimeDirectory(path: place.path), statePath: "/state", group: group)
    }

    private func ring(_ id: String, by owner: Owner) -> Call {
        let moment = Moment(
            now: loop.now, wall: WallTime(microseconds: wallTimeMicroseconds()), bootID: owner.bootID,
            fileModified: nil
        ) { _ in true }
        var ledger = Ledger(reading: [:], at: moment)
        _ = ledger.admit(
            RingRequest(key: CallKey(id)), until: loop.now + .seconds(30), secondCall: .soft, callsMax: 9, owner: owner)
        guard let call = ledger.call(CallKey(id)) else { preconditionFailure("no ring") }
        return call
    }

    /// What those who ring `rings` answer to `ask`.
    private func ask(_ ask: RingAsk, of rings: [Call]) -> [RingAnswer] {
        var answered: [RingAnswer]?
        RingCalls.ask(ask, of: rings, in: group, folder: folder, on: loop) { [loop] in
            answered = $0
            loop.stop()
        }
        loop.run()
        return answered ?? []
    }

    /// The name of this process's ear.
    private var earPath: String { "\(place.path)/rings/\(names("rings")[0])/\(Ear.name(of: owner))" }

    private func names(_ folder: String) -> [String] {
        ((try? Directory.open(path: "\(place.path)/\(folder)", makes: false).names(max: 99)) ?? []).sorted()
    }

    @Test("R7 an ear hears what is asked, and who asks hears what became of the ring") func conversation() throws {
        let ear = try Ear(of: owner, in: folder)
        var heard: [RingMessage] = []
        try ear.listen(on: loop) { message, answer in
            heard.append(message)
            answer(RingAnswer(key: message.call, state: .hangup, isRecorded: false))
        }
        let asks: [RingAsk] = [
            .hangUp(.busy, sentAt: WallTime(unixSeconds: 1_800_000_000.5)), .answer(), .decline, .silence,
        ]
        for asked in asks {
            #expect(
                ask(asked, of: [ring("a\"é", by: owner)]) == [
                    RingAnswer(key: CallKey("a\"é"), state: .hangup, isRecorded: false)
                ])
        }
        #expect(heard.map(\.ask) == asks && heard.allSatisfy { $0.group == group && $0.call == CallKey("a\"é") })
        ear.close()
        #expect(ask(.answer(), of: [ring("a", by: owner)]).isEmpty)
        folder.removeIfEmpty()
        #expect(names("rings").isEmpty)
    }

    @Test("R7 nobody waits longer than 100 ms, neither for a process that is stopped nor behind many others")
    func stopped() throws {
        // Nobody listens at it: as with a stopped process, connections wait in its backlog, and then no more fit.
        let ear = try Ear(of: owner, in: folder)
        for _ in 0..<2 {
            let begun = loop.now
            #expect(ask(.decline, of: [ring("a", by: owner)]).isEmpty)
            #expect(loop.now - begun < .seconds(5))
            RingCalls.wake(Array(repeating: ring("a", by: owner), count: 1), in: group, folder: folder)
            for _ in 0..<80 { RingCalls.wake([ring("a", by: owner)], in: group, folder: folder) }
        }
        ear.close()
    }

    @Test("R12 the ear of a killed process is removed by whoever asks there, who waits for nobody") func dead() throws {
        let ear = try Ear(of: owner, in: folder)
        let path = earPath
        let kept = "\(path).kept"
        try checked("link") { unsafe link(path, kept) }
        ear.close()
        _ = consume ear
        try checked("rename") { unsafe rename(kept, path) }
        #expect(ask(.answer(), of: [ring("a", by: owner)]).isEmpty)
        #expect(unsafe access(path, F_OK) == -1)
    }

    @Test("R12 what killed processes left is tidied, and with the last ear the folder goes") func tidying() throws {
        let ear = try Ear(of: owner, in: folder)
        let dead = "\(place.path)/rings/\(names("rings")[0])/4-5.ear"
        place.write([], to: String(dead.dropFirst(place.path.utf8.count + 1)))
        folder.tidy { $0.pid == owner.pid }
        #expect(unsafe access(dead, F_OK) == -1 && access(earPath, F_OK) == 0)
        folder.tidy { _ in false }
        #expect(names("rings").isEmpty)
        ear.close()
    }

    @Test("S5 what is no message is dropped, and the next is heard", arguments: ["", "{}", "[", "x", "long", "group"])
    func garbage(kind: String) throws {
        let ear = try Ear(of: owner, in: folder)
        var heard = 0
        try ear.listen(on: loop) { message, answer in
            heard += 1
            answer(RingAnswer(key: message.call, state: .answered, isRecorded: true))
        }
        let long = Array(#"{"group": "g", "call": "\#(String(repeating: "x", count: 1024))", "ask": "answer"}"#.utf8)
        let packets = ["long": long, "group": Array(#"{"group": "../x", "call": "a", "ask": "answer"}"#.utf8)]
        let peers = try (0..<20).map { _ in
            let peer = try makePacketSocket()
            try connectUnixSocket(peer.number, to: earPath)
            try sendPacket(packets[kind] ?? Array(kind.utf8), to: peer.number)
            return peer.release()
        }
        #expect(ask(.answer(), of: [ring("a", by: owner)]).map(\.state) == [.answered])
        #expect(heard == 1)
        for peer in peers { close(peer) }
        ear.close()
    }

    @Test("S5 who connects and says nothing is sent away, and holds up nobody") func silent() throws {
        let ear = try Ear(of: owner, in: folder)
        try ear.listen(on: loop) { message, answer in
            answer(RingAnswer(key: message.call, state: .answered, isRecorded: true))
        }
        let path = earPath
        let peers = try (0..<30).map { _ in
            let peer = try makePacketSocket()
            try connectUnixSocket(peer.number, to: path)
            return peer.release()
        }
        #expect(ask(.answer(), of: [ring("a", by: owner)]).map(\.state) == [.answered])
        var closed = 0
        for peer in peers where (try? receivePacket(from: peer, bytesMax: 1)) == [] { closed += 1 }
        #expect(closed >= 14)
        for peer in peers { close(peer) }
        ear.close()
    }

    @Test("each state directory and group has a folder of its own, however the path is spelled") func folders() throws {
        let other = try #require(GroupName("group.other"))
        for (state, group) in [
            ("/state", group), ("/state//", group), ("//state", group), ("/other", group), ("/state", other),
            ("s", group), ("s/", group),
        ] {
            try RingFolder(runtime: RuntimeDirectory(path: place.path), statePath: state, group: group).open(
                makes: true)
        }
        #expect(names("rings").count == 4)
        #expect(names("rings").allSatisfy { $0.utf8.count == 16 })
        // Processes of two builds share it.
        #expect(names("rings").contains("32b9df60ca7653e4"))
    }

    @Test("a folder that is missing is told, and to look for it, to tidy it and to remove it make nothing")
    func missingFolder() throws {
        #expect(try !folder.open(makes: false))
        #expect(folder.version() == nil)
        folder.tidy { _ in false }
        folder.removeIfEmpty()
        #expect(names("").isEmpty)
    }

    @Test("a folder that was removed and made anew is found by who has the old one open, and by who has none")
    func removedFolder() throws {
        func sameFolder() -> RingFolder {
            RingFolder(runtime: RuntimeDirectory(path: place.path), statePath: "/state", group: group)
        }
        try folder.open(makes: true)
        let first = folder.version()
        #expect(first?.isThere == true)
        sameFolder().removeIfEmpty()
        #expect(names("rings").isEmpty && folder.version() == nil)
        try sameFolder().open(makes: true)
        #expect(folder.version()?.isThere == true)
        sameFolder().tidy { _ in false }
        #expect(names("rings").isEmpty)
    }

    @Test("S5 a message is at most a KiB long, 4 deep and of 16 values") func messageLimits() {
        let words = #""group": "g", "call": "a", "ask": "answer""#
        func isMessage(_ text: String) -> Bool { RingMessage(Array(text.utf8)) != nil }
        func padded(to count: Int) -> String {
            "{\(words)" + String(repeating: " ", count: count - words.utf8.count - 2) + "}"
        }
        #expect(isMessage(padded(to: 1_024)) && !isMessage(padded(to: 1_025)))
        #expect(isMessage("{\(words), \"x\": [[[1]]]}") && !isMessage("{\(words), \"x\": [[[[1]]]]}"))
        func values(_ count: Int) -> String { (4..<count).map { ", \"\($0)\": 1" }.joined() }
        #expect(isMessage("{\(words)\(values(16))}") && !isMessage("{\(words)\(values(17))}"))
    }

    @Test(
        "the runtime directory is the one that is named, else the session's, else one in the state directory",
        arguments: [
            (["BELFRY_RUNTIME_DIRECTORY=/r", "XDG_RUNTIME_DIR=/run/user/1"], "/r"),
            (["BELFRY_RUNTIME_DIRECTORY=", "XDG_RUNTIME_DIR=/run/user/1"], "/run/user/1/belfry"),
            (["XDG_RUNTIME_DIR=run"], "/state/runtime"), ([], "/state/runtime"),
        ])
    func runtime(variables: [String], path: String) {
        var environment: [String: String] = [:]
        for variable in variables {
            let parts = variable.split(separator: "=", omittingEmptySubsequences: false)
            environment[String(parts[0])] = String(parts[1])
        }
        #expect(RuntimeDirectory(environment: Environment(environment), statePath: "/state").path == path)
    }
}
