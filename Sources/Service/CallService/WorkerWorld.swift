import BelfryAppGroup
public import BelfryBus
public import BelfryEventLoop
public import BelfryProtocol
public import BelfrySyscalls
public import BelfryTerms
public import CallLedger
import Glibc
public import GroupLedger
public import PictureFetcher
import RingEar
public import SystemSound

/// The ledger in the group file, as this process uses it for one ring. A trouble with it is reported once (R14).
public final class WorkerLedger: SharedLedger {
    private let loop: any EventLoop
    private let file: LedgerFile
    private let report: (Event.Body) -> Void
    private let server: Int32
    private var ledgerWatch: LedgerWatch?
    private var ear: Ear?
    private var listening: (any ScheduledTimer)?
    private var reportedTroubles: [WarningCode] = []

    /// This process.
    public let owner = Owner(ProcessIdentity.current)

    /// The ledger in `file`; `report` takes the warnings, but that `server` keeps the file's lock, the process
    /// that has started this one.
    public init(
        loop: any EventLoop, file: LedgerFile, server: Int32? = nil, report: @escaping (Event.Body) -> Void
    ) {
        self.loop = loop
        self.file = file
        self.server = server ?? getppid()
        self.report = report
        file.onRecorded = { [weak self] outcome in
            self?.reportTroubles(outcome)
        }
    }

    /// Changes the ledger, and reports what is wrong with its file.
    public func transact<Answer>(
        _ change: @escaping (inout Ledger) -> Answer, done: @escaping (Answer, LedgerOutcome) -> Void
    ) {
        file.transact(on: loop, change) { [weak self] transaction in
            self?.reportTroubles(transaction.outcome)
            done(transaction.value, transaction.outcome)
        }
    }

    /// Changes what the ledger says of this process's ring.
    public func transactOnOwnRing<Answer>(
        _ change: @escaping (inout Ledger) -> Answer, done: @escaping (Answer, LedgerOutcome) -> Void
    ) {
        file.transact(onOwnRing: change, on: loop) { [weak self] transaction in
            self?.reportTroubles(transaction.outcome)
            done(transaction.value, transaction.outcome)
        }
    }

    /// Changes what the ledger says of this process's call.
    public func illustrate(_ key: CallKey, with picture: String, done: @escaping () -> Void) {
        transact { [owner] ledger in
            ledger.illustrate(key, owner: owner, with: picture)
        } done: { _, _ in
            done()
        }
    }

    /// Makes the ear, and listens at it from the loop's next iteration on: the ring comes first (R4).
    public func listen(_ heard: @escaping (CallKey, RingAsk, @escaping (RingAnswer?) -> Void) -> Void) {
        guard let ear = try? Ear(of: owner, in: file.folder) else { return }
        self.ear = ear
        let group = file.file.group
        listening = loop.afterThis(description: "ear") { [loop] in
            try? ear.listen(on: loop) { message, answer in
                if message.group == group { heard(message.call, message.ask, answer) }
            }
        }
    }

    /// Closes the ear.
    public func stopListening() {
        listening?.cancel()
        ear?.close()
        ear = nil
        file.folder.removeIfEmpty()
    }

    /// Asks at the ears, else changes the ledger, and reports what is wrong with its file.
    public func carryOut<Answer>(
        _ ask: RingAsk, of key: CallKey?, heard: @escaping (_ answers: [RingAnswer], _ all: Bool) -> Answer?,
        else change: @escaping (inout Ledger) -> Answer, done: @escaping (Answer, LedgerOutcome) -> Void
    ) {
        file.carryOut(ask, of: key, on: loop, heard: heard, else: change) { [weak self] answer, outcome in
            self?.reportTroubles(outcome)
            done(answer, outcome)
        }
    }

    /// Watches the file's directory, from the loop's next iteration on.
    public func watch(_ changed: @escaping (Ledger) -> Void) {
        ledgerWatch = file.watch(on: loop) { [file, loop] ledger in
            changed(ledger)
            file.recordWhatIsOwed(on: loop)
        }
    }

    /// Looks again, and writes what the file lacks.
    public func lookAgain() {
        ledgerWatch?.look()
        file.recordWhatIsOwed(on: loop)
    }

    /// Watches the process that rings `call` by its pidfd, and its time by a timer.
    public func expectEnd(of call: Call?) {
        ledgerWatch?.expectEnds(of: call.map { [$0] } ?? [])
    }

    /// Stops watching.
    public func stopWatching() {
        ledgerWatch?.cancel()
        ledgerWatch = nil
    }

    /// How long a process that has nothing else to do tries to bring the file up to date.
    private static let finishingPatience = TimeSpan.seconds(2)

    /// Calls `done` once the file has what this process changed, or cannot be written, or after two seconds, as
    /// the worker ends, be it stopped or not (R17); perhaps before this returns.
    public func finish(_ done: @escaping () -> Void) {
        file.finish(by: loop.now + Self.finishingPatience, done)
    }

    /// Whether something that this process changed is lost if it ends now.
    public var isKnownHereAlone: Bool { file.isKnownHereAlone }

