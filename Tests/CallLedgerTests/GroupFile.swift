import BelfryPropertyList
import BelfryTerms
@testable import CallLedger
import Testing

/// The group file as one process after another opens it, in virtual time.
///
/// After every change it expects `keyStartCallTime` to be in step with `calls`.
final class GroupFile {
    static let boot = "0b1d2c3e-0000-4000-8000-000000000001"

    var root = PropertyListDictionary()
    /// The ends that are kept apart.
    var ends: [UInt8]? = []
    /// Whether each end is kept apart as soon as that may be.
    private let movesEnds: Bool
    var now = Instant(microseconds: 90_000_000_000)
    var wall = WallTime(microseconds: 1_700_000_000_000_000)
    var bootID = GroupFile.boot
    var modified: Instant?
    var dead: Set<Owner> = []
    /// When each process's ring began, as it was told at its admission.
    private var begun: [Int64: Instant] = [:]

    init(movesEnds: Bool = false) { self.movesEnds = movesEnds }

    /// The same file in another world.
    func copy() -> GroupFile {
        let copy = GroupFile(movesEnds: movesEnds)
        copy.ends = ends
        (copy.root, copy.now, copy.wall, copy.bootID) = (root, now, wall, bootID)
        (copy.modified, copy.dead, copy.begun) = (modified, dead, begun)
        return copy
    }

    /// A process of this boot.
    func process(_ pid: Int64) -> Owner { Owner(bootID: bootID, pid: pid, start: pid * 100) }

    /// Moves both clocks on.
    func pass(_ span: TimeSpan) {
        now = now + span
        wall = wall + span
    }

    /// A new boot: the clock starts again, and no process of before runs.
    func reboot(away: TimeSpan = .seconds(60)) {
        modified = Instant(microseconds: -1)
        now = Instant(microseconds: 20_000_000)
        wall = wall + away
        bootID = "0b1d2c3e-0000-4000-8000-000000000002"
    }

    var moment: Moment {
        let dead = dead
        return Moment(now: now, wall: wall, bootID: bootID, fileModified: modified) { !dead.contains($0) }
    }

    /// The file as it stands, for looking.
    var ledger: Ledger {
        var ledger = Ledger(reading: root, at: moment)
        ledger.remembered = RememberedEnds(ends)
        return ledger
    }

    /// Opens the file, changes it and writes it.
    @discardableResult
    func change<Answer>(
        sourceLocation: SourceLocation = #_sourceLocation, _ change: (inout Ledger) -> Answer
    ) -> Answer {
        var ledger = ledger.opened
        expectInStep(ledger, "opened", sourceLocation)
        let answer = change(&ledger)
        if movesEnds, let moved = ledger.moveOldEnds(behind: { RememberedEnds(ends) }, over: 0, keeping: 0) {
            ends = moved.isAddition ? (ends ?? []) + moved.bytes : moved.bytes
        }
        expectInStep(ledger, "changed", sourceLocation)
        root = ledger.root
        modified = now
        return answer
    }

    /// Opens the file and changes nothing.
    func open(sourceLocation: SourceLocation = #_sourceLocation) {
        change(sourceLocation: sourceLocation) { _ in }
    }

