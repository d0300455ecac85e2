// The words of the closed lists as code words, so that `XCTAssertEqual(end.ended?.reason, .answered)` and
// `reasons.contains(.answered)` compile: an enumeration's cases are no members of what wraps it.

extension CodeWord where Known == NotificationType {
    /// The word ``NotificationType/callRequest``.
    @inlinable public static var callRequest: Self { Self(Known.callRequest) }
    /// The word ``NotificationType/hangup``.
    @inlinable public static var hangup: Self { Self(Known.hangup) }
    /// The word ``NotificationType/alert``.
    @inlinable public static var alert: Self { Self(Known.alert) }
    /// The word ``NotificationType/background``.
    @inlinable public static var background: Self { Self(Known.background) }
}

extension CodeWord where Known == PassthroughReason {
    /// The word ``PassthroughReason/expired``.
    @inlinable public static var expired: Self { Self(Known.expired) }
    /// The word ``PassthroughReason/noMutableContent``.
    @inlinable public static var noMutableContent: Self { Self(Known.noMutableContent) }
    /// The word ``PassthroughReason/noAlertText``.
    @inlinable public static var noAlertText: Self { Self(Known.noAlertText) }
    /// The word ``PassthroughReason/background``.
    @inlinable public static var background: Self { Self(Known.background) }
    /// The word ``PassthroughReason/voip``.
    @inlinable public static var voip: Self { Self(Known.voip) }
    /// The word ``PassthroughReason/noExtension``.
    @inlinable public static var noExtension: Self { Self(Known.noExtension) }
}

extension CodeWord where Known == RingMode {
    /// The word ``RingMode/loud``.
    @inlinable public static var loud: Self { Self(Known.loud) }
    /// The word ``RingMode/soft``.
    @inlinable public static var soft: Self { Self(Known.soft) }
    /// The word ``RingMode/silent``.
    @inlinable public static var silent: Self { Self(Known.silent) }
}

extension CodeWord where Known == MuteReason {
    /// The word ``MuteReason/silenced``.
    @inlinable public static var silenced: Self { Self(Known.silenced) }
    /// The word ``MuteReason/quietHours``.
    @inlinable public static var quietHours: Self { Self(Known.quietHours) }
    /// The word ``MuteReason/doNotDisturb``.
    @inlinable public static var doNotDisturb: Self { Self(Known.doNotDisturb) }
}

extension CodeWord where Known == SilenceReason {
    /// The word ``SilenceReason/foreground``.
    @inlinable public static var foreground: Self { Self(Known.foreground) }
    /// The word ``SilenceReason/duplicate``.
    @inlinable public static var duplicate: Self { Self(Known.duplicate) }
    /// The word ``SilenceReason/answered``.
    @inlinable public static var answered: Self { Self(Known.answered) }
    /// The word ``SilenceReason/declined``.
    @inlinable public static var declined: Self { Self(Known.declined) }
    /// The word ``SilenceReason/hungUp``.
    @inlinable public static var hungUp: Self { Self(Known.hungUp) }
    /// The word ``SilenceReason/stale``.
    @inlinable public static var stale: Self { Self(Known.stale) }
    /// The word ``SilenceReason/notIntercepted``.
    @inlinable public static var notIntercepted: Self { Self(Known.notIntercepted) }
    /// The word ``SilenceReason/busy``.
    @inlinable public static var busy: Self { Self(Known.busy) }
    /// The word ``SilenceReason/blocked``.
    @inlinable public static var blocked: Self { Self(Known.blocked) }
}

extension CodeWord where Known == ExtensionState {
    /// The word ``ExtensionState/started``.
    @inlinable public static var started: Self { Self(Known.started) }
    /// The word ``ExtensionState/returned``.
    @inlinable public static var returned: Self { Self(Known.returned) }
    /// The word ``ExtensionState/ended``.
    @inlinable public static var ended: Self { Self(Known.ended) }
}

