public import BelfryDevices
public import BelfryTerms

/// What an operator may tune, with every value inside its range.
public struct Settings: Hashable, Sendable {
    /// `MaxCalls=` may not be larger.
    public static let callsMaxLargest = 20
    /// A list of hosts may not be longer.
    public static let hostsMax = 64
    /// `FirstStreams=` may not be larger.
    public static let apnsStreamsMax = 1_000
    /// A budget that iOS does not give.
    public static let expiryBudgetOfApple = TimeSpan.seconds(30)

    /// `[Ring] Duration=`: how long a call rings, from 1 s; what reaches beyond the budget is cut by it.
    public private(set) var ringDuration = TimeSpan.seconds(30)
    /// `[Ring] Interval=`: from one tick to the next, 200 ms to 10 s.
    public private(set) var ringInterval = TimeSpan.seconds(1)
    /// `[Ring] Sound=`: the name of a sound, an absolute path, or `none`.
    public private(set) var sound = "ring"
    /// `[Ring] Vibrate=`.
    public private(set) var vibrates = true
    /// `[Ring] VibratePattern=`: for how long it vibrates and rests in turn, over and over.
    public private(set) var vibratePattern = [TimeSpan.milliseconds(400), .milliseconds(600)]
    /// `[Ring] QuietHours=`: when calls ring without sound.
    public private(set) var quietHours = DayHours()
    /// `[Ring] AllowRepeated=`: how soon after a call of a caller the next one is heard all the same, 0 to 10 min.
    public private(set) var repeatedWithin = TimeSpan.seconds(180)
    /// `[Ring] DoNotDisturb=`: whether a desktop that is not to disturb mutes rings.
    public private(set) var mindsDoNotDisturb = true
    /// `[Ring] SecondCall=`.
    public private(set) var secondCall = RingMode.soft
    /// `[Ring] MaxCalls=`: how many calls of one group may ring at once.
    public private(set) var callsMax = 10
    /// `[Extension] ExpiryBudget=`: 1 s to 120 s.
    public private(set) var expiryBudget = TimeSpan.seconds(30)
    /// `[Extension] Path=`: the absolute path of a foreign extension, which takes what would reach the built-in ones;
    /// nil if there is none.
    public private(set) var extensionPath: String?
    /// `[Extension] Strict=`: whether notifications are handed to such an extension one after the other.
    public private(set) var isStrict = false
    /// `[Extension] Reuse=`: whether its process stays for further notifications.
    public private(set) var isReused = false
    /// `[Extension] EnforceMemory=`: whether such an extension is killed where iOS would kill it for its memory.
    public private(set) var enforcesMemory = false
    /// `[Avatar] Timeout=`: 0, which is no pictures, to 25 s.
    public private(set) var avatarTimeout = TimeSpan.seconds(5)
    /// `[Avatar] MaxBytes=`: 1 KiB to 10 MiB.
    public private(set) var avatarBytesMax = 10 << 20
    /// `[Avatar] Allow=`: host names, addresses and CIDR blocks that are exempt from the ban on private addresses.
    public private(set) var avatarAllow: [String] = []
    /// `[Avatar] From=`: the only hosts that pictures may come from; empty means any.
    public private(set) var avatarFrom: [String] = []
    /// `[AppGroup] Name=`.
    public private(set) var appGroup = "group.belfry"
    /// `[AppGroup] AnswerLifetime=`: how long an answer waits for the app, 1 s to 1 h.
    public private(set) var answerLifetime = TimeSpan.seconds(120)

    /// `[APNs] Environment=`: what a push server means that asks for another name than Apple's.
    public private(set) var apnsEnvironment = APNsEnvironment.production
    /// `[APNs] FirstStreams=`: how many requests a push server's connection may have before a credential was good.
    public private(set) var apnsFirstStreams = Self.apnsStreamsMax
    /// `[Desktop] Notify=`: whether calls are shown, and `yes` also where no display is known.
    public private(set) var desktopNotify = DesktopNotify.auto
    /// `[Desktop] OnAnswer=`: a unit, or an absolute path with arguments; nil for nothing.
    public private(set) var onAnswer: String?
    /// `[Desktop] OnDecline=`, as ``onAnswer``.
    public private(set) var onDecline: String?
    /// `[Desktop] OnMissed=`, as ``onAnswer``.
    public private(set) var onMissed: String?
    /// `[Desktop] OnCallBack=`, as ``onAnswer``.
    public private(set) var onCallBack: String?

