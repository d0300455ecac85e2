import BelfrySettings
public import BelfryTerms

/// What an operator may tune, for one bell. A setting that is nil has the default of configuration.md; no configuration
/// file is read.
public struct BellSettings: Hashable, Sendable {
    /// How long a call rings, from 1 s.
    public var ringDuration: Duration?
    /// From one tick to the next, 200 ms to 10 s.
    public var ringInterval: Duration?
    /// The ring's sound: a name, the path of a file, or `none`, which needs no sound server.
    public var sound: String
    /// How a call rings while another one rings.
    public var secondCall: RingMode?
    /// How many calls may ring at once, 1 to 20.
    public var maxCalls: Int?
    /// The known server whose pushes describe calls in their own way; nil for Belfry's fields alone. The bell's own
    /// endpoint and devices follow it, too.
    public var callPayload: CallPayload?
    /// The names by which your server's pushes describe calls, before those of ``callPayload``.
    public var callNames: CallNames
    /// The time for one notification, 1 s to 120 s.
    public var expiryBudget: Duration?
    /// How long a voip push waits for the report of the bell's app, 100 ms to 20 s; then it rings with its own fields.
    public var appPatience: Duration?
    /// How long that app's delegate may take for an action, 100 ms to 120 s.
    public var actionTimeout: Duration?
    /// The same for the action that answers a call, 100 ms to 10 min.
    public var answerTimeout: Duration?
    /// An extension of your own, the absolute path of its folder `NAME.appex`; nil for the built-in service.
    public var extensionPath: String?
    /// Whether notifications for that extension wait for one another.
    public var extensionStrict: Bool
    /// Whether that extension's process stays for the next notification, which waits for the reply to the one before.
    public var extensionReuse: Bool
    /// The person's address book, the absolute path of a file of vCards, for that extension; nil if it may read none.
    public var contactsFile: String?
    /// How long a call's delivery waits for the caller's picture, 0 to 25 s.
    public var avatarTimeout: Duration?
    /// Hosts that pictures may come from even if they are private, such as a server of the test's own at `127.0.0.1`.
    public var avatarAllow: [String]
    /// The app group of a push that names none, and whose calls the bell's person answers.
    public var appGroup: String
    /// Whether there is an APNs endpoint that a push server's own client can talk to; ``Bell/environment`` says where.
    /// Its program, `belfry-apns`, is built beside the tests if their target names that product, as docs/testing.md has
    /// it, and looked for in `PATH` else.
    public var hasEndpoint: Bool
    /// The file of a credential that `belfry fleet enroll NAME --shared` has made, for pushes through the gateways of a
    /// fleet: the bell joins by it, with a device of its own, which is removed as the bell stops. Nil without; not with
    /// ``hasEndpoint``. Its programs, `belfry-fleet` and `belfry-apns`, are looked for as that of the endpoint.
    public var fleet: String?
    /// The app that the device of the bell's endpoint or fleet is for; nil for the bell's own app, else
    /// `com.example.phone`.
    public var bundleID: String?
    /// How long a wait lasts that does not say so; nil is ``BellPush/patience``. Whoever runs the tests makes it longer
    /// by `BELFRY_TEST_PATIENCE`, in seconds.
    public var patience: Duration?
    /// Whose workers' words are shown on standard error.
    public var log: Log

    /// When what workers write is shown: a line for each event that a journal would have, and what they complain of.
    public enum Log: Hashable, Sendable {
        /// It is kept, and shown once a test has failed: in `Belfry.running` or with the trait, and in XCTest once the
        /// bell is stopped. See ``Bell/workersWords()``.
        case ofFailedTests
        /// At once.
        case always
        /// Never, and it is not kept.
        case never
    }

