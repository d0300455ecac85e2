import BelfryAppGroup
import BelfryCommandLine
import BelfryPropertyList
import BelfrySyscalls
import BelfryTerms
import CallLedger
import Glibc
import Support
import Synchronization
import Testing
@testable import belfry

@Suite struct GroupCommandTests {
    let folder = TemporaryFolder()

    func run(_ words: String...) -> CommandRun {
        CommandRun(words, ["BELFRY_STATE_DIRECTORY": "\(folder.path)/state", "HOME": folder.path])
    }

    /// Lets the call `id` ring, owned by this process, or by one that is dead.
    func ring(_ id: String, name: String = "", uuid: String = "", ownerIsDead: Bool = false) throws {
        let context = CommandRun.lock.withLock { _ in
            Context(
                options: ParsedOptions(), environment: ["BELFRY_STATE_DIRECTORY": "\(folder.path)/state"],
                output: Output())
        }
        let process = ProcessIdentity.current
        let start = Int64(process.startTicks) + (ownerIsDead ? 1 : 0)
        let owner = Owner(bootID: bootID(), pid: Int64(process.pid), start: start)
        let until = Instant(microseconds: bootTimeMicroseconds()) + .seconds(20)
        var request = RingRequest(key: CallKey(id))
        (request.name, request.uuid) = (name, uuid)
        _ = try GroupAccess(context).changeLedger { ledger in
            ledger.admit(request, until: until, secondCall: .soft, callsMax: 10, owner: owner)
        }
    }

    @Test("a hangup by the UUID that an app gave a call is one of that call") func hangupByUUID() throws {
        try ring("c", uuid: "9F2C4A52-8D1D-4C52-9A6E-0E9F5A3B7C21")
        for (name, call) in [("9f2c4a52-8d1d-4c52-9a6e-0e9f5a3b7c21", "c"), ("9f2c", "9f2c")] {
            let (run, sent) = PushCommandTests().run(
                ["hangup", name], answer: PushCommandTests.received + PushCommandTests.delivered,
                ["BELFRY_STATE_DIRECTORY": "\(folder.path)/state"])
            #expect(run.status == .done && String(decoding: sent, as: UTF8.self).contains("\"\(call)\""), "\(run)")
        }
    }

    @Test func keysAreSetReadAndRemoved() {
        #expect(run("group", "get", "a").status == .notFound)
        #expect(run("group", "set", "a", "-int", "-5").status == .done)
        #expect(run("group", "set", "b", "-5").status == .done)
        #expect(run("group", "get", "a").output == "-5\n")
        #expect(run("group", "--json", "get", "b").output == "\"-5\"\n")
        #expect(run("group", "list").lines == ["a  int     -5", "b  string  -5"])
        #expect(run("--json", "group", "list").output == #"{"a":-5,"b":"-5"}"# + "\n")
        #expect(run("group", "remove", "a").status == .done)
        #expect(run("group", "remove", "a").status == .notFound)
        #expect(run("--group", "group.other", "group", "list").output == "")
    }

    @Test func optionsMayStandAnywhereButInAValue() {
        #expect(run("group", "set", "k", "-int", "-5", "--group", "g").status == .done)
        #expect(run("group", "--group", "g", "list").lines == ["k  int  -5"])
        #expect(run("group", "list", "--json", "--group", "g").output == #"{"k":-5}"# + "\n")
        #expect(run("group", "get", "--json", "k", "--group=g").output == "-5\n")
        #expect(run("group", "set", "k", "v", "--group", "g").status == .done)
        #expect(run("group", "get", "k", "--group", "g").output == "v\n")
        #expect(run("group", "set", "k", "v", "-h").output.hasPrefix("Usage: "))
        #expect(run("group", "set", "--group", "g", "k", "-v", "--json").status == .done)
        #expect(run("group", "get", "k", "--group", "g").output == "-v\n")
        #expect(run("group", "set", "k", "-string", "--json").status == .done)
        #expect(run("group", "get", "k").output == "--json\n")
        #expect(run("group", "set", "k", "-date", "x").complaints.contains("no type -date"))
        for (kind, text) in [("-float", "x"), ("-float", "inf"), ("-int", "0.5"), ("-bool", "2")] {
            #expect(run("group", "set", "k", kind, text).status == .usage, "\(kind)")
        }
        #expect(run("group", "list", "--nope").status == .usage)
    }

    @Test func whatIsBelfrysOwnIsNotSet() {
        #expect(run("group", "set", "calls", "x").status == .usage)
        for words in [
            ["group"], ["group", "put", "a"], ["group", "get"], ["group", "set", "a"], ["group", "list", "x"],
        ] {
            #expect(CommandRun(words, ["HOME": folder.path]).status == .usage)
        }
        #expect(run("--group", "a/b", "group", "list").status == .usage)
    }