extension CodeWord where Known == AskedKind {
    /// The word ``AskedKind/sound``.
    @inlinable public static var sound: Self { Self(Known.sound) }
    /// The word ``AskedKind/alert``.
    @inlinable public static var alert: Self { Self(Known.alert) }
    /// The word ``AskedKind/vibration``.
    @inlinable public static var vibration: Self { Self(Known.vibration) }
    /// The word ``AskedKind/badge``.
    @inlinable public static var badge: Self { Self(Known.badge) }
    /// The word ``AskedKind/add``.
    @inlinable public static var add: Self { Self(Known.add) }
    /// The word ``AskedKind/remove``.
    @inlinable public static var remove: Self { Self(Known.remove) }
    /// The word ``AskedKind/donate``.
    @inlinable public static var donate: Self { Self(Known.donate) }
    /// The word ``AskedKind/voipPayload``.
    @inlinable public static var voipPayload: Self { Self(Known.voipPayload) }
    /// The word ``AskedKind/widgets``.
    @inlinable public static var widgets: Self { Self(Known.widgets) }
}

extension CodeWord where Known == SoundState {
    /// The word ``SoundState/playing``.
    @inlinable public static var playing: Self { Self(Known.playing) }
    /// The word ``SoundState/muted``.
    @inlinable public static var muted: Self { Self(Known.muted) }
    /// The word ``SoundState/unavailable``.
    @inlinable public static var unavailable: Self { Self(Known.unavailable) }
}

extension CodeWord where Known == NotificationState {
    /// The word ``NotificationState/shown``.
    @inlinable public static var shown: Self { Self(Known.shown) }
    /// The word ``NotificationState/replaced``.
    @inlinable public static var replaced: Self { Self(Known.replaced) }
    /// The word ``NotificationState/closed``.
    @inlinable public static var closed: Self { Self(Known.closed) }
    /// The word ``NotificationState/unavailable``.
    @inlinable public static var unavailable: Self { Self(Known.unavailable) }
}

extension CodeWord where Known == VibrationState {
    /// The word ``VibrationState/playing``.
    @inlinable public static var playing: Self { Self(Known.playing) }
    /// The word ``VibrationState/unavailable``.
    @inlinable public static var unavailable: Self { Self(Known.unavailable) }
}

extension CodeWord where Known == SkipReason {
    /// The word ``SkipReason/badURL``.
    @inlinable public static var badURL: Self { Self(Known.badURL) }
    /// The word ``SkipReason/badScheme``.
    @inlinable public static var badScheme: Self { Self(Known.badScheme) }
    /// The word ``SkipReason/credentialsInURL``.
    @inlinable public static var credentialsInURL: Self { Self(Known.credentialsInURL) }
    /// The word ``SkipReason/off``.
    @inlinable public static var off: Self { Self(Known.off) }
    /// The word ``SkipReason/hostNotAllowed``.
    @inlinable public static var hostNotAllowed: Self { Self(Known.hostNotAllowed) }
    /// The word ``SkipReason/addressRefused``.
    @inlinable public static var addressRefused: Self { Self(Known.addressRefused) }
    /// The word ``SkipReason/portRefused``.
    @inlinable public static var portRefused: Self { Self(Known.portRefused) }
    /// The word ``SkipReason/resolveFailed``.
    @inlinable public static var resolveFailed: Self { Self(Known.resolveFailed) }
    /// The word ``SkipReason/connectFailed``.
    @inlinable public static var connectFailed: Self { Self(Known.connectFailed) }
    /// The word ``SkipReason/tlsFailed``.
    @inlinable public static var tlsFailed: Self { Self(Known.tlsFailed) }
    /// The word ``SkipReason/tooManyRedirects``.
    @inlinable public static var tooManyRedirects: Self { Self(Known.tooManyRedirects) }
    /// The word ``SkipReason/httpStatus``.
    @inlinable public static var httpStatus: Self { Self(Known.httpStatus) }
    /// The word ``SkipReason/transferFailed``.
    @inlinable public static var transferFailed: Self { Self(Known.transferFailed) }
    /// The word ``SkipReason/timeout``.
    @inlinable public static var timeout: Self { Self(Known.timeout) }
    /// The word ``SkipReason/tooLarge``.
    @inlinable public static var tooLarge: Self { Self(Known.tooLarge) }
    /// The word ``SkipReason/notAnImage``.
    @inlinable public static var notAnImage: Self { Self(Known.notAnImage) }
    /// The word ``SkipReason/tooManyPixels``.
    @inlinable public static var tooManyPixels: Self { Self(Known.tooManyPixels) }
    /// The word ``SkipReason/decodeFailed``.
    @inlinable public static var decodeFailed: Self { Self(Known.decodeFailed) }
    /// The word ``SkipReason/writeFailed``.
    @inlinable public static var writeFailed: Self { Self(Known.writeFailed) }
    /// The word ``SkipReason/fetcherCrashed``.
    @inlinable public static var fetcherCrashed: Self { Self(Known.fetcherCrashed) }
    /// The word ``SkipReason/fetcherMissing``.
    @inlinable public static var fetcherMissing: Self { Self(Known.fetcherMissing) }
    /// The word ``SkipReason/ended``.
    @inlinable public static var ended: Self { Self(Known.ended) }
}

