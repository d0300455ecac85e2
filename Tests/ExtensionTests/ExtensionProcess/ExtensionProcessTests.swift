import BelfryAppGroup
import BelfryJSON
import BelfryPropertyList
import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import Glibc
import KeeperChannel
import Support
import Testing

/// A real extension process, and a test as its host.
@Suite struct ExtensionProcessTests {
    @Test("it greets, receives, replies, returns, and leaves when its host does")
    func wholeLife() throws {
        let host = try PlayedKeeper()
        try host.greet()
        try host.handOver(1, "reply")
        guard case .reply(1, let content)? = try host.next() else { throw NothingCame() }
        #expect(content.title == "t1 1" && content.userInfo["do"] == "reply")
        #expect(try host.next() == .returned(1))
        host.leave()
        #expect(try host.child.waitUntilExit() == .exited(code: 0))
    }

    @Test("R2 further calls of the handler are told, and each notification has an object of its own")
    func again() throws {
        let host = try PlayedKeeper()
        try host.greet()
        try host.handOver(1, "twice")
        #expect(try host.reply(1)?.title == "t1 1" && host.reply(1)?.title == "too late")
        #expect(try host.next() == .returned(1))
        try host.handOver(2, "reply")
        #expect(try host.reply(2)?.title == "t2 2")
    }

    @Test("R3 the expiry call comes on another thread, and its reply counts")
    func expiry() throws {
        let host = try PlayedKeeper()
        try host.greet()
        try host.handOver(1, "wait")
        #expect(try host.next() == .returned(1))
        try host.expire(1)
        #expect(try host.reply(1)?.title == "best attempt")
        try host.expire(7)
        try host.handOver(2, "reply")
        #expect(try host.reply(2) != nil)
    }

    @Test("code that blocks after its reply keeps neither the next notification nor the host's leaving waiting")
    func blocks() throws {
        let host = try PlayedKeeper()
        try host.greet()
        try host.handOver(1, "block")
        #expect(try host.reply(1) != nil)
        try host.handOver(2, "reply")
        #expect(try host.reply(2)?.title == "t2 2" && host.next() == .returned(2))
        host.leave()
        #expect(try host.child.waitUntilExit() == .exited(code: 0))
    }

    @Test("main queue and timers of the main loop are served, on the main thread; didReceive is on another")
    func mainThread() throws {
        let host = try PlayedKeeper()
        try host.greet()
        try host.handOver(1, "main")
        #expect(try host.reply(1)?.subtitle == "main thread: true")
        try host.handOver(2, "timer")
        #expect(try host.reply(2)?.subtitle == "main thread: false")
        try host.handOver(3, "later")
        #expect(try host.reply(3) != nil)
    }

    @Test("a crash and an exit are the channel's end")
    func ends() throws {
        for what in ["exit", "crash"] {
            let host = try PlayedKeeper()
            try host.greet()
            try host.handOver(1, what)
            #expect(try host.next() == nil)
            // By a signal of the processor's, or by what a sanitizer makes of it.
            let found = try host.child.waitUntilExit()
            #expect(found.isSuccess == (what == "exit"), "\(found)")
        }
    }

    @Test("S5 a reply that the host could not read is the original, with a warning")
    func huge() throws {
        let host = try PlayedKeeper()
        try host.greet()
        try host.handOver(1, "huge")
        guard case .warning(1, let code, _)? = try host.next() else { throw NothingCame() }
        #expect(code == .outputCut)
        #expect(try host.reply(1)?.title == "t1")
    }

    @Test("what it prints, logs, sets and asks for arrives; after its reply the centre is closed")
    func state() throws {
        let host = try PlayedKeeper()
        try host.greet()
        try host.handOver(1, "state")
        #expect(try host.next() == .asked(1, Asked(CodeWord(.badge), count: 4, detail: "4")))
        let logged = ExtensionOutput(text: "object 1", priority: 3, subsystem: "app", category: "push")
        #expect(try host.next() == .output(1, logged))
        #expect(try host.reply(1) != nil)
        guard case .warning(1, let code, let detail)? = try host.next() else { throw NothingCame() }
        #expect(code == .centerAfterReply && detail == "UNUserNotificationCenter.setBadgeCount")
        #expect(host.line() == "a line")
        let group = try #require(GroupName("group.sample"))
        let file = GroupFile(state: StateDirectory(path: host.folder.path), group: group)
        #expect(file.snapshot().root["made"] == .integer(1))
    }

    @Test("a sound is asked for by its file, comes in memory that is sealed, and is over when the host says so")
    func sounds() throws {
        let host = try PlayedKeeper()
        let path = "\(host.folder.path)/ring.wav"
        try SoundSample(.caf, milliseconds: 10).write(to: path)
        try host.greet()
        try host.handOver(1, "sound")
        #expect(try host.next() == .asked(1, Asked(CodeWord(.vibration), token: 1)))
        #expect(try host.next() == .asked(1, Asked(CodeWord(.sound), path: path, token: 2)))
        var others: [ExtensionMessage?] = [try host.next(), try host.next()]
        others.removeAll { $0 == .returned(1) }
        #expect(others == [.sound(FoundSound(token: 2, sound: 65_536, problem: nil))])
        #expect(host.files.map(\.isSealedMemory) == [true])
        try host.finish(7)
        try host.finish(2)
        let content = try host.reply(1)
        #expect(content?.subtitle == "played" && content?.summaryArgumentCount == 0)
    }

    @Test("a sound that cannot be played says why, and its end is told all the same")
    func noSound() throws {
        let host = try PlayedKeeper()
        _ = host.folder.write([1], to: "ring.wav")
        try host.greet()
        try host.handOver(1, "sound")
        while let message = try host.next() {
            guard case .sound(let found) = message else { continue }
            #expect(found.problem?.contains("ring.wav: ") == true && host.files.isEmpty)
            break
        }
        try host.finish(2)
        #expect(try host.reply(1)?.subtitle == "played")
    }

    @Test("without a host it says how it is started")
    func alone() throws {
        var command = ChildCommand(path: builtProgram("ExtensionSample"), environment: [:])
        command.streams = [0: .null, 1: .null, 2: .null]
        #expect(try ChildProcess(command).waitUntilExit() == .exited(code: EX_USAGE))
    }
}