    private func reportTroubles(_ outcome: LedgerOutcome) {
        switch outcome {
        case .recorded(let warnings), .waiting(let warnings): report(warnings)
        case .unwritable(let error, let isKept, let warnings):
            let end = isKept ? "is kept in memory" : "is known to its own process alone"
            reportOnce(.groupUnwritable, "\(error): what happens to this call \(end)")
            report(warnings.filter { $0.code != .groupLocked })
        }
    }

    private func report(_ warnings: [GroupWarning]) {
        for warning in warnings {
            // A test process serves its workers, and changes the file for the person: that it is slow is no news.
            if case .locked(let holder?, _) = warning, holder == server { continue }
            reportOnce(warning.code, warning.detail)
        }
    }

    private func reportOnce(_ code: WarningCode, _ detail: String) {
        guard !reportedTroubles.contains(code) else { return }
        reportedTroubles.append(code)
        report(.warning(code: code, detail: detail))
    }
}

extension SleepInhibitor: RingWakefulness {}

/// Sounds a ring through the sound server: one sound for loud rings, one for soft ones. An app's tune takes the place
/// of the loud one (R6).
public final class Ringer: RingOutput {
    private let player: () -> SoundPlayer
    /// Made for the first sound, since most notifications never make one.
    private var playerSound: PlayerSound?
    private let environment: Environment
    private lazy var files = SoundFiles(environment: environment, programPath: runningProgramPath())
    private let settings: RingSettings
    private let report: (Event.Body) -> Void
    private var sounds: [(mode: RingMode, sound: ResolvedSound?)] = []
    /// What the app has ring in place of the configured sound.
    private var tune: ResolvedSound?
    private var hasReportedNoSound = false
    /// Whether the last pulse may still be heard.
    private var mayBeHeard = false

    /// A ringer that follows `settings`; `environment` says where sounds are.
    ///
    /// - Parameter player: plays the sounds, perhaps of other rings in this process too; made for the first sound.
    public init(
        player: @autoclosure @escaping () -> SoundPlayer, settings: RingSettings, environment: Environment,
        report: @escaping (Event.Body) -> Void
    ) {
        self.player = player
        self.settings = settings
        self.report = report
        self.environment = environment
    }

    /// From the next loud pulse on. Soft rings are told apart by their own sound, and nobody rings who is not to.
    public func ring(with tune: ResolvedSound) { self.tune = tune }

    /// The sound that ``pulse(_:)`` plays, which is not the configured one if that is wrong.
    public func soundName(of mode: RingMode) -> String { sound(for: mode)?.name ?? SoundFiles.none }

    /// Plays the sound of `mode` once, if that mode has one; stops what the last pulse plays, but for a tune that goes
    /// on.
    public func pulse(_ mode: RingMode) {
        guard hasSound(mode) else { return stop() }
        guard let sound = sound(for: mode) else {
            if !hasReportedNoSound { report(.sound(state: .unavailable, detail: "no sound can be found")) }
            hasReportedNoSound = true
            return
        }
        let playerSound = playerSound ?? makePlayerSound()
        self.playerSound = playerSound
        playerSound.play(sound)
        mayBeHeard = true
    }

    /// Stops the sound.
    public func silence(_ silent: @escaping () -> Void) {
        mayBeHeard = false
        guard let playerSound else { return silent() }
        playerSound.silence(then: silent)
    }

    private func stop() { if mayBeHeard { silence {} } }

    private func makePlayerSound() -> PlayerSound {
        player().makeSound { [report] state in
            switch state {
            case .playing(let detail): report(.sound(state: .playing, detail: detail))
            case .muted(let detail): report(.sound(state: .muted, detail: detail))
            case .unavailable(let detail): report(.sound(state: .unavailable, detail: detail))
            }
        }
    }

    private func hasSound(_ mode: RingMode) -> Bool { mode != .silent && settings.sound != SoundFiles.none }

    /// The sound of `mode`, looked up once. If the setting is wrong, that is reported then, and another sound is used.
    private func sound(for mode: RingMode) -> ResolvedSound? {
        guard hasSound(mode) else { return nil }
        if mode == .loud, let tune { return tune }
        if let known = sounds.first(where: { $0.mode == mode }) { return known.sound }
        let (sound, problem) = files.resolve(configured: settings.sound, soft: mode == .soft)
        sounds.append((mode, sound))
        if let problem { report(.warning(code: .configuration, detail: "[Ring] Sound=: \(problem)")) }
        return sound
    }
}

/// The caller's picture, from the fetcher's process. The fetch begins an iteration late: the ring comes first (R4).
public final class FetchedPicture: PictureSource {
    private let loop: Loop
    private let picture: PictureDownload
    private var begins: (any ScheduledTimer)?

    /// A source that fetches with `picture`.
    public init(loop: Loop, picture: PictureDownload) {
        self.loop = loop
        self.picture = picture
    }

    /// Fetches the picture, from the loop's next iteration on.
    public func fetch(_ url: String, deadline: Instant, finished: @escaping (PictureDownload.Outcome) -> Void) {
        begins = loop.afterThis(description: "picture") { [picture] in
            picture.fetch(url, deadline: deadline, finished: finished)
        }
    }

    /// Ends the fetch.
    public func cancel() {
        begins?.cancel()
        picture.cancel()
    }
}
