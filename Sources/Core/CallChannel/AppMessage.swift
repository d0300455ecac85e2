import BelfryJSON
public import BelfryTerms

/// What an app says to `belfry-calls`. The order on its connection is the order of its calls: a report before
/// ``returned(push:form:)`` was made in time.
public enum AppMessage: Hashable, Sendable {
    /// The first line: who it is.
    case hello(AppHello)
    /// It has a provider, or has changed its configuration.
    case provider(ProviderSettings)
    /// The file beside this line is the tune of that name, which ``ProviderSettings/ringtoneSound`` asks for.
    case tone(String)
    /// It has invalidated its provider.
    case invalidated
    /// The push types that its registry wants, of which Belfry brings `voip` (`PKPushType.voIP`); empty for none.
    case registry([String])
    /// It reports an incoming call.
    case report(CallReport)
    /// It says more of a call.
    case update(CallUUID, CallUpdate)
    /// It says that a call is over; nil for now.
    case end(CallUUID, CallEndedReason, at: WallTime?)
    /// It says how far an outgoing call is; nil for now.
    case outgoing(CallUUID, OutgoingStep, at: WallTime?)
    /// It asks for a transaction, with the number `n` of its choice.
    case request(Int64, transaction: CallUUID, [CallAction])
    /// Its delegate was called for an action, and has returned; `isImplemented` if it has that method.
    case performed(CallUUID, isImplemented: Bool)
    /// An action's outcome; nil for now.
    case outcome(CallUUID, isFulfilled: Bool, at: WallTime?)
    /// The receive method for the push with this number has returned.
    case returned(push: Int64, form: ReceiveForm)
    /// The completion handler of the push with this number was called.
    case completed(push: Int64)
    /// It asks the call directory, with the number `n` of its choice.
    case directory(Int64, DirectoryQuestion)
    /// A mistake that shows in the app itself.
    case warning(CodeWord<WarningCode>, detail: String)
}

/// How far an outgoing call is.
public enum OutgoingStep: String, CaseIterable, Sendable {
    /// The other side is being called.
    case connecting
    /// The other side has answered.
    case connected
}

/// Who an app is.
public struct AppHello: Hashable, Sendable {
    /// Its bundle identifier.
    public let id: String
    /// Its process.
    public let pid: Int64
    /// Its version of the channel: 1.
    public var version: Int64 = 1
    /// Its name for people, of ``nameBytesMax`` at most; empty if its `Info.plist` has none.
    public var name = ""
    /// Whether `UIBackgroundModes` of its `Info.plist` has `voip`.
    public var hasVoIPMode = false
    /// `aps-environment` of its `Info.plist`: `development` or `production`; nil if it is absent.
    public var environment: String?

    /// How long its name may be, in bytes.
    public static let nameBytesMax = 1_024

    /// An app.
    public init(id: String, pid: Int64) {
        self.id = id
        self.pid = pid
    }
}

/// A report of an incoming call.
public struct CallReport: Hashable, Sendable {
    /// The number that the app gave it: with it its completion comes.
    public let number: Int64
    /// The call.
    public let uuid: CallUUID
    /// What is said of it.
    public var update: CallUpdate
    /// The push whose delivery the reporting code belongs to; nil if that is not known.
    public var push: Int64?

    /// A report.
    public init(_ number: Int64, of uuid: CallUUID, _ update: CallUpdate, push: Int64? = nil) {
        (self.number, self.uuid, self.update, self.push) = (number, uuid, update, push)
    }
}

