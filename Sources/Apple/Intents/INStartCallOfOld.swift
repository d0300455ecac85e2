public import BelfryAppleGround

// How an app learns before iOS 13 whom the person wants to call. Source: Apple, INStartAudioCallIntent.h and its like.

/// The type of an activity with an ``INStartCallIntent``.
public let INStartCallIntentIdentifier = "INStartCallIntent"
/// The type of an activity with an ``INStartAudioCallIntent``.
public let INStartAudioCallIntentIdentifier = "INStartAudioCallIntent"
/// The type of an activity with an ``INStartVideoCallIntent``.
public let INStartVideoCallIntentIdentifier = "INStartVideoCallIntent"

/// A call with sound to somebody. Source: Apple, `INStartAudioCallIntent`.
open class INStartAudioCallIntent: INIntent {
    /// What kind of call it is.
    public let destinationType: INCallDestinationType
    /// Who is called.
    public let contacts: [INPerson]?

    /// A call.
    public init(destinationType: INCallDestinationType = .unknown, contacts: [INPerson]?) {
        self.destinationType = destinationType
        self.contacts = contacts
        super.init()
    }

    override var donation: [String: String] {
        var donation = super.donation
        donation["contacts"] = contacts.map { INPerson.names(of: $0) }
        return donation
    }
}

/// A call with sound and pictures to somebody. Source: Apple, `INStartVideoCallIntent`.
open class INStartVideoCallIntent: INIntent {
    /// Who is called.
    public let contacts: [INPerson]?

    /// A call.
    public init(contacts: [INPerson]?) {
        self.contacts = contacts
        super.init()
    }

    override var donation: [String: String] {
        var donation = super.donation
        donation["contacts"] = contacts.map { INPerson.names(of: $0) }
        return donation
    }
}

extension INPerson {
    /// The names of `people` as a donation has them.
    static func names(of people: [INPerson]) -> String { people.map(\.displayName).joined(separator: ", ") }
}

extension NSUserActivity {
    /// What the person did for which the app was asked to go on; nil unless the system has set it.
    public var interaction: INInteraction? { interactionObject as? INInteraction }
}
