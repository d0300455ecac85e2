public import BelfryPropertyList
public import BelfryTerms

/// One change of the ledger that belongs in the group file and that the file may not have yet.
///
/// Notes lie beside the group file, in memory, so that a change waits for neither the file's lock nor its disk. They
/// count as if they were in the file, until the next process that writes the file merges them into it. The note of a
/// ring stays until that ring is over: another program's write may drop the ring from the file, and a file that cannot
/// be read has no rings.
public struct LedgerNote: Hashable, Sendable {
    /// How much of a note is in the file, as far as is known.
    public enum FileState: Sendable {
        /// Nothing yet.
        case owed
        /// All that it says.
        case recorded
        /// Another program's write has dropped its ring. What else the note says was in the file once, and may have
        /// been changed since.
        case lost
    }

    /// When the change was made. Of two notes about one call, the later one counts.
    public var at: Instant
    /// How much of it is in the file.
    public var fileState = FileState.owed

    private var calls = PropertyListDictionary()
    private var answers: [PropertyListValue] = []
    private var collected: [PropertyListValue] = []
    private var missed: [PropertyListValue] = []
    private var cleared: Set<MissedIdentity> = []
    private var foreground: (was: PropertyListDictionary, became: PropertyListDictionary)?
    fileprivate let isDurable: Bool

    private static let atKey = "at"
    private static let durableKey = "durable"
    private static let foregroundKey = "foreground"
    private static let foregroundBeforeKey = "foregroundBefore"
    private static let collectedKey = "collected"
    private static let clearedKey = "missedCleared"

    /// The note of the changes from `before` to `after`; nil if there are none.
    ///
    /// A record that was dropped makes no note: each process that opens the ledger drops it again.
    public init?(from before: Ledger, to after: Ledger) {
        at = after.moment.now
        isDurable = after.isDurable
        let known = before.entries
        for member in after.entries.members where known[member.key] != member.value {
            calls[member.key] = member.value
        }
        let (answersBefore, answersAfter) = (before.pendingAnswers, after.pendingAnswers)
        answers = answersAfter.filter { !answersBefore.contains($0) }
        collected = answersBefore.filter { !answersAfter.contains($0) && !after.isOver($0) }
        takeMissed(before.missedEntries, after.missedEntries, after.unlisted)
        let (was, became) = (before.foregroundKeys, after.foregroundKeys)
        if was != became { foreground = (was, became) }
        if calls.isEmpty, isOfCallsAlone { return nil }
    }

    private mutating func takeMissed(
        _ before: [PropertyListValue], _ after: [PropertyListValue], _ unlisted: Set<MissedIdentity>
    ) {
        cleared = unlisted
        guard before != after else { return }
        missed = after.filter { !before.contains($0) }
        let listed = Set(after.compactMap(Ledger.identity))
        cleared.formUnion(Set(before.compactMap(Ledger.identity)).subtracting(listed))
    }

    /// Whether it changes nothing but calls.
    private var isOfCallsAlone: Bool {
        answers.isEmpty && collected.isEmpty && missed.isEmpty && cleared.isEmpty && foreground == nil
    }

    /// The note that `root`, which lay in memory, makes; nil if it makes no sense.
    public init?(_ root: PropertyListDictionary) {
        guard case .integer(let at)? = root[Self.atKey] else { return nil }
        self.at = Instant(microseconds: at)
        isDurable = root[Self.durableKey] == .bool(true)
        if let calls = root[Ledger.Key.calls]?.dictionaryValue { self.calls = calls }
        if let answers = root[Ledger.Key.pendingAccept]?.arrayValue { self.answers = answers }
        if let collected = root[Self.collectedKey]?.arrayValue { self.collected = collected }
        if let missed = root[Ledger.Key.missedCalls]?.arrayValue { self.missed = missed }
        cleared = Set((root[Self.clearedKey]?.arrayValue ?? []).compactMap(Ledger.identity))
        if let was = root[Self.foregroundBeforeKey]?.dictionaryValue,
            let became = root[Self.foregroundKey]?.dictionaryValue
        {
            foreground = (was, became)
        }
    }

    /// The note as it lies in memory.
    public var root: PropertyListDictionary {
        var root = PropertyListDictionary()
        root[Self.atKey] = .integer(at.microseconds)
        if isDurable { root[Self.durableKey] = .bool(true) }
        if !calls.isEmpty { root[Ledger.Key.calls] = .dictionary(calls) }
        if !answers.isEmpty { root[Ledger.Key.pendingAccept] = .array(answers) }
        if !collected.isEmpty { root[Self.collectedKey] = .array(collected) }
        if !missed.isEmpty { root[Ledger.Key.missedCalls] = .array(missed) }
        if !cleared.isEmpty { root[Self.clearedKey] = .array(cleared.map(\.entry)) }
        if let foreground {
            root[Self.foregroundBeforeKey] = .dictionary(foreground.was)
            root[Self.foregroundKey] = .dictionary(foreground.became)
        }
        return root
    }