extension CodeWord where Known == Deliverer {
    /// The word ``Deliverer/extension``.
    @inlinable public static var `extension`: Self { Self(Known.extension) }
    /// The word ``Deliverer/passthrough``.
    @inlinable public static var passthrough: Self { Self(Known.passthrough) }
    /// The word ``Deliverer/expiry``.
    @inlinable public static var expiry: Self { Self(Known.expiry) }
    /// The word ``Deliverer/crash``.
    @inlinable public static var crash: Self { Self(Known.crash) }
    /// The word ``Deliverer/stopped``.
    @inlinable public static var stopped: Self { Self(Known.stopped) }
    /// The word ``Deliverer/app``.
    @inlinable public static var app: Self { Self(Known.app) }
}

extension CodeWord where Known == EndReason {
    /// The word ``EndReason/hangup``.
    @inlinable public static var hangup: Self { Self(Known.hangup) }
    /// The word ``EndReason/answered``.
    @inlinable public static var answered: Self { Self(Known.answered) }
    /// The word ``EndReason/declined``.
    @inlinable public static var declined: Self { Self(Known.declined) }
    /// The word ``EndReason/foreground``.
    @inlinable public static var foreground: Self { Self(Known.foreground) }
    /// The word ``EndReason/timeout``.
    @inlinable public static var timeout: Self { Self(Known.timeout) }
    /// The word ``EndReason/expired``.
    @inlinable public static var expired: Self { Self(Known.expired) }
    /// The word ``EndReason/stopped``.
    @inlinable public static var stopped: Self { Self(Known.stopped) }
}

extension CodeWord where Known == HangupReason {
    /// The word ``HangupReason/cancelled``.
    @inlinable public static var cancelled: Self { Self(Known.cancelled) }
    /// The word ``HangupReason/answeredElsewhere``.
    @inlinable public static var answeredElsewhere: Self { Self(Known.answeredElsewhere) }
    /// The word ``HangupReason/declinedElsewhere``.
    @inlinable public static var declinedElsewhere: Self { Self(Known.declinedElsewhere) }
    /// The word ``HangupReason/busy``.
    @inlinable public static var busy: Self { Self(Known.busy) }
    /// The word ``HangupReason/failed``.
    @inlinable public static var failed: Self { Self(Known.failed) }
}

