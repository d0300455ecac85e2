import BelfryCommandLine
import BelfryEventLoop
import BelfryJSON
import BelfryProtocol
import BelfryPush
import BelfryTerms

/// Whether a call is heard, seen and felt: `belfry doctor --ring`.
enum RingCheck {
    private static let ringing = TimeSpan.seconds(2)
    /// How long the call would ring without the hangup, which comes first: a test should leave no missed call.
    private static let duration = TimeSpan.seconds(10)
    private static let patience = TimeSpan.seconds(8)

    /// Rings for two seconds in every way, and reports the result of each.
    static func run(_ context: Context) -> [Finding] {
        guard context.options.has("ring") else { return [] }
        do throws(CommandError) {
            let events = try ringEvents(context)
            guard events.contains(where: { $0.name == "ringing" }) else {
                return [Finding(.fail, "ring", "nothing rang", mend: "see the findings above")]
            }
            let parts = events.compactMap { event -> String? in
                switch event.body {
                case .ringing(let ringing): "rang \(ringing.mode.rawValue)"
                case .sound(let state, _): "sound \(state.rawValue)"
                case .notification(let state, _): "notification \(state.rawValue)"
                case .vibration(let state, _): "vibration \(state.rawValue)"
                default: nil
                }
            }
            return [Finding(.ok, "ring", parts.joined(separator: ", "))]
        } catch {
            return [Finding(.fail, "ring", error.problem, mend: error.remedy)]
        }
    }

    private static func ringEvents(_ context: Context) throws(CommandError) -> [Event] {
        let loop = try Command.makeLoop()
        let socket = try context.socket()
        let id = "doctor-\(loop.now.microseconds)"
        let request = CallRequest(callID: id, callerName: "Belfry", duration: duration)
        var events: [Event] = []
        var failure: PushError?
        // As if another device had answered: that leaves no missed call, and runs no program.
        let hangup = Hangup(callID: id, reason: .answeredElsewhere).payload().serialized()
        var hangingUp: PushConnection?
        let call: PushConnection
        do throws(PushError) {
            call = try PushConnection(
                to: socket, sending: request.payload().serialized(), on: loop,
                onLine: { line in
                    guard let event = line.event else { return }
                    let isFirst = !events.contains { $0.name == "ringing" }
                    events.append(event)
                    guard event.name == "ringing", isFirst else { return }
                    _ = loop.schedule(at: loop.now + ringing, description: "hangup") {
                        hangingUp = try? PushConnection(
                            to: socket, sending: hangup, on: loop, onLine: { _ in }, onEnd: { _ in })
                    }
                },
                onEnd: { error in
                    failure = error
                    loop.stop()
                })
        } catch {
            throw CommandError(error)
        }
        _ = loop.schedule(at: loop.now + patience, description: "patience") { loop.stop() }
        loop.run()
        call.cancel()
        hangingUp?.cancel()
        if let failure { throw CommandError(failure) }
        return events
    }
}
