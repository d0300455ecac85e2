import BelfryEventLoop
import BelfryProtocol
import BelfryTerms
import CallChannel
import Testing

/// Another app's call, which rings and is answered whatever others say meanwhile.
final class WitnessCall {
    static let id = "com.example.witness"
    let uuid = CallUUID.random()
    /// The number of the push that brought it.
    let push: Int64
    private let app: CentrePeer
    private let worker: CentrePeer

    /// A call that rings at `end`, whose decider decides.
    init(at end: CentreEnd) throws {
        app = try end.app(Self.id)
        app.say(AppMessage.provider(ProviderSettings()).line)
        app.say(AppMessage.registry(["voip"]).line)
        var push = VoIPPush(
            id: "w", group: CentreEnd.group, kind: .callRequest, payload: "{}", until: end.loop.now + .seconds(100))
        push.topic = "\(Self.id).voip"
        worker = try end.peer(WorkerMessage.push(push).line)
        let number = try app.words().compactMap { if case .push(let number, _, _) = $0 { number } else { nil } }.first
        self.push = try #require(number)
        var update = CallUpdate()
        (update.name, update.handle) = ("Ada", CallHandle(.generic, "ada"))
        app.say(AppMessage.report(CallReport(1, of: uuid, update, push: self.push)).line)
        let rings = try worker.orders().contains {
            if case .ring(let caller?) = $0 { caller.name == "Ada" } else { false }
        }
        #expect(rings)
        say(.ringing(Event.Ringing(call: "w", mode: .loud, duration: 30, interval: 1, sound: "", vibrate: false)))
        #expect(try app.words().contains(.reported(1, error: nil)))
    }

    /// Has it answered; whether it was still ringing, and is connected.
    func isAnswered() throws -> Bool {
        guard try worker.orders().isEmpty else { return false }
        say(.ended(Event.Ended(call: "w", reason: .answered, hangupReason: nil, rang: 1, ticks: 1)))
        let performed = try app.words().compactMap {
            if case .perform(let action, _, _) = $0, action.kind == .answer, action.call == uuid { action } else { nil }
        }
        guard let action = performed.first else { return false }
        app.say(AppMessage.outcome(action.uuid, isFulfilled: true, at: nil).line)
        return try app.words().contains(.audio(isActive: true))
    }

    private func say(_ event: Event.Body) { worker.say(Event(at: 1, boot: 1, id: "w", body: event).line) }
}