extension CodeWord where Known == RejectionReason {
    /// The word ``RejectionReason/empty``.
    @inlinable public static var empty: Self { Self(Known.empty) }
    /// The word ``RejectionReason/incomplete``.
    @inlinable public static var incomplete: Self { Self(Known.incomplete) }
    /// The word ``RejectionReason/notUTF8``.
    @inlinable public static var notUTF8: Self { Self(Known.notUTF8) }
    /// The word ``RejectionReason/notJSON``.
    @inlinable public static var notJSON: Self { Self(Known.notJSON) }
    /// The word ``RejectionReason/notAnObject``.
    @inlinable public static var notAnObject: Self { Self(Known.notAnObject) }
    /// The word ``RejectionReason/noAps``.
    @inlinable public static var noAps: Self { Self(Known.noAps) }
    /// The word ``RejectionReason/badField``.
    @inlinable public static var badField: Self { Self(Known.badField) }
    /// The word ``RejectionReason/payloadTooLarge``.
    @inlinable public static var payloadTooLarge: Self { Self(Known.payloadTooLarge) }
    /// The word ``RejectionReason/tooDeep``.
    @inlinable public static var tooDeep: Self { Self(Known.tooDeep) }
    /// The word ``RejectionReason/badAppGroup``.
    @inlinable public static var badAppGroup: Self { Self(Known.badAppGroup) }
    /// The word ``RejectionReason/busy``.
    @inlinable public static var busy: Self { Self(Known.busy) }
}