    /// Every setting at its default.
    public init() {}

    /// Sets one setting from its text; false, and nothing changed, if that is not what ``Setting/expectation`` says.
    ///
    /// An empty text is the default, as in systemd's files.
    public mutating func set(_ setting: Setting, to text: String) -> Bool {
        guard !text.isEmpty else {
            reset(setting)
            return true
        }
        switch setting {
        case .ringDuration: return Self.assign(ValueText.duration(text, from: .seconds(1)), to: &ringDuration)
        case .ringInterval:
            return Self.assign(ValueText.duration(text, from: .milliseconds(200), to: .seconds(10)), to: &ringInterval)
        case .ringSound: return Self.assign(ValueText.sound(text), to: &sound)
        case .ringVibrate: return Self.assign(ValueText.boolean(text), to: &vibrates)
        case .vibratePattern: return Self.assign(ValueText.pattern(text), to: &vibratePattern)
        case .quietHours: return Self.assign(DayHours(text), to: &quietHours)
        case .allowRepeated:
            return Self.assign(ValueText.duration(text, from: .zero, to: .seconds(600)), to: &repeatedWithin)
        case .doNotDisturb:
            guard text == "mute" || text == "ignore" else { return false }
            mindsDoNotDisturb = text == "mute"
            return true
        case .secondCall: return Self.assign(RingMode(rawValue: text), to: &secondCall)
        case .maxCalls: return Self.assign(ValueText.integer(text, in: 1...Self.callsMaxLargest), to: &callsMax)
        case .expiryBudget:
            return Self.assign(ValueText.duration(text, from: .seconds(1), to: .seconds(120)), to: &expiryBudget)
        case .extensionPath: return Self.assign(ValueText.path(text), to: &extensionPath)
        case .extensionStrict: return Self.assign(ValueText.boolean(text), to: &isStrict)
        case .extensionReuse: return Self.assign(ValueText.boolean(text), to: &isReused)
        case .enforceMemory: return Self.assign(ValueText.boolean(text), to: &enforcesMemory)
        case .avatarTimeout:
            return Self.assign(ValueText.duration(text, from: .zero, to: .seconds(25)), to: &avatarTimeout)
        case .avatarMaxBytes: return Self.assign(ValueText.size(text, in: 1_024...10 << 20), to: &avatarBytesMax)
        case .avatarAllow: return Self.assign(HostList.parse(text, addresses: true), to: &avatarAllow)
        case .avatarFrom: return Self.assign(HostList.parse(text, addresses: false), to: &avatarFrom)
        case .appGroupName: return Self.assign(GroupName(text)?.text, to: &appGroup)
        case .apnsEnvironment: return Self.assign(APNsEnvironment(word: text), to: &apnsEnvironment)
        case .apnsFirstStreams:
            return Self.assign(ValueText.integer(text, in: 1...Self.apnsStreamsMax), to: &apnsFirstStreams)
        case .answerLifetime:
            return Self.assign(ValueText.duration(text, from: .seconds(1), to: .seconds(3600)), to: &answerLifetime)
        case .desktopNotify: return Self.assign(DesktopNotify(rawValue: text), to: &desktopNotify)
        case .onAnswer: return Self.assign(ValueText.command(text), to: &onAnswer)
        case .onDecline: return Self.assign(ValueText.command(text), to: &onDecline)
        case .onMissed: return Self.assign(ValueText.command(text), to: &onMissed)
        case .onCallBack: return Self.assign(ValueText.command(text), to: &onCallBack)
        }
    }

