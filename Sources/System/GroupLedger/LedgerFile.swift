public import BelfryAppGroup
public import BelfryEventLoop
public import BelfrySyscalls
public import BelfryTerms
public import CallLedger
import Glibc
public import RingEar

/// The ledger of one group: every program looks at calls and changes them here, and has rings ended here (R7).
///
/// It is in the group file, and in the notes beside it, which say what the file may not have yet. Each change is
/// decided under the lock of the notes' folder, in memory, and laid there as a note; then the file follows, at once if
/// its lock is free and its disk takes it, else when that is so. Nobody waits for the file: neither a ring nor a
/// command. Opening the ledger records dead rings as missed (R12).
public final class LedgerFile {
    /// The file itself, for keys that have nothing to do with calls.
    public let file: GroupFile

    /// How long a decision waits for one that another process makes. Who takes something out for itself alone has to
    /// wait longer than a ring may: without the lock two could take the same.
    public var patience = LedgerFile.decisionPatience

    /// How long an answer waits for the app that is given by way of this object.
    public var answersWait = Ledger.answerLifetime

    private let notes: LedgerNotes
    private var waiting: [() -> Bool] = []
    private var isRecording = false
    private var retriesRecordingAt: Instant?
    /// What became of recording last, unless it succeeded.
    private var lastFailure: LedgerOutcome?
    private var finishing: (end: Instant, done: () -> Void)?

    /// Called with what became of recording, if that ended after its change did.
    public var onRecorded: (LedgerOutcome) -> Void = { _ in }

    /// Called with what each change has made of the ledger, in the order of the decisions and before anybody else can
    /// know of it; `isOwn` if it was one of this process's own ring, which waits for nobody.
    public var onDecided: (_ ledger: Ledger, _ isOwn: Bool) -> Void = { _, _ in }

    /// How long a ring's decision waits for one that another process makes.
    static let decisionPatience = TimeSpan.milliseconds(100)
    /// How long who collects waits: a command may take a second.
    public static let collectingPatience = TimeSpan.seconds(1)
    /// After a failure the file is tried again so much later, or as the ledger is changed.
    static let recordingInterval = TimeSpan.seconds(1)

    /// The ledger of `group` below `state`, with its notes below `runtime`. Nothing is opened or created yet.
    public init(state: StateDirectory, runtime: RuntimeDirectory, group: GroupName) {
        file = GroupFile(state: state, group: group)
        notes = LedgerNotes(folder: RingFolder(runtime: runtime, statePath: state.path, group: group))
    }

    /// The folder of the notes, and of the ears.
    public var folder: RingFolder { notes.folder }

    /// The ledger as it is now, read without a lock; nil if there is neither a file that can be used nor a note.
    public func read() -> Ledger? {
        notes.refresh()
        let snapshot = file.snapshot()
        guard snapshot.status == .read || !notes.all.isEmpty else { return nil }
        return Ledger(reading: snapshot, with: notes.all)
    }

    /// Changes the ledger, and then calls `completion`, perhaps before this returns. If file watchers will not see the
    /// change at once, the other processes that ring are woken to look again.
    ///
    /// `change` runs exactly once, even if nothing can be read or written: on what could be read, or on an empty
    /// ledger. Changes of one object run in order; one that is begun inside `change` runs after it.
    public func transact<Answer>(
        on timers: any TimerSource, _ change: @escaping (inout Ledger) -> Answer,
        completion: @escaping (LedgerTransaction<Answer>) -> Void
    ) {
        let begun = timers.now
        waiting.append { [self] in
            switch decide(on: timers, begun: begun, change) {
            case .decided(let decision):
                record(decision, on: timers) { [self] outcome in
                    wakeOthers(in: decision.before, after: outcome)
                    completion(LedgerTransaction(value: decision.answer, outcome: outcome))
                }
                return true
            case .tryAgain(let instant):
                _ = timers.schedule(at: instant, description: "ledger") { self.proceed(on: timers) }
                return false
            }
        }
        if waiting.count == 1 { proceed(on: timers) }
    }

