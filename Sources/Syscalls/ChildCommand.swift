/// What a child process runs, with what around it.
public struct ChildCommand: Sendable {
    /// What a child's descriptor is connected to.
    public enum Stream: Sendable {
        /// The descriptor of this process with that number, which stays open here.
        case descriptor(Int32)
        /// `/dev/null`, for reading and writing.
        case null
    }

    /// The program's path; nothing is looked up in PATH.
    public var path: String
    /// Its arguments after the program's own name.
    public var arguments: [String]
    /// Its whole environment; nil for this process's own.
    public var environment: [String: String]?
    /// Its descriptors. Those that are not named, and of this process every one but 0, 1 and 2, are closed.
    public var streams: [Int32: Stream]
    /// Whether it leads a process group of its own, so that it can be killed with all its children.
    public var leadsGroup = false
    /// The directory it starts in; nil for this process's own.
    public var workingDirectory: String?

    /// `path` with `arguments`; standard input, output and error are this process's own unless `streams` says
    /// otherwise.
    public init(
        path: String,
        arguments: [String] = [],
        environment: [String: String]? = nil,
        streams: [Int32: Stream] = [:]
    ) {
        self.path = path
        self.arguments = arguments
        self.environment = environment
        self.streams = streams
    }
}

/// How a child process ended.
public enum ChildExit: Hashable, Sendable {
    /// It exited with this code.
    case exited(code: Int32)
    /// This signal killed it.
    case killed(signal: Int32)

    /// Whether it exited with 0.
    public var isSuccess: Bool { self == .exited(code: 0) }
}
