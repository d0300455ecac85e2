import BelfryDevices
import BelfryTerms

/// The settings there are: where each is written, its default, and its range.
public enum Setting: Int, CaseIterable, Sendable {
    /// How long a call rings.
    case ringDuration
    /// Time from one tick of the ring to the next.
    case ringInterval
    /// What the ring sounds like.
    case ringSound
    /// Where it is played to.
    case ringDevice
    /// How loud it is.
    case ringVolume
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
    /// Whose names a push has for what it says of a call.
    case callPayload
    /// Its names for the call's id.
    case callID
    /// Its names for the caller's name.
    case callerName
    /// Its names for the caller's number.
    case callHandle
    /// What makes it a video call.
    case callVideo
    /// Its names for the caller's picture.
    case callAvatar
    /// Its names for its kind.
    case callType
    /// What makes it a call request.
    case callRequest
    /// What makes it a hangup.
    case callHangup
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
    /// Which variables its process gets.
    case passEnvironment
    /// Apps that have their own calling code.
    case callsApps
    /// Time an app has for its report of a call.
    case appPatience
    /// Time an app has for an action.
    case actionTimeout
    /// Time an app has for an answer.
    case answerTimeout
    /// Time an app's delegate has to start an outgoing call.
    case startTimeout
    /// Time a caller's picture may take.
    case avatarTimeout
    /// Size a caller's picture may have.
    case avatarMaxBytes
    /// Private hosts that pictures may come from.
    case avatarAllow
    /// The only hosts that pictures may come from.
    case avatarFrom
    /// The person's address book.
    case contactsFile
    /// Extensions of the call directory that are in no app.
    case directoryExtensions
    /// How many entries an extension of the call directory may give.
    case directoryMaxEntries
    /// Time a load of such an extension may take.
    case directoryLoadTimeout
    /// Memory such an extension may take.
    case directoryLoadMemory
    /// Whether an app's own calls are looked up.
    case directoryAppCalls
    /// The country code of numbers without one.
    case directoryCountryCode
    /// What national numbers begin with.
    case directoryTrunkPrefix
    /// What international numbers begin with.
    case directoryInternationalPrefix
    /// The app group whose file is used if a push names none.
    case appGroupName
    /// How long an answer waits for the app.
    case answerLifetime
    /// The environment of push servers that ask for no name of Apple's.
    case apnsEnvironment
    /// How many requests a push server may have at first.
    case apnsFirstStreams
    /// How long a machine of the fleet may say nothing.
    case fleetPatience
    /// How many devices a machine of the fleet may have.
    case fleetDevicesPerMachine
    /// Whether calls are shown on the desktop.
    case desktopNotify
    /// What a person does who closes a call's notification.
    case onClose
    /// The command to run when a call was answered.
    case onAnswer
    /// The command to run when a call was declined.
    case onDecline
    /// The command to run when a call was missed.
    case onMissed
    /// The command that calls a missed caller back.
    case onCallBack
    /// The command to run when a person clicks an alert.
    case onClick

    /// The section it stands in, without brackets.
    public var section: String { row.section }

    /// Its key in that section.
    public var key: String { row.key }

    /// The environment variable that has the last word on it.
    public var environmentVariable: String { row.variable }

    /// What it is, as docs/configuration.md says it.
    public var meaning: String { row.meaning }

    /// What a value must be, for people, to stand after "expected".
    public var expectation: String {
        var settings = Settings()
        return settings.answer(to: .expectation, of: self) ?? ""
    }

    /// How it is written in a file, such as `[Ring] Duration=`.
    public var name: String { "[\(section)] \(key)=" }

    /// All about it.
    var row: SettingRow { SettingRow.table[rawValue] }
}