    /// Changes what the ledger says of a ring that this process owns, as ``transact(on:_:completion:)`` does, but waits
    /// for nobody else's decision: a ring's owner alone decides how it ends.
    public func transact<Answer>(
        onOwnRing change: (inout Ledger) -> Answer, on timers: any TimerSource,
        completion: @escaping (LedgerTransaction<Answer>) -> Void
    ) {
        notes.refresh()
        let before = Ledger(reading: file.snapshot(), with: notes.all)
        var after = before
        after.answersWait = answersWait
        let answer = change(&after)
        onDecided(after, true)
        if let note = LedgerNote(from: before, to: after) { notes.lay(note) }
        record(on: timers) { [self] outcome in
            wakeOthers(in: before, after: outcome)
            completion(LedgerTransaction(value: answer, outcome: outcome))
        }
    }

    /// Wakes the other processes that ring in `before`, if they would not see by the file what has changed since.
    private func wakeOthers(in before: Ledger, after outcome: LedgerOutcome) {
        guard !outcome.isVisibleInFile else { return }
        RingCalls.wake(before.rings.filter { $0.owner != Owner(.current) }, in: file.group, folder: folder)
    }

    private func proceed(on timers: any TimerSource) {
        while let first = waiting.first, first() { waiting.removeFirst() }
        endFinishing(on: timers)
    }

    /// Changes the ledger as ``transact(on:_:completion:)`` does, and waits until the file has it, or for a second: for
    /// the command line. `decided` is called before that, as soon as all of Belfry can know of the change.
    public func transactAndWait<Answer>(
        on loop: any EventLoop, _ change: @escaping (inout Ledger) -> Answer,
        decided: (LedgerTransaction<Answer>) -> Void = { _ in }
    ) -> LedgerTransaction<Answer> {
        var ended: LedgerTransaction<Answer>?
        transact(on: loop, change) { transaction in
            ended = transaction
            loop.stop()
        }
        // If it is decided already, the loop stops at once.
        loop.run()
        guard let ended else { preconditionFailure("somebody else stopped the loop of a change") }
        decided(ended)
        return LedgerTransaction(value: ended.value, outcome: waitUntilRecorded(ended.outcome, on: loop))
    }

    /// Waits until the file has what was changed, or for a second, and returns what has become of it: `outcome`, or
    /// what came after that.
    public func waitUntilRecorded(_ outcome: LedgerOutcome, on loop: any EventLoop) -> LedgerOutcome {
        var outcome = outcome
        onRecorded = { outcome = $0 }
        finish(by: loop.now) { loop.stop() }
        loop.run()
        return outcome
    }

    /// Calls `done` once nothing is being decided or recorded; until `end` what could not be recorded is tried again. A
    /// process that ends leaves its notes behind.
    public func finish(by end: Instant, _ done: @escaping () -> Void) {
        guard isRecording || !waiting.isEmpty else { return done() }
        finishing = (end, done)
    }

    private func endFinishing(on timers: any TimerSource) {
        guard let (end, done) = finishing, !isRecording, waiting.isEmpty else { return }
        if timers.now < end, notes.areStillOwed, lastFailure?.isHopeless != true {
            record(on: timers) { [self] in onRecorded($0) }
            // What is recorded at once calls nobody back.
            if isRecording { return }
        }
        finishing = nil
        done()
    }

    /// Whether something that this process changed is lost if it ends now: neither in the file nor beside it.
    public var isKnownHereAlone: Bool { notes.areKnownHereAlone }

    /// Lets the file follow if it lacks something: for each tick, as a lock may be free and a disk have room by then.
    public func recordWhatIsOwed(on timers: any TimerSource) {
        guard notes.areOwed, !isRecording, retriesRecordingAt.map({ timers.now >= $0 }) ?? true else { return }
        record(on: timers) { [self] in onRecorded($0) }
    }

    /// Says `ask` to whoever rings `key`, or to all who ring if that is nil, and calls `done` with what they answered
    /// within 100 ms, and whether all of them did; perhaps before this returns.
    public func ask(
        _ ask: RingAsk, of key: CallKey?, on loop: any EventLoop,
        done: @escaping (_ answers: [RingAnswer], _ all: Bool) -> Void
    ) {
        let rings = (read()?.rings ?? []).filter { key == nil || $0.key == key }
        RingCalls.ask(ask, of: rings, in: file.group, folder: folder, on: loop) { done($0, $0.count == rings.count) }
    }

