import BelfryCommandLine
import BelfrySyscalls
import PushAPI

/// The endpoint that runs, as commands reach it: by its control socket.
enum RunningEndpoint {
    /// How long an answer is waited for, in seconds.
    private static let patienceSeconds = 5

    /// Sends `request`, and waits for what is answered.
    static func ask(_ request: ControlRequest, environment: Environment) throws(CommandError) -> ControlAnswer {
        guard let path = EndpointSocket.path(environment) else {
            throw CommandError(
                .unavailable, "there is no telling where the endpoint's socket is", "set XDG_RUNTIME_DIR")
        }
        let answer: [UInt8]
        do throws(SystemError) {
            answer = try CommandSocket.exchange(
                request.line, at: path, patienceSeconds: patienceSeconds, bytesMax: ControlAnswer.bytesMax)
        } catch {
            throw CommandError(
                .unavailable, "no endpoint answers: \(error)", "systemctl --user start belfry-apns.socket")
        }
        guard let understood = ControlAnswer(line: answer) else {
            throw CommandError(.unavailable, "the endpoint answers what nobody understands")
        }
        return understood
    }
}