    /// The value in force as it would be written; empty if a list is.
    public func text(of setting: Setting) -> String {
        switch setting {
        case .ringDuration: ValueText.text(of: ringDuration)
        case .ringInterval: ValueText.text(of: ringInterval)
        case .ringSound: sound
        case .ringVibrate: vibrates ? "yes" : "no"
        case .vibratePattern: vibratePattern.map(ValueText.text(of:)).joined(separator: " ")
        case .quietHours: quietHours.text
        case .allowRepeated: ValueText.text(of: repeatedWithin)
        case .doNotDisturb: mindsDoNotDisturb ? "mute" : "ignore"
        case .secondCall: secondCall.rawValue
        case .maxCalls: String(callsMax)
        case .expiryBudget: ValueText.text(of: expiryBudget)
        case .extensionPath: extensionPath ?? ""
        case .extensionStrict: isStrict ? "yes" : "no"
        case .extensionReuse: isReused ? "yes" : "no"
        case .enforceMemory: enforcesMemory ? "yes" : "no"
        case .avatarTimeout: ValueText.text(of: avatarTimeout)
        case .avatarMaxBytes: ValueText.text(ofSize: avatarBytesMax)
        case .avatarAllow: avatarAllow.joined(separator: " ")
        case .avatarFrom: avatarFrom.joined(separator: " ")
        case .appGroupName: appGroup
        case .apnsEnvironment: apnsEnvironment.rawValue
        case .apnsFirstStreams: String(apnsFirstStreams)
        case .answerLifetime: ValueText.text(of: answerLifetime)
        case .desktopNotify: desktopNotify.rawValue
        case .onAnswer: onAnswer ?? ""
        case .onDecline: onDecline ?? ""
        case .onMissed: onMissed ?? ""
        case .onCallBack: onCallBack ?? ""
        }
    }

    /// What is allowed and yet may surprise, in sentences for people.
    public var advice: [String] {
        var advice: [String] = []
        if expiryBudget > Self.expiryBudgetOfApple {
            advice.append(
                "\(Setting.expiryBudget.name)\(text(of: .expiryBudget)) is more than iOS gives, which is "
                    + ValueText.text(of: Self.expiryBudgetOfApple)
            )
        }
        return advice
    }

    private mutating func reset(_ setting: Setting) {
        let original = Settings()
        switch setting {
        case .ringDuration: ringDuration = original.ringDuration
        case .ringInterval: ringInterval = original.ringInterval
        case .ringSound: sound = original.sound
        case .ringVibrate: vibrates = original.vibrates
        case .vibratePattern: vibratePattern = original.vibratePattern
        case .quietHours: quietHours = original.quietHours
        case .allowRepeated: repeatedWithin = original.repeatedWithin
        case .doNotDisturb: mindsDoNotDisturb = original.mindsDoNotDisturb
        case .secondCall: secondCall = original.secondCall
        case .maxCalls: callsMax = original.callsMax
        case .expiryBudget: expiryBudget = original.expiryBudget
        case .extensionPath: extensionPath = original.extensionPath
        case .extensionStrict: isStrict = original.isStrict
        case .extensionReuse: isReused = original.isReused
        case .enforceMemory: enforcesMemory = original.enforcesMemory
        case .avatarTimeout: avatarTimeout = original.avatarTimeout
        case .avatarMaxBytes: avatarBytesMax = original.avatarBytesMax
        case .avatarAllow: avatarAllow = original.avatarAllow
        case .avatarFrom: avatarFrom = original.avatarFrom
        case .appGroupName: appGroup = original.appGroup
        case .apnsEnvironment: apnsEnvironment = original.apnsEnvironment
        case .apnsFirstStreams: apnsFirstStreams = original.apnsFirstStreams
        case .answerLifetime: answerLifetime = original.answerLifetime
        case .desktopNotify: desktopNotify = original.desktopNotify
        case .onAnswer: onAnswer = original.onAnswer
        case .onDecline: onDecline = original.onDecline
        case .onMissed: onMissed = original.onMissed
        case .onCallBack: onCallBack = original.onCallBack
        }
    }

    private static func assign<Value>(_ value: Value?, to field: inout Value) -> Bool {
        guard let value else { return false }
        field = value
        return true
    }

    private static func assign<Value>(_ value: Value?, to field: inout Value?) -> Bool {
        guard let value else { return false }
        field = value
        return true
    }
}