    /// Asks at the ear of the ring `key`, or at all ears if that is nil, to have `ask` carried out (R7); else carries
    /// it out by `change` in the ledger. Calls `done` with what came of it, perhaps before this returns.
    ///
    /// - Parameter heard: makes the result from what came back within 100 ms, and from whether all rings answered; nil
    ///   if the ledger has to be changed all the same.
    public func carryOut<Answer>(
        _ ask: RingAsk, of key: CallKey?, on loop: any EventLoop,
        heard: @escaping (_ answers: [RingAnswer], _ all: Bool) -> Answer?,
        else change: @escaping (inout Ledger) -> Answer, done: @escaping (Answer, LedgerOutcome) -> Void
    ) {
        self.ask(ask, of: key, on: loop) { [self] answers, all in
            if let answer = heard(answers, all) { return done(answer, .recorded([])) }
            transact(on: loop, change) { done($0.value, $0.outcome) }
        }
    }

    /// Calls `changed` with the ledger as it is, in the next iteration of `loop` at the earliest, and then after each
    /// change of the file by any program. If the file cannot be watched, `failure` gets the reason, and changes are
    /// found only by ``LedgerWatch/look()``.
    ///
    /// If the file is missing or cannot be read for a moment, what it said last counts: such a file hangs up nothing
    /// (R13).
    public func watch(
        on loop: any EventLoop, failure: @escaping (SystemError) -> Void = { _ in }, changed: @escaping (Ledger) -> Void
    ) -> LedgerWatch {
        LedgerWatch(file: file, notes: notes, loop: loop, failure: failure, changed: changed)
    }
}

// MARK: Deciding

extension LedgerFile {
    private struct Decision<Answer> {
        let answer: Answer
        let before: Ledger
        let ledger: Ledger
        /// The version of the file that was decided on.
        let revision: UInt64
        /// The notes that were taken along, and the one that was laid.
        let notes: [LedgerNote]
        /// Whether the file has to be written.
        let isOwed: Bool
    }

    private enum Attempt<Answer> {
        case decided(Decision<Answer>)
        case tryAgain(Instant)
    }

    private func decide<Answer>(
        on timers: any TimerSource, begun: Instant, _ change: (inout Ledger) -> Answer
    ) -> Attempt<Answer> {
        let now = timers.now
        var lock: FileLock?
        do throws(SystemError) {
            try folder.open(makes: true)
            lock = try folder.tryLock()
            // A process that was stopped with the lock holds nobody up for longer.
            if lock == nil, now - begun < patience { return .tryAgain(now + .milliseconds(1)) }
        } catch {
            // Without the folder the file alone has to do.
        }
        defer { lock = nil }
        let (snapshot, before, opened) = look()
        if let next = file.nextReading(of: snapshot, since: begun, now: now) { return .tryAgain(next) }
        var ledger = opened
        ledger.answersWait = answersWait
        let answer = change(&ledger)
        onDecided(ledger, false)
        if let note = LedgerNote(from: before, to: ledger) { notes.lay(note) }
        notes.removeForgotten(in: ledger)
        let isOwed = snapshot.isUnreadable || ledger.root != snapshot.root || ledger.isDurable
        return .decided(
            Decision(
                answer: answer, before: before, ledger: ledger, revision: snapshot.revision, notes: notes.all,
                isOwed: isOwed))
    }

    /// What file and notes say, as it is read and as it is opened. If somebody is found dead, all is read again: as he
    /// died he may just have said how his ring ended.
    private func look() -> (snapshot: GroupSnapshot, before: Ledger, opened: Ledger) {
        var dead: Set<Owner?> = []
        while true {
            // The notes first: whoever records one in the meantime has written the file by then.
            notes.refresh()
            let snapshot = file.snapshot()
            let before = Ledger(reading: snapshot, with: notes.all)
            let opened = before.opened
            let found = opened.unreported.map(\.owner)
            guard !dead.isSuperset(of: found) else { return (snapshot, before, opened) }
            dead.formUnion(found)
        }
    }
}

// MARK: Recording

extension LedgerFile {
    /// What the file is to say: one of its versions, with the notes that were taken along.
    private struct Merged {
        let ledger: Ledger
        let notes: [LedgerNote]
        let revision: UInt64
    }

