public import BelfryPropertyList
public import BelfryTerms

/// What one change of the ledger wants in the group file, and what the file may not have yet.
///
/// Notes lie beside the group file, in memory, so that a change waits for neither the file's lock nor its disk. They
/// count as if they were in the file, until whoever writes the file next takes them along. The note of a ring stays
/// until that ring is over: a stranger's write may lose the ring from the file, and a file that cannot be read rings
/// nobody.
public struct LedgerNote: Hashable, Sendable {
    /// What the file has of a note, as far as is known.
    public enum FileState: Sendable {
        /// Nothing yet.
        case owed
        /// All that it says.
        case recorded
        /// All but its ring, which another program's write has lost: of the rest nobody knows what became of it since.
        case lost
    }

    /// When the change was made. Of two notes about one call, the later one counts.
    public var at: Instant
    /// What the file has of it.
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

    /// The note of what `after` changed in `before`; nil if that is nothing.
    ///
    /// A record that was dropped makes no note: whoever opens the ledger drops it again.
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

    /// Whether it says nothing but what became of calls.
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

    /// Whether the note has nothing more to say (R12), once `ledger`, which took it along, is in the file: all but a
    /// ring that is on.
    public func isDone(in ledger: Ledger) -> Bool {
        !calls.members.contains { member in
            guard let ring = Call(member), ring.state == .ringing, let now = ledger.call(ring.key) else { return false }
            return ledger.isRinging(now) && now.since == ring.since
        }
    }

    /// The rings that are on, as far as it says itself.
    private var rings: LazyFilterSequence<[PropertyListDictionary.Member]> {
        calls.members.lazy.filter { $0.value.dictionaryValue?["state"] == .string(CallState.ringing.rawValue) }
    }

    /// Whether what it says is forgotten, as `ledger`, which took it along, has no call of it any more.
    public func isForgotten(in ledger: Ledger) -> Bool {
        guard foreground == nil, cleared.isEmpty, collected.allSatisfy(ledger.isOver) else { return false }
        let (entries, waiting, listed) = (ledger.entries, ledger.pendingAnswers, ledger.missedEntries)
        return calls.keys.allSatisfy { entries[$0] == nil } && !answers.contains(where: waiting.contains)
            && !missed.contains(where: listed.contains)
    }

    /// Whether the file had it, and lacks its ring as it says `root` now, or says what makes no sense in its place.
    public func isLost(from root: PropertyListDictionary) -> Bool {
        guard fileState == .recorded else { return false }
        let known = root[Ledger.Key.calls]?.dictionaryValue
        return rings.contains { !Call.isCall(known?[$0.key]) }
    }

    /// Whether the note may say anything that `entries`, which the file has, do not say: not so if the file has it, and
    /// still has its rings.
    fileprivate func saysMore(than entries: PropertyListDictionary) -> Bool {
        guard fileState == .recorded else { return true }
        return rings.contains { member in
            let known = entries[member.key]
            guard let since = member.value.dictionaryValue?["since"], Call.isCall(known) else { return true }
            return known?.dictionaryValue?["since"] != since
        }
    }

    /// Takes the note along (R22).
    fileprivate func enter(_ ledger: inout Ledger) {
        let isOwed = fileState == .owed
        let noted = (isOwed ? calls.members : Array(rings)).compactMap(Call.init).compactMap { noted -> Call? in
            guard let known = ledger.call(noted.key) else { return noted }
            let counts = noted.counts(over: known, isOwed, now: ledger.moment.now)
            var call = counts ? noted : known
            if isOwed { call.heed(counts ? known : noted) }
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
    /// Whether `ledger` has `answer`, perhaps from somebody else who answered the same ring: whoever asked for it
    /// records what its worker cannot.
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

    /// Whether `entry` of the file is that of a call, and not what another program has made of one.
    fileprivate static func isCall(_ entry: PropertyListValue?) -> Bool {
        entry?.dictionaryValue.flatMap { Call(key: CallKey(""), entry: $0) } != nil
    }

    /// Whether this call, as a note has it, counts over `known`, as the file has it.
    ///
    /// A later ring of the same id counts over an earlier one, and of one ring what has come further. Strangers, who
    /// write an end and nothing else, end whatever rings. A start that is far ahead is of another boot.
    fileprivate func counts(over known: Call, _ isOwed: Bool, now: Instant) -> Bool {
        let latest = now + Ledger.longestRing
        guard since <= latest else { return false }
        guard known.since == since || known.hasNoStart else { return known.since < since || known.since > latest }
        return isOwed && known.progress <= progress
    }

    /// Takes over what `other`, the version that does not count, says beside its ring.
    fileprivate mutating func heed(_ other: Call) {
        guard other.since == since else { return forgetEarlier(other) }
        keepEarlier(alsoIn: other)
        keepHangup(of: other)
    }

    /// Drops those of ``earlier`` that `other`, a version of this ring, lacks: they were reported by then.
    private mutating func keepEarlier(alsoIn other: Call) {
        let known = other.earlier
        guard earlier != known else { return }
        earlier.removeAll { ring in !known.contains { $0.owner == ring.owner } }
    }

    /// Remembers the hangup in `other`, a version of this ring that has not come further: one that reached the ledger
    /// while the ring's owner settled another end, that was meant for an earlier call, or that came once more (R8).
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

    /// Drops `older`, an earlier ring, from ``earlier`` if it was reported, and what was reported before it began:
    /// whoever stood still over reporting it, or over the decision that this one rings, did not know of the other.
    private mutating func forgetEarlier(_ older: Call) {
        earlier.removeAll { ring in
            ring.since == older.since
                ? older.progress == 3
                : ring.since < older.since && !older.earlier.contains { $0.owner == ring.owner }
        }
    }

    /// How far a ring has come: it rings, has ended, its owner has settled that, and has reported it.
    private var progress: Int {
        guard isSettled else { return state == .ringing ? 0 : 1 }
        return owner == nil ? 3 : 2
    }
}

extension [LedgerNote] {
    /// The order to take them along in: those that the file had, of which the latest knows most of its ring, and then
    /// the others, as they were made.
    fileprivate var inOrder: [LedgerNote] {
        sorted { left, right in
            let isOwed = left.fileState == .owed
            guard isOwed == (right.fileState == .owed) else { return !isOwed }
            return isOwed ? left.at < right.at : left.at > right.at
        }
    }
}

extension Ledger {
    /// The file's contents, read for looking, with `notes` taken along.
    public init(reading root: PropertyListDictionary, with notes: [LedgerNote] = [], at moment: Moment) {
        self.init(asRead: root, at: moment)
        let entries = entries
        let notes = notes.filter { $0.saysMore(than: entries) }
        guard !notes.isEmpty else { return }
        let hungUp = isHungUpByStranger ? rings : []
        for note in notes.inOrder { note.enter(&self) }
        // Who removes the key hangs up the rings that the file has, and so those beside it: until a note says so.
        let isHungUp = hungUp.contains { ring in call(ring.key).map { isRinging($0) && $0.since == ring.since } ?? false
        }
        if !isHungUp { keepStartInStep() }
    }

    /// The file opened for a change, with `notes` taken along. What other processes left behind is settled first.
    public init(opening root: PropertyListDictionary, with notes: [LedgerNote] = [], at moment: Moment) {
        self.init(reading: root, with: notes, at: moment)
        settleWhatOthersLeft()
    }

    /// The ledger, which was read for looking, opened for a change.
    public var opened: Ledger {
        var ledger = self
        ledger.settleWhatOthersLeft()
        return ledger
    }
}
