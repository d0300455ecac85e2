import BelfryAppDoor
import BelfryTerms
import CallChannel
import CallKit
import Foundation
import Testing

/// Actions on calls that go on, as the delegate gets them, and as the app asks for them.
@Suite(.timeLimit(.minutes(10))) struct TalkActionTests {
    private final class Delegate: NSObject, CXProviderDelegate, @unchecked Sendable {
        let performed: AsyncStream<String>
        private let tell: AsyncStream<String>.Continuation

        override init() { (performed, tell) = AsyncStream.makeStream() }

        private func note(_ words: String, _ action: CXAction) {
            tell.yield(words)
            action.fulfill()
        }

        func providerDidReset(_ provider: CXProvider) {}
        func provider(_ provider: CXProvider, perform action: CXStartCallAction) {
            note("start \(action.handle.value) \(action.isVideo) \(action.contactIdentifier ?? "-")", action)
        }
        func provider(_ provider: CXProvider, perform action: CXSetHeldCallAction) {
            note("hold \(action.isOnHold)", action)
        }
        func provider(_ provider: CXProvider, perform action: CXSetMutedCallAction) {
            note("mute \(action.isMuted)", action)
        }
        func provider(_ provider: CXProvider, perform action: CXSetGroupCallAction) {
            note("group \(action.callUUIDToGroupWith?.uuidString ?? "-")", action)
        }
        func provider(_ provider: CXProvider, perform action: CXPlayDTMFCallAction) {
            note("tones \(action.digits) \(action.type.rawValue)", action)
        }
        func provider(_ provider: CXProvider, execute transaction: CXTransaction) -> Bool {
            transaction.actions.contains { ($0 as? CXPlayDTMFCallAction)?.digits == "0" }
        }
        func provider(_ provider: CXProvider, timedOutPerforming action: CXAction) {
            tell.yield("timed out \((action as? CXCallAction)?.callUUID.uuidString ?? "")")
        }
    }

    private let app: PlayedApp
    private var centre: PlayedCentre { app.centre }
    private let call = UUID()
    private let other = UUID()

    init() throws { app = try PlayedApp() }

    /// The actions of the next transaction.
    private func asked() async -> [CallAction]? {
        await centre.first { if case .request(_, _, let actions) = $0 { actions } else { nil } }
    }

    @Test("of ten thousand actions, and of a mebibyte of digits, as much is said as has them refused")
    func tooMuch() async throws {
        defer { app.end() }
        let provider = app.door.run { CXProvider(configuration: CXProviderConfiguration()) }
        let delegate = Delegate()
        provider.setDelegate(delegate, queue: .global())
        _ = await centre.welcome(after: 2)
        let controller = app.door.run { CXCallController() }
        let ends = (0..<10_000).map { _ in CXEndCallAction(call: UUID()) }
        let digits = String(repeating: "1", count: 1 << 20)
        let tones = [CXPlayDTMFCallAction(call: call, digits: digits, type: .singleTone)]
        controller.request(CXTransaction(actions: ends)) { _ in }
        #expect(await asked()?.count == 1_001)
        controller.request(CXTransaction(actions: tones)) { _ in }
        #expect(await asked()?.map(\.kind) == [.dtmf(CallDigits(String(repeating: "1", count: 129), type: 1))])
        withExtendedLifetime((provider, delegate)) {}
    }

    @Test("each action that the app asks for comes back to its delegate, and its outcome to belfry-calls")
    func thereAndBack() async throws {
        defer { app.end() }
        let delegate = Delegate()
        let provider = app.door.run { CXProvider(configuration: CXProviderConfiguration()) }
        provider.setDelegate(delegate, queue: .global())
        _ = await centre.welcome(after: 2)
        let start = CXStartCallAction(call: call, handle: CXHandle(type: .emailAddress, value: "a@b.org"))
        (start.isVideo, start.contactIdentifier) = (true, "7")
        let actions: [(CXCallAction, String)] = [
            (start, "start a@b.org true 7"), (CXSetHeldCallAction(call: call, onHold: true), "hold true"),
            (CXSetHeldCallAction(call: call, onHold: false), "hold false"),
            (CXSetMutedCallAction(call: call, muted: true), "mute true"),
            (CXSetGroupCallAction(call: call, callUUIDToGroupWith: other), "group \(other)"),
            (CXSetGroupCallAction(call: call, callUUIDToGroupWith: nil), "group -"),
            (CXPlayDTMFCallAction(call: call, digits: "12", type: .hardPause), "tones 12 3"),
        ]
        let controller = app.door.run { CXCallController() }
        var heard = delegate.performed.makeAsyncIterator()
        for (action, words) in actions {
            controller.request(CXTransaction(action: action)) { _ in }
            let request = await centre.first {
                if case .request(let number, let transaction, let all) = $0 { (number, transaction, all) } else { nil }
            }
            let (number, transaction, asked) = try #require(request)
            centre.say(.requested(number, error: nil))
            centre.say(.perform(try #require(asked.first), transaction: transaction, timeout: .seconds(5)))
            #expect(await heard.next() == words)
            let outcome = await centre.first { if case .outcome(let uuid, true, _) = $0 { uuid } else { nil } }
            #expect(outcome?.text == action.uuid.uuidString)
        }
        withExtendedLifetime(provider) {}
    }

    @Test("a transaction that the delegate took on itself, without an outcome in time, is told")
    func swallowed() async throws {
        defer { app.end() }
        let delegate = Delegate()
        let provider = app.door.run { CXProvider(configuration: CXProviderConfiguration()) }
        provider.setDelegate(delegate, queue: .global())
        _ = await centre.welcome(after: 2)
        let tones = CallAction(.dtmf(CallDigits("0", type: 1)), of: CallUUID(call.uuidString), uuid: .random())
        centre.say(.perform(tones, transaction: .random(), timeout: .seconds(5)))
        #expect(await centre.first { if case .performed(tones.uuid, let done) = $0 { done } else { nil } } == true)
        centre.say(.timedOut(tones.uuid))
        let warning = await centre.first { if case .warning(let code, _) = $0 { code } else { nil } }
        #expect(warning == .executeSwallowed)
        var heard = delegate.performed.makeAsyncIterator()
        #expect(await heard.next() == "timed out \(call)")
        withExtendedLifetime(provider) {}
    }

    @Test("what its delegate has not performed of a call is void once that is over")
    func voided() async throws {
        defer { app.end() }
        let delegate = Delegate()
        let provider = app.door.run { CXProvider(configuration: CXProviderConfiguration()) }
        provider.setDelegate(delegate, queue: .global())
        _ = await centre.welcome(after: 2)
        let controller = app.door.run { CXCallController() }
        let both = [CXSetMutedCallAction(call: call, muted: true), CXAnswerCallAction(call: other)]
        controller.request(CXTransaction(actions: both)) { _ in }
        let request = await centre.first {
            if case .request(let number, let transaction, let all) = $0 { (number, transaction, all) } else { nil }
        }
        let (number, transaction, asked) = try #require(request)
        centre.say(.requested(number, error: nil))
        centre.say(.perform(try #require(asked.first), transaction: transaction, timeout: .seconds(5)))
        _ = await centre.first { if case .outcome(_, true, _) = $0 { true } else { nil } }
        #expect(provider.pendingTransactions.count == 1, "the answer waits for the ring")
        var ended = ObservedCall(try #require(CallUUID(other.uuidString)))
        ended.hasEnded = true
        centre.say(.calls([ended]))
        let next = CXSetMutedCallAction(call: call, muted: false)
        controller.request(CXTransaction(action: next)) { _ in }
        let last = await centre.first { if case .request(let number, _, _) = $0 { number } else { nil } }
        let answered = AsyncStream.makeStream(of: Void.self)
        controller.request(CXTransaction(actions: [])) { _ in answered.continuation.yield() }
        let empty = await centre.first { if case .request(let number, _, _) = $0 { number } else { nil } }
        centre.say(.requested(try #require(last), error: 6))
        centre.say(.requested(try #require(empty), error: 3))
        var answers = answered.stream.makeAsyncIterator()
        _ = await answers.next(isolation: #isolation)
        #expect(provider.pendingTransactions.isEmpty)
    }
}
