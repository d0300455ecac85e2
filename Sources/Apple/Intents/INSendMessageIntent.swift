public import UserNotifications

/// The kind of a message's content.
public enum INOutgoingMessageType: Int, Sendable {
    /// Unknown.
    case unknown
    /// Text.
    case outgoingMessageText
    /// Speech.
    case outgoingMessageAudio
}

/// A file that is sent along.
open class INSendMessageAttachment: NSObject {
    /// A recording of speech.
    public let audioMessageFile: INFile?

    private init(_ file: INFile) {
        audioMessageFile = file
        super.init()
    }

    /// A recording of speech.
    public convenience init(audioMessageFile: INFile) { self.init(audioMessageFile) }
}

/// A file, as a value. Source: Apple, `INFile`.
open class INFile: NSObject {
    /// Its content.
    public let data: Data
    /// Its name.
    open var filename: String
    /// Its uniform type identifier.
    public let typeIdentifier: String?
    /// Its address.
    public let fileURL: URL?

    /// A file of `data`.
    public init(data: Data, filename: String, typeIdentifier: String?) {
        self.data = data
        self.filename = filename
        self.typeIdentifier = typeIdentifier
        fileURL = nil
        super.init()
    }

    /// The file at `fileURL`.
    public init(fileURL: URL, filename: String?, typeIdentifier: String?) {
        data = FileManager.default.contents(atPath: fileURL.path) ?? Data()
        self.filename = filename ?? fileURL.lastPathComponent
        self.typeIdentifier = typeIdentifier
        self.fileURL = fileURL
        super.init()
    }
}

/// Further values of a donated message.
open class INSendMessageIntentDonationMetadata: INIntentDonationMetadata {
    /// Whether the message names the person whose device this is.
    open var mentionsCurrentUser = false
    /// Whether the message answers one of that person.
    open var isReplyToCurrentUser = false
    /// Whether the recipients are notified in any case.
    open var notifyRecipientAnyway = false
    /// How many people it goes to.
    open var recipientCount = 0
}

/// A message to somebody, or from somebody. Source: Apple, `INSendMessageIntent`.
open class INSendMessageIntent: INIntent {
    /// The recipients.
    public let recipients: [INPerson]?
    /// The kind of its content.
    public let outgoingMessageType: INOutgoingMessageType
    /// The text.
    public let content: String?
    /// The name of the group.
    public let speakableGroupName: INSpeakableString?
    /// The conversation's identifier.
    public let conversationIdentifier: String?
    /// The service that carries it.
    public let serviceName: String?
    /// The sender.
    public let sender: INPerson?
    /// The attached files.
    public let attachments: [INSendMessageAttachment]?

    /// A message.
    public init(
        recipients: [INPerson]?, outgoingMessageType: INOutgoingMessageType, content: String?,
        speakableGroupName: INSpeakableString?, conversationIdentifier: String?, serviceName: String?,
        sender: INPerson?, attachments: [INSendMessageAttachment]?
    ) {
        self.recipients = recipients
        self.outgoingMessageType = outgoingMessageType
        self.content = content
        self.speakableGroupName = speakableGroupName
        self.conversationIdentifier = conversationIdentifier
        self.serviceName = serviceName
        self.sender = sender
        self.attachments = attachments
        super.init()
    }

    /// A message of text.
    public convenience init(
        recipients: [INPerson]?, content: String?, speakableGroupName: INSpeakableString?,
        conversationIdentifier: String?, serviceName: String?, sender: INPerson?
    ) {
        self.init(
            recipients: recipients, outgoingMessageType: .unknown, content: content,
            speakableGroupName: speakableGroupName, conversationIdentifier: conversationIdentifier,
            serviceName: serviceName, sender: sender, attachments: nil)
    }

    /// The picture that is shown: the group's, else the sender's.
    open func keyImage() -> INImage? {
        image(forParameterNamed: \.speakableGroupName) ?? image(forParameterNamed: \.sender) ?? sender?.image
    }

    override var donation: [String: String] {
        var donation = super.donation
        donation["sender"] = sender?.displayName
        donation["group"] = speakableGroupName?.spokenPhrase
        donation["conversation"] = conversationIdentifier
        return donation
    }
}

extension INSendMessageIntent: UNNotificationContentProviding {}

extension INSendMessageIntent: ContentUpdating {
    /// The sender's name is the title, the group's name the subtitle, and the picture stands beside them.
    package func update(_ content: UNMutableNotificationContent) throws {
        guard let sender else { throw UNError(.contentProvidingInvalid) }
        content.title = sender.displayName
        if let speakableGroupName { content.subtitle = speakableGroupName.spokenPhrase }
        if let conversationIdentifier, content.threadIdentifier.isEmpty {
            content.threadIdentifier = conversationIdentifier
        }
        content.show(keyImage())
    }
}
