import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import CallChannel
import Glibc
import Support
import Testing

@testable import CallCentre

/// What is wrong is refused with its reason, and another app's call rings and is answered meanwhile.
@Suite struct BadInputTests {
    private static let id = "com.example.phone"
    private static let uuid = CallUUID.random()

    // MARK: Who names no role

    private static func voip(id: String = "p", call: String = "c", payload: String = "{}") -> String {
        #"{"say":"voip","id":"\#(id)","topic":"nobody.voip","bundle":null,"group":"g","call":"\#(call)","#
            + #""kind":"call-request","payload":"\#(payload)","until":1}"# + "\n"
    }

    private static func long(_ count: Int) -> String { String(repeating: "x", count: count) }

    private static let strangers: [(name: String, text: String, says: String)] = [
        ("half a line", #"{"say":"st"#, "in the middle of a line"),
        ("garbage", "\u{0}\u{1}garbage\n", ""), ("another value", "[1]\n", "expected an object"),
        ("an unknown word", "{\"say\":\"dance\"}\n", "no role"),
        ("2 MiB", long(2 << 20), "longer than 1048576 bytes"),
        ("a payload of 5,121 bytes", voip(payload: long(5_121)), "payload: found"),
        ("an id of 257 bytes", voip(id: long(257)), "at most 256 bytes"),
        ("a call of 257 bytes", voip(call: long(257)), "at most 256 bytes"),
        (
            "a name of 1,025 bytes",
            #"{"say":"hello","id":"a","pid":1,"version":1,"name":"\#(long(1_025))","voip":true}"# + "\n",
            "at most 1024 bytes"
        ),
        ("a word and one more", "{\"say\":\"watch\"}\n{\"say\":\"watch\"}\n", "a command says one line"),
    ]

    @Test("a first line that names no role is refused with its reason", arguments: strangers)
    func stranger(name: String, text: String, says: String) throws {
        let end = try CentreEnd(decides: true)
        let witness = try WitnessCall(at: end)
        let peer = try end.peer()
        peer.pour(Array(text.utf8))
        peer.endSaying()
        let answers = try peer.answers()
        guard case .failed(let why)? = answers.last else {
            Issue.record("\(answers)")
            return
        }
        #expect(!why.isEmpty && (says.isEmpty || why.contains(says)) && peer.isClosed && answers.count == 1)
        #expect(try witness.isAnswered())
    }

    @Test("who names no role in time is refused; a line that comes a byte at a time is one") func slow() throws {
        let end = try CentreEnd(decides: true, roleMax: .milliseconds(50))
        let witness = try WitnessCall(at: end)
        let silent = try end.peer()
        let slow = try end.peer()
        slow.pour(ClientMessage.listApps.line, partBytes: 1)
        guard case .apps(let apps)? = try slow.answers().first else {
            Issue.record("a slow line is none")
            return
        }
        #expect(apps.map(\.id) == [WitnessCall.id] && apps[0].calls == 1)
        end.run(for: .milliseconds(60))
        #expect(try silent.answers() == [.failed("no role was named in 1 s")] && silent.isClosed)
        #expect(try witness.isAnswered())
    }

    // MARK: What an app says

    /// What an app says that is wrong, what it hears, and what is told of it.
    struct Mistake: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let says: @Sendable (WitnessCall) -> [UInt8]
        var hears: [AppWord] = []
        var warns: (code: WarningCode, part: String)?
        /// Part of why its connection is closed; nil if it stays.
        var closed: String?
    }

    private static func report(_ uuid: CallUUID, push: Int64? = nil, handle: String = "1") -> [UInt8] {
        var update = CallUpdate()
        (update.name, update.handle) = ("Eve", CallHandle(.generic, handle))
        return AppMessage.report(CallReport(1, of: uuid, update, push: push)).line
    }

    private static func action(_ kind: CallAction.Kind, of call: CallUUID) -> [UInt8] {
        AppMessage.request(2, transaction: uuid, [CallAction(kind, of: call, uuid: uuid)]).line
    }

    private static let zeros = CallUUID("00000000-0000-0000-0000-000000000000") ?? .random()

