import CallChannel
import CallDirectory

extension AppMessage {
    /// What `lookUp` knows of the number that this names, between an app's report and its ring (R24); nothing where it
    /// names none, or apps' calls are not looked up.
    func number(by lookUp: NumberLookUp?, complain: (String) -> Void) -> NumberVerdict {
        let handle: CallHandle? =
            switch self {
            case .report(let report): report.update.handle
            case .update(_, let update): update.handle
            default: nil
            }
        guard let lookUp, let handle, handle.kind != .emailAddress else { return NumberVerdict() }
        return lookUp(handle.value, complain)
    }
}
