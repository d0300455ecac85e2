import BelfryAppGroup
import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import CallChannel
import CallControl
import Support
import Testing

@testable import CallCentre

/// The tune of an app, between the app and the workers that ring for it (R6).
@Suite struct AppTunesTests {
    private static let id = "com.example.phone"
    private let end: CentreEnd
    private let app: CentrePeer
    private let folder = TemporaryFolder()

    init() throws {
        end = try CentreEnd()
        app = try end.app()
        _ = app.lines()
    }

    private func configure(_ ringtone: String?) {
        var settings = ProviderSettings()
        settings.ringtoneSound = ringtone
        app.say(AppMessage.provider(settings).line)
    }

    /// A worker whose push is the app's, as the decider has it.
    private func worker(_ number: Int64) throws -> CentrePeer {
        let push = VoIPPush(
            id: "p\(number)", group: CentreEnd.group, kind: .callRequest, payload: "{}",
            until: Instant(microseconds: 0))
        end.decider.apps[WorkerNumber(number)] = Self.id
        return try end.peer(WorkerMessage.push(push).line)
    }

    /// Has the decider say so to a worker.
    private func order(_ order: WorkerOrder, _ number: Int64) {
        end.decider.effects = [.worker(WorkerNumber(number), order)]
        app.say(AppMessage.completed(push: 1).line)
    }

    @Test("it is passed on before each order to ring, the same file each time; and to who rings already")
    func passedOn() throws {
        configure("ring.caf")
        let worker = try worker(2)
        order(.wait(app: Self.id), 2)
        order(.ring(nil), 2)
        #expect(try worker.orders() == [.wait(app: Self.id), .ring(nil)] && worker.files.isEmpty)
        let file = try makeTuneFile(in: folder)
        app.say(AppMessage.tone("ring.caf").line, passing: file)
        #expect(try worker.orders() == [.tone("ring.caf")])
        #expect(worker.files.map(\.isSealedMemory) == [true])
        let other = try self.worker(3)
        order(.ring(nil), 3)
        #expect(try other.orders() == [.tone("ring.caf"), .ring(nil)] && other.files.count == 1)
        worker.leave()
        app.say(AppMessage.tone("ring.caf").line, passing: file)
        #expect(try other.orders() == [.tone("ring.caf")])
    }

    @Test("it counts while the app's configuration has that name, and the app is there", arguments: 0..<4)
    func forgotten(_ how: Int) throws {
        configure("ring.caf")
        app.say(AppMessage.tone("ring.caf").line, passing: try makeTuneFile(in: folder))
        switch how {
        case 0: configure("other.caf")
        case 1: configure(nil)
        case 2: app.say(AppMessage.invalidated.line)
        default:
            configure("other.caf")
            app.say(AppMessage.tone("ring.caf").line, passing: try makeTuneFile(in: folder))
        }
        let worker = try worker(2)
        order(.ring(nil), 2)
        #expect(try worker.orders() == [.ring(nil)])
    }

    @Test("R16 what is no tune is told, and neither kept nor passed on; the app stays", arguments: BadTune.allCases)
    func bad(_ kind: BadTune) throws {
        let watcher = try end.peer(ClientMessage.watch.line)
        configure("ring.caf")
        app.say(AppMessage.tone("ring.caf").line, passing: try kind.file(in: folder))
        let codes = try watcher.events().compactMap { event in
            if case .warning(let code, _) = event.body { code.rawValue } else { nil }
        }
        #expect(codes == ["sound-unreadable"])
        let worker = try worker(3)
        order(.ring(nil), 3)
        #expect(try worker.orders() == [.ring(nil)] && worker.files.isEmpty && !app.isClosed)
    }
}
