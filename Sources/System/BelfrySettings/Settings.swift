public import BelfryDevices
public import BelfryTerms
public import CallDirectory

/// What an operator may tune, with every value inside its range.
public struct Settings: Hashable, Sendable {
    /// `MaxCalls=` may not be larger.
    public static let callsMaxLargest = 20
    /// A list of hosts may not be longer.
    public static let hostsMax = 64
    /// `Apps=` may not name more.
    public static let appsMax = 16
    /// `[Directory] Extensions=` may not name more.
    public static let directoryExtensionsMax = 16
    /// `PassEnvironment=` may not name more.
    public static let passedVariablesMax = 64
    /// `FirstStreams=` may not be larger.
    public static let apnsStreamsMax = 1_000
    /// A budget that iOS does not give.
    public static let expiryBudgetOfApple = TimeSpan.seconds(30)

    /// `[Ring] Duration=`: how long a call rings, from 1 s; what reaches beyond the budget is cut by it.
    public internal(set) var ringDuration = TimeSpan.seconds(30)
    /// `[Ring] Interval=`: from one tick to the next, 200 ms to 10 s.
    public internal(set) var ringInterval = TimeSpan.seconds(1)
    /// `[Ring] Sound=`: the name of a sound, an absolute path, or `none`.
    public internal(set) var sound = "ring"
    /// `[Ring] Device=`: the name of a sink; nil for the sound server's default.
    public internal(set) var ringDevice: String?
    /// `[Ring] Volume=`: 1 to 100, in percent; nil for as loud as the sound server has it.
    public internal(set) var ringVolumePercent: Int?
    /// `[Ring] Vibrate=`.
    public internal(set) var vibrates = true
    /// `[Ring] VibratePattern=`: for how long it vibrates and rests in turn, over and over.
    public internal(set) var vibratePattern = [TimeSpan.milliseconds(400), .milliseconds(600)]
    /// `[Ring] QuietHours=`: when calls ring without sound.
    public internal(set) var quietHours = DayHours()
    /// `[Ring] AllowRepeated=`: how soon after a call of a caller the next one is heard all the same, 0 to 10 min.
    public internal(set) var repeatedWithin = TimeSpan.seconds(180)
    /// `[Ring] DoNotDisturb=`: whether a desktop that is not to disturb mutes rings.
    public internal(set) var mindsDoNotDisturb = true
    /// `[Ring] SecondCall=`.
    public internal(set) var secondCall = RingMode.soft
    /// `[Ring] MaxCalls=`: how many calls of one group may ring at once.
    public internal(set) var callsMax = 10
    /// `[Call] Payload=`: the known server whose names count; nil for Belfry's own alone.
    public internal(set) var callPayload: CallPayload?
    /// `[Call] Id=` to `[Call] Hangup=`: the names that a foreign server's pushes have, before those of
    /// ``callPayload``.
    public internal(set) var callNames = CallNames()
    /// `[Extension] ExpiryBudget=`: 1 s to 120 s.
    public internal(set) var expiryBudget = TimeSpan.seconds(30)
    /// `[Extension] Path=`: the absolute path of a foreign extension, which takes what would reach the built-in ones;
    /// nil if there is none.
    public internal(set) var extensionPath: String?
    /// `[Extension] Strict=`: whether notifications are handed to such an extension one after the other.
    public internal(set) var isStrict = false
    /// `[Extension] Reuse=`: whether its process stays for further notifications.
    public internal(set) var isReused = false
    /// `[Extension] EnforceMemory=`: whether such an extension is killed where iOS would kill it for its memory.
    public internal(set) var enforcesMemory = false
    /// `[Extension] PassEnvironment=`: names of variables that such an extension's process gets, or how they begin
    /// before a `*`.
    public internal(set) var passedVariables = ["PATH", "LANG", "LC_*", "TZ"]
    /// `[Calls] Apps=`: the absolute paths of the folders of apps that have their own calling code.
    public internal(set) var appPaths: [String] = []
    /// `[Calls] AppPatience=`: how long a voip push waits for its app's report, 100 ms to 20 s.
    public internal(set) var appPatience = TimeSpan.seconds(5)
    /// `[Calls] ActionTimeout=`: how long an action may take, 100 ms to 120 s.
    public internal(set) var actionTimeout = TimeSpan.seconds(5)
    /// `[Calls] AnswerTimeout=`: how long an answer may take, 100 ms to 10 min.
    public internal(set) var answerTimeout = TimeSpan.seconds(60)
    /// `[Calls] StartTimeout=`: how long the start of an outgoing call may take, 100 ms to 10 min.
    public internal(set) var startTimeout = TimeSpan.seconds(600)
    /// `[Avatar] Timeout=`: 0, which is no pictures, to 25 s.
    public internal(set) var avatarTimeout = TimeSpan.seconds(5)
    /// `[Avatar] MaxBytes=`: 1 KiB to 10 MiB.
    public internal(set) var avatarBytesMax = 10 << 20
    /// `[Avatar] Allow=`: host names, addresses and CIDR blocks that are exempt from the ban on private addresses.
    public internal(set) var avatarAllow: [String] = []
    /// `[Avatar] From=`: the only hosts that pictures may come from; empty means any.
    public internal(set) var avatarFrom: [String] = []
    /// `[Contacts] File=`: the absolute path of a file of vCards, the person's address book; nil if there is none.
    public internal(set) var contactsFile: String?
    /// `[Directory] Extensions=`: the absolute paths of call directory extensions that are in no app.
    public internal(set) var directoryExtensions: [String] = []
    /// `[Directory] MaxEntries=`: how many entries one load may give, blocked and identified ones together.
    public internal(set) var directoryEntriesMax = 2_000_000
    /// `[Directory] LoadTimeout=`: how long a load may take, 1 s to 1 h.
    public internal(set) var directoryLoadTimeout = TimeSpan.seconds(120)
    /// `[Directory] LoadMemory=`: how many bytes of memory an extension may have while it is loaded; nil for any.
    public internal(set) var directoryLoadBytesMax: Int?
    /// `[Directory] AppCalls=`: whether calls that an app reports are looked up.
    public internal(set) var looksUpAppCalls = true
    /// `[Directory] CountryCode=`: the country code of numbers that name none; empty if those are not looked up.
    public internal(set) var countryCode = ""
    /// `[Directory] TrunkPrefix=`: what national numbers begin with.
    public internal(set) var trunkPrefix = "0"
    /// `[Directory] InternationalPrefix=`: what international numbers begin with instead of a plus sign.
    public internal(set) var internationalPrefix = "00"
    /// `[AppGroup] Name=`.
    public internal(set) var appGroup = "group.belfry"
    /// `[AppGroup] AnswerLifetime=`: how long an answer waits for the app, 1 s to 1 h.
    public internal(set) var answerLifetime = TimeSpan.seconds(120)

