import BelfryProtocol
import BelfryTerms
import CallService

/// What the oracle knows of what mutes a ring; nil where it cannot tell.
struct Muting {
    /// Whether it was in quiet hours as its request was decided, and by which clock.
    var quietAtFirst: (isQuiet: Bool, wallOffset: Int64)?
    /// Whether it began in quiet hours.
    var isQuiet: Bool? = false
    /// Whether it passes what mutes others.
    var passes: Bool? = false
    /// What the desktop said first, and says now.
    var firstWord: DesktopWord?
    var isDesktopMuted = false
    /// Whether somebody wants something of the ring, which then waits for the desktop no longer.
    var isHurried = false

    var isMuted: Bool? {
        if passes == true { return false }
        guard isDesktopMuted || isQuiet == true else { return isQuiet == nil ? nil : false }
        return passes == nil ? nil : true
    }
}

/// R21, written from the page: what mutes a ring, and what is told of that.
extension Oracle {
    /// The request of `worker` is about to be decided.
    func expectMuting(of worker: PlayedWorker) {
        let mutes = world.plan.surroundings.mutes
        worker.account.muting.quietAtFirst = (mutes.isQuiet(at: world.machine.wall), world.machine.wallOffset)
        worker.account.muting.passes =
            worker.push.isCritical ? true : hasCalled(worker, within: mutes.repeatedWithin)
    }

    /// Whether the caller of `worker` called just before.
    private func hasCalled(_ worker: PlayedWorker, within span: TimeSpan) -> Bool? {
        guard let handle = worker.push.handle, span > .zero else { return false }
        let group = worker.push.group
        // What two clocks say a moment apart is not judged.
        let (least, most) = (span - .milliseconds(2), span + .milliseconds(2))
        let isKnown = rules[group].entries.values.contains { entry in
            entry.handle == handle && entry.since.map { now - $0 < least } ?? false
        }
        if isSure[group], isKnown { return true }
        // Of an earlier call of an id the ledger need not know any more.
        let mayBeKnown = world.workers.contains { other in
            other !== worker && other.push.group == group && other.push.handle == handle
                && other.account.decidedAt.map { now - $0 < most } ?? false
        }
        return mayBeKnown ? nil : false
    }

    /// The desktop says its first word to `worker`.
    func hears(_ worker: PlayedWorker, _ word: DesktopWord) {
        note("rings hear the desktop")
        worker.account.muting.firstWord = word
        worker.account.muting.isDesktopMuted = word.isMuted
    }

    /// The desktop tells `worker` that do-not-disturb is on, or off.
    func isMuted(_ worker: PlayedWorker, _ isMuted: Bool, _ tell: () -> Void) {
        world.story.tell("worker \(worker.number) hears that do-not-disturb is \(isMuted ? "on" : "off")")
        worker.account.muting.isDesktopMuted = isMuted
        tell()
        guard worker.isAlive, worker.account.isRinging, isPunctual(worker), let mode = worker.account.mode,
            let muted = worker.account.muting.isMuted
        else { return }
        note(muted ? "muted while it rings" : "heard again")
        demand(mode == .silent || !muted, "worker \(worker.number) rings \(mode), and is muted")
    }

    /// `worker` tells that it rings.
    func judgeMuting(of worker: PlayedWorker, _ ringing: Event.Ringing) {
        let name = "worker \(worker.number)"
        if worker.account.mode == nil { worker.account.muting.isQuiet = isQuiet(worker) }
        let muting = worker.account.muting
        if let isMuted = muting.isMuted {
            demand(
                (ringing.why != nil) == isMuted,
                "\(name) rings \(ringing.mode), since \(String(describing: ringing.why))")
        }
        if let why = ringing.why {
            note("muted by \(why)")
            demand(ringing.mode == .silent, "\(name) is muted and rings \(ringing.mode)")
            let isSo = why == .quietHours ? muting.isQuiet : why == .doNotDisturb ? muting.isDesktopMuted : false
            demand(isSo ?? true, "\(name) is muted by \(why)")
        } else if muting.passes == true, muting.isDesktopMuted || muting.isQuiet == true {
            note("passes what mutes")
        }
        demand(ringing.sound == PlayedSound.name(of: ringing.mode.known), "\(name) names the sound \(ringing.sound)")
        guard let isFelt = isFelt(worker, in: ringing.mode.known) else { return }
        if isFelt { note("felt") }
        demand(ringing.vibrate == isFelt, "\(name) \(isFelt ? "is not felt" : "is felt")")
    }

    /// R4, R6: a loud ring hears the desktop first, for 100 ms at most; else it waits for nothing.
    func judgeBeginning(of worker: PlayedWorker, at instant: Instant) {
        guard let window = worker.account.window, case .ring(let mode)? = worker.account.verdict else { return }
        let name = "worker \(worker.number)"
        let (waited, muting) = (instant - window.start, worker.account.muting)
        let hearsDesktop = mode == .loud && world.plan.surroundings.mutes.desktop != nil
        let patience = hearsDesktop ? TimeSpan.milliseconds(100) : .zero
        demand(
            !hearsDesktop || muting.firstWord != nil || muting.isHurried || waited >= patience,
            "\(name) does not hear the desktop first")
        guard isPunctual(worker), isFileSound, !hasFreezes else { return }
        demand(waited <= patience + TimeSpan(microseconds: Self.slack), "\(name) waits for \(waited.seconds) s")
    }

    /// Whether anybody may keep the file's lock for long.
    private var hasFreezes: Bool {
        world.plan.happenings.contains { happening in
            if case .frozen = happening.what { return true }
            if case .frozen? = happening.fate?.fate { return true }
            return false
        }
    }

    private func isQuiet(_ worker: PlayedWorker) -> Bool? {
        let isQuiet = world.plan.surroundings.mutes.isQuiet(at: world.machine.wall)
        guard let first = worker.account.muting.quietAtFirst, first.wallOffset == world.machine.wallOffset,
            first.isQuiet == isQuiet
        else { return nil }
        return isQuiet
    }

    /// Whether the ring is felt, as far as the desktop has said.
    private func isFelt(_ worker: PlayedWorker, in mode: RingMode?) -> Bool? {
        let muting = worker.account.muting
        guard let word = muting.firstWord else { return false }
        guard word.vibrates else { return word.isMuted ? nil : false }
        guard let isMuted = muting.isMuted else { return nil }
        if !isMuted { return mode == .loud }
        if muting.isQuiet != false { return muting.isQuiet == nil ? nil : false }
        // A profile that changed since may leave it to be felt.
        let isByProfile = world.plan.surroundings.mutes.desktop?.isByProfile ?? false
        return word.isMuted ? true : isByProfile ? nil : false
    }
}

extension PlayedPush {
    /// Whether it breaks through what mutes a device: by its level, or by its sound.
    var isCritical: Bool { level == .critical || isSoundCritical }

    /// The caller's number, if it says one.
    var handle: String? { isNamed ? nil : caller }
}
