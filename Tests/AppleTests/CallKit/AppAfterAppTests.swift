import BelfryAppDoor
import CallChannel
import CallKit
import Foundation
import Testing

/// Apps that are tested one after the other in a process, and what that keeps of them.
@Suite(.timeLimit(.minutes(10))) struct AppAfterAppTests {
    private let app: PlayedApp
    private let answers = AsyncStream.makeStream(of: String.self)

    init() throws { app = try PlayedApp() }

    private func report(_ name: String, by provider: CXProvider) async -> Int64? {
        provider.reportNewIncomingCall(with: UUID(), update: CXCallUpdate()) { [answers] error in
            answers.continuation.yield("\(name) \(error == nil)")
        }
        return await app.centre.first { if case .report(let report) = $0 { report.number } else { nil } }
    }

    private func provider() -> CXProvider { app.door.run { CXProvider(configuration: CXProviderConfiguration()) } }

    private func declaredProvider() async -> ProviderSettings? {
        await app.centre.first { if case .provider(let settings) = $0 { settings } else { nil } }
    }

    @Test("what an app has under way is dropped as it leaves; its provider, which is kept, serves the next one")
    func kept() async throws {
        defer { app.end() }
        let kept = provider()
        kept.setDelegate(nil, queue: .global())
        _ = await app.centre.welcome(after: 2)
        #expect(await report("first", by: kept) != nil)
        app.door.leave {}
        app.door.open(socketPath: app.centre.path, hello: app.hello)
        app.door.connect()
        #expect(await declaredProvider() != nil)
        let number = try #require(await report("second", by: kept))
        app.centre.say(.reported(number, error: nil))
        #expect(await answers.stream.first { _ in true } == "second true")
    }

    @Test("it comes after one that the next app makes, without a warning, and again once that is gone")
    func second() async throws {
        defer { app.end() }
        let kept = provider()
        _ = await app.centre.welcome(after: 2)
        app.door.leave {}
        app.door.open(socketPath: app.centre.path, hello: app.hello)
        app.door.connect()
        var own: CXProvider? = provider()
        let configuration = CXProviderConfiguration()
        configuration.maximumCallGroups = 9
        own?.configuration = configuration
        var said: [AppMessage] = []
        while case .said(let message)? = await app.centre.next() {
            said.append(message)
            if case .provider(let settings) = message, settings.maximumCallGroups == 9 { break }
        }
        #expect(!said.contains { if case .warning = $0 { true } else { false } })
        own = nil
        #expect(await declaredProvider()?.maximumCallGroups == 2)
        withExtendedLifetime(kept) {}
    }
}