extension CodeWord where Known == WarningCode {
    /// The word ``WarningCode/hangupNotIntercepted``.
    @inlinable public static var hangupNotIntercepted: Self { Self(Known.hangupNotIntercepted) }
    /// The word ``WarningCode/foregroundUnowned``.
    @inlinable public static var foregroundUnowned: Self { Self(Known.foregroundUnowned) }
    /// The word ``WarningCode/badClock``.
    @inlinable public static var badClock: Self { Self(Known.badClock) }
    /// The word ``WarningCode/groupLocked``.
    @inlinable public static var groupLocked: Self { Self(Known.groupLocked) }
    /// The word ``WarningCode/groupCorrupt``.
    @inlinable public static var groupCorrupt: Self { Self(Known.groupCorrupt) }
    /// The word ``WarningCode/groupUnwritable``.
    @inlinable public static var groupUnwritable: Self { Self(Known.groupUnwritable) }
    /// The word ``WarningCode/configuration``.
    @inlinable public static var configuration: Self { Self(Known.configuration) }
    /// The word ``WarningCode/fieldIgnored``.
    @inlinable public static var fieldIgnored: Self { Self(Known.fieldIgnored) }
    /// The word ``WarningCode/noCallID``.
    @inlinable public static var noCallID: Self { Self(Known.noCallID) }
    /// The word ``WarningCode/soundUnplayable``.
    @inlinable public static var soundUnplayable: Self { Self(Known.soundUnplayable) }
    /// The word ``WarningCode/criticalUnentitled``.
    @inlinable public static var criticalUnentitled: Self { Self(Known.criticalUnentitled) }
    /// The word ``WarningCode/handlerCalledAgain``.
    @inlinable public static var handlerCalledAgain: Self { Self(Known.handlerCalledAgain) }
    /// The word ``WarningCode/noAlertText``.
    @inlinable public static var noAlertText: Self { Self(Known.noAlertText) }
    /// The word ``WarningCode/attachmentDropped``.
    @inlinable public static var attachmentDropped: Self { Self(Known.attachmentDropped) }
    /// The word ``WarningCode/timeWillExpire``.
    @inlinable public static var timeWillExpire: Self { Self(Known.timeWillExpire) }
    /// The word ``WarningCode/neverReplied``.
    @inlinable public static var neverReplied: Self { Self(Known.neverReplied) }
    /// The word ``WarningCode/blocked``.
    @inlinable public static var blocked: Self { Self(Known.blocked) }
    /// The word ``WarningCode/killedAtBudget``.
    @inlinable public static var killedAtBudget: Self { Self(Known.killedAtBudget) }
    /// The word ``WarningCode/outputCut``.
    @inlinable public static var outputCut: Self { Self(Known.outputCut) }
    /// The word ``WarningCode/memory``.
    @inlinable public static var memory: Self { Self(Known.memory) }
    /// The word ``WarningCode/unsupported``.
    @inlinable public static var unsupported: Self { Self(Known.unsupported) }
    /// The word ``WarningCode/centerAfterReply``.
    @inlinable public static var centerAfterReply: Self { Self(Known.centerAfterReply) }
    /// The word ``WarningCode/lockHeld``.
    @inlinable public static var lockHeld: Self { Self(Known.lockHeld) }
    /// The word ``WarningCode/hangupCouldNotStop``.
    @inlinable public static var hangupCouldNotStop: Self { Self(Known.hangupCouldNotStop) }
    /// The word ``WarningCode/keeperGone``.
    @inlinable public static var keeperGone: Self { Self(Known.keeperGone) }
    /// The word ``WarningCode/pushNotReported``.
    @inlinable public static var pushNotReported: Self { Self(Known.pushNotReported) }
    /// The word ``WarningCode/pushReportedLate``.
    @inlinable public static var pushReportedLate: Self { Self(Known.pushReportedLate) }
    /// The word ``WarningCode/pushNoReceiver``.
    @inlinable public static var pushNoReceiver: Self { Self(Known.pushNoReceiver) }
    /// The word ``WarningCode/pushCompletionMissing``.
    @inlinable public static var pushCompletionMissing: Self { Self(Known.pushCompletionMissing) }
    /// The word ``WarningCode/registryLate``.
    @inlinable public static var registryLate: Self { Self(Known.registryLate) }
    /// The word ``WarningCode/registryLost``.
    @inlinable public static var registryLost: Self { Self(Known.registryLost) }
    /// The word ``WarningCode/providerLost``.
    @inlinable public static var providerLost: Self { Self(Known.providerLost) }
    /// The word ``WarningCode/providerTwice``.
    @inlinable public static var providerTwice: Self { Self(Known.providerTwice) }
    /// The word ``WarningCode/delegateLate``.
    @inlinable public static var delegateLate: Self { Self(Known.delegateLate) }
    /// The word ``WarningCode/actionUnfinished``.
    @inlinable public static var actionUnfinished: Self { Self(Known.actionUnfinished) }
    /// The word ``WarningCode/actionTwice``.
    @inlinable public static var actionTwice: Self { Self(Known.actionTwice) }
    /// The word ``WarningCode/actionAfterTimeout``.
    @inlinable public static var actionAfterTimeout: Self { Self(Known.actionAfterTimeout) }
    /// The word ``WarningCode/actionUnimplemented``.
    @inlinable public static var actionUnimplemented: Self { Self(Known.actionUnimplemented) }
    /// The word ``WarningCode/uuidUnknown``.
    @inlinable public static var uuidUnknown: Self { Self(Known.uuidUnknown) }
    /// The word ``WarningCode/uuidReused``.
    @inlinable public static var uuidReused: Self { Self(Known.uuidReused) }
    /// The word ``WarningCode/updateWithoutHandle``.
    @inlinable public static var updateWithoutHandle: Self { Self(Known.updateWithoutHandle) }
    /// The word ``WarningCode/updateWithoutName``.
    @inlinable public static var updateWithoutName: Self { Self(Known.updateWithoutName) }
    /// The word ``WarningCode/handleType``.
    @inlinable public static var handleType: Self { Self(Known.handleType) }
    /// The word ``WarningCode/mainBlocked``.
    @inlinable public static var mainBlocked: Self { Self(Known.mainBlocked) }
    /// The word ``WarningCode/voipModeMissing``.
    @inlinable public static var voipModeMissing: Self { Self(Known.voipModeMissing) }
    /// The word ``WarningCode/localizedNameAssigned``.
    @inlinable public static var localizedNameAssigned: Self { Self(Known.localizedNameAssigned) }
    /// The word ``WarningCode/endByReport``.
    @inlinable public static var endByReport: Self { Self(Known.endByReport) }
    /// The word ``WarningCode/appNotStarted``.
    @inlinable public static var appNotStarted: Self { Self(Known.appNotStarted) }
    /// The word ``WarningCode/connectedNever``.
    @inlinable public static var connectedNever: Self { Self(Known.connectedNever) }
    /// The word ``WarningCode/connectedOnIncoming``.
    @inlinable public static var connectedOnIncoming: Self { Self(Known.connectedOnIncoming) }
    /// The word ``WarningCode/executeSwallowed``.
    @inlinable public static var executeSwallowed: Self { Self(Known.executeSwallowed) }
    /// The word ``WarningCode/audioEarly``.
    @inlinable public static var audioEarly: Self { Self(Known.audioEarly) }
    /// The word ``WarningCode/audioAfterEnd``.
    @inlinable public static var audioAfterEnd: Self { Self(Known.audioAfterEnd) }
    /// The word ``WarningCode/audioCategory``.
    @inlinable public static var audioCategory: Self { Self(Known.audioCategory) }
    /// The word ``WarningCode/soundUnreadable``.
    @inlinable public static var soundUnreadable: Self { Self(Known.soundUnreadable) }
    /// The word ``WarningCode/appTwice``.
    @inlinable public static var appTwice: Self { Self(Known.appTwice) }
    /// The word ``WarningCode/callsUnavailable``.
    @inlinable public static var callsUnavailable: Self { Self(Known.callsUnavailable) }
    /// The word ``WarningCode/groupLarge``.
    @inlinable public static var groupLarge: Self { Self(Known.groupLarge) }
    /// The word ``WarningCode/directoryOrder``.
    @inlinable public static var directoryOrder: Self { Self(Known.directoryOrder) }
    /// The word ``WarningCode/directoryDuplicate``.
    @inlinable public static var directoryDuplicate: Self { Self(Known.directoryDuplicate) }
    /// The word ``WarningCode/directoryFormat``.
    @inlinable public static var directoryFormat: Self { Self(Known.directoryFormat) }
    /// The word ``WarningCode/directoryIncomplete``.
    @inlinable public static var directoryIncomplete: Self { Self(Known.directoryIncomplete) }
    /// The word ``WarningCode/directoryAsync``.
    @inlinable public static var directoryAsync: Self { Self(Known.directoryAsync) }
    /// The word ``WarningCode/directoryFullAsDiff``.
    @inlinable public static var directoryFullAsDiff: Self { Self(Known.directoryFullAsDiff) }
    /// The word ``WarningCode/directoryRemoveFull``.
    @inlinable public static var directoryRemoveFull: Self { Self(Known.directoryRemoveFull) }
    /// The word ``WarningCode/directoryMemory``.
    @inlinable public static var directoryMemory: Self { Self(Known.directoryMemory) }
    /// The word ``WarningCode/directorySilentReload``.
    @inlinable public static var directorySilentReload: Self { Self(Known.directorySilentReload) }
    /// The word ``WarningCode/directoryDamaged``.
    @inlinable public static var directoryDamaged: Self { Self(Known.directoryDamaged) }
}