    /// Whether `later` says all that this note says, or something newer in its place.
    public func isCovered(by later: LedgerNote) -> Bool {
        guard answers.isEmpty, collected.isEmpty, cleared.isEmpty, foreground == nil else { return false }
        let known = Set(later.missed.compactMap(Ledger.identity))
        return calls.keys.allSatisfy { later.calls[$0] != nil }
            && missed.allSatisfy { Ledger.identity(of: $0).map(known.contains) ?? true }
    }

    /// Whether the note is no longer needed (R12), now that `ledger`, which includes it, is in the file. A note whose
    /// ring is still on is needed.
    public func isDone(in ledger: Ledger) -> Bool {
        !calls.members.contains { member in
            guard let ring = Call(member), ring.state == .ringing, let now = ledger.call(ring.key) else { return false }
            return ledger.isRinging(now) && now.since == ring.since
        }
    }

    /// The rings that are on, according to the note alone.
    private var rings: LazyFilterSequence<[PropertyListDictionary.Member]> {
        calls.members.lazy.filter { $0.value.dictionaryValue?["state"] == .string(CallState.ringing.rawValue) }
    }

    /// Whether the note can be forgotten: `ledger`, which includes it, has none of its calls any more.
    public func isForgotten(in ledger: Ledger) -> Bool {
        guard foreground == nil, cleared.isEmpty, collected.allSatisfy(ledger.isOver) else { return false }
        let (entries, waiting, listed) = (ledger.entries, ledger.pendingAnswers, ledger.missedEntries)
        return calls.keys.allSatisfy { entries[$0] == nil } && !answers.contains(where: waiting.contains)
            && !missed.contains(where: listed.contains)
    }

    /// Whether the file had the note, but now, with the contents `root`, lacks its ring or has nonsense in its place.
    public func isLost(from root: PropertyListDictionary) -> Bool {
        guard fileState == .recorded else { return false }
        let known = root[Ledger.Key.calls]?.dictionaryValue
        return rings.contains { !Call.isCall(known?[$0.key]) }
    }

    /// Whether the note may add anything to `entries`, the calls of the file. It adds nothing if the file has it and
    /// still has its rings.
    fileprivate func saysMore(than entries: PropertyListDictionary) -> Bool {
        guard fileState == .recorded else { return true }
        return rings.contains { member in
            let known = entries[member.key]
            guard let since = member.value.dictionaryValue?["since"], Call.isCall(known) else { return true }
            return known?.dictionaryValue?["since"] != since
        }
    }

    /// Merges the note into `ledger` (R22).
    fileprivate func enter(_ ledger: inout Ledger) {
        let isOwed = fileState == .owed
        let noted = (isOwed ? calls.members : Array(rings)).compactMap(Call.init).compactMap { noted -> Call? in
            guard let known = ledger.call(noted.key) else { return noted }
            // A note that the file had was merged then. Its ring alone is still of use, if the file has lost it.
            let counts = !isOwed && noted.counts(over: known, false, now: ledger.moment.now)
            let call = isOwed ? known.joined(with: noted, at: ledger.moment) : counts ? noted : known
            return call == known ? nil : call
        }
        let fresh = isOwed ? answers.filter { !isKnown($0, to: ledger) } : []
        if !noted.isEmpty { ledger.enter(noted) }
        for answer in fresh { ledger.addAnswer(answer) }
        guard isOwed else { return }
        ledger.removeAnswers(collected)
        ledger.list(missed)
        ledger.unlist(cleared)
        if let foreground, ledger.foregroundKeys == foreground.was { ledger.foregroundKeys = foreground.became }
        if isDurable { ledger.isDurable = true }
    }
}

extension LedgerNote {
    /// Whether `ledger` has `answer`, or an answer of another process to the same ring: if the worker cannot record an
    /// answer, the process that asked for it does.
    private func isKnown(_ answer: PropertyListValue, to ledger: Ledger) -> Bool {
        if ledger.pendingAnswers.contains(answer) { return true }
        guard case .string(let id)? = answer.dictionaryValue?["callId"], let known = ledger.call(CallKey(id)),
            let noted = calls[id]?.dictionaryValue.map({ Call(key: CallKey(id), entry: $0) })
        else { return false }
        return known.state == .answered && known.since == noted?.since
    }

    /// Two notes are equal if they say the same of the same moment.
    public static func == (left: LedgerNote, right: LedgerNote) -> Bool {
        left.at == right.at && left.root == right.root
    }

    /// Hashes the moment.
    public func hash(into hasher: inout Hasher) { hasher.combine(at) }
}

extension Call {
    fileprivate init?(_ member: PropertyListDictionary.Member) {
        guard let entry = member.value.dictionaryValue else { return nil }
        self.init(key: CallKey(member.key), entry: entry)
    }

