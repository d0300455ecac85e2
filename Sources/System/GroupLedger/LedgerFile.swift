public import BelfryAppGroup
public import BelfryEventLoop
public import BelfrySyscalls
public import BelfryTerms
public import CallLedger
import Glibc
public import RingEar

/// The ledger of one group: every program reads and changes calls here, and ends rings here (R7).
///
/// The ledger is in the group file, and in the notes beside it, which say what the file may not have yet. Each change
/// is decided under the lock of the notes' folder, in memory, and written there as a note. The file follows: at once if
/// its lock is free and its disk takes the change, otherwise as soon as that is so. Neither a ring nor a command waits
/// for the file. Opening the ledger records dead rings as missed (R12).
public final class LedgerFile {
    /// The file itself, for keys that have nothing to do with calls.
    public let file: GroupFile

    /// How long a decision waits for one that another process makes. A process that takes something out for itself,
    /// such as an answer, has to wait longer than a ring may: without the lock two processes could take the same one.
    public var patience = LedgerFile.decisionPatience

    /// How long an answer that is given through this object waits for the app.
    public var answersWait = Ledger.answerLifetime

    private let notes: LedgerNotes
    private var waiting: [() -> Bool] = []
    private var isRecording = false
    private var retriesRecordingAt: Instant?
    /// The outcome of the last recording, unless it succeeded.
    private var lastFailure: LedgerOutcome?
    private var finishing: (end: Instant, done: () -> Void)?

    /// Called with the outcome of recording a change, if that ends after the change itself has completed.
    public var onRecorded: (LedgerOutcome) -> Void = { _ in }

    /// Called with the ledger after each change, in the order of the decisions and before any other process can know of
    /// it. `isOwn` if the change was about this process's own ring, which waits for no other process.
    public var onDecided: (_ ledger: Ledger, _ isOwn: Bool) -> Void = { _, _ in }

    /// How long a ring's decision waits for one that another process makes.
    static let decisionPatience = TimeSpan.milliseconds(100)
    /// How long a process that collects answers waits: a command may take a second.
    public static let collectingPatience = TimeSpan.seconds(1)
    /// After a failure the file is tried again this much later, or when the ledger is changed.
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
    /// change at once, the other processes that ring are woken to look again (R10).
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

    /// Changes what the ledger says of a ring that this process owns, as ``transact(on:_:completion:)`` does, but does
    /// not wait for the decisions of others: only the owner of a ring decides how it ends.
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

    /// Wakes the other processes that ring in `before`, if the file does not show them what has changed since.
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

    /// Waits until the file has what was changed, or for a second, and returns the outcome: `outcome`, or a later one.
    public func waitUntilRecorded(_ outcome: LedgerOutcome, on loop: any EventLoop) -> LedgerOutcome {
        var outcome = outcome
        onRecorded = { outcome = $0 }
        finish(by: loop.now) { loop.stop() }
        loop.run()
        return outcome
    }

    /// Calls `done` once nothing is being decided or recorded. Until `end`, changes that could not be recorded are
    /// tried again. A process that ends leaves its notes behind.
    public func finish(by end: Instant, _ done: @escaping () -> Void) {
        guard isRecording || !waiting.isEmpty else { return done() }
        finishing = (end, done)
    }

    private func endFinishing(on timers: any TimerSource) {
        guard let (end, done) = finishing, !isRecording, waiting.isEmpty else { return }
        if timers.now < end, notes.areStillOwed, lastFailure?.isHopeless != true {
            record(on: timers) { [self] in onRecorded($0) }
            // If it was recorded at once, no later call leads back here: go on.
            if isRecording { return }
        }
        finishing = nil
        done()
    }

    /// Whether something that this process changed is lost if it ends now: neither in the file nor beside it.
    public var isKnownHereAlone: Bool { notes.areKnownHereAlone }

    /// Writes the file if it lacks something: called at each tick, since by then a lock may be free or a disk have
    /// room.
    public func recordWhatIsOwed(on timers: any TimerSource) {
        guard notes.areOwed, !isRecording, retriesRecordingAt.map({ timers.now >= $0 }) ?? true else { return }
        record(on: timers) { [self] in onRecorded($0) }
    }