extension CodeWord where Known == MissedReason {
    /// The word ``MissedReason/cancelled``.
    @inlinable public static var cancelled: Self { Self(Known.cancelled) }
    /// The word ``MissedReason/busy``.
    @inlinable public static var busy: Self { Self(Known.busy) }
    /// The word ``MissedReason/failed``.
    @inlinable public static var failed: Self { Self(Known.failed) }
    /// The word ``MissedReason/timeout``.
    @inlinable public static var timeout: Self { Self(Known.timeout) }
    /// The word ``MissedReason/expired``.
    @inlinable public static var expired: Self { Self(Known.expired) }
    /// The word ``MissedReason/stopped``.
    @inlinable public static var stopped: Self { Self(Known.stopped) }
    /// The word ``MissedReason/stale``.
    @inlinable public static var stale: Self { Self(Known.stale) }
    /// The word ``MissedReason/died``.
    @inlinable public static var died: Self { Self(Known.died) }
}

extension CodeWord where Known == AppState {
    /// The word ``AppState/started``.
    @inlinable public static var started: Self { Self(Known.started) }
    /// The word ``AppState/handed``.
    @inlinable public static var handed: Self { Self(Known.handed) }
    /// The word ``AppState/returned``.
    @inlinable public static var returned: Self { Self(Known.returned) }
    /// The word ``AppState/ended``.
    @inlinable public static var ended: Self { Self(Known.ended) }
}

