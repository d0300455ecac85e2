import BelfryCommandLine
import BelfryDevices
import BelfrySyscalls
import Fleet
import Glibc
import RingEar

/// The agent of a machine that joined a fleet, as commands reach it: the devices of such a machine are written down by
/// a gateway before they are here.
struct RunningAgent {
    /// How long an answer is waited for, in seconds: the agent itself asks gateways for a while less.
    private static let patienceSeconds = 12
    private static let hint = "systemctl --user status belfry-agent.service"

    private let path: String

    /// The one of the user whose `runtime` directory this is.
    init(in runtime: RuntimeDirectory) { path = runtime.agentSocketPath }

    /// Adds a device of this description, and returns it with its tokens.
    func add(_ device: DeviceQuestion.Addition) throws(CommandError) -> NamedDevice {
        guard case .devices(let devices, _) = try ask(.add(device)), devices.count == 1, devices[0].id == device.id
        else { throw Self.notUnderstood }
        return devices[0]
    }

    /// Asks `question`, of a device that there is, and waits until it is done.
    func change(_ question: DeviceQuestion) throws(CommandError) {
        guard case .done = try ask(question) else { throw Self.notUnderstood }
    }

    /// The answer to `question`, if that is no refusal.
    private func ask(_ question: DeviceQuestion) throws(CommandError) -> DeviceAnswer {
        let line: [UInt8]
        do throws(SystemError) {
            line = try CommandSocket.exchange(
                question.bytes + [UInt8(ascii: "\n")], at: path, patienceSeconds: Self.patienceSeconds,
                bytesMax: DeviceQuestion.bytesMax)
        } catch  where error.errno == EAGAIN {
            line = []
        } catch {
            throw CommandError(
                .unavailable, "this machine belongs to a fleet, and its agent does not answer: \(error)",
                "systemctl --user enable --now belfry-agent.service")
        }
        guard !line.isEmpty else {
            throw CommandError(.unavailable, "the agent of this machine does not answer in time", Self.hint)
        }
        let answer: DeviceAnswer?
        do throws(FleetMessageError) {
            answer = try DeviceAnswer.read(line.last == UInt8(ascii: "\n") ? line.dropLast() : line)
        } catch { throw Self.notUnderstood }
        guard let answer else { throw Self.notUnderstood }
        if case .refused(let reason, let detail) = answer { throw Self.error(reason, detail) }
        return answer
    }

    private static var notUnderstood: CommandError {
        CommandError(.unavailable, "the agent answers what nobody understands", "is it of this version?")
    }

    private static func error(_ reason: DeviceRefusal, _ detail: String) -> CommandError {
        let told = detail.isEmpty ? "" : ": \(detail)"
        return switch reason {
        case .unavailable: CommandError(.unavailable, "nothing was changed\(told)", hint)
        case .machineFull: CommandError(.unavailable, "this machine has as many devices as one may have\(told)")
        case .fleetFull: CommandError(.unavailable, "the fleet has as many devices as it may have\(told)")
        case .claimed: CommandError(.unavailable, "another machine has that device\(told)")
        case .unknownDevice:
            CommandError(.notFound, "the fleet has no such device in use\(told)", "see belfry device list")
        case .malformed:
            CommandError(.unavailable, "the gateway does not understand it\(told)", "upgrade gateways first")
        }
    }
}
