import BelfryJSON
public import BelfryProtocol
public import BelfryTerms
public import CallDirectory

/// What the keeper says to an extension's process, one JSON object a line.
public enum KeeperMessage: Hashable, Sendable {
    /// The first word: where the process is.
    case hello(KeeperGreeting)
    /// A notification to receive.
    case request(ExtensionRequest)
    /// The time of the notification with this number is nearly over.
    case expire(Int64)
    /// What was asked for with this token is over: a sound has played, or could not.
    case finished(Int64)
    /// The entries of a call directory's extension are wanted: perhaps only what has changed since the last load.
    case begin(isIncremental: Bool)
    /// A batch or a removal of entries was taken; or it was refused, and the load with it.
    case answer(DirectoryFailure?)
    /// The load is over; it came to nothing if it `isExpired`.
    case completed(isExpired: Bool)
}

/// What a process has to know before it receives anything.
public struct KeeperGreeting: Hashable, Sendable {
    /// The state directory, which holds the groups' containers.
    public let stateDirectory: String
    /// How many bytes of memory of its own the process may have, as iOS counts.
    public let memoryBytesMax: Int64
    /// The person's address book, a file of vCards; nil if the process may not read one.
    public let contactsFile: String?

    /// A greeting.
    public init(stateDirectory: String, memoryBytesMax: Int64, contactsFile: String? = nil) {
        self.stateDirectory = stateDirectory
        self.memoryBytesMax = memoryBytesMax
        self.contactsFile = contactsFile
    }
}

/// A notification as it is handed over to a process.
public struct ExtensionRequest: Hashable, Sendable {
    /// Its number, with which both ends refer to it.
    public let number: Int64
    /// `UNNotificationRequest.identifier`: the push's collapse id, else its own.
    public let identifier: String
    /// What it shows as it came.
    public let content: NotificationContent
    /// The end of its budget.
    public let deadline: Instant

    /// A request.
    public init(number: Int64, identifier: String, content: NotificationContent, deadline: Instant) {
        self.number = number
        self.identifier = identifier
        self.content = content
        self.deadline = deadline
    }
}

extension KeeperMessage {
    /// The message as its line, newline included.
    public var line: [UInt8] { json.serialized() + [UInt8(ascii: "\n")] }

    private var json: JSONObject {
        switch self {
        case .hello(let greeting):
            [
                "say": "hello", "stateDirectory": .string(greeting.stateDirectory),
                "memoryBytesMax": .integer(greeting.memoryBytesMax),
                "contactsFile": greeting.contactsFile.map { .string($0) } ?? .null,
            ]
        case .request(let request):
            [
                "say": "request", "number": .integer(request.number), "identifier": .string(request.identifier),
                "content": .object(request.content.json), "deadline": .integer(request.deadline.microseconds),
            ]
        case .expire(let number): ["say": "expire", "number": .integer(number)]
        case .finished(let token): ["say": "finished", "token": .integer(token)]
        case .begin(let isIncremental): ["say": "begin", "incremental": .bool(isIncremental)]
        case .answer(let failure):
            [
                "say": "answer", "code": failure.map { .integer(Int64($0.code.rawValue)) } ?? .null,
                "text": failure.map { .string($0.description) } ?? .null,
            ]
        case .completed(let isExpired): ["say": "completed", "expired": .bool(isExpired)]
        }
    }

    /// Reads a line; nil for a message that a later version has added.
    init?(_ word: String, _ said: JSONFields) throws(JSONFieldError) {
        switch word {
        case "hello":
            self = .hello(
                KeeperGreeting(
                    stateDirectory: try said.string("stateDirectory"),
                    memoryBytesMax: try said.integer("memoryBytesMax"),
                    contactsFile: try said.ifPresent("contactsFile", said.string)))
        case "request":
            self = .request(
                ExtensionRequest(
                    number: try said.integer("number"), identifier: try said.string("identifier"),
                    content: try said.content("content"),
                    deadline: Instant(microseconds: try said.integer("deadline"))))
        case "expire": self = .expire(try said.integer("number"))
        case "finished": self = .finished(try said.integer("token"))
        case "begin": self = .begin(isIncremental: try said.bool("incremental"))
        case "answer":
            let failure = try said.ifPresent("code") { (key) throws(JSONFieldError) in
                let code = DirectoryFailure.Code(rawValue: Int(try said.integer(key)))
                return DirectoryFailure(code ?? .unknown, try said.string("text"))
            }
            self = .answer(failure)
        case "completed": self = .completed(isExpired: try said.bool("expired"))
        default: return nil
        }
    }
}
