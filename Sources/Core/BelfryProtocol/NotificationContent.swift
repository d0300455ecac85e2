public import BelfryJSON
public import BelfryTerms

/// One notification: `UNNotificationRequest` as a value.
public struct NotificationRequest: Hashable, Sendable {
    /// A UUID in lower case, which nothing outside can turn into a path.
    public let id: String
    /// The identifier by which a later notification replaces this one where it is shown: the collapse id, or else
    /// ``id``. It is text from outside and never names a file.
    public let identifier: String
    /// What it shows.
    public let content: NotificationContent

    /// A request.
    public init(id: String, identifier: String? = nil, content: NotificationContent) {
        self.id = id
        self.identifier = identifier ?? id
        self.content = content
    }
}

/// What a notification shows: `UNNotificationContent` as a value.
public struct NotificationContent: Hashable, Sendable {
    /// The first line; empty if there is none.
    public var title = ""
    /// The second line; empty if there is none.
    public var subtitle = ""
    /// The text; empty if there is none.
    public var body = ""
    /// The app's badge: nil leaves it, 0 removes it; never negative.
    public var badge: Int64?
    /// The sound; nil is silence.
    public var sound: NotificationSound?
    /// The category that names the actions; empty if there is none.
    public var categoryIdentifier = ""
    /// What groups notifications; empty if there is none.
    public var threadIdentifier = ""
    /// How much it may interrupt.
    public var interruptionLevel = InterruptionLevel.active
    /// Its place in the summary, from 0 to 1.
    public var relevanceScore = 0.0
    /// The window that opens.
    public var targetContentIdentifier: String?
    /// The image that the app shows as it starts; empty if there is none.
    public var launchImageName = ""
    /// What a Focus filters by.
    public var filterCriteria: String?
    /// What a summary of several names; empty if nothing.
    public var summaryArgument = ""
    /// How many things it stands for in a summary.
    public var summaryArgumentCount: Int64 = 1
    /// The files shown with it.
    public var attachments: [NotificationAttachment] = []
    /// The picture of whoever it is from, as an intent gave it (`INImage`); nil if there is none. It is no attachment,
    /// and may also be a WebP.
    public var picture: NotificationAttachment?
    /// The whole payload, `aps` included.
    public var userInfo = JSONObject()

    /// Empty content.
    public init() {}

    /// Whether there is any text that alerts: the condition of R1 and R2.
    public var hasAlertText: Bool { !(title.isEmpty && subtitle.isEmpty && body.isEmpty) }

    /// Whether it breaks through what mutes a device (R21).
    public var breaksThrough: Bool { interruptionLevel == .critical || sound?.isCritical ?? false }
}

/// The sound of a notification: `UNNotificationSound` as a value.
public struct NotificationSound: Hashable, Sendable {
    /// A bare file name, or `default`.
    public var name: String
    /// Whether it plays through the mute switch.
    public var isCritical: Bool
    /// From 0 to 1; only a critical sound has one, else 1.
    public var volume: Double
    /// Whether it is repeated for 30 s, as a call rings.
    public var isRingtone: Bool

    /// A sound; `volume` is clamped to 0…1.
    public init(name: String, isCritical: Bool = false, volume: Double = 1, isRingtone: Bool = false) {
        self.name = name
        self.isCritical = isCritical
        self.volume = volume.isNaN ? 1 : min(max(volume, 0), 1)
        self.isRingtone = isRingtone
    }
}

/// A file shown with a notification: `UNNotificationAttachment` as a value.
public struct NotificationAttachment: Hashable, Sendable {
    /// Its identifier, unique in one notification.
    public let id: String
    /// Where the file is.
    public let path: String
    /// Its uniform type identifier, such as `public.png`.
    public let type: String
    /// How its thumbnail is made.
    public let thumbnail: AttachmentThumbnail

    /// An attachment.
    public init(id: String, path: String, type: String, thumbnail: AttachmentThumbnail = AttachmentThumbnail()) {
        self.id = id
        self.path = path
        self.type = type
        self.thumbnail = thumbnail
    }
}

/// How an attachment's thumbnail is made: the options of `UNNotificationAttachment` as a value.
public struct AttachmentThumbnail: Hashable, Sendable {
    /// A part of a picture, in fractions of its sides.
    public struct Clip: Hashable, Sendable {
        /// How far its left edge is from the picture's.
        public let x: Double
        /// How far its upper edge is from the picture's.
        public let y: Double
        /// Its width.
        public let width: Double
        /// Its height.
        public let height: Double

        /// A part, each number brought into 0…1; NaN counts as 0.
        public init(x: Double, y: Double, width: Double, height: Double) {
            func fraction(_ number: Double) -> Double { number.isNaN ? 0 : min(max(number, 0), 1) }
            self.x = fraction(x)
            self.y = fraction(y)
            self.width = fraction(width)
            self.height = fraction(height)
        }
    }

    /// Whether there is none.
    public let isHidden: Bool
    /// The part of the picture that it shows; nil is all of it.
    public let clip: Clip?
    /// The second of a film, or the number of a picture in an animation, that it shows; always finite.
    public let time: Double?

    /// A thumbnail, by default of the whole first picture.
    public init(isHidden: Bool = false, clip: Clip? = nil, time: Double? = nil) {
        self.isHidden = isHidden
        self.clip = clip
        self.time = time.flatMap { $0.isFinite ? $0 : nil }
    }
}
