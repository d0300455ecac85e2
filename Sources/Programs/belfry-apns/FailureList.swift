import BelfryDevices
import BelfryJSON
import BelfryTerms
import PushAPI

/// What `belfry apns list` shows of the answers that testers have asked for and that are still to come.
struct FailureList {
    private let faults: [AnswerFault]
    private let moreCount: Int

    /// What an endpoint has answered; none if it has answered nothing of the kind.
    init(_ answer: ControlAnswer?) {
        switch answer {
        case .faults(let faults, let more): (self.faults, moreCount) = (faults, more)
        case .done, .refused, .waiting, nil: (faults, moreCount) = ([], 0)
        }
    }

    /// A line for each, the next one first: `fail 503 ServiceUnavailable, 2 times`.
    var lines: [String] {
        let told = faults.map { fault in
            var line = "fail \(fault.status)"
            if !fault.reason.isEmpty { line += " \(fault.reason)" }
            line += fault.times == 1 ? ", once" : ", \(fault.times) times"
            if let token = fault.token { line += ", token \(token.hex)" }
            if fault.delay > .zero { line += ", \(Double(fault.delay.microseconds) / 1e6) s late" }
            return line
        }
        return moreCount > 0 ? told + ["fail: and \(moreCount) more"] : told
    }

    /// The same as objects.
    var json: JSONValue {
        .array(
            faults.map { fault in
                var object: JSONObject = [
                    "status": .integer(Int64(fault.status)), "reason": .string(fault.reason),
                    "times": .integer(Int64(fault.times)), "seconds": .real(Double(fault.delay.microseconds) / 1e6),
                ]
                object["token"] = fault.token.map { .string($0.hex) }
                return .object(object)
            })
    }
}
