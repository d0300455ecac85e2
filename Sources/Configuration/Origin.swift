/// Where a value came from.
public enum Origin: Hashable, Sendable, CustomStringConvertible {
    /// Nobody wrote it.
    case standard
    /// A line of a file; 0 is the file as a whole.
    case file(path: String, line: Int)
    /// An environment variable.
    case environment(variable: String)

    /// `default`, `path:line` or `$VARIABLE`.
    public var description: String {
        switch self {
        case .standard: "default"
        case .file(let path, 0): path
        case .file(let path, let line): "\(path):\(line)"
        case .environment(let variable): "$\(variable)"
        }
    }
}
