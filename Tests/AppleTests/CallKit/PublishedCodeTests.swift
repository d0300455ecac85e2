import BelfryAppDoor
import BelfryTerms
import CallChannel
import CallKit
import ForeignApp
import ForeignApp6
import ForeignAppOnMain
import Foundation
import PushKit
import Support
import Testing

/// Calling code as it is published, unedited, over the whole walk.
@Suite(.timeLimit(.minutes(10))) struct PublishedCodeTests {
    private let app: PlayedApp
    private var centre: PlayedCentre { app.centre }
    private let call = UUID()

    init() throws { app = try PlayedApp() }

    private func perform(_ kind: CallAction.Kind) -> CallUUID {
        let action = CallAction(kind, of: CallUUID(call.uuidString), uuid: CallUUID(UUID().uuidString)!)
        centre.say(.perform(action, transaction: CallUUID(UUID().uuidString)!, timeout: .seconds(5)))
        return action.uuid
    }

    private func outcome(of action: CallUUID) async -> Bool? {
        await centre.first { if case .outcome(action, let isFulfilled, _) = $0 { isFulfilled } else { nil } }
    }

    @Test("one class that is all delegates: push, report, answer, audio, end")
    func bothDelegates() async throws {
        defer { app.end() }
        let events = AsyncStream<String>.makeStream()
        let center = app.door.run { CallCenter(queue: DispatchQueue(label: "app")) }
        center.changed = { events.continuation.yield($0) }
        var heard = events.stream.makeAsyncIterator()
        let said = await centre.welcome(after: 3)
        #expect(said.first == .hello(app.hello) && said.last == .registry(["voip"]))
        #expect(await heard.next() == "begin")
        centre.say(.token([0xc0, 0x01]))
        #expect(await heard.next() == "token")
        #expect(center.token == "c001")
        let payload = #"{"account": "anna", "uuid": "\#(call)", "name": "Anna", "video": true}"#
        centre.say(.push(3, payload: payload, mustReport: true))
        let report = try #require(await centre.first { if case .report(let report) = $0 { report } else { nil } })
        #expect(report.push == 3 && report.uuid.text == call.uuidString)
        #expect(report.update.handle == CallHandle(.generic, "anna") && report.update.hasVideo == true)
        #expect(await centre.next() == .said(.returned(push: 3, form: .completion)))
        centre.say(.calls([ObservedCall(report.uuid)]))
        centre.say(.reported(report.number, error: nil))
        #expect(await heard.next() == "incoming")
        #expect(await heard.next() == "reported")
        #expect(await centre.next() == .said(.completed(push: 3)))
        #expect(await outcome(of: perform(.answer)) == true)
        #expect(await heard.next() == "answer")
        centre.say(.audio(isActive: true))
        #expect(await heard.next() == "audio")
        var connected = ObservedCall(report.uuid)
        connected.hasConnected = true
        centre.say(.calls([connected]))
        #expect(await heard.next() == "connected")
        let end = perform(.end)
        let reason = await centre.first { if case .end(_, let reason, _) = $0 { reason } else { nil } }
        #expect(reason == .remoteEnded)
        #expect(await outcome(of: end) == true)
        #expect(await heard.next() == "end")
        connected.hasEnded = true
        centre.say(.calls([connected]))
        #expect(await heard.next() == "ended")
        centre.say(.push(4, payload: payload, mustReport: true))
        let again = try #require(await centre.first { if case .report(let report) = $0 { report } else { nil } })
        centre.say(.reported(again.number, error: 2))
        #expect(await heard.next() == "known")
        withExtendedLifetime(center) {}
    }

    @Test("Apple's own sample: delegate, manager and calls")
    func sample() async throws {
        defer { app.end() }
        let (delegate, manager) = app.door.run { () -> (ProviderDelegate, CallManager) in
            let manager = CallManager()
            return (ProviderDelegate(callManager: manager, queue: DispatchQueue(label: "app")), manager)
        }
        _ = await centre.welcome(after: 2)
        let answers = AsyncStream<Bool>.makeStream()
        delegate.reportIncomingCall(uuid: call, handle: "+1 408 555 5555") { answers.continuation.yield($0 == nil) }
        let report = try #require(await centre.first { if case .report(let report) = $0 { report } else { nil } })
        centre.say(.reported(report.number, error: nil))
        for await isAccepted in answers.stream {
            #expect(isAccepted)
            break
        }
        #expect(await outcome(of: perform(.answer)) == true)
        let phoneCall = try #require(manager.callWithUUID(uuid: call))
        #expect(phoneCall.state == "active")
        manager.end(call: phoneCall)
        let request = await centre.first {
            if case .request(let number, _, let all) = $0 { (number, all) } else { nil }
        }
        #expect(request?.1.map(\.kind) == [.end])
        manager.setHeld(call: phoneCall, onHold: true)
        let held = await centre.first { if case .request(_, _, let all) = $0 { all } else { nil } }
        #expect(held?.map(\.kind) == [.hold(true)])
        manager.startCall(handle: "1")
        let start = await centre.first { if case .request(_, _, let all) = $0 { all } else { nil } }
        #expect(start?.map(\.kind) == [.start(CallStart(CallHandle(.phoneNumber, "1")))])
    }

    @Test("a singleton that wraps its report in a continuation")
    func singleton() async throws {
        defer { app.end() }
        let answers = AsyncStream<Bool>.makeStream()
        let thread = Thread { [door = app.door, call] in
            door.run {
                _ = Task {
                    do {
                        try await CallService.shared.report(call, from: "anna")
                        answers.continuation.yield(true)
                    } catch CXErrorCodeIncomingCallError.filteredByBlockList {
                        answers.continuation.yield(false)
                    }
                    answers.continuation.yield(await CallService.shared.end(call))
                }
            }
        }
        thread.start()
        let report = try #require(await centre.first { if case .report(let report) = $0 { report } else { nil } })
        centre.say(.reported(report.number, error: 4))
        var answer = answers.stream.makeAsyncIterator()
        #expect(await answer.next() == false)
        let request = try #require(
            await centre.first { if case .request(let number, _, _) = $0 { number } else { nil } })
        centre.say(.requested(request, error: nil))
        #expect(await answer.next() == true)
    }

    @Test("delegates on the main actor, by each of the ways to write them")
    func mainActor() async throws {
        defer { app.end() }
        let (calls, coordinator) = await MainActor.run {
            app.door.run { (MainActorCalls(), CallCoordinator()) }
        }
        // The second provider is the one that counts.
        _ = await centre.welcome(after: 4)
        let events = AsyncStream<String>.makeStream()
        await MainActor.run { coordinator.changed = { events.continuation.yield($0) } }
        #expect(await outcome(of: perform(.answer)) == true)
        centre.say(.push(3, payload: "{}", mustReport: true))
        let report = try #require(await centre.first { if case .report(let report) = $0 { report } else { nil } })
        #expect(report.push == 3)
        #expect(await coordinator.events == ["answer"])
        #expect(await calls.events.isEmpty)
        withExtendedLifetime((calls, coordinator)) {}
    }
}
