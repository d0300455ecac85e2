import BelfryAppGroup
import BelfryCommandLine
import BelfrySyscalls
import BelfryTerms
import Fleet
import FleetKeys
import RingEar

/// The relay or agent of the fleet that a state directory belongs to, as commands reach it.
struct RunningMember {
    /// By which it joined.
    let credential: FleetCredential
    private let path: String

    /// The one of `state`; throws if that belongs to no fleet.
    init(_ state: StateDirectory, _ environment: Environment) throws(CommandError) {
        let known: FleetCredential?
        do throws(FleetError) { known = try FleetMembership(state: state).credential() } catch {
            throw CommandError(.unavailable, "\(error)", "see belfry fleet join --again")
        }
        guard let known else {
            throw CommandError(.notFound, "this machine belongs to no fleet", "see belfry fleet join")
        }
        credential = known
        let runtime = RuntimeDirectory(environment: environment, statePath: state.path)
        path = known.role == .gateway ? runtime.relaySocketPath : runtime.agentSocketPath
    }

    /// What it answers to the line `question`, as `read` reads it, within so many seconds.
    func ask<Answer>(
        _ question: [UInt8], patienceSeconds: Int, _ read: ([UInt8]) -> Answer?
    ) throws(CommandError) -> Answer {
        let line: [UInt8]
        do throws(SystemError) {
            line = try CommandSocket.exchange(
                question + [UInt8(ascii: "\n")], at: path, patienceSeconds: patienceSeconds,
                bytesMax: FleetStatus.bytesMax)
        } catch {
            throw CommandError(
                .unavailable, "\(credential) does not answer: \(error)",
                "systemctl --user enable --now \(credential.role.unit)")
        }
        guard let answer = read(line.last == UInt8(ascii: "\n") ? line.dropLast() : line) else {
            throw CommandError(
                .unavailable, "\(credential) answers what nobody understands", "is it of this version?")
        }
        return answer
    }
}
