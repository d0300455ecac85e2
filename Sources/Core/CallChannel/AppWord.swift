import BelfryJSON
public import BelfryTerms

/// What `belfry-calls` says to an app.
public enum AppWord: Hashable, Sendable {
    /// The first: where the app is.
    case welcome(AppWelcome)
    /// The app is refused, and why: one process is each app.
    case refused(String)
    /// The token at which push servers reach the app's registry, in bytes.
    case token([UInt8])
    /// Its token counts no longer.
    case tokenInvalid
    /// A push for its registry. `mustReport` as in `PKVoIPPushMetadata`.
    case push(Int64, payload: String, mustReport: Bool)
    /// The completion of its report with this number; the error is of `CXErrorCodeIncomingCallError`, nil for none.
    case reported(Int64, error: Int64?)
    /// The completion of its request with this number; the error is of `CXErrorCodeRequestTransactionError`.
    case requested(Int64, error: Int64?)
    /// The delegate is to perform this action of a transaction, which times out after `timeout`.
    case perform(CallAction, transaction: CallUUID, timeout: TimeSpan)
    /// An action's time is over.
    case timedOut(CallUUID)
    /// The audio session is active now, or no longer.
    case audio(isActive: Bool)
    /// All calls are gone: `providerDidReset`.
    case reset
    /// The calls of all apps; one that ended is in it once more.
    case calls([ObservedCall])
    /// The answer to its question of the call directory with this number: whether the extension is enabled, nil where
    /// that was not asked or is not known; the error is of `CXErrorCodeCallDirectoryManagerError`, nil for none.
    case directory(Int64, isEnabled: Bool?, error: Int64?)
    /// The app shall end.
    case stop
}

/// What an app has to know first.
public struct AppWelcome: Hashable, Sendable {
    /// The state directory, which holds the groups' containers.
    public let stateDirectory: String
    /// The person's address book, a file of vCards; nil if there is none.
    public let contactsFile: String?

    /// A welcome.
    public init(stateDirectory: String, contactsFile: String? = nil) {
        self.stateDirectory = stateDirectory
        self.contactsFile = contactsFile
    }
}

extension AppWord {
    /// The word as its line, newline included.
    public var line: [UInt8] {
        switch self {
        case .welcome(let welcome):
            SaidLine.written(
                "welcome",
                [
                    "stateDirectory": .string(welcome.stateDirectory),
                    "contactsFile": welcome.contactsFile.map { .string($0) } ?? .null,
                ])
        case .refused(let why): SaidLine.written("refused", ["why": .string(why)])
        case .token(let bytes): SaidLine.written("token", ["bytes": .array(bytes.map { .integer(Int64($0)) })])
        case .tokenInvalid: SaidLine.written("token-invalid", [:])
        case .push(let number, let payload, let mustReport):
            SaidLine.written(
                "push",
                ["n": .integer(number), "payload": .string(payload), "mustReport": .bool(mustReport)])
        case .reported(let number, let error):
            SaidLine.written("reported", ["n": .integer(number), "error": error.map { .integer($0) } ?? .null])
        case .requested(let number, let error):
            SaidLine.written("requested", ["n": .integer(number), "error": error.map { .integer($0) } ?? .null])
        case .perform(let action, let transaction, let timeout):
            SaidLine.written(
                "perform",
                [
                    "action": action.json, "transaction": .string(transaction.text),
                    "timeout": .integer(timeout.microseconds),
                ])
        case .timedOut(let action): SaidLine.written("timed-out", ["action": .string(action.text)])
        case .audio(let isActive): SaidLine.written("audio", ["active": .bool(isActive)])
        case .reset: SaidLine.written("reset", [:])
        case .calls(let calls): SaidLine.written("calls", ["calls": .array(calls.map(\.json))])
        case .directory(let number, let isEnabled, let error):
            SaidLine.written(
                "directory",
                [
                    "n": .integer(number), "enabled": isEnabled.map { .bool($0) } ?? .null,
                    "error": error.map { .integer($0) } ?? .null,
                ])
        case .stop: SaidLine.written("stop", [:])
        }
    }

    /// Reads a line; nil for a word that a later version has added.
    public static func read(_ line: [UInt8]) throws(CallChannelError) -> AppWord? {
        try CallChannelError.reading(line) { (word, said) throws(JSONFieldError) in try AppWord(word, said) }
    }

    private init?(_ word: String, _ said: JSONFields) throws(JSONFieldError) {
        switch word {
        case "welcome":
            self = .welcome(
                AppWelcome(
                    stateDirectory: try said.string("stateDirectory"),
                    contactsFile: try said.ifPresent("contactsFile", said.string)))
        case "refused": self = .refused(try said.string("why"))
        case "token": self = .token(try said.bytes("bytes"))
        case "token-invalid": self = .tokenInvalid
        case "push":
            self = .push(
                try said.integer("n"), payload: try said.string("payload"), mustReport: try said.bool("mustReport"))
        case "reported":
            self = .reported(try said.integer("n"), error: try said.ifPresent("error", said.integer))
        case "requested":
            self = .requested(try said.integer("n"), error: try said.ifPresent("error", said.integer))
        case "perform":
            self = .perform(
                try said.action("action"), transaction: try said.uuid("transaction"),
                timeout: TimeSpan(microseconds: try said.integer("timeout")))
        case "timed-out": self = .timedOut(try said.uuid("action"))
        case "audio": self = .audio(isActive: try said.bool("active"))
        case "reset": self = .reset
        case "calls":
            var calls: [ObservedCall] = []
            for fields in try said.fieldsOfEach("calls") { calls.append(try ObservedCall(fields)) }
            self = .calls(calls)
        case "directory":
            self = .directory(
                try said.integer("n"), isEnabled: try said.ifPresent("enabled", said.bool),
                error: try said.ifPresent("error", said.integer))
        case "stop": self = .stop
        default: return nil
        }
    }
}
