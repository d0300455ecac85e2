/// The domain of errors of notifications.
public let UNErrorDomain = "UNErrorDomain"

/// An error of notifications, with the codes of Apple's header.
public struct UNError: CodedError, LocalizedError, Hashable, Sendable {
    /// Which error.
    public enum Code: Int, Sendable, CaseIterable {
        /// The app, or the extension at this moment, may not notify.
        case notificationsNotAllowed = 1
        /// Not the URL of a file that can be read.
        case attachmentInvalidURL = 100
        /// Neither the hint nor the file's extension names a type that may be attached.
        case attachmentUnrecognizedType = 101
        /// Larger than its kind may be.
        case attachmentInvalidFileSize = 102
        /// The file is not in the attachment store.
        case attachmentNotInDataStore = 103
        /// The file could not be moved into the attachment store.
        case attachmentMoveIntoDataStoreFailed = 104
        /// The file is not what its type says.
        case attachmentCorrupt = 105
        /// A trigger without a date.
        case notificationInvalidNoDate = 1400
        /// Content without anything to see or hear.
        case notificationInvalidNoContent = 1401
        /// The object may not provide content.
        case contentProvidingObjectNotAllowed = 1500
        /// The object provides content that lacks something.
        case contentProvidingInvalid = 1501
        /// A badge below zero.
        case badgeInputInvalid = 1600
    }

    /// Which error.
    public let code: Code

    /// The error with this code.
    public init(_ code: Code) { self.code = code }

    /// ``UNErrorDomain``.
    public static var errorDomain: String { UNErrorDomain }

    /// The text of the error.
    public var errorDescription: String? {
        switch code {
        case .notificationsNotAllowed: "Notifications are not allowed for this application"
        case .attachmentInvalidURL: "Invalid attachment file URL"
        case .attachmentUnrecognizedType: "Unrecognized attachment file type"
        case .attachmentInvalidFileSize: "Invalid attachment file size"
        case .attachmentNotInDataStore: "Attachment is not in the data store"
        case .attachmentMoveIntoDataStoreFailed: "Failed to move attachment file into data store"
        case .attachmentCorrupt: "Attachment is corrupt"
        case .notificationInvalidNoDate: "Notification has no date"
        case .notificationInvalidNoContent: "Notification has no user visible content"
        case .contentProvidingObjectNotAllowed: "The object may not provide notification content"
        case .contentProvidingInvalid: "The object provides no valid notification content"
        case .badgeInputInvalid: "Invalid badge"
        }
    }
}

extension UNError {
    /// ``Code/notificationsNotAllowed``.
    public static var notificationsNotAllowed: Code { .notificationsNotAllowed }
    /// ``Code/attachmentInvalidURL``.
    public static var attachmentInvalidURL: Code { .attachmentInvalidURL }
    /// ``Code/attachmentUnrecognizedType``.
    public static var attachmentUnrecognizedType: Code { .attachmentUnrecognizedType }
    /// ``Code/attachmentInvalidFileSize``.
    public static var attachmentInvalidFileSize: Code { .attachmentInvalidFileSize }
    /// ``Code/attachmentNotInDataStore``.
    public static var attachmentNotInDataStore: Code { .attachmentNotInDataStore }
    /// ``Code/attachmentMoveIntoDataStoreFailed``.
    public static var attachmentMoveIntoDataStoreFailed: Code { .attachmentMoveIntoDataStoreFailed }
    /// ``Code/attachmentCorrupt``.
    public static var attachmentCorrupt: Code { .attachmentCorrupt }
    /// ``Code/notificationInvalidNoDate``.
    public static var notificationInvalidNoDate: Code { .notificationInvalidNoDate }
    /// ``Code/notificationInvalidNoContent``.
    public static var notificationInvalidNoContent: Code { .notificationInvalidNoContent }
    /// ``Code/contentProvidingObjectNotAllowed``.
    public static var contentProvidingObjectNotAllowed: Code { .contentProvidingObjectNotAllowed }
    /// ``Code/contentProvidingInvalid``.
    public static var contentProvidingInvalid: Code { .contentProvidingInvalid }
    /// ``Code/badgeInputInvalid``.
    public static var badgeInputInvalid: Code { .badgeInputInvalid }
}

extension UNError.Code {
    /// Whether `error` has this code, so that `catch UNError.attachmentCorrupt` is a pattern.
    public static func ~= (code: UNError.Code, error: any Error) -> Bool { (error as? UNError)?.code == code }
}