extension CodeWord where Known == AppCallState {
    /// The word ``AppCallState/reported``.
    @inlinable public static var reported: Self { Self(Known.reported) }
    /// The word ``AppCallState/refused``.
    @inlinable public static var refused: Self { Self(Known.refused) }
    /// The word ``AppCallState/started``.
    @inlinable public static var started: Self { Self(Known.started) }
    /// The word ``AppCallState/connecting``.
    @inlinable public static var connecting: Self { Self(Known.connecting) }
    /// The word ``AppCallState/connected``.
    @inlinable public static var connected: Self { Self(Known.connected) }
    /// The word ``AppCallState/held``.
    @inlinable public static var held: Self { Self(Known.held) }
    /// The word ``AppCallState/resumed``.
    @inlinable public static var resumed: Self { Self(Known.resumed) }
    /// The word ``AppCallState/muted``.
    @inlinable public static var muted: Self { Self(Known.muted) }
    /// The word ``AppCallState/unmuted``.
    @inlinable public static var unmuted: Self { Self(Known.unmuted) }
    /// The word ``AppCallState/grouped``.
    @inlinable public static var grouped: Self { Self(Known.grouped) }
    /// The word ``AppCallState/ungrouped``.
    @inlinable public static var ungrouped: Self { Self(Known.ungrouped) }
    /// The word ``AppCallState/ended``.
    @inlinable public static var ended: Self { Self(Known.ended) }
}

extension CodeWord where Known == CallActor {
    /// The word ``CallActor/person``.
    @inlinable public static var person: Self { Self(Known.person) }
    /// The word ``CallActor/app``.
    @inlinable public static var app: Self { Self(Known.app) }
    /// The word ``CallActor/remote``.
    @inlinable public static var remote: Self { Self(Known.remote) }
    /// The word ``CallActor/system``.
    @inlinable public static var system: Self { Self(Known.system) }
}

extension CodeWord where Known == AppActionKind {
    /// The word ``AppActionKind/start``.
    @inlinable public static var start: Self { Self(Known.start) }
    /// The word ``AppActionKind/answer``.
    @inlinable public static var answer: Self { Self(Known.answer) }
    /// The word ``AppActionKind/end``.
    @inlinable public static var end: Self { Self(Known.end) }
    /// The word ``AppActionKind/hold``.
    @inlinable public static var hold: Self { Self(Known.hold) }
    /// The word ``AppActionKind/mute``.
    @inlinable public static var mute: Self { Self(Known.mute) }
    /// The word ``AppActionKind/group``.
    @inlinable public static var group: Self { Self(Known.group) }
    /// The word ``AppActionKind/resume``.
    @inlinable public static var resume: Self { Self(Known.resume) }
    /// The word ``AppActionKind/unmute``.
    @inlinable public static var unmute: Self { Self(Known.unmute) }
    /// The word ``AppActionKind/ungroup``.
    @inlinable public static var ungroup: Self { Self(Known.ungroup) }
    /// The word ``AppActionKind/dtmf``.
    @inlinable public static var dtmf: Self { Self(Known.dtmf) }
}

extension CodeWord where Known == AppActionState {
    /// The word ``AppActionState/performed``.
    @inlinable public static var performed: Self { Self(Known.performed) }
    /// The word ``AppActionState/fulfilled``.
    @inlinable public static var fulfilled: Self { Self(Known.fulfilled) }
    /// The word ``AppActionState/failed``.
    @inlinable public static var failed: Self { Self(Known.failed) }
    /// The word ``AppActionState/timedOut``.
    @inlinable public static var timedOut: Self { Self(Known.timedOut) }
}