    private func record<Answer>(
        _ decision: Decision<Answer>, on timers: any TimerSource, _ completion: @escaping (LedgerOutcome) -> Void
    ) {
        guard decision.isOwed else {
            // Whoever wrote the file may have died before it said so (R12).
            notes.recorded(decision.notes, in: decision.ledger)
            return completion(.recorded([]))
        }
        let merged = Merged(ledger: decision.ledger, notes: decision.notes, revision: decision.revision)
        record(on: timers, merged, completion)
    }

    /// Writes the file with all notes, or as `decided`, if it can be written now and is still the version decided on.
    /// `ended` is called before this returns: if the file's lock is held, that is so with `waiting`, or with what the
    /// last attempt failed of, since a disk that is full stays so behind a lock.
    private func record(
        on timers: any TimerSource, _ decided: Merged? = nil,
        _ ended: @escaping (LedgerOutcome) -> Void
    ) {
        // Whoever waits for the lock takes this along, if that is not in vain.
        guard !isRecording else { return ended(lastFailure ?? .waiting([])) }
        isRecording = true
        var decided = decided
        var taken: Merged?
        var hasEnded = false
        let isObsolete = { [notes] in !notes.areStillOwed }
        let change = { [notes] (edit: inout GroupEdit) in
            let merged: Merged
            if let decided, decided.revision == edit.found.revision {
                merged = decided
            } else {
                // Whoever has removed a note since the file was read has written it: then this is done anew on that.
                notes.refresh()
                let ledger = Ledger(opening: edit.found, with: notes.all)
                merged = Merged(ledger: ledger, notes: notes.all, revision: edit.found.revision)
            }
            edit.root = merged.ledger.root
            edit.isDurable = merged.ledger.isDurable
            taken = merged
        }
        file.transact(on: timers, unless: isObsolete, change) { [self] transaction in
            isRecording = false
            // Without a transaction somebody else has taken the notes along.
            let end = transaction.map(LedgerOutcome.init) ?? .recorded([])
            if end.isVisibleInFile {
                lastFailure = nil
                if let taken { notes.recorded(taken.notes, in: taken.ledger) }
            } else {
                lastFailure = notes.areKept ? end : end.unkept
                retriesRecordingAt = timers.now + Self.recordingInterval
            }
            if hasEnded { onRecorded(lastFailure ?? end) } else { ended(lastFailure ?? end) }
            if hasEnded { endFinishing(on: timers) }
            hasEnded = true
        }
        // Later on the notes count, of which there may be new ones.
        decided = nil
        if !hasEnded { ended(lastFailure ?? .waiting([])) }
        hasEnded = true
    }
}

/// What has become of a change of the ledger.
public enum LedgerOutcome: Hashable, Sendable {
    /// The file has it; `warnings` say what the operator should know.
    case recorded(_ warnings: [GroupWarning])
    /// It lies beside the file, whose lock somebody holds; the file follows.
    case waiting(_ warnings: [GroupWarning])
    /// The file cannot be written, and is tried again; if it is `kept`, it lies beside the file.
    case unwritable(SystemError, kept: Bool, _ warnings: [GroupWarning])

    fileprivate init(_ transaction: GroupTransaction<Void>) {
        switch transaction.outcome {
        case .written, .unchanged: self = .recorded(transaction.warnings)
        case .failed(let error) where error.errno == EWOULDBLOCK: self = .waiting(transaction.warnings)
        case .failed(let error): self = .unwritable(error, kept: true, transaction.warnings)
        }
    }

    /// The same, if nobody else can find what lies beside the file.
    fileprivate var unkept: LedgerOutcome {
        if case .unwritable(let error, _, let warnings) = self {
            .unwritable(error, kept: false, warnings)
        } else {
            self
        }
    }
}

extension LedgerOutcome {
    /// File watchers will see the change; otherwise wake them.
    var isVisibleInFile: Bool {
        switch self {
        case .recorded: true
        case .waiting, .unwritable: false
        }
    }

    /// Whether trying again soon is in vain.
    fileprivate var isHopeless: Bool {
        switch self {
        case .recorded, .waiting: false
        case .unwritable: true
        }
    }

    /// Whether whoever reads the file finds the change there, as soon as others let it be written.
    public var isRecorded: Bool {
        switch self {
        case .recorded, .waiting: true
        case .unwritable: false
        }
    }
}

/// A change of the ledger that was made.
public struct LedgerTransaction<Answer> {
    /// What the change returned.
    public let value: Answer
    /// What has become of it.
    public let outcome: LedgerOutcome
}
