package import BelfryJSON
public import BelfryProtocol

/// What a command says to `belfry-calls`, in its only line.
public enum ClientMessage: Hashable, Sendable {
    /// It wants to know of each event of the apps, as it happens, as event lines.
    case watch
    /// It asks which apps there are.
    case listApps
    /// An app shall run, and its registry be there.
    case startApp(String)
    /// An app shall end.
    case stopApp(String)
    /// It asks which calls go on.
    case listCalls
    /// The person wants something done with the call that has this key or UUID; with the one that is active, if nil.
    case command(CallCommand, call: String?)
    /// A process, which `belfry-calls` had started, becomes the program of an app next.
    case becomesApp(String, pid: Int64)
}

/// The answer to a command: the apps, the calls, or what was wrong.
public enum ClientAnswer: Hashable, Sendable {
    /// Which apps there are, configured or running.
    case apps([ListedApp])
    /// Which calls go on, the oldest first.
    case calls([OngoingCall])
    /// What was asked for is done.
    case done
    /// There is no such call, and why, for people.
    case noCall(String)
    /// It cannot be done, and why, for people.
    case failed(String)
}

/// An app as commands list it.
public struct ListedApp: Hashable, Sendable {
    /// Its bundle identifier.
    public let id: String
    /// Its name for people; may be empty.
    public var name = ""
    /// Its folder; empty if it runs without being configured.
    public var path = ""
    /// Its process; nil if it does not run.
    public var pid: Int64?
    /// Whether its registry wants voip pushes.
    public var isRegistered = false
    /// How many of its calls live.
    public var calls: Int64 = 0
    /// Why it does not run, for people: how it ended last; empty if there is nothing to say.
    public var problem = ""

    /// An app.
    public init(id: String) { self.id = id }
}

extension ClientMessage {
    /// The message as its line, newline included.
    public var line: [UInt8] {
        switch self {
        case .watch: SaidLine.written("watch", [:])
        case .listApps: SaidLine.written("apps", [:])
        case .startApp(let id): SaidLine.written("start", ["app": .string(id)])
        case .stopApp(let id): SaidLine.written("stop", ["app": .string(id)])
        case .listCalls: SaidLine.written("calls", [:])
        case .command(let command, let call):
            SaidLine.written("command", command.json.with("call", call.map { .string($0) } ?? .null))
        case .becomesApp(let id, let pid): SaidLine.written("becomes", ["app": .string(id), "pid": .integer(pid)])
        }
    }

    /// Reads a line; nil for a message that a later version has added.
    public static func read(_ line: [UInt8]) throws(CallChannelError) -> ClientMessage? {
        try CallChannelError.reading(line) { (word, said) throws(JSONFieldError) in
            switch word {
            case "watch": return .watch
            case "apps": return .listApps
            case "start": return .startApp(try said.string("app"))
            case "stop": return .stopApp(try said.string("app"))
            case "calls": return .listCalls
            case "command": return .command(try CallCommand(said), call: try said.ifPresent("call", said.string))
            case "becomes": return .becomesApp(try said.string("app"), pid: try said.integer("pid"))
            default: return nil
            }
        }
    }
}

extension ClientAnswer {
    /// The answer as its line, newline included.
    public var line: [UInt8] {
        switch self {
        case .apps(let apps): SaidLine.written("apps", ["apps": .array(apps.map { .object($0.json) })])
        case .calls(let calls): SaidLine.written("calls", ["calls": .array(calls.map { .object($0.json) })])
        case .done: SaidLine.written("done", [:])
        case .noCall(let why): SaidLine.written("no-call", ["why": .string(why)])
        case .failed(let why): SaidLine.written("failed", ["why": .string(why)])
        }
    }

    /// Reads a line; nil for an answer that a later version has added.
    public static func read(_ line: [UInt8]) throws(CallChannelError) -> ClientAnswer? {
        try CallChannelError.reading(line) { (word, said) throws(JSONFieldError) in
            switch word {
            case "apps":
                var apps: [ListedApp] = []
                for fields in try said.fieldsOfEach("apps") { apps.append(try ListedApp(fields)) }
                return .apps(apps)
            case "calls":
                var calls: [OngoingCall] = []
                for fields in try said.fieldsOfEach("calls") { calls.append(try OngoingCall(fields)) }
                return .calls(calls)
            case "done": return .done
            case "no-call": return .noCall(try said.string("why"))
            case "failed": return .failed(try said.string("why"))
            default: return nil
            }
        }
    }
}

extension ListedApp {
    /// The app as `belfry app list --json` prints it.
    package var json: JSONObject {
        [
            "id": .string(id), "name": .string(name), "path": .string(path),
            "pid": pid.map { .integer($0) } ?? .null, "registered": .bool(isRegistered), "calls": .integer(calls),
            "problem": .string(problem),
        ]
    }

    fileprivate init(_ said: JSONFields) throws(JSONFieldError) {
        self.init(id: try said.string("id"))
        name = try said.string("name")
        path = try said.string("path")
        pid = try said.ifPresent("pid", said.integer)
        isRegistered = try said.bool("registered")
        calls = try said.integer("calls")
        problem = try said.string("problem")
    }
}
