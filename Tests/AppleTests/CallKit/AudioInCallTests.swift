import AVFAudio
import BelfryAppDoor
import BelfryAppleGround
import BelfryTerms
import CallChannel
import CallKit
import ForeignSurface
import Foundation
import Testing

/// An app's audio in its calls, by what `belfry-calls` says, and what it is told of.
@Suite(.timeLimit(.minutes(10)), .serialized) struct AudioInCallTests {
    /// Notes what the audio session says whenever the delegate is called.
    private final class Delegate: NSObject, CXProviderDelegate, @unchecked Sendable {
        let heard: AsyncStream<String>
        private let tell: AsyncStream<String>.Continuation
        private let session = AVAudioSession.sharedInstance()

        override init() { (heard, tell) = AsyncStream.makeStream() }

        private func note(_ what: String) {
            do {
                try session.setActive(true)
                tell.yield("\(what) active")
            } catch {
                tell.yield("\(what) \((error as NSError).domain) \((error as NSError).code)")
            }
        }

        func providerDidReset(_ provider: CXProvider) { note("reset") }
        func provider(_ provider: CXProvider, perform action: CXAnswerCallAction) {
            note("answer")
            action.fulfill()
        }
        func provider(_ provider: CXProvider, perform action: CXSetHeldCallAction) { action.fulfill() }
        func provider(_ provider: CXProvider, perform action: CXEndCallAction) { action.fulfill() }
        func provider(_ provider: CXProvider, didActivate audioSession: AVAudioSession) { note("on") }
        func provider(_ provider: CXProvider, didDeactivate audioSession: AVAudioSession) { note("off") }
    }

    private static let refused = "NSOSStatusErrorDomain 561017449"
    private let app: PlayedApp
    private var centre: PlayedCentre { app.centre }
    private let call = UUID()

    init() throws { app = try PlayedApp() }

    private func perform(_ kind: CallAction.Kind) async {
        let action = CallAction(kind, of: CallUUID(call.uuidString), uuid: .random())
        centre.say(.perform(action, transaction: .random(), timeout: .seconds(5)))
    }

    private func warning() async -> (code: String, detail: String)? {
        await centre.first { if case .warning(let code, let detail) = $0 { (code.rawValue, detail) } else { nil } }
    }

    private func code(_ body: () throws -> Void) -> String {
        do {
            try app.door.run(body)
            return "done"
        } catch {
            return "\((error as NSError).domain) \((error as NSError).code)"
        }
    }

    @Test("the session is active from didActivate to didDeactivate, and before and after that of no app's")
    func walk() async {
        // In a process of its own: the session is one for all, and other tests set its category too.
        await #expect(processExitsWith: .success) { try await AudioInCallTests().walks() }
    }

    private func walks() async throws {
        defer { app.end() }
        let session = AVAudioSession.sharedInstance()
        try session.setCategory(.playback, options: .mixWithOthers)
        #expect(session.categoryOptions == .mixWithOthers)
        let delegate = Delegate()
        let provider = app.door.run { CXProvider(configuration: CXProviderConfiguration()) }
        provider.setDelegate(delegate, queue: .global())
        _ = await centre.welcome(after: 2)
        var heard = delegate.heard.makeAsyncIterator()
        await perform(.answer)
        #expect(await heard.next(isolation: #isolation) == "answer \(Self.refused)")
        let early = try #require(await warning())
        #expect(early.code == "audio-early" && early.detail.contains(call.uuidString), "\(early)")
        let engine = app.door.run { CallEngine() }
        #expect(code(engine.start) == "com.apple.coreaudio.avfaudio 561017449")
        _ = await centre.first { if case .outcome(_, true, _) = $0 { true } else { nil } }
        centre.say(.audio(isActive: true))
        #expect(await heard.next(isolation: #isolation) == "on active")
        let category = try #require(await warning())
        #expect(category.code == "audio-category" && category.detail.contains("AVAudioSessionCategoryPlayback"))
        // In front of what is told of this, nothing else comes: an early start was told.
        #expect(code(engine.start) == "com.apple.coreaudio.avfaudio -10875")
        await perform(.hold(true))
        _ = await centre.first { if case .outcome(_, true, _) = $0 { true } else { nil } }
        centre.say(.audio(isActive: false))
        #expect(await heard.next(isolation: #isolation) == "off \(Self.refused)")
        #expect(await warning()?.code == "audio-after-end")
        try session.setCategory(.playAndRecord, mode: .voiceChat)
        await perform(.hold(false))
        _ = await centre.first { if case .outcome(_, true, _) = $0 { true } else { nil } }
        centre.say(.audio(isActive: true))
        #expect(await heard.next(isolation: #isolation) == "on active")
        #expect(code { try session.setActive(true) } == "done")
        centre.hangUp()
        #expect(await heard.next(isolation: #isolation) == "reset \(Self.refused)")
        #expect(code(engine.start) == "com.apple.coreaudio.avfaudio -10875", "there is no call")
        withExtendedLifetime(provider) {}
    }

    @Test("of two apps under test each has its own audio, on any thread of its code") func several() async throws {
        let other = try PlayedApp()
        defer {
            other.end()
            app.end()
        }
        for door in [app.door, other.door] {
            door.run { #expect(CallAudio.current === door.audio) }
            await door.run { await Task { #expect(CallAudio.current === door.audio) }.value }
            await withCheckedContinuation { done in
                door.call(on: .global(), "a test's") {
                    #expect(CallAudio.current === door.audio)
                    done.resume()
                }
            }
        }
    }

    @Test("a session is fit for a call that records, and has a mode for one") func fitness() throws {
        let session = AVAudioSession()
        #expect(session.misfit?.contains("AVAudioSessionCategorySoloAmbient, which cannot record") == true)
        try session.setCategory(.playAndRecord)
        #expect(session.misfit?.contains("AVAudioSessionModeDefault, which is for no call") == true)
        for mode in [AVAudioSession.Mode.voiceChat, .videoChat] {
            try session.setMode(mode)
            #expect(session.misfit == nil)
        }
        app.end()
    }
}