    private static let mistakes: [Mistake] = [
        Mistake(
            testDescription: "a nil UUID", says: { _ in report(zeros) }, hears: [.reported(1, error: 0)],
            warns: (.uuidUnknown, "all zeros")),
        Mistake(
            testDescription: "another app's UUID", says: { report($0.uuid) }, hears: [.reported(1, error: 2)],
            warns: (.uuidReused, "lives")),
        Mistake(
            testDescription: "another app's push", says: { report(uuid, push: $0.push) },
            hears: [.reported(1, error: 0)]),
        Mistake(
            testDescription: "an update of another app's call", says: { AppMessage.update($0.uuid, CallUpdate()).line },
            warns: (.uuidUnknown, "has no call")),
        Mistake(
            testDescription: "an end of another app's call",
            says: { AppMessage.end($0.uuid, .remoteEnded, at: nil).line }, warns: (.uuidUnknown, "has no call")),
        Mistake(
            testDescription: "a request for another app's call", says: { action(.end, of: $0.uuid) },
            hears: [.requested(2, error: 4)], warns: (.uuidUnknown, "has no call")),
        Mistake(
            testDescription: "an outcome of no action",
            says: { AppMessage.outcome($0.uuid, isFulfilled: true, at: nil).line },
            warns: (.uuidUnknown, "waits for an outcome")),
        Mistake(
            testDescription: "the return and the completion of another app's push",
            says: { AppMessage.returned(push: $0.push, form: .none).line + AppMessage.completed(push: $0.push).line }),
        Mistake(
            testDescription: "a UUID that is none",
            says: { _ in Array("{\"say\":\"end\",\"uuid\":\"no\",\"reason\":1}\n".utf8) },
            warns: (.unsupported, "uuid: found"), closed: "uuid: found"),
        Mistake(
            testDescription: "an action of 257 bytes", says: { action(.other(long(257)), of: $0.uuid) },
            warns: (.unsupported, "kind: found"), closed: "at most 256 bytes"),
        Mistake(
            testDescription: "a warning's code of 257 bytes",
            says: { _ in AppMessage.warning(CodeWord(rawValue: long(257)), detail: "").line },
            warns: (.unsupported, "code: found"), closed: "at most 256 bytes"),
        Mistake(
            testDescription: "a handle of 1 MiB", says: { _ in report(uuid, handle: long(1 << 20)) },
            warns: (.unsupported, "longer than"), closed: "longer than 1048576 bytes"),
        Mistake(
            testDescription: "half a line", says: { _ in report(uuid).dropLast(2) },
            warns: (.unsupported, "in the middle"), closed: "in the middle of a line"),
    ]

    @Test("what an app must not say changes nothing of another's call", arguments: mistakes)
    func mistake(_ mistake: Mistake) throws {
        let end = try CentreEnd(decides: true)
        let witness = try WitnessCall(at: end)
        let app = try end.app()
        app.say(AppMessage.provider(ProviderSettings()).line)
        _ = try app.words()
        let watcher = try end.peer(ClientMessage.watch.line)
        app.pour(mistake.says(witness))
        if mistake.closed != nil { app.endSaying() }
        let words = try app.words().filter { if case .calls = $0 { false } else { true } }
        if let closed = mistake.closed {
            guard case .refused(let why)? = words.first else {
                Issue.record("\(words)")
                return
            }
            #expect(why.contains(closed) && app.isClosed)
        } else {
            #expect(words == mistake.hears && !app.isClosed)
        }
        let warnings = try watcher.events().compactMap { event -> (code: CodeWord<WarningCode>, detail: String)? in
            if case .warning(let code, let detail) = event.body { (code, detail) } else { nil }
        }
        if let expected = mistake.warns {
            let warned = warnings.contains { $0.code.known == expected.code && $0.detail.contains(expected.part) }
            #expect(warned, "\(warnings)")
        } else {
            #expect(warnings.isEmpty)
        }
        #expect(try witness.isAnswered())
    }

