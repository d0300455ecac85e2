import BelfryProtocol
import Support

/// A run as a time-line that a person reads.
final class Story {
    private let machine: Machine
    private let tells: Bool
    private(set) var lines: [String] = []

    init(machine: Machine, tells: Bool) {
        (self.machine, self.tells) = (machine, tells)
    }

    func tell(_ what: @autoclosure () -> String) {
        guard tells else { return }
        let microseconds = machine.time.now
        let fraction = "\(microseconds % 1_000_000 + 1_000_000)".dropFirst()
        // Swift names the module of each word.
        let text = ["BelfryTerms.", "simulate."].reduce(what()) { $0.replacing($1, with: "") }
        lines.append("\(microseconds / 1_000_000).\(fraction)  \(text)")
    }

    /// What a worker tells, in short.
    static func words(of body: Event.Body) -> String {
        switch body {
        case .received(let received): "received \(received.type)\(received.why.map { ", \($0)" } ?? "")"
        case .ringing(let ringing): "rings \(ringing.mode) for \(ringing.duration) s"
        case .silent(_, let why, _): "is silent: \(why)"
        case .tick(let n, let late): "tick \(n)\(late < 0.01 ? "" : ", \(late) s late")"
        case .attachment(let attachment): "picture \(attachment.outcome)"
        case .delivered(let by, _, _): "delivers by \(by)"
        case .ended(let ended): "ends: \(ended.reason)\(ended.hangupReason.map { " (\($0))" } ?? "")"
        case .missed: "missed"
        case .warning(let code, let detail): "warning \(code): \(detail)"
        case .rejected(let reason, _): "rejected: \(reason)"
        default: "\(body)"
        }
    }
}
