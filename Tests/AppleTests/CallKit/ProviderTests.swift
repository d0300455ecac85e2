import AVFAudio
import BelfryAppDoor
import BelfryTerms
import CallChannel
import CallKit
import Foundation
import Support
import Testing

/// A provider between an app's delegate and `belfry-calls`.
@Suite(.timeLimit(.minutes(10))) struct ProviderTests {
    /// A delegate that notes what it hears and on which queue.
    final class Delegate: NSObject, CXProviderDelegate, @unchecked Sendable {
        static let key = DispatchSpecificKey<Bool>()
        let queue = DispatchQueue(label: "app.calls")
        let heard: AsyncStream<String>
        private let tell: AsyncStream<String>.Continuation
        private var iterator: AsyncStream<String>.Iterator
        /// What becomes of an action: carried out on the delegate's queue.
        var carryOut: @Sendable (CXAction) -> Void = { $0.fulfill() }
        var executes = false

        override init() {
            (heard, tell) = AsyncStream.makeStream()
            iterator = heard.makeAsyncIterator()
            super.init()
            queue.setSpecific(key: Self.key, value: true)
        }

        func note(_ what: String) {
            tell.yield(DispatchQueue.getSpecific(key: Self.key) == true ? what : "\(what) on another queue")
        }
        func next() async -> String? { await iterator.next(isolation: #isolation) }

        func providerDidReset(_ provider: CXProvider) { note("reset") }
        func providerDidBegin(_ provider: CXProvider) { note("begin") }
        func provider(_ provider: CXProvider, execute transaction: CXTransaction) -> Bool {
            if executes { note("execute \(transaction.actions.count)") }
            return executes
        }
        func provider(_ provider: CXProvider, perform action: CXAnswerCallAction) {
            note("answer \(action.callUUID)")
            carryOut(action)
        }
        func provider(_ provider: CXProvider, perform action: CXEndCallAction) {
            note("end \(action.callUUID)")
            carryOut(action)
        }
        func provider(_ provider: CXProvider, timedOutPerforming action: CXAction) {
            note("timed out \((action as? CXCallAction)?.callUUID.uuidString ?? "?")")
        }
        func provider(_ provider: CXProvider, didActivate audioSession: AVAudioSession) { note("audio") }
        func provider(_ provider: CXProvider, didDeactivate audioSession: AVAudioSession) { note("no audio") }
    }

    /// The answer to a report or a request.
    final class Answer: Sendable {
        private let (answers, tell) = AsyncStream.makeStream(of: (any Error)?.self)

        func come(_ error: (any Error)?) { tell.yield(error) }
        var error: (any Error)? {
            get async {
                for await answer in answers { return answer }
                return nil
            }
        }
    }

    private let app: PlayedApp
    private var centre: PlayedCentre { app.centre }
    private let call = UUID()

    init() throws { app = try PlayedApp() }

    private func update(_ name: String = "Anna", _ handle: String = "anna") -> CXCallUpdate {
        let update = CXCallUpdate()
        update.localizedCallerName = name
        update.remoteHandle = CXHandle(type: .generic, value: handle)
        return update
    }

    /// A provider that was let in, and its delegate.
    private func provider() async -> (CXProvider, Delegate) {
        let delegate = Delegate()
        let provider = app.door.run { CXProvider(configuration: CXProviderConfiguration()) }
        provider.setDelegate(delegate, queue: delegate.queue)
        let said = await centre.welcome(after: 2)
        #expect(said == [.hello(app.hello), .provider(ProviderSettings())])
        #expect(await delegate.next() == "begin")
        return (provider, delegate)
    }

    private func action(_ kind: CallAction.Kind) -> CallAction {
        CallAction(kind, of: CallUUID(call.uuidString), uuid: CallUUID(UUID().uuidString)!)
    }

    /// Has the delegate perform `action`, and returns its outcome as the app tells it.
    private func outcome(
        of action: CallAction, transaction: UUID = UUID(), timeout: TimeSpan = .seconds(5)
    ) async -> Bool? {
        centre.say(.perform(action, transaction: CallUUID(transaction.uuidString)!, timeout: timeout))
        return await centre.first {
            if case .outcome(action.uuid, let isFulfilled, at: nil) = $0 { isFulfilled } else { nil }
        }
    }

    @Test("a call is reported, answered, heard and ended")
    func walk() async throws {
        defer { app.end() }
        let (provider, delegate) = await provider()
        async let error = withCheckedContinuation { continuation in
            provider.reportNewIncomingCall(with: call, update: update()) { error in
                delegate.note("completion")
                continuation.resume(returning: error.map { ($0 as NSError).code })
            }
        }
        let report = await centre.first { if case .report(let report) = $0 { report } else { nil } }
        #expect(report?.uuid.text == call.uuidString && report?.push == nil)
        #expect(report?.update.name == "Anna" && report?.update.handle == CallHandle(.generic, "anna"))
        #expect(report?.update.hasVideo == nil)
        centre.say(.reported(try #require(report).number, error: nil))
        #expect(await error == nil)
        #expect(await delegate.next() == "completion")
        let answer = action(.answer)
        #expect(await outcome(of: answer) == true)
        #expect(await centre.first { if case .performed(answer.uuid, let done) = $0 { done } else { nil } } == true)
        #expect(await delegate.next() == "answer \(call)")
        centre.say(.audio(isActive: true))
        #expect(await delegate.next() == "audio")
        #expect(await outcome(of: action(.end)) == true)
        #expect(await delegate.next() == "end \(call)")
        centre.say(.audio(isActive: false))
        #expect(await delegate.next() == "no audio")
        #expect(provider.pendingTransactions.isEmpty)
    }

    @Test("a refused report has the error's code, and is no call", arguments: [0, 2, 3, 4, 7])
    func refused(code: Int64) async throws {
        defer { app.end() }
        let (provider, _) = await provider()
        async let said = centre.first { if case .report(let report) = $0 { report.number } else { nil } }
        async let reported: Void = provider.reportNewIncomingCall(with: call, update: update())
        centre.say(.reported(try #require(await said), error: code))
        do {
            try await reported
            Issue.record("accepted")
        } catch let error as CXErrorCodeIncomingCallError {
            #expect(error.code.rawValue == Int(code))
        }
    }

    @Test("an action is failed, by another thread")
    func failed() async throws {
        defer { app.end() }
        let (provider, delegate) = await provider()
        delegate.carryOut = { action in Thread.detachNewThread { action.fail() } }
        #expect(await outcome(of: action(.answer)) == false)
        #expect(provider.pendingTransactions.isEmpty)
    }

    @Test("a second outcome, and one that comes late, are told too: belfry-calls judges them")
    func twice() async throws {
        defer { app.end() }
        let (provider, delegate) = await provider()
        delegate.carryOut = { action in
            action.fulfill()
            action.fail()
            #expect(action.isComplete)
        }
        let answer = action(.answer)
        #expect(await outcome(of: answer) == true)
        #expect(await centre.first { if case .outcome(answer.uuid, let done, _) = $0 { done } else { nil } } == false)
        withExtendedLifetime(provider) {}
    }

    @Test("an action without an outcome is pending until its time is over")
    func timedOut() async throws {
        defer { app.end() }
        let (provider, delegate) = await provider()
        let late = AsyncStream<CXAction>.makeStream()
        delegate.carryOut = { action in late.continuation.yield(action) }
        let answer = action(.answer)
        let asked = Date()
        centre.say(.perform(answer, transaction: CallUUID(UUID().uuidString)!, timeout: .seconds(60)))
        var actions = late.stream.makeAsyncIterator()
        let delivered = try #require(await actions.next())
        #expect(!delivered.isComplete)
        #expect((asked + 59...Date() + 61).contains(delivered.timeoutDate))
        let pending = provider.pendingCallActions(of: CXAnswerCallAction.self, withCall: call)
        #expect(pending.map(\.uuid) == [delivered.uuid] && pending.first !== delivered)
        #expect(provider.pendingCallActions(of: CXCallAction.self, withCall: call).count == 1)
        #expect(provider.pendingCallActions(of: CXEndCallAction.self, withCall: call).isEmpty)
        #expect(provider.pendingCallActions(of: CXAnswerCallAction.self, withCall: UUID()).isEmpty)
        centre.say(.timedOut(answer.uuid))
        #expect(await delegate.next() == "answer \(call)")
        #expect(await delegate.next() == "timed out \(call)")
        #expect(delivered.isComplete && provider.pendingTransactions.isEmpty)
        delivered.fulfill()
        #expect(await centre.first { if case .outcome(answer.uuid, let done, _) = $0 { done } else { nil } } == true)
    }

    @Test("a copy of a pending action settles it, at a date")
    func copies() async throws {
        defer { app.end() }
        let (provider, delegate) = await provider()
        let gate = AsyncStream<Void>.makeStream()
        delegate.carryOut = { _ in gate.continuation.yield() }
        let end = action(.end)
        centre.say(.perform(end, transaction: CallUUID(UUID().uuidString)!, timeout: .seconds(5)))
        var opened = gate.stream.makeAsyncIterator()
        await opened.next()
        let copy = try #require(provider.pendingTransactions.first?.actions.first as? CXEndCallAction)
        copy.fulfill(withDateEnded: Date(timeIntervalSince1970: 12))
        let date = await centre.first { if case .outcome(end.uuid, true, let date) = $0 { date } else { nil } }
        #expect(date == WallTime(microseconds: 12_000_000))
    }

    @Test("a delegate that executes the transaction performs none of its actions")
    func execute() async throws {
        defer { app.end() }
        let (provider, delegate) = await provider()
        delegate.executes = true
        let actions = [CXAnswerCallAction(call: call), CXEndCallAction(call: UUID())]
        let transaction = CXTransaction(actions: actions)
        async let done: Void = app.door.run { try await CXCallController().request(transaction) }
        let request = await centre.first {
            if case .request(let number, _, let all) = $0 { (number, all) } else { nil }
        }
        let (number, all) = try #require(request)
        #expect(all.map(\.kind) == [.answer, .end])
        centre.say(.requested(number, error: nil))
        try await done
        for action in all {
            centre.say(
                .perform(action, transaction: CallUUID(transaction.uuid.uuidString)!, timeout: .seconds(5)))
            #expect(
                await centre.first { if case .performed(action.uuid, let done) = $0 { done } else { nil } } == true)
        }
        #expect(await delegate.next() == "execute 2")
        app.centre.say(.reset)
        #expect(await delegate.next() == "reset")
        withExtendedLifetime(provider) {}
    }

    @Test("a controller's completion comes on the queue that it was made with", arguments: [nil, 0, 4, 6] as [Int64?])
    func controllerQueue(code: Int64?) async throws {
        defer { app.end() }
        let (provider, delegate) = await provider()
        let controller = app.door.run { CXCallController(queue: delegate.queue) }
        controller.requestTransaction(with: [CXEndCallAction(call: call)]) { error in
            delegate.note("completion \((error as NSError?)?.code ?? -1)")
        }
        let number = await centre.first { if case .request(let number, _, _) = $0 { number } else { nil } }
        centre.say(.requested(try #require(number), error: code))
        #expect(await delegate.next() == "completion \(code ?? -1)")
        withExtendedLifetime(provider) {}
    }

    @Test("a delegate without the method is known to be without")
    func unimplemented() async throws {
        final class Mute: NSObject, CXProviderDelegate {
            func providerDidReset(_ provider: CXProvider) {}
        }
        defer { app.end() }
        let mute = Mute()
        let provider = app.door.run { CXProvider(configuration: CXProviderConfiguration()) }
        provider.setDelegate(mute, queue: DispatchQueue(label: "mute"))
        _ = await centre.welcome(after: 2)
        let answer = action(.answer)
        centre.say(.perform(answer, transaction: CallUUID(UUID().uuidString)!, timeout: .seconds(5)))
        #expect(await centre.first { if case .performed(answer.uuid, let done) = $0 { done } else { nil } } == false)
        #expect(provider.pendingTransactions.count == 1)
        withExtendedLifetime(mute) {}
    }

    @Test("what comes before there is a delegate waits for one")
    func coldStart() async throws {
        defer { app.end() }
        let provider = app.door.run { CXProvider(configuration: CXProviderConfiguration()) }
        _ = await centre.welcome(after: 2)
        let answer = action(.answer)
        centre.say(.perform(answer, transaction: CallUUID(UUID().uuidString)!, timeout: .seconds(5)))
        let warned = await centre.first { if case .warning(let code, _) = $0 { code } else { nil } }
        #expect(warned == CodeWord(.delegateLate))
        let delegate = Delegate()
        provider.setDelegate(delegate, queue: delegate.queue)
        #expect(await delegate.next() == "begin")
        #expect(await delegate.next() == "answer \(call)")
        #expect(await centre.first { if case .outcome(answer.uuid, let done, _) = $0 { done } else { nil } } == true)
    }

    @Test("a delegate that nothing keeps is missed")
    func lostDelegate() async throws {
        defer { app.end() }
        var delegate: Delegate? = Delegate()
        let provider = app.door.run { CXProvider(configuration: CXProviderConfiguration()) }
        provider.setDelegate(delegate, queue: delegate?.queue)
        _ = await centre.welcome(after: 2)
        #expect(await delegate?.next() == "begin")
        delegate = nil
        let answer = action(.answer)
        centre.say(.perform(answer, transaction: CallUUID(UUID().uuidString)!, timeout: .seconds(5)))
        let warned = await centre.first { if case .warning(let code, _) = $0 { code } else { nil } }
        #expect(warned == CodeWord(.delegateLate))
        withExtendedLifetime(provider) {}
    }

    @Test("the centre's end is a reset, once; what waited has its error, and all is said anew")
    func reset() async throws {
        defer { app.end() }
        let (provider, delegate) = await provider()
        let gate = AsyncStream<CXAction>.makeStream()
        delegate.carryOut = { gate.continuation.yield($0) }
        centre.say(.perform(action(.answer), transaction: CallUUID(UUID().uuidString)!, timeout: .seconds(5)))
        var actions = gate.stream.makeAsyncIterator()
        let pending = try #require(await actions.next())
        let (reported, requested) = (Answer(), Answer())
        provider.reportNewIncomingCall(with: UUID(), update: update()) { reported.come($0) }
        _ = await centre.first { if case .report(let report) = $0 { report.number } else { nil } }
        app.door.run { CXCallController() }
            .requestTransaction(with: CXEndCallAction(call: call)) { requested.come($0) }
        _ = await centre.first { if case .request(let number, _, _) = $0 { number } else { nil } }
        centre.hangUp()
        #expect((await reported.error as? CXErrorCodeIncomingCallError)?.code == .unknown)
        #expect((await requested.error as? CXErrorCodeRequestTransactionError)?.code == .unknownCallProvider)
        #expect(await delegate.next() == "answer \(call)")
        #expect(await delegate.next() == "reset")
        #expect(pending.isComplete && provider.pendingTransactions.isEmpty)
        #expect(await centre.next() == .left)
        #expect(await centre.next() == .connected)
        #expect(await centre.welcome(after: 2) == [.hello(app.hello), .provider(ProviderSettings())])
        #expect(await delegate.next() == "begin")
        // No word of an action that is void.
        pending.fulfill()
        provider.invalidate()
        #expect(await centre.next() == .said(.invalidated))
    }

    @Test("without a centre a report and a request have their errors at once")
    func noCentre() async throws {
        let app = try PlayedApp(isThere: false)
        defer { app.end() }
        let provider = app.door.run { CXProvider(configuration: CXProviderConfiguration()) }
        await #expect { try await provider.reportNewIncomingCall(with: call, update: update()) } throws: { error in
            CXErrorCodeIncomingCallError.unknown ~= error
        }
        await #expect {
            try await app.door.run {
                try await CXCallController().requestTransaction(with: [CXEndCallAction(call: call)])
            }
        } throws: { error in
            CXErrorCodeRequestTransactionError.unknownCallProvider ~= error
        }
        // It comes later: the app comes to it.
        try app.centre.come()
        #expect(await app.centre.welcome(after: 2) == [.hello(app.hello), .provider(ProviderSettings())])
    }

    @Test("a second provider is told of, and a provider that nothing keeps, with its calls")
    func providers() async throws {
        defer { app.end() }
        var (provider, delegate): (CXProvider?, Delegate) = await self.provider()
        let second = app.door.run { CXProvider(configuration: CXProviderConfiguration()) }
        let warned = await centre.first { if case .warning(let code, _) = $0 { code } else { nil } }
        #expect(warned == CodeWord(.providerTwice))
        // Once more, which changes nothing, and one that is no call.
        let refused = UUID()
        for (uuid, error) in [(call, nil), (call, 2), (refused, 3)] as [(UUID, Int64?)] {
            let reported = Answer()
            provider?.reportNewIncomingCall(with: uuid, update: update()) { reported.come($0) }
            let number = await centre.first { if case .report(let report) = $0 { report.number } else { nil } }
            centre.say(.reported(try #require(number), error: error))
            #expect(await reported.error.map { ($0 as NSError).code } == error.map { Int($0) })
        }
        provider = nil
        let lost = await centre.first { if case .warning(let code, let detail) = $0 { (code, detail) } else { nil } }
        #expect(lost?.0 == CodeWord(.providerLost) && lost?.1.contains(call.uuidString) == true)
        #expect(lost?.1.contains(refused.uuidString) == false)
        withExtendedLifetime((second, delegate)) {}
    }

    @Test("an update says what was assigned, and an end says when and why")
    func reports() async throws {
        defer { app.end() }
        let (provider, _) = await provider()
        let update = CXCallUpdate()
        update.hasVideo = true
        update.supportsDTMF = false
        provider.reportCall(with: call, updated: update)
        let said = await centre.first { if case .update(_, let update) = $0 { update } else { nil } }
        var expected = CallUpdate()
        (expected.hasVideo, expected.supportsDTMF) = (true, false)
        #expect(said == expected)
        provider.reportCall(with: call, endedAt: Date(timeIntervalSince1970: 3), reason: .answeredElsewhere)
        let end = await centre.first { if case .end(_, let reason, let at) = $0 { (reason, at) } else { nil } }
        #expect(end?.0 == .answeredElsewhere && end?.1 == WallTime(microseconds: 3_000_000))
        provider.reportCall(with: call, endedAt: Date(timeIntervalSince1970: 1e300), reason: .failed)
        #expect(await centre.first { if case .end(_, .failed, let at) = $0 { at } else { nil } } != nil)
        provider.reportOutgoingCall(with: call, startedConnectingAt: Date(timeIntervalSince1970: 3))
        let connecting = await centre.first { if case .outgoing(_, let step, let at) = $0 { (step, at) } else { nil } }
        #expect(connecting?.0 == .connecting && connecting?.1 == WallTime(microseconds: 3_000_000))
        provider.reportOutgoingCall(with: call, connectedAt: nil)
        let connected = await centre.first { if case .outgoing(_, let step, _) = $0 { step } else { nil } }
        #expect(connected == .connected)
        let configuration = provider.configuration
        configuration.maximumCallGroups = 1
        #expect(provider.configuration.maximumCallGroups == 2)
        provider.configuration = configuration
        let settings = await centre.first { if case .provider(let settings) = $0 { settings } else { nil } }
        #expect(settings?.maximumCallGroups == 1)
    }

    @Test("a handle of a megabyte is refused, and disturbs nothing")
    func tooLong() async throws {
        defer { app.end() }
        let (provider, _) = await provider()
        let long = update("Anna", String(repeating: "a", count: 1 << 20))
        await #expect { try await provider.reportNewIncomingCall(with: call, update: long) } throws: { error in
            CXErrorCodeIncomingCallError.unknown ~= error
        }
        async let said = centre.first { if case .report(let report) = $0 { report.uuid.text } else { nil } }
        provider.reportNewIncomingCall(with: call, update: update()) { _ in }
        #expect(await said == call.uuidString)
    }

    @Test("an invalidated provider calls its delegate no more")
    func invalidated() async throws {
        defer { app.end() }
        let (provider, delegate) = await provider()
        var words = app.words
        provider.invalidate()
        #expect(await centre.first { $0 == .invalidated ? true : nil } == true)
        centre.say(.perform(action(.answer), transaction: CallUUID(UUID().uuidString)!, timeout: .seconds(5)))
        centre.say(.audio(isActive: true))
        centre.hangUp()
        while let word = await words.next(), word != "lost true" {}
        // What was to be called has been by now.
        delegate.queue.async { delegate.note("nothing") }
        #expect(await delegate.next() == "nothing")
        withExtendedLifetime(provider) {}
    }
}
