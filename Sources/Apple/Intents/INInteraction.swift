import BelfryAppleGround
import BelfryTerms
import KeeperChannel

/// Who began it.
public enum INInteractionDirection: Int, Sendable {
    /// Not stated.
    case unspecified
    /// The person whose device this is.
    case outgoing
    /// Another person.
    case incoming
}

/// How an intent was handled.
public enum INIntentHandlingStatus: Int, Sendable {
    /// Not stated.
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
    /// The person has to confirm it.
    case userConfirmationRequired
}

/// What a person did, to be donated to the system. Source: Apple, `INInteraction`.
open class INInteraction: NSObject, NSCopying {
    /// The intent.
    public let intent: INIntent
    /// Its result.
    public let intentResponse: INIntentResponse?
    /// How it was handled: never stated.
    public let intentHandlingStatus = INIntentHandlingStatus.unspecified
    /// Who began it.
    open var direction = INInteractionDirection.unspecified
    /// Its time and duration.
    open var dateInterval: DateInterval?
    /// Its identifier.
    open var identifier = UUID().uuidString
    /// The group of interactions with which it can be deleted.
    open var groupIdentifier: String?

    /// An interaction.
    public init(intent: INIntent, response: INIntentResponse?) {
        self.intent = intent
        intentResponse = response
        super.init()
    }

    /// Itself.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Reports it to the keeper, and keeps it in the extension's state; then calls `completion`, on another thread,
    /// with nil.
    @preconcurrency open func donate(completion: (@Sendable ((any Error)?) -> Void)? = nil) {
        var donation = intent.donation
        donation["identifier"] = identifier
        donation["groupIdentifier"] = groupIdentifier
        donation["direction"] = ["unspecified", "outgoing", "incoming"][direction.rawValue]
        donation["donated"] = ISO8601DateFormatter().string(from: Date())
        KeeperDoor.ask(Asked(CodeWord(.donate), detail: donation["intent"] ?? ""))
        Donations.change({ [donation] in $0.append(donation) }, completion)
    }

    /// Reports it to the keeper, and keeps it in the extension's state.
    open func donate() async throws { await Donations.finished { donate(completion: $0) } }

    /// Forgets all donated interactions; then calls `completion`, on another thread, with nil.
    @preconcurrency open class func deleteAll(completion: (@Sendable ((any Error)?) -> Void)? = nil) {
        Donations.change({ $0 = [] }, completion)
    }

    /// Forgets all donated interactions.
    open class func deleteAll() async throws { await Donations.finished { deleteAll(completion: $0) } }

    /// Forgets those with these identifiers; then calls `completion`, on another thread, with nil.
    @preconcurrency
    open class func delete(with identifiers: [String], completion: (@Sendable ((any Error)?) -> Void)? = nil) {
        Donations.change({ $0.removeAll { identifiers.contains($0["identifier"] ?? "") } }, completion)
    }

    /// Forgets those with these identifiers.
    open class func delete(with identifiers: [String]) async throws {
        await Donations.finished { delete(with: identifiers, completion: $0) }
    }

    /// Forgets those of a group; then calls `completion`, on another thread, with nil.
    @preconcurrency
    open class func delete(with groupIdentifier: String, completion: (@Sendable ((any Error)?) -> Void)? = nil) {
        Donations.change({ $0.removeAll { $0["groupIdentifier"] == groupIdentifier } }, completion)
    }

    /// Forgets those of a group.
    open class func delete(with groupIdentifier: String) async throws {
        await Donations.finished { delete(with: groupIdentifier, completion: $0) }
    }
}