extension AppMessage {
    /// The message as its line, newline included.
    public var line: [UInt8] {
        switch self {
        case .hello(let hello):
            SaidLine.written(
                "hello",
                [
                    "id": .string(hello.id), "pid": .integer(hello.pid), "version": .integer(hello.version),
                    "name": .string(hello.name), "voip": .bool(hello.hasVoIPMode),
                    "environment": hello.environment.map { .string($0) } ?? .null,
                ])
        case .provider(let settings): SaidLine.written("provider", ["configuration": settings.json])
        case .tone(let name): SaidLine.written("tone", ["name": .string(name)])
        case .invalidated: SaidLine.written("invalidated", [:])
        case .registry(let types): SaidLine.written("registry", ["types": .array(types.map { .string($0) })])
        case .report(let report):
            SaidLine.written(
                "report",
                [
                    "n": .integer(report.number), "uuid": .string(report.uuid.text), "update": report.update.json,
                    "push": report.push.map { .integer($0) } ?? .null,
                ])
        case .update(let call, let update):
            SaidLine.written("update", ["uuid": .string(call.text), "update": update.json])
        case .end(let call, let reason, let at):
            SaidLine.written(
                "end", ["uuid": .string(call.text), "reason": .integer(reason.rawValue), "at": Self.json(at)])
        case .outgoing(let call, let step, let at):
            SaidLine.written(
                "outgoing", ["uuid": .string(call.text), "step": .string(step.rawValue), "at": Self.json(at)])
        case .request(let number, let transaction, let actions):
            SaidLine.written(
                "request",
                [
                    "n": .integer(number), "transaction": .string(transaction.text),
                    "actions": .array(actions.map(\.json)),
                ])
        case .performed(let action, let isImplemented):
            SaidLine.written("performed", ["action": .string(action.text), "implemented": .bool(isImplemented)])
        case .outcome(let action, let isFulfilled, let at):
            SaidLine.written(
                "outcome",
                ["action": .string(action.text), "fulfilled": .bool(isFulfilled), "at": Self.json(at)])
        case .returned(let push, let form):
            SaidLine.written("returned", ["push": .integer(push), "form": .string(form.rawValue)])
        case .completed(let push): SaidLine.written("completed", ["push": .integer(push)])
        case .directory(let number, let question):
            SaidLine.written("directory", question.json(numbered: number))
        case .warning(let code, let detail):
            SaidLine.written("warning", ["code": .string(code.rawValue), "detail": .string(detail)])
        }
    }

    private static func json(_ time: WallTime?) -> JSONValue { time.map { .integer($0.microseconds) } ?? .null }

    /// Reads a line; nil for a message that a later version has added.
    public static func read(_ line: [UInt8]) throws(CallChannelError) -> AppMessage? {
        try CallChannelError.reading(line) { (word, said) throws(JSONFieldError) in try AppMessage(word, said) }
    }

    private init?(_ word: String, _ said: JSONFields) throws(JSONFieldError) {
        switch word {
        case "hello": self = .hello(try AppHello(said))
        case "provider": self = .provider(try ProviderSettings(said.fields("configuration")))
        case "tone": self = .tone(try said.short("name"))
        case "invalidated": self = .invalidated
        case "registry": self = .registry(try said.strings("types"))
        case "report":
            self = .report(
                CallReport(
                    try said.integer("n"), of: try said.uuid("uuid"), try said.update("update"),
                    push: try said.ifPresent("push", said.integer)))
        case "update": self = .update(try said.uuid("uuid"), try said.update("update"))
        case "end":
            self = .end(
                try said.uuid("uuid"), CallEndedReason(rawValue: try said.integer("reason", in: 1...5)) ?? .failed,
                at: try said.ifPresent("at", said.wallTime))
        case "outgoing":
            self = .outgoing(
                try said.uuid("uuid"), try said.word("step", OutgoingStep.init),
                at: try said.ifPresent("at", said.wallTime))
        case "request":
            var actions: [CallAction] = []
            for fields in try said.fieldsOfEach("actions") { actions.append(try CallAction(fields)) }
            self = .request(try said.integer("n"), transaction: try said.uuid("transaction"), actions)
        case "performed": self = .performed(try said.uuid("action"), isImplemented: try said.bool("implemented"))
        case "outcome":
            self = .outcome(
                try said.uuid("action"), isFulfilled: try said.bool("fulfilled"),
                at: try said.ifPresent("at", said.wallTime))
        case "returned":
            self = .returned(push: try said.integer("push"), form: try said.word("form", ReceiveForm.init))
        case "completed": self = .completed(push: try said.integer("push"))
        case "directory": self = .directory(try said.integer("n"), try DirectoryQuestion(said))
        case "warning":
            self = .warning(CodeWord(rawValue: try said.short("code")), detail: try said.string("detail"))
        default: return nil
        }
    }
}

extension AppHello {
    fileprivate init(_ said: JSONFields) throws(JSONFieldError) {
        self.init(id: try said.string("id"), pid: try said.integer("pid"))
        version = try said.integer("version")
        name = try said.short("name", bytesMax: Self.nameBytesMax)
        hasVoIPMode = try said.bool("voip")
        environment = try said.ifPresent("environment", said.string)
    }
}