/// The settings there are: where each is written, what it is when nobody wrote it, and what it may be.
public enum Setting: CaseIterable, Hashable, Sendable {
    /// How long a call rings.
    case ringDuration
    /// Time from one tick of the ring to the next.
    case ringInterval
    /// What the ring sounds like.
    case ringSound
    /// Whether a ring vibrates.
    case ringVibrate
    /// How it vibrates.
    case vibratePattern
    /// When calls ring without sound.
    case quietHours
    /// How soon a caller who calls again is heard then.
    case allowRepeated
    /// Whether the desktop's do-not-disturb mutes a ring.
    case doNotDisturb
    /// What a call does that comes while another rings.
    case secondCall
    /// How many calls may ring at once.
    case maxCalls
    /// Time an extension has for one notification.
    case expiryBudget
    /// An extension that is not ours.
    case extensionPath
    /// Whether notifications wait for one another there.
    case extensionStrict
    /// Whether its process stays.
    case extensionReuse
    /// Whether such an extension is held to iOS' memory.
    case enforceMemory
    /// Time a caller's picture may take.
    case avatarTimeout
    /// Size a caller's picture may have.
    case avatarMaxBytes
    /// Private hosts that pictures may come from.
    case avatarAllow
    /// The only hosts that pictures may come from.
    case avatarFrom
    /// The app group whose file is used if a push names none.
    case appGroupName
    /// How long an answer waits for the app.
    case answerLifetime
    /// The environment of push servers that ask for no name of Apple's.
    case apnsEnvironment
    /// How many requests a push server may have at first.
    case apnsFirstStreams
    /// Whether calls are shown on the desktop.
    case desktopNotify
    /// What is run when a call was answered.
    case onAnswer
    /// What is run when a call was declined.
    case onDecline
    /// What is run when a call was missed.
    case onMissed
    /// What calls back who was missed.
    case onCallBack

    /// The section it stands in, without brackets.
    public var section: String {
        switch self {
        case .ringDuration, .ringInterval, .ringSound, .ringVibrate, .vibratePattern, .quietHours,
            .allowRepeated, .doNotDisturb, .secondCall, .maxCalls:
            "Ring"
        case .expiryBudget, .extensionPath, .extensionStrict, .extensionReuse, .enforceMemory: "Extension"
        case .avatarTimeout, .avatarMaxBytes, .avatarAllow, .avatarFrom: "Avatar"
        case .appGroupName, .answerLifetime: "AppGroup"
        case .apnsEnvironment, .apnsFirstStreams: "APNs"
        case .desktopNotify, .onAnswer, .onDecline, .onMissed, .onCallBack: "Desktop"
        }
    }

    /// Its key in that section.
    public var key: String {
        switch self {
        case .ringDuration: "Duration"
        case .ringInterval: "Interval"
        case .ringSound: "Sound"
        case .ringVibrate: "Vibrate"
        case .vibratePattern: "VibratePattern"
        case .quietHours: "QuietHours"
        case .allowRepeated: "AllowRepeated"
        case .doNotDisturb: "DoNotDisturb"
        case .secondCall: "SecondCall"
        case .maxCalls: "MaxCalls"
        case .expiryBudget: "ExpiryBudget"
        case .extensionPath: "Path"
        case .extensionStrict: "Strict"
        case .extensionReuse: "Reuse"
        case .enforceMemory: "EnforceMemory"
        case .avatarTimeout: "Timeout"
        case .avatarMaxBytes: "MaxBytes"
        case .avatarAllow: "Allow"
        case .avatarFrom: "From"
        case .appGroupName: "Name"
        case .answerLifetime: "AnswerLifetime"
        case .apnsEnvironment: "Environment"
        case .apnsFirstStreams: "FirstStreams"
        case .desktopNotify: "Notify"
        case .onAnswer: "OnAnswer"
        case .onDecline: "OnDecline"
        case .onMissed: "OnMissed"
        case .onCallBack: "OnCallBack"
        }
    }