    @Test func callsListsWhoRingsTheLoudOneFirst() throws {
        #expect(run("calls").output == "no call rings in group.belfry\n")
        #expect(run("calls", "--json").output == "")
        try ring("one", name: "Anna\u{202E}")
        try ring("two")
        let lines = run("calls").lines
        #expect(lines.count == 3 && lines[0].hasPrefix("STILL"))
        #expect(lines[1].contains("loud  one") && lines[1].contains("Anna\\u{202e}"))
        #expect(lines[2].contains("soft  two"))
        let objects = run("calls", "--json").lines
        #expect(objects.count == 2 && objects[0].hasPrefix(#"{"call":"one","mode":"loud","name":"Anna"#))
    }

    @Test func answerAndDeclineTakeTheLoudOneOrTheNamed() throws {
        try ring("one", name: "Anna")
        try ring("two")
        try ring("three")
        #expect(run("decline", "two").output == "declined two\n")
        #expect(run("answer").output == "answered one (Anna)\n")
        #expect(run("answer", "--json").output == #"{"call":"three","state":"answered"}"# + "\n")
        #expect(run("answer").status == .notFound)
        #expect(run("decline", "two").complaints == "belfry: no call two rings: see belfry calls\n")
        #expect(run("hangup").status == .notFound)
        #expect(run("group", "get", "pendingAccept").output.contains(#""callId":"one""#))
    }

    @Test("R12: whoever looks who rings records what dead workers left", arguments: ["calls", "hangup"])
    func deadRingsAreRecorded(command: String) throws {
        try ring("one", ownerIsDead: true)
        #expect(run("group", "get", "calls").output.contains(#""state":"ringing""#))
        #expect(!run(command).output.contains("one"))
        #expect(run("group", "get", "calls").output.contains(#""state":"missed""#))
    }

    @Test func idsAreComparedByTheirBytes() throws {
        try ring("e\u{301}")
        #expect(run("decline", "\u{E9}").status == .notFound)
        #expect(run("decline", "e\u{301}").status == .done)
    }

    @Test func theAppComesToTheFrontAndLeaves() throws {
        #expect(run("app", "foreground").output.contains("12 hours"))
        #expect(run("group", "get", "enterToForground").output == "true\n")
        #expect(run("app", "foreground", "--pid", String(ProcessIdentity.current.pid)).output == "")
        #expect(run("group", "get", "foregroundOwner").output.contains("\"pid\":"))
        #expect(run("app", "background").status == .done)
        #expect(run("group", "get", "enterToForground").output == "false\n")
        for words in [
            ["app"], ["app", "sideways"], ["app", "foreground", "--pid", "0"], ["app", "background", "--pid", "1"],
        ] {
            #expect(CommandRun(words, ["HOME": folder.path]).status == .usage)
        }
        #expect(run("app", "foreground", "--pid", "2147483647").status == .usage)
    }

    @Test("group watch shows what is set in a folder made anew, and through a mapping, of which no notice comes")
    func watch() throws {
        #expect(run("group", "set", "before", "1").status == .done)
        let watching = try ProgramRun(
            testedProgram("belfry"), ["group", "watch", "--json"],
            environment: ["BELFRY_STATE_DIRECTORY": "\(folder.path)/state", "HOME": folder.path])
        func shows(_ key: String) -> Bool {
            while let line = watching.line() { if line.contains("\"\(key)\",\"value\":\"") { return true } }
            return false
        }
        var count = 0
        repeat {
            count += 1
            #expect(run("group", "set", "first", "\(count)").status == .done)
        } while watching.line(within: 50) == nil && count < 2_000
        // Made anew before it can look.
        try watching.child.signal(SIGSTOP)
        TemporaryFolder.remove("\(folder.path)/state/groups")
        #expect(run("group", "set", "second", "x").status == .done)
        try watching.child.signal(SIGCONT)
        #expect(shows("second"))
        for (old, new) in [("x", "y"), ("y", "z")] as [(Character, Character)] {
            try writeThroughMapping("second", from: old, to: new)
            #expect(shows("second"))
        }
        try watching.child.signal(SIGKILL)
        _ = try watching.child.waitUntilExit()
    }

    /// Changes in place what is set as `key`, one letter, as a program does that has the file mapped.
    private func writeThroughMapping(_ key: String, from old: Character, to new: Character) throws {
        let path = "\(folder.path)/state/groups/group.belfry/Library/Preferences/group.belfry.plist"
        let descriptor = try checked("open") { unsafe open(path, O_RDWR | O_CLOEXEC) }
        defer { close(descriptor) }
        let bytes = ScriptedWorker.readAll(descriptor)
        let place = try #require(bytes.firstRange(of: "<key>\(key)</key><string>\(old)".utf8))
        let mapping = unsafe mmap(nil, bytes.count, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
        unsafe mapping?.storeBytes(of: try #require(new.asciiValue), toByteOffset: place.upperBound - 1, as: UInt8.self)
        unsafe munmap(mapping, bytes.count)
    }

    @Test func aFileThatDoesNotParseIsSaid() {
        folder.makeFolder("state/groups/group.belfry/Library/Preferences")
        folder.write(
            Array("nonsense".utf8), to: "state/groups/group.belfry/Library/Preferences/group.belfry.plist")
        let run = run("calls")
        #expect(run.status == .unavailable && run.complaints.contains("cannot be read"))
    }
}
