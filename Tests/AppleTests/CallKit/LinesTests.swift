import BelfryAppDoor
import BelfrySyscalls
import BelfryTerms
import CallChannel
import CallControl
import CallKit
import ForeignApp
import Foundation
import Support
import Testing

/// A manager of two lines as offices have it, unedited, before the rules that decide: each of its methods does what its
/// name says.
@Suite(.timeLimit(.minutes(10))) struct LinesTests {
    private let app: PlayedApp
    private let folder = TemporaryFolder()

    init() throws { app = try PlayedApp() }

    /// Has the rules decide what the app says, and says to it what they do.
    private static func decide(_ app: PlayedApp, _ state: String) -> Task<Void, Never> {
        Task {
            var control = CallStateMachine(settings: CallControlSettings(), apps: [app.hello.id])
            while let news = await app.centre.next() {
                guard case .said(let message) = news else { continue }
                let input: CallInput =
                    if case .hello(let hello) = message { .appConnected(hello) } else { .app(app.hello.id, message) }
                if case .hello = message {
                    app.centre.say(.welcome(AppWelcome(stateDirectory: state)))
                }
                for effect in control.take(input, at: Instant(microseconds: bootTimeMicroseconds())) {
                    if case .app(_, let word) = effect { app.centre.say(word) }
                }
            }
        }
    }

    @Test("two lines, hold, swap, conference, digits, mute, a third line too many, and the end of all")
    func lines() async {
        // In a process of its own: each of its many turns would come after those of all tests that have begun.
        await #expect(processExitsWith: .success) { try await LinesTests().walks() }
    }

    private func walks() async throws {
        defer { app.end() }
        let deciding = Self.decide(app, folder.path)
        defer { deciding.cancel() }
        let queue = DispatchQueue(label: "lines")
        let changes = AsyncStream<Void>.makeStream()
        let manager = app.door.run { LineManager(queue: queue) }
        manager.onChange = { changes.continuation.yield() }
        var changed = changes.stream.makeAsyncIterator()
        /// Waits for it, change by change.
        func isSo(_ condition: (LineManager) -> Bool) async -> Bool {
            while !queue.sync(execute: { condition(manager) }) {
                guard await changed.next(isolation: #isolation) != nil else { return false }
            }
            return true
        }
        func states(_ manager: LineManager) -> [LineManager.LineState] { manager.lines.map(\.state) }
        let first = app.door.run { manager.dial("+1") }
        #expect(await isSo { states($0) == [.connected] })
        app.door.run { manager.hold(first, true) }
        #expect(await isSo { states($0) == [.held] })
        let second = app.door.run { manager.dial("+2") }
        #expect(await isSo { states($0) == [.held, .connected] })
        // The answer is the refusal: two groups are all.
        _ = app.door.run { manager.dial("+3") }
        _ = await changed.next(isolation: #isolation)
        #expect(queue.sync { states(manager) } == [.held, .connected])
        app.door.run { manager.swap() }
        #expect(await isSo { states($0) == [.connected, .held] })
        app.door.run { manager.merge(second, with: first) }
        #expect(await isSo { $0.conference == [first, second] })
        app.door.run { manager.hold(second, false) }
        #expect(await isSo { states($0) == [.connected, .connected] })
        app.door.run { manager.split(second) }
        #expect(await isSo { $0.conference == [first] })
        app.door.run { manager.press("42#", in: first) }
        #expect(await isSo { $0.digits == "42#" })
        app.door.run { manager.mute(first, true) }
        #expect(await isSo { $0.muted == [first] })
        #expect(queue.sync { manager.audioActive })
        app.door.run { manager.endAll() }
        #expect(await isSo { states($0) == [.disconnected, .disconnected] })
    }
}
