public import UserNotifications

/// The device on which a call is heard.
public enum INCallAudioRoute: Int, Sendable {
    /// Unknown.
    case unknown
    /// Out loud.
    case speakerphoneAudioRoute
    /// By a headset.
    case bluetoothAudioRoute
}

/// What kind of call it is.
public enum INCallDestinationType: Int, Sendable {
    /// Unknown.
    case unknown
    /// To somebody.
    case normal
    /// For help.
    case emergency
    /// To the voice mail.
    case voicemail
    /// To the number called last.
    case redial
    /// Back to a caller.
    case callBack
    /// To one of several who help.
    case normalRepeat
}

/// What a call carries.
public enum INCallCapability: Int, Sendable {
    /// Unknown.
    case unknown
    /// Sound.
    case audioCall
    /// Sound and pictures.
    case videoCall
}

/// How calls ended.
public struct INCallRecordTypeOptions: OptionSet, Sendable {
    /// The options' bits.
    public let rawValue: UInt

    /// The options of these bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// To somebody.
    public static let outgoing = INCallRecordTypeOptions(rawValue: 1 << 0)
    /// From somebody, and missed.
    public static let missed = INCallRecordTypeOptions(rawValue: 1 << 1)
    /// From somebody, and answered.
    public static let received = INCallRecordTypeOptions(rawValue: 1 << 2)
    /// The latest of all.
    public static let latest = INCallRecordTypeOptions(rawValue: 1 << 3)
}

/// Selects earlier calls.
open class INCallRecordFilter: NSObject {
    /// The other people in them.
    public let participants: [INPerson]?
    /// How they ended.
    public let callTypes: INCallRecordTypeOptions
    /// What they carried.
    public let callCapability: INCallCapability

    /// Which calls.
    public init(participants: [INPerson]?, callTypes: INCallRecordTypeOptions, callCapability: INCallCapability) {
        self.participants = participants
        self.callTypes = callTypes
        self.callCapability = callCapability
        super.init()
    }
}

/// An earlier call. Its type is left out here.
open class INCallRecord: NSObject {
    /// Its identifier.
    public let identifier: String
    /// When it was.
    public let dateCreated: Date?
    /// What it carried.
    public let callCapability: INCallCapability
    /// Who called, or was called.
    public let participants: [INPerson]?

    /// An earlier call.
    public init(
        identifier: String, dateCreated: Date?, callCapability: INCallCapability, participants: [INPerson]? = nil
    ) {
        self.identifier = identifier
        self.dateCreated = dateCreated
        self.callCapability = callCapability
        self.participants = participants
        super.init()
    }
}

/// A call to somebody, or from somebody. Source: Apple, `INStartCallIntent`.
open class INStartCallIntent: INIntent {
    /// The earlier calls that it answers.
    public let callRecordFilter: INCallRecordFilter?
    /// The call that it answers.
    public let callRecordToCallBack: INCallRecord?
    /// The device on which it is heard.
    public let audioRoute: INCallAudioRoute
    /// What kind of call it is.
    public let destinationType: INCallDestinationType
    /// Who calls, or is called.
    public let contacts: [INPerson]?
    /// What it carries.
    public let callCapability: INCallCapability

    /// A call.
    public init(
        callRecordFilter: INCallRecordFilter?, callRecordToCallBack: INCallRecord?, audioRoute: INCallAudioRoute,
        destinationType: INCallDestinationType, contacts: [INPerson]?, callCapability: INCallCapability
    ) {
        self.callRecordFilter = callRecordFilter
        self.callRecordToCallBack = callRecordToCallBack
        self.audioRoute = audioRoute
        self.destinationType = destinationType
        self.contacts = contacts
        self.callCapability = callCapability
        super.init()
    }

    /// A call, as code for iOS 13 makes one.
    public convenience init(
        audioRoute: INCallAudioRoute, destinationType: INCallDestinationType, contacts: [INPerson]?,
        recordTypeForRedialing: INCallRecordTypeOptions, callCapability: INCallCapability
    ) {
        self.init(
            callRecordFilter: nil, callRecordToCallBack: nil, audioRoute: audioRoute,
            destinationType: destinationType, contacts: contacts, callCapability: callCapability)
    }

    override var donation: [String: String] {
        var donation = super.donation
        donation["contacts"] = contacts.map { INPerson.names(of: $0) }
        return donation
    }
}

extension INStartCallIntent: UNNotificationContentProviding {}

extension INStartCallIntent: ContentUpdating {
    /// The callers' names are the title, and the picture is that of the first one.
    package func update(_ content: UNMutableNotificationContent) throws {
        guard let contacts, let caller = contacts.first else { throw UNError(.contentProvidingInvalid) }
        content.title = contacts.map(\.displayName).joined(separator: ", ")
        content.show(image(forParameterNamed: \.contacts) ?? caller.image)
    }
}