    @Test("a worker's nonsense closes its connection, and its reason is told") func worker() throws {
        let end = try CentreEnd(decides: true)
        let witness = try WitnessCall(at: end)
        let watcher = try end.peer(ClientMessage.watch.line)
        for line in ["garbage\n", Self.voip(), Self.long(2 << 20)] {
            let worker = try end.peer(Array(Self.voip().utf8))
            worker.pour(Array(line.utf8))
            worker.endSaying()
            #expect(try worker.orders() == [.none] && worker.isClosed, "a topic of nobody")
            let told = try watcher.events().contains {
                if case .warning(_, let detail) = $0.body { detail.contains("of a worker was closed: ") } else { false }
            }
            #expect(told, "\(line.prefix(40))")
        }
        #expect(try witness.isAnswered())
    }

    // MARK: Too much

    @Test("of a thousand reports a hundred ring, the others get error 0 each") func manyReports() throws {
        let end = try CentreEnd(decides: true)
        let witness = try WitnessCall(at: end)
        let pushes = try listenPrivately(at: "\(end.folder.path)/push.sock", backlog: 128)
        let app = try end.app()
        app.say(AppMessage.provider(ProviderSettings()).line)
        _ = try app.words()
        var refused = 0
        for hundred in 0..<10 as Range<Int64> {
            let reports = (1...100).map { CallReport(hundred * 100 + $0, of: .random(), CallUpdate()) }
            app.pour(reports.flatMap { AppMessage.report($0).line })
            refused += try app.words().count { if case .reported(_, error: 0) = $0 { true } else { false } }
        }
        // More if that took longer than a ring is waited for.
        #expect(refused >= 900)
        #expect(try witness.isAnswered())
        withExtendedLifetime(pushes) {}
    }

    @Test("an app whose line is as long as may be is answered") func longLine() throws {
        let end = try CentreEnd(decides: true)
        let witness = try WitnessCall(at: end)
        let app = try end.app()
        app.say(AppMessage.provider(ProviderSettings()).line)
        let report = Self.report(Self.zeros, handle: Self.long((1 << 20) - 300))
        app.pour(report)
        #expect(try app.words().suffix(1) == [.reported(1, error: 0)])
        #expect(try witness.isAnswered())
    }

    @Test("of 2,000 connections and one more the last has its turn once another has left") func manyConnections() throws
    {
        allowDescriptors(12_000)
        let end = try CentreEnd(decides: true)
        let witness = try WitnessCall(at: end)
        var idle: [CentrePeer] = []
        for _ in 0..<1_998 { idle.append(try end.peer()) }
        let last = try end.peer(ClientMessage.listApps.line)
        #expect(try last.answers().isEmpty)
        idle.removeLast().leave()
        #expect(try last.answers().count == 1)
        #expect(try witness.isAnswered())
    }

    // MARK: Apps

    @Test("of two folders with one id the second is said to whoever watches, and the first is the app") func repeated()
        throws
    {
        let end = try CentreEnd(script: "exec sleep 60", folders: ["Phone.app", "Other.app"], decides: true)
        let watcher = try end.peer(ClientMessage.watch.line)
        let events = try watcher.events()
        guard case .warning(let code, let detail)? = events.first?.body else {
            Issue.record("\(events)")
            return
        }
        #expect(code.known == .appTwice && events.count == 1)
        #expect(detail.contains("Other.app has the identifier of \(end.folder.path)/Phone.app"))
        let list = try end.peer(ClientMessage.listApps.line)
        guard case .apps(let apps)? = try list.answers().first else {
            Issue.record("no list")
            return
        }
        #expect(apps.map(\.path) == ["\(end.folder.path)/Phone.app"])
    }

    @Test("who says of another process that it is the app is not believed") func forgedProcess() throws {
        let end = try CentreEnd(script: "exec sleep 60")
        let other = try ChildProcess(ChildCommand(path: "/bin/sleep", arguments: ["60"]))
        let forger = try end.peer(ClientMessage.becomesApp(Self.id, pid: Int64(other.pid)).line)
        #expect(try forger.answers() == [.done])
        let list = try end.peer(ClientMessage.listApps.line)
        guard case .apps(let apps)? = try list.answers().first else {
            Issue.record("no list")
            return
        }
        #expect(apps.map(\.pid) == [nil])
        try other.signal(SIGKILL)
    }
}
