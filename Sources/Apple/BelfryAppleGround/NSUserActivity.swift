import BelfryTerms

/// The type of an activity that opens a page.
public let NSUserActivityTypeBrowsingWeb = "NSUserActivityTypeBrowsingWeb"

/// What a person does in an app, as a value; it is not handed to other devices. Source: Apple, `NSUserActivity`.
open class NSUserActivity: NSObject {
    /// The kind of activity.
    public let activityType: String
    /// The title that people see.
    open var title: String?
    /// Further values.
    open var userInfo: [AnyHashable: Any]?
    /// The keys of values that must be there to go on; nil for all.
    open var requiredUserInfoKeys: Set<String>?
    /// Words by which a search finds it.
    open var keywords: Set<String> = []
    /// The page on which to continue in a browser.
    open var webpageURL: URL?
    /// When it may be forgotten.
    open var expirationDate: Date?
    /// Its name for the app.
    open var persistentIdentifier: String?
    /// Whether the values are to be brought up to date.
    open var needsSave = false
    /// Whether another device may continue it.
    open var isEligibleForHandoff = true
    /// Whether a search may find it.
    open var isEligibleForSearch = false
    /// Whether everybody's search may find it.
    open var isEligibleForPublicIndexing = false
    /// Whether the system may propose it.
    open var isEligibleForPrediction = false
    /// What the person did: an `INInteraction`, which `Intents` reads.
    package final var interactionObject: NSObject?

    /// An activity.
    public init(activityType: String) {
        self.activityType = activityType
        super.init()
    }

    /// Adds to the further values.
    open func addUserInfoEntries(from otherDictionary: [AnyHashable: Any]) {
        userInfo = (userInfo ?? [:]).merging(otherDictionary) { _, new in new }
    }

    /// Refused with a warning.
    open func becomeCurrent() { KeeperDoor.warn(.unsupported, "NSUserActivity.becomeCurrent()") }

    /// Does nothing, since it never was.
    open func resignCurrent() {}

    /// Does nothing, since it never was valid.
    open func invalidate() {}
}