    /// The environment variable that has the last word on it.
    public var environmentVariable: String {
        switch self {
        case .ringDuration: "BELFRY_RING_DURATION"
        case .ringInterval: "BELFRY_RING_INTERVAL"
        case .ringSound: "BELFRY_SOUND"
        case .ringVibrate: "BELFRY_VIBRATE"
        case .vibratePattern: "BELFRY_VIBRATE_PATTERN"
        case .quietHours: "BELFRY_QUIET_HOURS"
        case .allowRepeated: "BELFRY_ALLOW_REPEATED"
        case .doNotDisturb: "BELFRY_DO_NOT_DISTURB"
        case .secondCall: "BELFRY_SECOND_CALL"
        case .maxCalls: "BELFRY_MAX_CALLS"
        case .expiryBudget: "BELFRY_EXPIRY_BUDGET"
        case .extensionPath: "BELFRY_EXTENSION"
        case .extensionStrict: "BELFRY_EXTENSION_STRICT"
        case .extensionReuse: "BELFRY_EXTENSION_REUSE"
        case .enforceMemory: "BELFRY_EXTENSION_ENFORCE_MEMORY"
        case .avatarTimeout: "BELFRY_AVATAR_TIMEOUT"
        case .avatarMaxBytes: "BELFRY_AVATAR_MAX_BYTES"
        case .avatarAllow: "BELFRY_AVATAR_ALLOW"
        case .avatarFrom: "BELFRY_AVATAR_FROM"
        case .appGroupName: "BELFRY_APP_GROUP"
        case .answerLifetime: "BELFRY_ANSWER_LIFETIME"
        case .apnsEnvironment: "BELFRY_APNS_ENVIRONMENT"
        case .apnsFirstStreams: "BELFRY_APNS_FIRST_STREAMS"
        case .desktopNotify: "BELFRY_NOTIFY"
        case .onAnswer: "BELFRY_ON_ANSWER"
        case .onDecline: "BELFRY_ON_DECLINE"
        case .onMissed: "BELFRY_ON_MISSED"
        case .onCallBack: "BELFRY_ON_CALL_BACK"
        }
    }

    /// What a value must be, for people, to stand after "expected".
    public var expectation: String {
        switch self {
        case .ringDuration: "a duration of 1s or more, such as 30s, 1500ms or 1min"
        case .ringInterval: "a duration from 200ms to 10s"
        case .ringSound: "the name of a sound, the absolute path of a file, or none"
        case .ringVibrate: "yes or no"
        case .vibratePattern: "2 to 16 durations from 10ms to 10s, on and off in turn, such as 400ms 600ms"
        case .quietHours: "hours of the day such as 22:00-07:00, \(DayHours.spansMax) at most"
        case .allowRepeated: "a duration from 0 (never) to 10min"
        case .doNotDisturb: "mute or ignore"
        case .secondCall: "soft, silent or loud"
        case .maxCalls: "a whole number from 1 to \(Settings.callsMaxLargest)"
        case .expiryBudget: "a duration from 1s to 120s"
        case .extensionPath: "the absolute path of an extension, such as /opt/app/NotificationService.appex"
        case .extensionStrict, .extensionReuse, .enforceMemory: "yes or no"
        case .avatarTimeout: "a duration from 0 (no pictures) to 25s"
        case .avatarMaxBytes: "a size from 1K to 10M"
        case .avatarAllow: "host names, addresses or CIDR blocks, \(Self.listManner)"
        case .avatarFrom: "host names, \(Self.listManner)"
        case .appGroupName: GroupName.rule
        case .answerLifetime: "a duration from 1s to 1h"
        case .apnsEnvironment: "production or development"
        case .apnsFirstStreams: "a whole number from 1 to \(Settings.apnsStreamsMax)"
        case .desktopNotify: "auto, yes or no"
        case .onAnswer, .onDecline, .onMissed, .onCallBack: "a unit, or the absolute path of a program with arguments"
        }
    }

    private static var listManner: String { "separated by spaces or commas, at most \(Settings.hostsMax)" }

    /// How it is written in a file, such as `[Ring] Duration=`.
    public var name: String { "[\(section)] \(key)=" }
}

/// `[Desktop] Notify=`: whether calls are shown.
public enum DesktopNotify: String, Hashable, Sendable {
    /// Where a server runs, or can be started on a display.
    case auto
    /// Also by a server that has to be started where no display is known.
    case yes
    /// Never.
    case no
}

/// Where a value came from.
public enum Origin: Hashable, Sendable, CustomStringConvertible {
    /// Nobody wrote it.
    case standard
    /// A line of a file; 0 is the file as a whole.
    case file(path: String, line: Int)
    /// An environment variable.
    case environment(variable: String)

    /// `default`, `path:line` or `$VARIABLE`.
    public var description: String {
        switch self {
        case .standard: "default"
        case .file(let path, 0): path
        case .file(let path, let line): "\(path):\(line)"
        case .environment(let variable): "$\(variable)"
        }
    }
}
