public import BelfryAppGroup
public import BelfryEventLoop
import BelfryPropertyList
public import BelfryProtocol
public import BelfrySyscalls
public import BelfryTerms
public import CallLedger
public import PictureFetcher
import SystemSound

/// The world as it is: the loop's clock, the group file, the sound server.
public final class SystemCallWorld: CallWorld {
    private let loop: Loop
    private let file: GroupFile
    private let ringer: Ringer
    private let picture: CallerPicture
    private let tell: (Event.Body) -> Void
    private var timer: (any ScheduledTimer)?
    private var pictureSoon: (any ScheduledTimer)?
    private var groupWatch: GroupWatch?
    private var changed: ((Ledger) -> Void)?
    private var shown: GroupSnapshot?
    private var toldTroubles: Set<String> = []
    private var elder: ProcessSource?

    /// This process.
    public let owner: Owner

    /// - Parameter tell: takes the events.
    public init(
        loop: Loop, file: GroupFile, ringer: Ringer, picture: CallerPicture, tell: @escaping (Event.Body) -> Void
    ) {
        self.loop = loop
        self.file = file
        self.ringer = ringer
        self.picture = picture
        self.tell = tell
        owner = Owner(ProcessIdentity.current)
    }

    /// The instant.
    public var now: Instant { loop.now }

    /// The wall clock.
    public var wall: WallTime { WallTime(microseconds: wallTimeMicroseconds()) }

    /// Calls `action` at `instant`.
    public func wake(at instant: Instant, _ action: @escaping () -> Void) {
        timer?.cancel()
        timer = loop.schedule(at: instant, description: "ring", action)
    }

    /// Changes the group file, and tells what is wrong with it.
    public func transact<Answer>(_ change: @escaping (inout Ledger) -> Answer, done: @escaping (Answer) -> Void) {
        file.transact(on: loop) { edit in
            var ledger = Ledger(opening: edit.root, at: .now(reading: edit.found))
            let answer = change(&ledger)
            edit.root = ledger.root
            edit.isDurable = ledger.mustOutlivePowerCut
            return answer
        } completion: { [weak self] (transaction: GroupTransaction<Answer>) in
            self?.tellTroubles(of: transaction)
            done(transaction.value)
        }
    }

    /// Watches the group file's directory, from the next iteration on: a ring begins before it is watched.
    public func watch(_ changed: @escaping (Ledger) -> Void) {
        self.changed = changed
        loop.afterThis(description: "watch the group") { [weak self] in
            guard let self, self.changed != nil else { return }
            groupWatch = file.watch(on: loop) { [weak self] in self?.show($0) }.watch
            show(file.snapshot())
        }
    }

    /// Has changes of other calls than `keys` passed over until the next look.
    public func heed(_ keys: [CallKey]) {
        guard let shown else { return }
        groupWatch?.attend(to: GroupFocus(dictionary: Ledger.callsKey, members: keys.map(\.text)), since: shown)
    }

    /// Reads the file again, and tells the watcher where it has changed.
    public func lookAgain() {
        groupWatch?.look()
    }

    /// Watches `process` by its pidfd; one that is gone already is told of in the next
    /// iteration (R12).
    public func watchDeath(of process: Owner?, _ died: @escaping () -> Void) {
        elder?.cancel()
        elder = process.flatMap { ProcessIdentity($0) }.flatMap { process in
            try? loop.onDeath(of: process, description: "elder") { [weak self] in
                died()
                self.map { $0.show($0.file.snapshot()) }
            }
        }
    }

    /// Watches no more.
    public func stopWatching() {
        changed = nil
        shown = nil
        groupWatch?.cancel()
        groupWatch = nil
        elder?.cancel()
        elder = nil
        timer?.cancel()
        timer = nil
    }

    /// Sounds and vibrates once.
    public func pulse(_ mode: RingMode) {
        ringer.pulse(mode)
    }

    /// Makes sound and vibration stop.
    public func silence(_ silent: @escaping () -> Void) {
        ringer.silence(silent)
    }

    /// Fetches the caller's picture, from the next iteration on: a ring is told before.
    public func fetchPicture(
        _ url: String, deadline: Instant, finished: @escaping (CallerPicture.Outcome) -> Void
    ) {
        pictureSoon = loop.afterThis(description: "picture") { [picture] in
            picture.fetch(url, deadline: deadline, finished: finished)
        }
    }

    /// Ends the fetch.
    public func cancelPicture() {
        pictureSoon?.cancel()
        picture.cancel()
    }