    /// Sends `ask` to the process that rings `key`, or to all that ring if that is nil. Calls `done` with the answers
    /// that come within 100 ms, and whether all of them answered; perhaps before this returns.
    public func ask(
        _ ask: RingAsk, of key: CallKey?, on loop: any EventLoop,
        done: @escaping (_ answers: [RingAnswer], _ all: Bool) -> Void
    ) {
        self.ask(ask, of: rings(key), on: loop, done: done)
    }

    private func ask(
        _ ask: RingAsk, of rings: [Call], on loop: any EventLoop,
        done: @escaping (_ answers: [RingAnswer], _ all: Bool) -> Void
    ) {
        RingCalls.ask(ask, of: rings, in: file.group, folder: folder, on: loop) { done($0, $0.count == rings.count) }
    }

    private func rings(_ key: CallKey?) -> [Call] { (read()?.rings ?? []).filter { key == nil || $0.key == key } }

    /// Has `ask` carried out by the process that rings `key`, or by all that ring if that is nil (R7), otherwise by
    /// `change` in the ledger. Calls `done` with the result, perhaps before this returns.
    ///
    /// - Parameter heard: makes the result from what came back within 100 ms, and from whether all rings answered; nil
    ///   if the ledger has to be changed all the same.
    public func carryOut<Answer>(
        _ ask: RingAsk, of key: CallKey?, on loop: any EventLoop,
        heard: @escaping (_ answers: [RingAnswer], _ all: Bool) -> Answer?,
        else change: @escaping (inout Ledger) -> Answer, done: @escaping (Answer, LedgerOutcome) -> Void
    ) {
        carryOut(ask, of: rings(key), on: loop, heard: heard, else: change, done: done)
    }

    /// The same, of `rings`, which ring in the ledger that was read.
    func carryOut<Answer>(
        _ ask: RingAsk, of rings: [Call], on loop: any EventLoop,
        heard: @escaping (_ answers: [RingAnswer], _ all: Bool) -> Answer?,
        else change: @escaping (inout Ledger) -> Answer, done: @escaping (Answer, LedgerOutcome) -> Void
    ) {
        self.ask(ask, of: rings, on: loop) { [self] answers, all in
            if let answer = heard(answers, all) { return done(answer, .recorded([])) }
            transact(on: loop, change) { done($0.value, $0.outcome) }
        }
    }