    /// `[APNs] Environment=`: the environment of push servers that do not ask for one of Apple's names.
    public internal(set) var apnsEnvironment = APNsEnvironment.production
    /// `[APNs] FirstStreams=`: how many requests a push server's connection may have before a credential was good.
    public internal(set) var apnsFirstStreams = Self.apnsStreamsMax
    /// `[Fleet] Patience=`: how long a machine may say nothing to a gateway before it is offline, 1 s to 60 s.
    public internal(set) var fleetPatience = TimeSpan.seconds(10)
    /// `[Fleet] DevicesPerMachine=`: how many devices a machine may have, 1 to 100,000.
    public internal(set) var fleetDevicesPerMachine = 1_000
    /// `[Desktop] Notify=`: whether calls are shown, and `yes` also where no display is known.
    public internal(set) var desktopNotify = DesktopNotify.auto
    /// `[Desktop] OnClose=`: what a person does who closes the notification of a call that rings.
    public internal(set) var onClose = DesktopClose.silence
    /// `[Desktop] OnAnswer=`: a unit, or an absolute path with arguments; nil for nothing.
    public internal(set) var onAnswer: String?
    /// `[Desktop] OnDecline=`, as ``onAnswer``.
    public internal(set) var onDecline: String?
    /// `[Desktop] OnMissed=`, as ``onAnswer``.
    public internal(set) var onMissed: String?
    /// `[Desktop] OnCallBack=`, as ``onAnswer``.
    public internal(set) var onCallBack: String?
    /// `[Desktop] OnClick=`, as ``onAnswer``.
    public internal(set) var onClick: String?

    /// Every setting at its default.
    public init() {}

    /// Sets one setting from its text; false, and nothing changed, if that is not what ``Setting/expectation`` says.
    ///
    /// An empty text is the default, as in systemd's files.
    public mutating func set(_ setting: Setting, to text: String) -> Bool {
        let text = text.isEmpty ? Settings().text(of: setting) : text
        return answer(to: .take(text), of: setting) != nil
    }

    /// The value in force as it would be written; empty if a list is.
    public func text(of setting: Setting) -> String {
        var settings = self
        return settings.answer(to: .value, of: setting) ?? ""
    }

    /// The names by which a push describes a call whose envelope says `stated`; nil if there are none but Belfry's own.
    public func callNames(for stated: CallPayload?) -> CallNames? {
        guard let set = stated ?? callPayload else { return callNames.isEmpty ? nil : callNames }
        let names = callNames.followed(by: set.names)
        return names.isEmpty ? nil : names
    }

    mutating func answer(to kind: SettingQuestion.Kind, of setting: Setting) -> String? {
        var question = SettingQuestion(kind)
        setting.row.ask(&question, &self)
        return question.answer
    }

    /// Warnings about settings that are allowed but may surprise, in sentences for people.
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
}

/// `[Desktop] OnClose=`: what closing a call's notification does.
public enum DesktopClose: String, Hashable, Sendable {
    /// The ring goes on without sound.
    case silence
    /// It rings on as it did.
    case none
}

extension Settings {
    /// How numbers are written here.
    public var dialingPlan: DialingPlan {
        DialingPlan(countryCode: countryCode, trunkPrefix: trunkPrefix, internationalPrefix: internationalPrefix)
    }
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
    /// The default: it is not configured.
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
