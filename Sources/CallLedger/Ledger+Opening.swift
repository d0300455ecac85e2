import BootTime
import CallTerms
import PropertyList

extension Ledger {
    mutating func settleWhatOthersLeft() {
        takeInForeignHangup()
        settleWhatIsLeft()
        stampForeground()
        dropOldestRecords()
        keepStartInStep()
    }

    /// A program that knows nothing of `calls` hangs up every ring by removing `keyStartCallTime`, or zeroing it.
    private mutating func takeInForeignHangup() {
        guard isHungUpByStranger else { return }
        endByHangup(rings, reason: .cancelled, sentAt: nil)
    }

    /// Whether a stranger has taken away the start of rings that the ledger still has; apps keep it as either number.
    var isHungUpByStranger: Bool {
        switch root[Key.startCallTime] {
        case nil, .integer(0)?, .real(0)?: true
        default: false
        }
    }

    private mutating func settleWhatIsLeft() {
        let forgotten = Set(calls.filter(isForgotten).map(\.key))
        drop(forgotten)
        let settled = calls.compactMap(settled)
        guard !settled.isEmpty else { return }
        write(settled)
        if settled.contains(where: { $0.state == .missed }) { mustOutlivePowerCut = true }
    }

    /// Whether a worker died and nobody has recorded its ring as missed yet.
    public var hasDeadRing: Bool {
        calls.contains { $0.state == .ringing && !isRinging($0) && !isSettling($0) }
    }

    /// `call` as the record that it has become while nobody wrote so; nil where it stands as it is.
    private func settled(_ call: Call) -> Call? {
        guard call.state == .ringing else { return call.ended == nil ? record(call, as: call.state) : nil }
        return isRinging(call) || isSettling(call) ? nil : record(call, as: .missed)
    }

    /// Whether the ring is just over and its owner about to say how.
    func isSettling(_ call: Call) -> Bool {
        guard call.state == .ringing, let owner = call.owner, moment.isAlive(owner) else { return false }
        return call.until <= moment.now && moment.now - call.until <= Self.settlingGrace
    }

    /// A record is over at its deadline. One whose deadline lies too far off, as in another boot's clock, is believed
    /// as long as the wall clock puts its end within the memory.
    private func isForgotten(_ call: Call) -> Bool {
        guard call.state != .ringing, let ended = call.ended else { return false }
        guard call.until > moment.now else { return true }
        if call.until - moment.now <= Self.memory + Self.settlingGrace { return false }
        let age = moment.wall.wholeUnixSeconds.subtractingReportingOverflow(ended)
        return age.overflow || age.partialValue < 0 || age.partialValue > Self.memory.microseconds / 1_000_000
    }

    mutating func drop(_ dropped: Set<CallKey>) {
        guard !dropped.isEmpty else { return }
        var kept = entries
        kept.removeAll { dropped.contains(CallKey($0.key)) }
        entries = kept
    }
}
