import BelfryDevices
import BelfryTerms

/// All about one setting: where it is written, what it is for, and its field with its range and its manner.
///
/// The table holds nothing but constants, so that the compiler lays it out and no worker's start builds it.
struct SettingRow: Sendable {
    /// Whose row it is.
    let setting: Setting
    /// ``Setting/section``
    let section: String
    /// ``Setting/key``
    let key: String
    /// ``Setting/environmentVariable``
    let variable: String
    /// ``Setting/meaning``
    let meaning: String
    /// Asks its field a question.
    let ask: @Sendable (inout SettingQuestion, inout Settings) -> Void

    private init(
        _ setting: Setting, _ section: String, _ key: String, _ variable: String, _ meaning: String,
        ask: @escaping @Sendable (inout SettingQuestion, inout Settings) -> Void
    ) {
        (self.setting, self.section, self.key, self.variable) = (setting, section, key, variable)
        (self.meaning, self.ask) = (meaning, ask)
    }

    /// A row for each setting, in the order of ``Setting/allCases``, which is that in which they are shown. No `Array`,
    /// which would be built when it is first asked.
    static let table: [_ of SettingRow] = [
        // [Ring]
        SettingRow(
            .ringDuration, "Ring", "Duration", "BELFRY_RING_DURATION",
            "how long a call rings, `1s` to `120s`; but for a voip push never past the budget"
        ) {
            $0.duration(
                &$1.ringDuration, expects: "a duration from 1s to 120s, such as 30s, 1500ms or 1min",
                from: .seconds(1), to: .seconds(120))
        },
        SettingRow(
            .ringInterval, "Ring", "Interval", "BELFRY_RING_INTERVAL",
            "from one tick to the next, `200ms` to `10s`"
        ) {
            $0.duration(
                &$1.ringInterval, expects: "a duration from 200ms to 10s", from: .milliseconds(200), to: .seconds(10))
        },
        SettingRow(
            .ringSound, "Ring", "Sound", "BELFRY_SOUND",
            """
            the name of an installed sound (64 bytes at most) or of the sound theme, the absolute path of a WAVE or \
            Ogg file, or `none`
            """
        ) {
            $0.text(
                &$1.sound, expects: "the name of a sound, the absolute path of a file, or none", read: ValueText.sound)
        },
        SettingRow(
            .ringDevice, "Ring", "Device", "BELFRY_SOUND_DEVICE",
            """
            the sink that rings and alerts are played to, by its name in `pactl list short sinks`, such as a \
            loudspeaker beside a headset; one that is not there is passed over, and the event `sound` says so. \
            Without it, the sound server's default
            """
        ) {
            $0.optional(&$1.ringDevice, expects: "the name of a sink without spaces", read: ValueText.device)
        },
        SettingRow(
            .ringVolume, "Ring", "Volume", "BELFRY_SOUND_VOLUME",
            """
            how loud rings are, `1%` to `100%` as mixers show it; the sink's own volume counts besides. Without it, \
            as loud as the sound server has system sounds
            """
        ) {
            $0.field(
                &$1.ringVolumePercent, expects: "a volume from 1% to 100%",
                read: { $0.isEmpty ? .some(nil) : ValueText.percent($0).map(Optional.some) },
                write: { $0.map { "\($0)%" } ?? "" })
        },
        SettingRow(
            .ringVibrate, "Ring", "Vibrate", "BELFRY_VIBRATE",
            "whether a loud ring is felt, where `belfry-desktop.socket` is enabled and something vibrates"
        ) { $0.boolean(&$1.vibrates) },
        SettingRow(
            .vibratePattern, "Ring", "VibratePattern", "BELFRY_VIBRATE_PATTERN",
            "for how long it vibrates and rests in turn, over and over: 2 to 16 durations from `10ms` to `10s`"
        ) {
            $0.field(
                &$1.vibratePattern,
                expects: "2 to 16 durations from 10ms to 10s, on and off in turn, such as 400ms 600ms",
                read: ValueText.pattern, write: ValueText.text(ofPattern:))
        },
        SettingRow(
            .quietHours, "Ring", "QuietHours", "BELFRY_QUIET_HOURS",
            """
            when calls ring without sound and do not vibrate, by local time, such as `22:00-07:00 13:00-14:30`; such \
            a call is shown, answered and missed as ever, and a critical one is heard
            """
        ) {
            $0.field(
                &$1.quietHours, expects: "hours of the day such as 22:00-07:00, \(DayHours.spansMax) at most",
                read: { $0.isEmpty ? DayHours() : DayHours($0) }, write: { $0.text })
        },
        SettingRow(
            .allowRepeated, "Ring", "AllowRepeated", "BELFRY_ALLOW_REPEATED",
            "how soon after a call of the same `handle` another one is heard all the same, `0` (never) to `10min`"
        ) { $0.duration(&$1.repeatedWithin, expects: "a duration from 0 (never) to 10min", to: .seconds(600)) },
        SettingRow(
            .doNotDisturb, "Ring", "DoNotDisturb", "BELFRY_DO_NOT_DISTURB",
            """
            what do-not-disturb does: `mute` has calls ring without sound, `ignore` nothing. dunst's pause, \
            Plasma's, GNOME's, Phosh's and Xfce's setting and feedbackd's profile count, where \
            `belfry-desktop.socket` is enabled
            """
        ) {
            $0.field(
                &$1.mindsDoNotDisturb, expects: "mute or ignore",
                read: { $0 == "mute" ? true : $0 == "ignore" ? false : nil },
                write: { $0 ? "mute" : "ignore" })
        },
        SettingRow(
            .secondCall, "Ring", "SecondCall", "BELFRY_SECOND_CALL",
            "how a call rings while another one rings, or was answered and goes on: `soft` (quieter), `silent`, `loud`"
        ) { $0.word(&$1.secondCall, expects: "soft, silent or loud") },
        SettingRow(
            .maxCalls, "Ring", "MaxCalls", "BELFRY_MAX_CALLS",
            """
            how many calls of one app group may ring at once, `1` to `20`; above that a call request is `rejected: \
            Busy`, a hangup never is
            """
        ) { $0.integer(&$1.callsMax, in: 1...Settings.callsMaxLargest) },
        // [Call]
        SettingRow(
            .callPayload, "Call", "Payload", "BELFRY_CALL_PAYLOAD",
            """
            whose pushes describe calls in their own way: `belfry`, `twilio`, `flutter-callkit-incoming`, `callkeep`, \
            `stream` or `sendbird`; the other keys count before it, Belfry's own fields after it
            """
        ) {
            $0.field(
                &$1.callPayload, expects: CallPayload.words,
                read: { $0.isEmpty ? .some(nil) : CallPayload(rawValue: $0).map(Optional.some) },
                write: { $0?.rawValue ?? "" })
        },
        SettingRow(
            .callID, "Call", "Id", "BELFRY_CALL_ID",
            """
            the fields that may hold a call's id, such as `uuid` or `data.id`: each is looked up as it is, and then \
            with its dots as steps into objects
            """
        ) { $0.keys(&$1.callNames.id) },
        SettingRow(
            .callerName, "Call", "CallerName", "BELFRY_CALL_CALLER_NAME",
            "the same for the caller's name"
        ) { $0.keys(&$1.callNames.callerName) },
        SettingRow(
            .callHandle, "Call", "Handle", "BELFRY_CALL_HANDLE",
            "the same for the caller's number or address"
        ) { $0.keys(&$1.callNames.handle) },
        SettingRow(
            .callVideo, "Call", "Video", "BELFRY_CALL_VIDEO",
            """
            what makes it a video call: a field that is true, such as `isVideo`, or a field and what it holds, such as \
            `media=video`
            """
        ) { $0.words(&$1.callNames.video, expects: "fields, or FIELD=VALUE", read: CallWord.init(video:)) },
        SettingRow(
            .callAvatar, "Call", "Avatar", "BELFRY_CALL_AVATAR",
            "the fields that may hold the address of the caller's picture"
        ) { $0.keys(&$1.callNames.avatar) },
        SettingRow(
            .callType, "Call", "Type", "BELFRY_CALL_TYPE",
            """
            the fields that may say what the push is; a voip push with another word in one of them than those of the \
            next two is no call
            """
        ) { $0.keys(&$1.callNames.type) },
        SettingRow(
            .callRequest, "Call", "CallRequest", "BELFRY_CALL_REQUEST",
            """
            what makes it a call request: a word of the fields of `Type=`, such as `ring`, or a field and what it \
            holds, such as `twi_message_type=twilio.voice.call`, where `*` is anything
            """
        ) { $0.words(&$1.callNames.callRequest, expects: "words, or FIELD=WORD", read: CallWord.init(_:)) },
        SettingRow(
            .callHangup, "Call", "Hangup", "BELFRY_CALL_HANGUP",
            "the same for a hangup, such as `twi_message_type=twilio.voice.cancel`; it is asked first"
        ) { $0.words(&$1.callNames.hangup, expects: "words, or FIELD=WORD", read: CallWord.init(_:)) },
        // [Extension]
        SettingRow(
            .expiryBudget, "Extension", "ExpiryBudget", "BELFRY_EXPIRY_BUDGET",
            "the time for one notification, `1s` to `120s`; iOS gives 30 s"
        ) {
            $0.duration(&$1.expiryBudget, expects: "a duration from 1s to 120s", from: .seconds(1), to: .seconds(120))
        },
        SettingRow(
            .extensionPath, "Extension", "Path", "BELFRY_EXTENSION",
            """
            an extension of your own, the absolute path of its folder `NAME.appex`: what the extension may change \
            goes to it instead of the built-in service; one that is none is passed over with `warning: configuration`
            """
        ) {
            $0.optional(
                &$1.extensionPath,
                expects: "the absolute path of an extension, such as /opt/app/NotificationService.appex",
                read: ValueText.path)
        },
        SettingRow(
            .extensionStrict, "Extension", "Strict", "BELFRY_EXTENSION_STRICT",
            """
            `yes` hands notifications to such an extension one after the other, in the order in which they came, \
            each once the one before has its delivery, as iOS does; needs `belfry-extension.socket`
            """
        ) { $0.boolean(&$1.isStrict) },
        SettingRow(
            .extensionReuse, "Extension", "Reuse", "BELFRY_EXTENSION_REUSE",
            """
            `yes` keeps its process for further notifications, each of which has an object of its own and its turn \
            as with `Strict=`; needs `belfry-extension.socket`
            """
        ) { $0.boolean(&$1.isReused) },
        SettingRow(
            .enforceMemory, "Extension", "EnforceMemory", "BELFRY_EXTENSION_ENFORCE_MEMORY",
            "`yes` kills such an extension at the 24 MB that iOS gives; `no` only warns"
        ) { $0.boolean(&$1.enforcesMemory) },
        SettingRow(
            .passEnvironment, "Extension", "PassEnvironment", "BELFRY_EXTENSION_PASS_ENVIRONMENT",
            """
            which variables such an extension's process gets beside its own folders, by their names, or by how they \
            begin before a `*`; Belfry's own never
            """
        ) {
            $0.field(
                &$1.passedVariables,
                expects: "at most \(Settings.passedVariablesMax) names of variables, such as PATH LC_*",
                read: ValueText.variables, write: { $0.joined(separator: " ") })
        },
        // [Calls]
        SettingRow(
            .callsApps, "Calls", "Apps", "BELFRY_APPS",
            """
            apps that report and answer their calls themselves, the absolute paths of their folders `NAME.app`, 16 at \
            most; their voip pushes go to them where `belfry-calls.socket` is enabled
            """
        ) { $0.apps(&$1.appPaths) },
        SettingRow(
            .appPatience, "Calls", "AppPatience", "BELFRY_APP_PATIENCE",
            """
            how long a voip push waits for its app's report, the app's start included, `100ms` to `20s`; then it rings \
            with its own fields
            """
        ) {
            $0.duration(
                &$1.appPatience, expects: "a duration from 100ms to 20s", from: .milliseconds(100), to: .seconds(20))
        },
        SettingRow(
            .actionTimeout, "Calls", "ActionTimeout", "BELFRY_ACTION_TIMEOUT",
            "how long an app's delegate may take for an action, `100ms` to `120s`"
        ) {
            $0.duration(
                &$1.actionTimeout, expects: "a duration from 100ms to 120s", from: .milliseconds(100),
                to: .seconds(120))
        },
        SettingRow(
            .answerTimeout, "Calls", "AnswerTimeout", "BELFRY_ANSWER_TIMEOUT",
            "the same for the action that answers a call, `100ms` to `10min`"
        ) {
            $0.duration(
                &$1.answerTimeout, expects: "a duration from 100ms to 10min", from: .milliseconds(100),
                to: .seconds(600))
        },
        SettingRow(
            .startTimeout, "Calls", "StartTimeout", "BELFRY_START_TIMEOUT",
            "the same for the action that starts an outgoing call, `100ms` to `10min`"
        ) {
            $0.duration(
                &$1.startTimeout, expects: "a duration from 100ms to 10min", from: .milliseconds(100),
                to: .seconds(600))
        },
        // [Avatar]
        SettingRow(
            .avatarTimeout, "Avatar", "Timeout", "BELFRY_AVATAR_TIMEOUT",
            "how long a call's delivery waits for the caller's picture, `0` (no pictures) to `25s`"
        ) { $0.duration(&$1.avatarTimeout, expects: "a duration from 0 (no pictures) to 25s", to: .seconds(25)) },
        SettingRow(
            .avatarMaxBytes, "Avatar", "MaxBytes", "BELFRY_AVATAR_MAX_BYTES",
            "the most bytes of a picture, `1K` to `10M`"
        ) {
            $0.field(
                &$1.avatarBytesMax, expects: "a size from 1K to 10M",
                read: { ValueText.size($0, in: 1_024...10 << 20) },
                write: ValueText.text(ofSize:))
        },
        SettingRow(
            .avatarAllow, "Avatar", "Allow", "BELFRY_AVATAR_ALLOW",
            """
            host names, addresses or CIDR blocks that pictures may also be fetched from, even if they are private or \
            on other ports
            """
        ) { $0.hosts(&$1.avatarAllow, expects: "host names, addresses or CIDR blocks", addresses: true) },
        SettingRow(
            .avatarFrom, "Avatar", "From", "BELFRY_AVATAR_FROM",
            "the only hosts that pictures may come from"
        ) { $0.hosts(&$1.avatarFrom, expects: "host names", addresses: false) },
        // [Contacts]
        SettingRow(
            .contactsFile, "Contacts", "File", "BELFRY_CONTACTS",
            """
            the person's address book, the absolute path of a file of vCards, which an extension of your own may \
            read by `CNContactStore`; without it such code is not authorised
            """
        ) {
            $0.optional(
                &$1.contactsFile, expects: "the absolute path of a file of vCards, such as /home/anna/contacts.vcf",
                read: ValueText.path)
        },
        // [Directory]
        SettingRow(
            .directoryExtensions, "Directory", "Extensions", "BELFRY_DIRECTORY_EXTENSIONS",
            "call directory extensions that are in no app, the absolute paths of their folders `NAME.appex`, 16 at most"
        ) { $0.directoryExtensions(&$1.directoryExtensions) },
        SettingRow(
            .directoryMaxEntries, "Directory", "MaxEntries", "BELFRY_DIRECTORY_MAX_ENTRIES",
            "how many numbers an extension may block and identify in one load, `1` to `100000000`; iOS takes 2000000"
        ) { $0.integer(&$1.directoryEntriesMax, in: 1...100_000_000) },
        SettingRow(
            .directoryLoadTimeout, "Directory", "LoadTimeout", "BELFRY_DIRECTORY_LOAD_TIMEOUT",
            "how long a load of such an extension may take, `1s` to `1h`"
        ) {
            $0.duration(
                &$1.directoryLoadTimeout, expects: "a duration from 1s to 1h", from: .seconds(1), to: .seconds(3_600))
        },
        SettingRow(
            .directoryLoadMemory, "Directory", "LoadMemory", "BELFRY_DIRECTORY_LOAD_MEMORY",
            "the memory at which a load of such an extension is ended, `1M` to `64G`"
        ) {
            $0.field(
                &$1.directoryLoadBytesMax, expects: "a size from 1M to 64G",
                read: { $0.isEmpty ? .some(nil) : ValueText.size($0, in: 1 << 20...64 << 30).map(Optional.some) },
                write: { $0.map(ValueText.text(ofSize:)) ?? "" })
        },
        SettingRow(
            .directoryAppCalls, "Directory", "AppCalls", "BELFRY_DIRECTORY_APP_CALLS",
            "whether calls that an app reports are looked up as well; `no` is what iOS does"
        ) { $0.boolean(&$1.looksUpAppCalls) },
        SettingRow(
            .directoryCountryCode, "Directory", "CountryCode", "BELFRY_COUNTRY_CODE",
            "the country code, such as `49`, of numbers that name none; without it such numbers are not looked up"
        ) {
            $0.text(
                &$1.countryCode, expects: "a country code of 1 to 3 digits, such as 49", read: ValueText.countryCode)
        },
        SettingRow(
            .directoryTrunkPrefix, "Directory", "TrunkPrefix", "BELFRY_TRUNK_PREFIX",
            "what a national number begins with where it is dialled, or `none`"
        ) { $0.text(&$1.trunkPrefix, expects: "1 to 5 digits, or none", read: ValueText.dialledPrefix) },
        SettingRow(
            .directoryInternationalPrefix, "Directory", "InternationalPrefix", "BELFRY_INTERNATIONAL_PREFIX",
            "what an international number begins with where it is dialled, or `none`"
        ) { $0.text(&$1.internationalPrefix, expects: "1 to 5 digits, or none", read: ValueText.dialledPrefix) },
        // [AppGroup]
        SettingRow(
            .appGroupName, "AppGroup", "Name", "BELFRY_APP_GROUP",
            "the app group of a push that names none"
        ) { $0.text(&$1.appGroup, expects: GroupName.rule, read: { GroupName($0)?.text }) },
        SettingRow(
            .answerLifetime, "AppGroup", "AnswerLifetime", "BELFRY_ANSWER_LIFETIME",
            "how long an answer waits for an app that did not run, `1s` to `1h`; it never outlives a reboot"
        ) {
            $0.duration(&$1.answerLifetime, expects: "a duration from 1s to 1h", from: .seconds(1), to: .seconds(3600))
        },
        // [APNs]
        SettingRow(
            .apnsEnvironment, "APNs", "Environment", "BELFRY_APNS_ENVIRONMENT",
            """
            what a push server means that asks the APNs endpoint for another name than Apple's: `production` or \
            `development`
            """
        ) {
            $0.field(
                &$1.apnsEnvironment, expects: "production or development", read: APNsEnvironment.init(word:),
                write: { $0.rawValue })
        },
        SettingRow(
            .apnsFirstStreams, "APNs", "FirstStreams", "BELFRY_APNS_FIRST_STREAMS",
            """
            how many requests a push server's connection may have at once before a credential was good, `1` to `1000`
            """
        ) { $0.integer(&$1.apnsFirstStreams, in: 1...Settings.apnsStreamsMax) },
        // [Fleet]
        SettingRow(
            .fleetPatience, "Fleet", "Patience", "BELFRY_FLEET_PATIENCE",
            "how long a machine of the fleet may say nothing to a gateway before it is offline, `1s` to `60s`"
        ) {
            $0.duration(
                &$1.fleetPatience, expects: "a duration from 1s to 60s", from: .seconds(1), to: .seconds(60))
        },
        SettingRow(
            .fleetDevicesPerMachine, "Fleet", "DevicesPerMachine", "BELFRY_FLEET_DEVICES_PER_MACHINE",
            "how many devices a machine of the fleet may have, `1` to `100000`; all gateways are to have the same"
        ) { $0.integer(&$1.fleetDevicesPerMachine, in: 1...100_000) },
        // [Desktop]
        SettingRow(
            .desktopNotify, "Desktop", "Notify", "BELFRY_NOTIFY",
            """
            whether `belfry-desktop` shows calls: `auto` starts a notification server only if the manager's \
            environment has a display, `yes` in any case, `no` shows nothing
            """
        ) { $0.word(&$1.desktopNotify, expects: "auto, yes or no") },
        SettingRow(
            .onClose, "Desktop", "OnClose", "BELFRY_ON_CLOSE",
            """
            what closing the notification of a call that rings does, by hand or with a click beside the buttons: \
            `silence` has it ring on without sound, `none` nothing
            """
        ) { $0.word(&$1.onClose, expects: "silence or none") },
        SettingRow(
            .onAnswer, "Desktop", "OnAnswer", "BELFRY_ON_ANSWER",
            """
            what is run when a call was answered, wherever: a unit, or the absolute path of a program with arguments \
            between spaces, as a transient unit with variables
            """
        ) { $0.command(&$1.onAnswer) },
        SettingRow(
            .onDecline, "Desktop", "OnDecline", "BELFRY_ON_DECLINE",
            "the same for a call that was declined"
        ) { $0.command(&$1.onDecline) },
        SettingRow(
            .onMissed, "Desktop", "OnMissed", "BELFRY_ON_MISSED",
            "the same for a call that was missed"
        ) { $0.command(&$1.onMissed) },
        SettingRow(
            .onCallBack, "Desktop", "OnCallBack", "BELFRY_ON_CALL_BACK",
            "the same when a person calls back who was missed; without it a missed call has no such button"
        ) { $0.command(&$1.onCallBack) },
        SettingRow(
            .onClick, "Desktop", "OnClick", "BELFRY_ON_CLICK",
            "the same when a person clicks the notification of an alert; without it a click only closes that"
        ) { $0.command(&$1.onClick) },
    ]
}
