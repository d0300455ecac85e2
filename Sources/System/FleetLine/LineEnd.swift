/// Why a line ended, or never was.
public enum LineEnd: Error, Hashable, Sendable {
    /// The broker does not let this credential in, or not any more; in the broker's words.
    case denied(String)
    /// What answers is no broker of the fleet; why.
    case untrusted(String)
    /// Nothing answers there, or not in time; why.
    case unreachable(String)
    /// It was up, and the broker or the network ended it; why.
    case closed(String)
    /// It was up, and the broker missed two pings.
    case silent

    /// Whether `text`, the broker's, refuses a credential. "Authentication Timeout" does not: that broker is busy.
    static func isDenial(_ text: String) -> Bool {
        let text = text.lowercased()
        return text.contains("authorization violation") || text.contains("authentication expired")
            || text.contains("authentication revoked")
    }
}

extension LineEnd: CustomStringConvertible {
    /// For people.
    public var description: String {
        switch self {
        case .denied(let why): "denied: \(why)"
        case .untrusted(let why): "not trusted: \(why)"
        case .unreachable(let why): "not reached: \(why)"
        case .closed(let why): "ended: \(why)"
        case .silent: "ended: two pings missed"
        }
    }
}