    /// Settings: those of an installed Belfry without configuration, but silent.
    public init(
        ringDuration: Duration? = nil, ringInterval: Duration? = nil, sound: String = "none",
        secondCall: RingMode? = nil, maxCalls: Int? = nil, expiryBudget: Duration? = nil,
        extensionPath: String? = nil, extensionStrict: Bool = false, extensionReuse: Bool = false,
        contactsFile: String? = nil, avatarTimeout: Duration? = nil, avatarAllow: [String] = [],
        appGroup: String = "group.belfry", hasEndpoint: Bool = false, fleet: String? = nil, bundleID: String? = nil,
        callPayload: CallPayload? = nil, callNames: CallNames = CallNames(), appPatience: Duration? = nil,
        actionTimeout: Duration? = nil, answerTimeout: Duration? = nil, patience: Duration? = nil,
        log: Log = .ofFailedTests
    ) {
        self.ringDuration = ringDuration
        self.ringInterval = ringInterval
        self.sound = sound
        self.secondCall = secondCall
        self.maxCalls = maxCalls
        self.expiryBudget = expiryBudget
        self.extensionPath = extensionPath
        self.extensionStrict = extensionStrict
        self.extensionReuse = extensionReuse
        self.contactsFile = contactsFile
        self.avatarTimeout = avatarTimeout
        self.avatarAllow = avatarAllow
        self.appGroup = appGroup
        self.hasEndpoint = hasEndpoint
        self.fleet = fleet
        self.bundleID = bundleID
        self.callPayload = callPayload
        self.callNames = callNames
        self.appPatience = appPatience
        self.actionTimeout = actionTimeout
        self.answerTimeout = answerTimeout
        self.patience = patience
        self.log = log
    }

    /// The value of each setting that a test may set, as a configuration file writes it; the empty text is the default.
    private var texts: [(Setting, String)] {
        [
            (.ringDuration, Self.text(of: ringDuration)), (.ringInterval, Self.text(of: ringInterval)),
            (.ringSound, sound), (.secondCall, secondCall?.rawValue ?? ""),
            (.maxCalls, maxCalls.map(String.init) ?? ""), (.expiryBudget, Self.text(of: expiryBudget)),
            (.extensionPath, extensionPath ?? ""), (.extensionStrict, extensionStrict ? "yes" : ""),
            (.extensionReuse, extensionReuse ? "yes" : ""), (.avatarTimeout, Self.text(of: avatarTimeout)),
            (.contactsFile, contactsFile ?? ""), (.avatarAllow, avatarAllow.joined(separator: " ")),
            (.appGroupName, appGroup), (.appPatience, Self.text(of: appPatience)),
            (.actionTimeout, Self.text(of: actionTimeout)), (.answerTimeout, Self.text(of: answerTimeout)),
        ] + callTexts
    }

    private var callTexts: [(Setting, String)] {
        let names = callNames
        let keys: [(Setting, [String])] = [
            (.callPayload, callPayload.map { [$0.rawValue] } ?? []), (.callID, names.id),
            (.callerName, names.callerName), (.callHandle, names.handle), (.callVideo, names.video.map(\.text)),
            (.callAvatar, names.avatar), (.callType, names.type), (.callRequest, names.callRequest.map(\.text)),
            (.callHangup, names.hangup.map(\.text)),
        ]
        return keys.map { ($0, $1.joined(separator: " ")) }
    }

    /// All settings, each inside its range; throws where two cannot be had at once.
    func checked() throws(BellError) -> Settings {
        var checked = Settings()
        for (setting, text) in texts where !checked.set(setting, to: text) {
            let found = Printable.escaped(text)
            throw BellError(.badSetting, "\(setting.name)\(found): expected \(setting.expectation)")
        }
        guard !hasEndpoint || fleet == nil else {
            throw BellError(
                .badSetting, "pushes come by an endpoint of the bell's own, or through a fleet: hasEndpoint or fleet")
        }
        guard hasEndpoint || fleet != nil || bundleID == nil else {
            throw BellError(.badSetting, "bundleID names the app of a device: with hasEndpoint or fleet")
        }
        return checked
    }

    private static func text(of duration: Duration?) -> String {
        duration.map { ValueText.text(of: TimeSpan($0)) } ?? ""
    }
}
