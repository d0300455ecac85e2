import BelfryAppleGround
import BelfryTerms
import KeeperChannel

/// Who began.
public enum INInteractionDirection: Int, Sendable {
    /// Nobody says.
    case unspecified
    /// The person whose device this is.
    case outgoing
    /// Somebody else.
    case incoming
}

/// What became of what was wanted.
public enum INIntentHandlingStatus: Int, Sendable {
    /// Nobody says.
    case unspecified
    /// Nothing is done yet.
    case ready
    /// Something is being done.
    case inProgress
    /// It is done.
    case success
    /// It cannot be done.
    case failure
    /// The app has to do it.
    case deferredToApplication
    /// The person has to say more.
    case userConfirmationRequired
}

/// What somebody did, for the system to know. Source: Apple, `INInteraction`.
open class INInteraction: NSObject, NSCopying {
    /// What was wanted.
    public let intent: INIntent
    /// What came of it.
    public let intentResponse: INIntentResponse?
    /// What became of it: nobody says.
    public let intentHandlingStatus = INIntentHandlingStatus.unspecified
    /// Who began.
    open var direction = INInteractionDirection.unspecified
    /// When it was, and how long.
    open var dateInterval: DateInterval?
    /// What tells it from others.
    open var identifier = UUID().uuidString
    /// What belongs to it is deleted together.
    open var groupIdentifier: String?

    /// What somebody did.
    public init(intent: INIntent, response: INIntentResponse?) {
        self.intent = intent
        intentResponse = response
        super.init()
    }

    /// Itself.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Tells the keeper, and keeps it in the extension's state; then calls `completion`, on another thread, with nil.
    open func donate(completion: (@Sendable ((any Error)?) -> Void)? = nil) {
        var donation = intent.donation
        donation["identifier"] = identifier
        donation["groupIdentifier"] = groupIdentifier
        donation["direction"] = ["unspecified", "outgoing", "incoming"][direction.rawValue]
        donation["donated"] = ISO8601DateFormatter().string(from: Date())
        KeeperDoor.ask(Asked(CodeWord(.donate), detail: donation["intent"] ?? ""))
        Donations.change({ [donation] in $0.append(donation) }, completion)
    }

    /// Tells the keeper, and keeps it in the extension's state.
    open func donate() async throws { await Donations.finished { donate(completion: $0) } }

    /// Forgets all that were told; then calls `completion`, on another thread, with nil.
    open class func deleteAll(completion: (@Sendable ((any Error)?) -> Void)? = nil) {
        Donations.change({ $0 = [] }, completion)
    }

    /// Forgets all that were told.
    open class func deleteAll() async throws { await Donations.finished { deleteAll(completion: $0) } }

    /// Forgets those with these identifiers; then calls `completion`, on another thread, with nil.
    open class func delete(with identifiers: [String], completion: (@Sendable ((any Error)?) -> Void)? = nil) {
        Donations.change({ $0.removeAll { identifiers.contains($0["identifier"] ?? "") } }, completion)
    }

    /// Forgets those with these identifiers.
    open class func delete(with identifiers: [String]) async throws {
        await Donations.finished { delete(with: identifiers, completion: $0) }
    }

    /// Forgets those of a group; then calls `completion`, on another thread, with nil.
    open class func delete(with groupIdentifier: String, completion: (@Sendable ((any Error)?) -> Void)? = nil) {
        Donations.change({ $0.removeAll { $0["groupIdentifier"] == groupIdentifier } }, completion)
    }

    /// Forgets those of a group.
    open class func delete(with groupIdentifier: String) async throws {
        await Donations.finished { delete(with: groupIdentifier, completion: $0) }
    }
}
