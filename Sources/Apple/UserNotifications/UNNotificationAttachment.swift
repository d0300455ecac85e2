import BelfryPictures
import BelfryProtocol
import Interception

/// The option whose value is the file's uniform type identifier.
public let UNNotificationAttachmentOptionsTypeHintKey = "UNNotificationAttachmentOptionsTypeHintKey"
/// The option that hides the thumbnail: a truth value.
public let UNNotificationAttachmentOptionsThumbnailHiddenKey = "UNNotificationAttachmentOptionsThumbnailHiddenKey"
/// The option that clips the thumbnail: a rectangle's dictionary, in fractions of the picture's sides.
public let UNNotificationAttachmentOptionsThumbnailClippingRectKey =
    "UNNotificationAttachmentOptionsThumbnailClippingRectKey"
/// The option that chooses the thumbnail: the second of a film, or the number of a picture in an animation.
public let UNNotificationAttachmentOptionsThumbnailTimeKey = "UNNotificationAttachmentOptionsThumbnailTimeKey"

/// A file shown with a notification, checked when it is made. Source: Apple, `UNNotificationAttachment`.
open class UNNotificationAttachment: NSObject, NSCopying, NSSecureCoding {
    /// Its identifier, unique in one notification.
    public let identifier: String
    /// Where the file is.
    public let url: URL
    /// Its uniform type identifier.
    public let type: String
    private let thumbnail: AttachmentThumbnail

    /// An attachment of the file at `URL`; an empty identifier is replaced by a random one.
    ///
    /// The type is the hint in `options`, else that of the file's extension.
    /// - Throws: `UNError` 100 if there is no such file, 101 if its type may not be attached, 102 if it is too large
    ///   for its type, 105 if it is empty, or has the type of a picture and is none.
    public convenience init(identifier: String, url URL: URL, options: [AnyHashable: Any]? = nil) throws {
        guard URL.isFileURL else { throw UNError(.attachmentInvalidURL) }
        let options = UserInfo(options ?? [:]).values
        let hint = options[UNNotificationAttachmentOptionsTypeHintKey] as? String
        let attachment = NotificationAttachment(
            id: identifier.isEmpty ? UUID().uuidString : identifier, path: URL.path,
            type: hint ?? Self.types[URL.pathExtension.lowercased()] ?? "", thumbnail: AttachmentThumbnail(options))
        if let error = AttachmentRule.error(in: attachment, facts: AttachmentFacts(bytes: Self.size(of: URL))) {
            throw UNError(UNError.Code(error))
        }
        if Self.pictureTypes.contains(attachment.type), PictureFormat(of: Self.beginning(of: URL)) == nil {
            throw UNError(.attachmentCorrupt)
        }
        self.init(attachment)
    }

    init(_ attachment: NotificationAttachment) {
        identifier = attachment.id
        url = URL(fileURLWithPath: attachment.path)
        type = attachment.type
        thumbnail = attachment.thumbnail
        super.init()
    }

    var value: NotificationAttachment {
        NotificationAttachment(id: identifier, path: url.path, type: type, thumbnail: thumbnail)
    }

    /// Itself: an attachment does not change.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// True.
    open class var supportsSecureCoding: Bool { true }

    /// An attachment in an archive; nil if it holds none.
    public required convenience init?(coder: NSCoder) {
        guard let fields = ContentFields(coder: coder), let attachment = fields.attachments.first else { return nil }
        self.init(attachment.value)
    }

    /// Writes the attachment into an archive.
    open func encode(with coder: NSCoder) {
        var fields = ContentFields()
        fields.attachments = [self]
        fields.encode(with: coder)
    }

    /// Whether `object` is an attachment of the same file with the same identifier.
    open override func isEqual(_ object: Any?) -> Bool { (object as? UNNotificationAttachment)?.value == value }

    /// The same for attachments that are equal.
    open override var hash: Int { value.hashValue }
}

extension UNNotificationAttachment {
    private static let pictureTypes: Set<String> = ["public.jpeg", "com.compuserve.gif", "public.png"]

    /// The types that may be attached, by the extensions that name them.
    private static let types = [
        "aif": "public.aiff-audio", "aiff": "public.aiff-audio", "aifc": "public.aiff-audio",
        "wav": "com.microsoft.waveform-audio", "wave": "com.microsoft.waveform-audio", "mp3": "public.mp3",
        "m4a": "public.mpeg-4-audio", "jpg": "public.jpeg", "jpeg": "public.jpeg", "jpe": "public.jpeg",
        "gif": "com.compuserve.gif", "png": "public.png", "mpg": "public.mpeg", "mpeg": "public.mpeg",
        "m2v": "public.mpeg-2-video", "mp4": "public.mpeg-4", "m4v": "public.mpeg-4", "avi": "public.avi",
    ]

    /// The size of the regular file at `url` if it can be read.
    private static func size(of url: URL) -> Int64? {
        let files = FileManager.default
        // attributesOfItem describes a link itself, not the file that it leads to.
        guard let attributes = try? files.attributesOfItem(atPath: url.resolvingSymlinksInPath().path),
            attributes[.type] as? FileAttributeType == .typeRegular, files.isReadableFile(atPath: url.path)
        else { return nil }
        return (attributes[.size] as? NSNumber)?.int64Value
    }

    private static func beginning(of url: URL) -> [UInt8] {
        guard let file = try? FileHandle(forReadingFrom: url) else { return [] }
        return [UInt8]((try? file.read(upToCount: PictureFormat.signatureBytes)) ?? Data())
    }
}

extension AttachmentThumbnail {
    /// The thumbnail by `options`, boxed.
    fileprivate init(_ options: [AnyHashable: Any]) {
        func number(_ key: String, in dictionary: [String: Any]) -> Double? {
            (dictionary[key] as? NSNumber)?.doubleValue
        }
        let clip = (options[UNNotificationAttachmentOptionsThumbnailClippingRectKey] as? [String: Any]).map {
            Clip(
                x: number("X", in: $0) ?? 0, y: number("Y", in: $0) ?? 0, width: number("Width", in: $0) ?? 1,
                height: number("Height", in: $0) ?? 1)
        }
        let when = options[UNNotificationAttachmentOptionsThumbnailTimeKey]
        // A number, or a CMTime as a dictionary.
        let fraction = (when as? [String: Any]).flatMap { time in
            number("value", in: time).flatMap { value in number("timescale", in: time).map { value / $0 } }
        }
        self.init(
            isHidden: (options[UNNotificationAttachmentOptionsThumbnailHiddenKey] as? NSNumber)?.boolValue ?? false,
            clip: clip, time: (when as? NSNumber)?.doubleValue ?? fraction)
    }
}

extension UNError.Code {
    init(_ error: AttachmentError) {
        switch error {
        case .invalidURL: self = .attachmentInvalidURL
        case .unrecognizedType: self = .attachmentUnrecognizedType
        case .invalidFileSize: self = .attachmentInvalidFileSize
        case .notInDataStore: self = .attachmentNotInDataStore
        case .moveIntoDataStoreFailed: self = .attachmentMoveIntoDataStoreFailed
        case .corrupt: self = .attachmentCorrupt
        }
    }
}
