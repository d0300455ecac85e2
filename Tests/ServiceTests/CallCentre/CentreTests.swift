import BelfryAppGroup
import BelfryDevices
import BelfryEventLoop
import BelfryPropertyList
import BelfryProtocol
import BelfryTerms
import CallChannel
import CallControl
import CallDirectory
import CallLedger
import DeviceRegistry
import Glibc
import GroupLedger
import RingEar
import Support
import Testing

@testable import CallCentre

/// What belfry-calls does at its socket, and for whom.
@Suite struct CentreTests {
    private static let id = "com.example.phone"
    private static let push = VoIPPush(
        id: "p", group: CentreEnd.group, kind: .callRequest, payload: "{}", until: Instant(microseconds: 0))

    @Test("worker, app and command are known by their first line, and heard") func roles() throws {
        let end = try CentreEnd()
        let worker = try end.peer(WorkerMessage.push(Self.push).line)
        let app = try end.app()
        app.say(AppMessage.invalidated.line)
        let number = WorkerNumber(1)
        #expect(
            end.decider.inputs == [
                .push(number, Self.push), .appConnected(AppHello(id: Self.id, pid: Int64(getpid()))),
                .app(Self.id, .invalidated),
            ])
        #expect(try app.words() == [.welcome(AppWelcome(stateDirectory: "\(end.folder.path)/state"))])
        end.decider.effects = [.worker(number, .wait(app: Self.id)), .app(Self.id, .reset)]
        worker.say(Event(at: 0, boot: 0, id: "p", body: .tick(n: 1, late: 0)).line)
        #expect(try worker.orders() == [.wait(app: Self.id)] && app.words() == [.reset])
        worker.leave()
        app.leave()
        #expect(end.decider.inputs.suffix(2) == [.workerGone(number), .appGone(Self.id)])
    }

    @Test("R24 the number of an app's report is looked up, and of its update; an address, and all else, is not")
    func lookedUp() throws {
        var verdict = NumberVerdict()
        verdict.add(NumberEntry(49, isBlocked: true, label: "Swindle"), from: .list)
        let known = verdict
        let end = try CentreEnd(lookUp: { handle, complain in
            complain("damaged")
            return handle == "+49" ? known : NumberVerdict()
        })
        let watcher = try end.peer(ClientMessage.watch.line)
        let app = try end.app()
        func said(_ message: AppMessage) throws -> NumberVerdict? {
            app.say(message.line)
            guard case .app(Self.id, message, let number)? = end.decider.inputs.last else { return nil }
            return number
        }
        func update(_ kind: CallHandle.Kind, _ value: String) -> CallUpdate {
            var update = CallUpdate()
            update.handle = CallHandle(kind, value)
            return update
        }
        let uuid = CallUUID.random()
        for kind in [CallHandle.Kind.phoneNumber, .generic] {
            #expect(try said(.report(CallReport(1, of: uuid, update(kind, "+49")))) == known)
            #expect(try said(.update(uuid, update(kind, "+49"))) == known)
            #expect(try said(.report(CallReport(1, of: uuid, update(kind, "+1")))) == NumberVerdict())
        }
        #expect(try said(.report(CallReport(1, of: uuid, update(.emailAddress, "+49")))) == NumberVerdict())
        #expect(try said(.report(CallReport(1, of: uuid, CallUpdate()))) == NumberVerdict())
        let warnings = try watcher.events().count { $0.warning == .directoryDamaged }
        #expect(warnings == 6, "one for each look-up")
        let apples = try CentreEnd()
        let other = try apples.app()
        other.say(AppMessage.report(CallReport(1, of: uuid, update(.phoneNumber, "+49"))).line)
        let last = try #require(apples.decider.inputs.last)
        #expect(last == .app(Self.id, .report(CallReport(1, of: uuid, update(.phoneNumber, "+49")))))
    }

    @Test("who names no role, or says what cannot be read, is refused with the reason, and disturbs nobody")
    func refused() throws {
        let end = try CentreEnd()
        let app = try end.app()
        _ = try app.words()
        for line in ["garbage\n", "{}\n", "{\"say\": \"dance\"}\n", "{\"say\": \"report\"}\n"] {
            let peer = try end.peer(Array(line.utf8))
            guard case .failed? = try peer.answers().first else {
                Issue.record("\(line) was not refused")
                continue
            }
            #expect(peer.lines().isEmpty && peer.isClosed)
        }
        let long = try end.peer()
        let line = [UInt8](repeating: UInt8(ascii: "x"), count: 64 << 10)
        for _ in 0..<15 { long.say(line) }
        #expect(end.decider.inputs.count == 1)
        app.say(AppMessage.invalidated.line)
        #expect(end.decider.inputs.count == 2)
    }

    @Test("an app that says what cannot be read is gone, and which field it was is told") func brokenApp() throws {
        let end = try CentreEnd()
        let watcher = try end.peer(ClientMessage.watch.line)
        let app = try end.app()
        app.say(Array("{\"say\": \"report\", \"n\": 1, \"uuid\": \"no\", \"update\": {}}\n".utf8))
        #expect(end.decider.inputs.last == .appGone(Self.id))
        let told = try watcher.events().compactMap(\.warningDetail)
        #expect(told.count == 1 && told[0].contains("uuid"), "\(told)")
    }

    @Test("one process is an app: a second hello is refused and told, the first stays; each has a proper identifier")
    func twice() throws {
        let end = try CentreEnd()
        let watcher = try end.peer(ClientMessage.watch.line)
        let first = try end.app()
        _ = try first.words()
        let second = try end.app()
        guard case .refused(let why)? = try second.words().first else {
            Issue.record("the second was let in")
            return
        }
        #expect(why.contains("one process is each app") && second.isClosed)
        let event = try #require(try watcher.events().first)
        guard case .warning(let code, _) = event.body else {
            Issue.record("\(event)")
            return
        }
        #expect(code.known == .appTwice)
        #expect(end.decider.inputs.count == 1)
        for id in ["", "a..b", "../x", String(repeating: "a", count: 300)] {
            guard case .refused? = try end.app(id).words().first else {
                Issue.record("\(id) was let in")
                continue
            }
        }
        first.leave()
        #expect(try end.app().words().count == 1, "the next one is the app")
    }

    @Test("a client that never reads is left, and the others are told on") func neverReads() throws {
        let end = try CentreEnd()
        let deaf = try end.peer(ClientMessage.watch.line)
        let watcher = try end.peer(ClientMessage.watch.line)
        let app = try end.app()
        let detail = String(repeating: "x", count: 80_000)
        for count in 1...100 {
            end.decider.effects = [.tell(.warning(code: .handleType, detail: detail), id: "p", about: nil)]
            app.say(AppMessage.invalidated.line)
            #expect(try watcher.events().count == 1, "\(count)")
        }
        #expect(deaf.lines().count < 100 && deaf.isClosed)
    }

    @Test("an app that never reads is left, and the others are answered") func appNeverReads() throws {
        let end = try CentreEnd()
        let deaf = try end.app("com.example.deaf")
        let app = try end.app()
        let push = AppWord.push(1, payload: String(repeating: "x", count: 900_000), mustReport: false)
        for _ in 1...10 {
            end.decider.effects = [.app("com.example.deaf", push)]
            app.say(AppMessage.invalidated.line)
        }
        #expect(end.decider.inputs.contains(.appGone("com.example.deaf")))
        #expect(!end.decider.inputs.contains(.appGone(Self.id)))
        withExtendedLifetime(deaf) {}
    }

    @Test("a warning about a push goes to its worker, to who watches, and nowhere else") func warnings() throws {
        let end = try CentreEnd()
        let watcher = try end.peer(ClientMessage.watch.line)
        end.decider.effects = [.tell(.warning(code: .pushNotReported, detail: "d"), id: "p", about: WorkerNumber(2))]
        let worker = try end.peer(WorkerMessage.push(Self.push).line)
        #expect(try worker.orders() == [.warning(CodeWord(.pushNotReported), detail: "d")])
        let event = try #require(try watcher.events().first)
        #expect(event.id == "p" && event.body == .warning(code: .pushNotReported, detail: "d"))
    }

    @Test("a registry gets the voip token of the app's newest device, or of one that is made; a removal brings another")
    func tokens() throws {
        let end = try CentreEnd()
        let state = StateDirectory(path: "\(end.folder.path)/state")
        let registry = try TokenRegistry(state: state)
        let app = try end.app()
        app.say(AppMessage.registry([]).line)
        #expect(try app.words().count == 1 && registry.all().isEmpty)
        app.say(AppMessage.registry(["voip"]).line)
        let made = try #require(registry.all().first)
        #expect(made.bundleID == Self.id && made.environment == .production && made.appGroup == nil)
        #expect(try app.words() == [.token(made.voipToken.bytes)])
        let isRemoved = try registry.remove(made.id, at: WallTime(microseconds: 1))
        #expect(isRemoved)
        end.loop.runUntilIdle()
        let next = try #require(registry.all().last)
        #expect(try app.words() == [.tokenInvalid, .token(next.voipToken.bytes)] && next.id != made.id)
        let newer = try registry.add(
            bundleID: Self.id, appGroup: nil, environment: .development,
            at: WallTime(microseconds: next.addedAt.microseconds + 1))
        #expect(try app.words() == [], "a token that counts stays")
        app.say(AppMessage.registry(["voip"]).line)
        #expect(try app.words() == [.token(newer.voipToken.bytes)])
    }

    @Test("an app's own environment is that of its device") func environment() throws {
        let end = try CentreEnd()
        var hello = AppHello(id: Self.id, pid: 1)
        hello.environment = "development"
        let app = try end.peer(AppMessage.hello(hello).line)
        app.say(AppMessage.registry(["voip"]).line)
        let registry = try TokenRegistry(state: StateDirectory(path: "\(end.folder.path)/state"))
        #expect(registry.all().map(\.environment) == [.development])
    }

    @Test("an answer is taken out of pendingAccept once its app has the action") func collects() throws {
        let end = try CentreEnd()
        let state = StateDirectory(path: "\(end.folder.path)/state")
        let ledger = LedgerFile(
            state: state, runtime: RuntimeDirectory(path: end.folder.path), group: CentreEnd.group)
        _ = ledger.file.transactAndWait(on: end.loop) { edit in
            edit.root["pendingAccept"] = .array(["a", "b"].map { .dictionary(["callId": .string($0)]) })
        }
        #expect(ledger.read()?.answers.map(\.key.text) == ["a", "b"])
        end.decider.effects = [.collectAnswer(CentreEnd.group, call: "a")]
        let app = try end.app()
        #expect(try app.words().count == 1)
        #expect(ledger.read()?.answers.map(\.key.text) == ["b"])
    }
}

extension Event {
    fileprivate var warningDetail: String? {
        if case .warning(_, let detail) = body { detail } else { nil }
    }
}