    /// Calls `changed` with the ledger as it is, in the next iteration of `loop` at the earliest, and then after each
    /// change of the file by any program. If the file cannot be watched, `failure` gets the reason, and changes are
    /// found only by ``LedgerWatch/look()``.
    ///
    /// If the file is missing or cannot be read for a moment, its last readable contents count: such a file hangs up
    /// nothing (R13).
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
        /// The notes that were merged, and the one that was written.
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
            // A process that was stopped while it holds the lock delays others for no longer than this.
            if lock == nil, now - begun < patience { return .tryAgain(now + .milliseconds(1)) }
        } catch {
            // Without the folder the file alone has to do.
        }
        defer { lock = nil }
        // Before the rest: from the look on, nothing may hold up the decision.
        let remembered = RememberedEnds(file)
        let (snapshot, before, opened) = look()
        if let next = file.nextReading(of: snapshot, since: begun, now: now) { return .tryAgain(next) }
        var ledger = opened
        ledger.answersWait = answersWait
        ledger.remembered = remembered
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

    /// The contents of file and notes, as read and as opened. If an owner is found dead, everything is read again: it
    /// may have written how its ring ended just before it died.
    private func look() -> (snapshot: GroupSnapshot, before: Ledger, opened: Ledger) {
        var dead: Set<Owner?> = []
        while true {
            // The notes first: a process that removes a note in the meantime has already written the file.
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
    /// The new contents of the file: one of its versions, with the notes that were merged.
    private struct Merged {
        let ledger: Ledger
        let notes: [LedgerNote]
        let revision: UInt64
    }

    private func record<Answer>(
        _ decision: Decision<Answer>, on timers: any TimerSource, _ completion: @escaping (LedgerOutcome) -> Void
    ) {
        guard decision.isOwed else {
            // The process that wrote the file may have died before it could mark the notes as recorded (R12).
            notes.recorded(decision.notes, in: decision.ledger)
            return completion(.recorded([]))
        }
        let merged = Merged(ledger: decision.ledger, notes: decision.notes, revision: decision.revision)
        record(on: timers, merged, completion)
    }

    /// Writes the file with all notes, or as `decided`, if it can be written now and is still the version decided on.
    /// `ended` is called before this returns. If the file's lock is held, it gets `waiting` or the last failure, since
    /// a disk that is full stays full while the lock is held.
    private func record(
        on timers: any TimerSource, _ decided: Merged? = nil,
        _ ended: @escaping (LedgerOutcome) -> Void
    ) {
        // The recording that waits for the lock merges all notes when it runs, so it includes this change.
        guard !isRecording else { return ended(lastFailure ?? .waiting([])) }
        isRecording = true
        var decided = decided
        var taken: Merged?
        // The completion below may run before this returns, or later: `ended` gets the first outcome, `onRecorded` a
        // later one.
        var hasEnded = false
        let isObsolete = { [notes] in !notes.areStillOwed }
        let change = { [file, notes] (edit: inout GroupEdit) in
            let merged: Merged
            if let decided, decided.revision == edit.found.revision {
                merged = decided
            } else {
                // Another process has written the file since, and may have removed notes: merge again on its version.
                notes.refresh()
                let ledger = Ledger(reading: edit.found, with: notes.all).opened
                merged = Merged(ledger: ledger, notes: notes.all, revision: edit.found.revision)
            }
            edit.root = merged.ledger.root
            var moved = merged.ledger
            // Written before the file lacks them: a reader in between finds them in both.
            if let ends = moved.moveOldEnds(behind: { RememberedEnds(file) }),
                (try? file.writeEnds(ends.bytes, isAddition: ends.isAddition)) != nil
            {
                edit.root = moved.root
            }
            edit.isDurable = merged.ledger.isDurable
            taken = merged
        }
        file.transact(on: timers, unless: isObsolete, change) { [self] transaction in
            isRecording = false
            // Without a transaction another process has recorded the notes.
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
        // If the change runs later, the notes may have grown: merge again then.
        decided = nil
        if !hasEnded { ended(lastFailure ?? .waiting([])) }
        hasEnded = true
    }
}

/// The outcome of a change of the ledger.
public enum LedgerOutcome: Hashable, Sendable {
    /// The file has it; `warnings` say what the operator should know.
    case recorded(_ warnings: [GroupWarning])
    /// It lies beside the file, whose lock another process holds; the file follows.
    case waiting(_ warnings: [GroupWarning])
    /// The file cannot be written, and is tried again. If `kept`, the change lies beside the file.
    case unwritable(SystemError, kept: Bool, _ warnings: [GroupWarning])

    fileprivate init(_ transaction: GroupTransaction<Void>) {
        switch transaction.outcome {
        case .written, .unchanged: self = .recorded(transaction.warnings)
        case .failed(let error) where error.errno == EWOULDBLOCK: self = .waiting(transaction.warnings)
        case .failed(let error): self = .unwritable(error, kept: true, transaction.warnings)
        }
    }

    /// The same outcome for a change that is known to this process alone, since its note could not be written.
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

    /// Whether it makes no sense to try again soon.
    fileprivate var isHopeless: Bool {
        switch self {
        case .recorded, .waiting: false
        case .unwritable: true
        }
    }

    /// Whether readers of the file will find the change there, as soon as the file's lock is free.
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
    /// Its outcome.
    public let outcome: LedgerOutcome
}

extension RememberedEnds {
    fileprivate init(_ file: GroupFile) { self.init(file.readEnds(bytesMax: Self.bytesMax)) }
}
