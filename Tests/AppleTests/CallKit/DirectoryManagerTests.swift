import BelfryAppDoor
import CallChannel
import CallDirectory
import ForeignApp
import Foundation
import Support
import Testing

@testable import CallKit

/// What an app asks the call directory's manager, and how it is answered.
@Suite(.timeLimit(.minutes(10))) struct DirectoryManagerTests {
    private typealias Failure = CXErrorCodeCallDirectoryManagerError

    private let app: PlayedApp
    private var centre: PlayedCentre { app.centre }
    private let manager = CXCallDirectoryManager.sharedInstance

    init() throws { app = try PlayedApp() }

    /// Lets the app in.
    private func enter() async {
        app.door.connect()
        _ = await centre.welcome(after: 1)
    }

    /// The next question, with its number.
    private func question() async -> (Int64, DirectoryQuestion)? {
        await centre.first { if case .directory(let number, let question) = $0 { (number, question) } else { nil } }
    }

    private func failure(_ body: () async throws -> Void) async -> Failure.Code? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? Failure)?.code
        }
    }

    @Test("what a load can fail of and what an app is told have the same codes")
    func sameCodes() {
        for code in DirectoryFailure.Code.allCases {
            #expect(Failure.Code(rawValue: code.rawValue).map { "\($0)" } == "\(code)")
        }
        #expect(Failure.Code(rawValue: DirectoryFailure.Code.allCases.count) == nil)
    }

    @Test("each of Apple's codes comes to whoever asked for a load, and no code is none", arguments: 0...9)
    func codes(_ number: Int) async throws {
        defer { app.end() }
        await enter()
        async let code = app.door.run { await failure { try await manager.reloadExtension(withIdentifier: "a.b") } }
        let (asked, question) = try #require(await question())
        #expect(question == .reload("a.b"))
        // 9 is none of Apple's.
        centre.say(.directory(asked, isEnabled: nil, error: Int64(number)))
        #expect(await code == Failure.Code(rawValue: number) ?? .unknown)
        async let done = app.door.run { await failure { try await manager.reloadExtension(withIdentifier: "a.b") } }
        let (again, _) = try #require(await self.question())
        #expect(again != asked)
        // An answer that nobody waits for any more, and the right one.
        centre.say(.directory(asked, isEnabled: nil, error: 1))
        centre.say(.directory(again, isEnabled: nil, error: nil))
        #expect(await done == nil)
    }

    @Test(
        "a published app says in words why a load has failed, asked by callback and async",
        arguments: [
            (nil, nil, nil), (0, "unknown error", "unknown error"), (1, "no extension found", "no extension found"),
            (2, "loading was interrupted", "loading was interrupted"),
            (3, "entries are out of order", "entries are out of order"),
            (4, "there are duplicate entries", "there are duplicate entries"),
            (5, "too many entries", "too many entries"),
            (6, "the extension is disabled", "switch it on in the settings"),
            (7, "it is loading", "try again later"), (8, "unexpected removal", "unexpected removal"),
        ] as [(Int64?, String?, String?)])
    func published(_ code: Int64?, byCallback: String?, byAwait: String?) async throws {
        defer { app.end() }
        await enter()
        let (told, tell) = AsyncStream.makeStream(of: String?.self)
        app.door.run { DirectoryService().reload { tell.yield($0) } }
        let (first, question) = try #require(await question())
        #expect(question == .reload("com.example.PhoneApp.Numbers"))
        centre.say(.directory(first, isEnabled: nil, error: code))
        #expect(await told.first { _ in true } == .some(byCallback))
        async let said = app.door.run { await DirectoryService().reloadNow() }
        let (status, _) = try #require(await self.question())
        centre.say(.directory(status, isEnabled: true, error: nil))
        let (load, _) = try #require(await self.question())
        centre.say(.directory(load, isEnabled: nil, error: code))
        #expect(await said == byAwait)
    }

    @Test("the switch is told as Apple's words, an unknown extension by an error and as unknown")
    func status() async throws {
        defer { app.end() }
        await enter()
        typealias Status = CXCallDirectoryManager.EnabledStatus
        let answers: [(Bool?, Int64?, Status, Failure.Code?)] = [
            (true, nil, .enabled, nil), (false, nil, .disabled, nil), (nil, 1, .unknown, .noExtensionFound),
        ]
        for (isEnabled, error, status, code) in answers {
            let (told, tell) = AsyncStream.makeStream(of: (Status, Failure.Code?).self)
            app.door.run {
                manager.getEnabledStatusForExtension(withIdentifier: "a.b") {
                    tell.yield(($0, ($1 as? Failure)?.code))
                }
            }
            let (asked, question) = try #require(await question())
            #expect(question == .status("a.b"))
            centre.say(.directory(asked, isEnabled: isEnabled, error: error))
            let answer = await told.first { _ in true }
            #expect(answer?.0 == status && answer?.1 == code)
        }
        async let status = app.door.run { try await manager.enabledStatusForExtension(withIdentifier: "a") }
        let (asked, _) = try #require(await question())
        centre.say(.directory(asked, isEnabled: true, error: nil))
        #expect(try await status == .enabled)
    }

    @Test("the settings open without an error") func settings() async throws {
        defer { app.end() }
        await enter()
        async let code = app.door.run { await failure { try await manager.openSettings() } }
        let (asked, question) = try #require(await question())
        #expect(question == .settings)
        centre.say(.directory(asked, isEnabled: nil, error: nil))
        #expect(await code == nil)
    }

    @Test("a load is interrupted if belfry-calls leaves, and what is asked without it has no known answer")
    func lost() async throws {
        defer { app.end() }
        await enter()
        async let load = app.door.run { await failure { try await manager.reloadExtension(withIdentifier: "a.b") } }
        _ = try #require(await question())
        async let settings = app.door.run { await failure { try await manager.openSettings() } }
        _ = try #require(await question())
        centre.leave()
        #expect(await load == .loadingInterrupted)
        #expect(await settings == .unknown)
        let code = await app.door.run { await failure { try await manager.reloadExtension(withIdentifier: "a.b") } }
        #expect(code == .unknown)
    }
}