    /// Whether `entry` of the file is a call, and not something another program has put in its place.
    fileprivate static func isCall(_ entry: PropertyListValue?) -> Bool {
        entry?.dictionaryValue.flatMap { Call(key: CallKey(""), entry: $0) } != nil
    }

    /// Whether this version of the call, from a note, replaces `known`, the version in the file.
    ///
    /// A later ring of the same id replaces an earlier one. Of two versions of one ring, the one with more progress
    /// counts. Other programs write an end without a start, which ends the ring that is on. A start far ahead comes
    /// from another boot.
    fileprivate func counts(over known: Call, _ isOwed: Bool, now: Instant) -> Bool {
        let latest = now + Ledger.longestRing
        guard since <= latest else { return false }
        guard known.since == since || known.hasNoStart else { return known.since < since || known.since > latest }
        return isOwed && known.progress <= progress
    }

    /// The later version of this call and `other`, with what the earlier one says beside its ring.
    func joined(with other: Call, at moment: Moment) -> Call {
        let counts = other.counts(over: self, true, now: moment.now)
        var call = counts ? other : self
        call.heed(counts ? self : other)
        return call
    }

    /// Merges from `other`, the version that loses, what it says beside its ring.
    fileprivate mutating func heed(_ other: Call) {
        guard other.since == since else { return forgetEarlier(other) }
        keepEarlier(alsoIn: other)
        keepHangup(of: other)
        if state == .ringing, other.isSilenced { isSilenced = true }
        guard state == .answered, other.state == .answered else { return }
        // The ring's owner settles the end at any time, perhaps without knowing who holds the call meanwhile.
        if other.isHungUp { markHungUp() }
        if other.progress < progress, holders.isEmpty, !isHungUp { holders = other.holders }
    }

    /// Drops the rings of ``earlier`` that `other`, another version of this ring, lacks: they have been reported since.
    private mutating func keepEarlier(alsoIn other: Call) {
        let known = other.earlier
        guard earlier != known else { return }
        earlier.removeAll { ring in !known.contains { $0.owner == ring.owner } }
    }

    /// Keeps the hangup of `other`, a version of this ring with no more progress. That hangup reached the ledger while
    /// the ring's owner settled another end, was meant for an earlier call, or came a second time (R8).
    private mutating func keepHangup(of other: Call) {
        guard isSettled || state == .hangup, other.state == .hangup || other.hangupSentAt != nil else { return }
        switch state {
        case .timeout, .expired, .foreground, .stopped, .missed:
            guard other.state == .hangup else { break }
            state = .hangup
            hangupReason = other.hangupReason
        case .ringing, .answered, .declined, .hangup: break
        }
        until = max(until, other.until)
        noteHangup(sentAt: other.hangupSentAt)
    }

    /// Drops `older`, an earlier ring, from ``earlier`` if it was reported, and also the rings that were reported
    /// before it began. A process that was stopped while it reported the earlier ring, or while it admitted this one,
    /// did not know of the other.
    private mutating func forgetEarlier(_ older: Call) {
        earlier.removeAll { ring in
            ring.since == older.since
                ? older.progress == 3
                : ring.since < older.since && !older.earlier.contains { $0.owner == ring.owner }
        }
    }

    /// The progress of a ring: 0 it rings, 1 it has ended, 2 its owner has settled the end, 3 its owner has reported
    /// it.
    private var progress: Int {
        guard isSettled else { return state == .ringing ? 0 : 1 }
        return owner == nil ? 3 : 2
    }
}

extension [LedgerNote] {
    /// The order to merge them in: first those that the file had, the latest first because it knows most about its
    /// ring, then the others in the order they were made.
    fileprivate var inOrder: [LedgerNote] {
        sorted { left, right in
            let isOwed = left.fileState == .owed
            guard isOwed == (right.fileState == .owed) else { return !isOwed }
            return isOwed ? left.at < right.at : left.at > right.at
        }
    }
}

extension Ledger {
    /// The file's contents, read without changing them, with `notes` merged in.
    public init(reading root: PropertyListDictionary, with notes: [LedgerNote] = [], at moment: Moment) {
        self.init(asRead: root, at: moment)
        let entries = entries
        let notes = notes.filter { $0.saysMore(than: entries) }
        guard !notes.isEmpty else { return }
        // Before the notes are merged: only the file says whether another program has removed the key.
        let hungUp = isHungUpByStranger ? rings : []
        for note in notes.inOrder { note.enter(&self) }
        // A program that removes the key hangs up the rings in the file, and so the same rings in the notes: leave the
        // key away until a note records that end.
        let isHungUp = hungUp.contains { ring in call(ring.key).map { isRinging($0) && $0.since == ring.since } ?? false
        }
        if !isHungUp { keepStartInStep() }
    }

    /// The ledger, which was read without changing it, opened for a change: what other processes left unfinished is
    /// settled first.
    public var opened: Ledger {
        var ledger = self
        ledger.settleWhatOthersLeft()
        return ledger
    }
}
