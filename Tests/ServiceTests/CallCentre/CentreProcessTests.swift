import BelfryEventLoop
import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import CallChannel
import CallControl
import Glibc
import Support
import Testing

@testable import CallCentre

/// Apps that belfry-calls starts and ends, its own rings, and when it leaves.
@Suite struct CentreProcessTests {
    private static let id = "com.example.phone"

    @Test("a command starts an app, and is answered by its registry") func starts() throws {
        let end = try CentreEnd(script: "exec sleep 60")
        let client = try end.peer(ClientMessage.startApp(Self.id).line)
        #expect(try client.answers() == [])
        let list = try end.peer(ClientMessage.listApps.line)
        guard case .apps(let apps)? = try list.answers().first, let app = apps.first else {
            Issue.record("no list")
            return
        }
        #expect(app.id == Self.id && app.name == "Phone" && app.path == "\(end.folder.path)/Phone.app")
        #expect(app.pid != nil && !app.isRegistered && list.isClosed)
        let process = try end.app()
        process.say(AppMessage.registry(["voip"]).line)
        #expect(try client.answers() == [.done])
        let stop = try end.peer(ClientMessage.stopApp(Self.id).line)
        #expect(try process.words().last == .stop)
        // One that ends as it is asked; the shell that stood for it is ended by a signal.
        process.leave()
        end.run(for: .seconds(4))
        #expect(try stop.answers() == [.done])
    }

    @Test("an app that exits at once has failed, with its status; its pushes are told so until it is started again")
    func exits() throws {
        let end = try CentreEnd(script: "exit 3")
        let client = try end.peer(ClientMessage.startApp(Self.id).line)
        end.run(untilFailures: 1)
        let why = "its process has ended with status 3, before its registry was there"
        #expect(end.decider.inputs.first == .appFailed(Self.id, why: why))
        #expect(try client.answers() == [.failed("\(Self.id) was not started: \(why)")])
        end.decider.effects = [.start(Self.id)]
        _ = try end.app("com.example.other")
        let isTold = end.decider.inputs.contains {
            if case .appFailed(_, let reason) = $0 {
                reason.hasPrefix("\(why); it is started again in ")
            } else {
                false
            }
        }
        #expect(isTold)
        // That one, the one before, and those of starts that nobody asked for.
        end.run(untilFailures: 4)
    }

    @Test("a program that is none, and an app that is not configured, are told") func noProgram() throws {
        let end = try CentreEnd(script: "")
        end.folder.write([0x7F, 0, 1], to: "Phone.app/Phone")
        let client = try end.peer(ClientMessage.startApp(Self.id).line)
        end.run(untilFailures: 1)
        guard case .failed(let why)? = try client.answers().first else {
            Issue.record("no answer")
            return
        }
        #expect(why.contains("posix_spawn"))
        let other = try end.peer(ClientMessage.startApp("com.example.other").line)
        #expect(try other.answers() == [.failed("com.example.other is not configured: [Calls] Apps=")])
        let stop = try end.peer(ClientMessage.stopApp("com.example.other").line)
        #expect(try stop.answers() == [.failed("com.example.other does not run")])
    }

    @Test("an app without a registry is waited for so long and no longer") func noRegistry() throws {
        let end = try CentreEnd(script: "exec sleep 60", startMax: .milliseconds(50))
        let client = try end.peer(ClientMessage.startApp(Self.id).line)
        end.run(for: .milliseconds(60))
        #expect(try client.answers() == [.failed("\(Self.id) runs, but has no registry for voip pushes after 1 s")])
    }

    @Test("a call that no push brought is pushed as any client pushes it") func ownRing() throws {
        let end = try CentreEnd()
        var caller = ReportedCaller()
        caller.name = String(repeating: "é\u{1}", count: 1_000)
        caller.hasVideo = true
        let ring = OwnRing(
            id: "5f0c1b9e-8d1d-4c52-9a6e-0e9f5a3b7c21", app: Self.id, call: "UUID", caller: caller, left: .seconds(7))
        let bytes = OwnRings.notification(ring, CentreEnd.group)
        let push = try Push.parse(bytes)
        #expect(push.envelope.pushType == .voip && push.envelope.topic == "\(Self.id).voip")
        #expect(push.envelope.id == ring.id && push.envelope.appGroup == CentreEnd.group.text)
        end.decider.effects = [.ring(ring)]
        _ = try end.app()
        #expect(end.decider.inputs.last == .ringFailed(ring.id), "nobody listens at the push socket")
    }

    @Test("a ring whose worker dies before it has come has failed; one whose worker has come has not")
    func lostRing() throws {
        let end = try CentreEnd()
        let listener = try listenPrivately(at: "\(end.folder.path)/push.sock", backlog: 4)
        let ids = ["5f0c1b9e-8d1d-4c52-9a6e-0e9f5a3b7c21", "5f0c1b9e-8d1d-4c52-9a6e-0e9f5a3b7c22"]
        for (index, id) in ids.enumerated() {
            end.decider.effects = [.ring(OwnRing(id: id, app: Self.id, call: "U", caller: ReportedCaller()))]
            let app = try end.app("com.example.app\(index)")
            guard let worker = try acceptOurs(at: listener.number) else {
                Issue.record("nothing was pushed")
                return
            }
            end.loop.runUntilIdle()
            if index == 0 {
                _ = try end.peer(
                    WorkerMessage.push(
                        VoIPPush(
                            id: id, group: CentreEnd.group, kind: .callRequest, payload: "{}",
                            until: Instant(microseconds: 0))
                    ).line)
            } else {
                #expect(sendAll(Array("{\"event\":\"x\"}\n".utf8), passing: nil, to: worker.number))
                end.loop.runUntilIdle()
            }
            worker.close()
            app.leave()
        }
        #expect(end.decider.inputs.filter { if case .ringFailed = $0 { true } else { false } } == [.ringFailed(ids[1])])
    }

    @Test("it leaves some time after the last connection, and not while a call lives") func leaves() throws {
        let end = try CentreEnd(idleMax: .milliseconds(50))
        let watcher = try end.peer(ClientMessage.watch.line)
        end.run(for: .milliseconds(60))
        #expect(!end.isIdle)
        watcher.leave()
        end.run()
        #expect(end.isIdle)
    }

    @Test("an upgrade replaces it once no call lives") func outdated() throws {
        let end = try CentreEnd()
        end.decider.liveCalls = 1
        end.centre?.outdate()
        #expect(!end.isOutdated)
        let app = try end.app()
        #expect(!end.isOutdated)
        end.decider.liveCalls = 0
        app.leave()
        #expect(end.isOutdated)
    }
}