    private func expectInStep(_ ledger: Ledger, _ when: Comment, _ sourceLocation: SourceLocation) {
        let start = ledger.root["keyStartCallTime"]
        guard let first = ledger.rings.first else {
            if start != nil { #expect(start == nil, when, sourceLocation: sourceLocation) }
            return
        }
        let expected = PropertyListValue.integer(max(1, first.started ?? wall.unixSecond))
        if start != expected { #expect(start == expected, when, sourceLocation: sourceLocation) }
    }

    /// A request for `id`, as a worker with process id `pid` admits it.
    @discardableResult
    func request(
        _ id: String, by pid: Int64 = 1, sentAt: Int64? = nil, rings: TimeSpan? = .seconds(30),
        secondCall: RingMode = .soft, callsMax: Int = 1000, sourceLocation: SourceLocation = #_sourceLocation
    ) -> Admission {
        let until = rings.map { now + $0 }
        let owner = process(pid)
        let request = Self.request(id, sentAt: sentAt)
        return change(sourceLocation: sourceLocation) {
            let admission = $0.admit(request, until: until, secondCall: secondCall, callsMax: callsMax, owner: owner)
            if admission.rings { begun[pid] = $0.call(request.key)?.since }
            return admission
        }
    }

    @discardableResult
    func hangUp(_ id: String, _ reason: HangupReason = .cancelled, sentAt: Int64? = nil) -> [String] {
        change { $0.hangUp(CallKey(id), reason: reason, sentAt: Self.time(sentAt)) }.map(\.text)
    }

    @discardableResult
    func answer(_ id: String) -> Bool { change { $0.answer(CallKey(id)) } != nil }

    @discardableResult
    func decline(_ id: String) -> Bool { change { $0.decline(CallKey(id)) } != nil }

    /// The ring of `pid` ends and is settled, and nothing is reported yet.
    @discardableResult
    func end(_ id: String, by pid: Int64 = 1, _ reason: EndReason, askedBy ask: RingAsk? = nil) -> Settlement {
        let owner = process(pid)
        var request = Self.request(id, sentAt: nil)
        request.since = begun[pid]
        return change {
            if let ask { $0.carryOut(ask, for: request, owner: owner) }
            return $0.settle(request, owner: owner, reason: reason)
        }
    }

    /// The process `pid` has reported that `id` was missed.
    func report(_ id: String, by pid: Int64 = 1) {
        let owner = process(pid)
        change { $0.reported(CallKey(id), owner: owner) }
    }

    /// The ring of `pid` ends, is settled and, if it was missed, reported.
    @discardableResult
    func settle(_ id: String, by pid: Int64 = 1, _ reason: EndReason) -> Settlement {
        let settlement = end(id, by: pid, reason)
        if settlement.isMissed { report(id, by: pid) }
        return settlement
    }

    /// What missed calls others take over, and report.
    func takeDeadRings() -> [String] { change { $0.takeDeadRings() }.map(\.key.text) }

    /// The ring that it rings after is left out.
    func standing(_ id: String, by pid: Int64 = 1, secondCall: RingMode = .soft) -> Standing {
        let standing = ledger.standing(
            of: CallKey(id), since: begun[pid], owner: process(pid), secondCall: secondCall)
        return if case .rings(let mode, _) = standing { .rings(mode) } else { standing }
    }

    /// What the file says of `id`.
    func state(_ id: String) -> CallState? { ledger.knownCall(CallKey(id))?.state }

    /// The ids of the calls that ring.
    var rings: [String] { ledger.rings.map(\.key.text) }

    /// Sets one key of the entry `id`, as a stranger does; nil removes it.
    func scribble(_ id: String, _ key: String, _ value: PropertyListValue?) {
        guard case .dictionary(var calls)? = root["calls"], case .dictionary(var entry)? = calls[id] else {
            Issue.record("no entry \(id) to write in")
            return
        }
        entry[key] = value
        calls[id] = .dictionary(entry)
        root["calls"] = .dictionary(calls)
    }

    /// Replaces the entry `id`, as a stranger does.
    func replace(_ id: String, with value: PropertyListValue) {
        var calls = PropertyListDictionary()
        if case .dictionary(let known)? = root["calls"] { calls = known }
        calls[id] = value
        root["calls"] = .dictionary(calls)
    }

    static func request(_ id: String, sentAt: Int64?) -> RingRequest {
        var request = RingRequest(key: CallKey(id))
        request.name = "Caller \(id)"
        request.handle = "+1\(id)"
        request.sentAt = time(sentAt)
        return request
    }

    static func time(_ seconds: Int64?) -> WallTime? { seconds.map { WallTime(microseconds: $0 * 1_000_000) } }
}

extension Admission {
    /// Whether it rings.
    var rings: Bool {
        if case .ring = self { true } else { false }
    }
}

extension Ledger {
    /// Takes over the missed calls of the dead, and reports them.
    mutating func takeDeadRings() -> [Call] {
        let missed = unreported
        reported(missed)
        return missed
    }
}