    /// Tells an event.
    public func report(_ body: Event.Body) {
        tell(body)
    }

    /// A file that is missing or cannot be read hangs up nothing.
    private func show(_ snapshot: GroupSnapshot) {
        guard snapshot.status == .read else { return }
        shown = snapshot
        changed?(Ledger(reading: snapshot.root, at: .now(reading: snapshot)))
    }

    private func tellTroubles<Answer>(of transaction: GroupTransaction<Answer>) {
        var isWritten = true
        if case .failed(let error) = transaction.outcome {
            isWritten = false
            tellOnce(.groupUnwritable, "\(error): other processes do not know of this call")
        }
        for warning in transaction.warnings {
            switch warning {
            case .locked(_, let detail): if isWritten { tellOnce(.groupLocked, detail) }
            case .corrupt(_, let detail): tellOnce(.groupCorrupt, detail)
            }
        }
    }

    /// What goes on being wrong is one event (R14), however often the file is written.
    private func tellOnce(_ code: WarningCode, _ detail: String) {
        guard toldTroubles.insert(code.rawValue + detail).inserted else { return }
        tell(.warning(code: code, detail: detail))
    }
}

/// What a ring is heard and felt by: one sound for loud rings, one for soft ones, and a vibrator.
public final class Ringer {
    private let player: SoundPlayer
    private let vibrator: any Vibrator
    private let environment: Environment
    private lazy var files = SoundFiles(environment: environment, programPath: runningProgramPath())
    private let settings: RingSettings
    private let tell: (Event.Body) -> Void
    private var sounds: [(mode: RingMode, sound: ResolvedSound?)] = []

    /// A ringer as `settings` want it; `environment` says where sounds and the user's runtime directory are.
    public init(
        loop: Loop, settings: RingSettings, environment: Environment, tell: @escaping (Event.Body) -> Void
    ) {
        self.settings = settings
        self.tell = tell
        self.environment = environment
        vibrator = NoVibrator()
        player = SoundPlayer(loop: loop, runtimeDirectory: environment["XDG_RUNTIME_DIR"]) { state in
            switch state {
            case .playing(let detail): tell(.sound(state: .playing, detail: detail))
            case .unavailable(let detail): tell(.sound(state: .unavailable, detail: detail))
            }
        }
    }

    func pulse(_ mode: RingMode) {
        switch mode {
        case .loud:
            play(mode)
            if settings.vibrates { vibrator.start(VibrationPulse.ring.fitted(to: settings.interval)) }
        case .soft: play(mode)
        case .silent: break
        }
    }

    func silence(_ silent: @escaping () -> Void) {
        vibrator.stop()
        player.silence(then: silent)
    }

    private func play(_ mode: RingMode) {
        guard settings.sound != SoundFiles.none, let sound = sound(for: mode) else { return }
        player.play(sound)
    }

    /// Looked up once for each mode; what is wrong with the setting is told then, and something else rings.
    private func sound(for mode: RingMode) -> ResolvedSound? {
        if let known = sounds.first(where: { $0.mode == mode }) { return known.sound }
        let (sound, problem) = files.resolve(configured: settings.sound, soft: mode == .soft)
        sounds.append((mode, sound))
        if let problem { tell(.warning(code: .configuration, detail: "[Ring] Sound=: \(problem)")) }
        if problem != nil, sound == nil { tell(.sound(state: .unavailable, detail: "no sound can be found")) }
        return sound
    }
}

extension Moment {
    /// This moment of this machine, for the group file as `snapshot` found it.
    public static func now(reading snapshot: GroupSnapshot) -> Moment {
        Moment(
            now: Instant(microseconds: bootTimeMicroseconds()), wall: WallTime(microseconds: wallTimeMicroseconds()),
            bootID: bootIDOfThisBoot, fileModified: snapshot.modifiedAt
        ) { owner in
            ProcessIdentity(owner)?.isAlive ?? false
        }
    }
}

extension Owner {
    /// The process `identity` of this boot.
    public init(_ identity: ProcessIdentity) {
        self.init(bootID: bootIDOfThisBoot, pid: Int64(identity.pid), start: Int64(clamping: identity.startTicks))
    }
}

extension ProcessIdentity {
    /// The process that `owner` names; nil where the numbers are none that a process can have.
    init?(_ owner: Owner) {
        guard let pid = Int32(exactly: owner.pid), let start = UInt64(exactly: owner.start) else { return nil }
        self.init(pid: pid, startTicks: start)
    }
}

private let bootIDOfThisBoot = bootID()
