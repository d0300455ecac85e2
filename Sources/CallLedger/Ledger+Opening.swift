import BootTime
import CallTerms
import PropertyList

extension Ledger {
    mutating func settleWhatOthersLeft() {
        takeInForeignHangup()
        for call in calls { settleWhatIsLeft(of: call) }
        stampForeground()
        dropOldestRecords()
        keepStartInStep()
    }

    /// A program that knows nothing of `calls` hangs up every ring by removing `keyStartCallTime`, or zeroing it.
    private mutating func takeInForeignHangup() {
        guard isHungUpByStranger else { return }
        for ring in rings { endByHangup(ring, reason: .cancelled, sentAt: nil) }
    }

    /// Whether a stranger has taken away the start of rings that the ledger still has.
    var isHungUpByStranger: Bool {
        switch root[Key.startCallTime] {
        case nil, .integer(0)?: true
        default: false
        }
    }

    private mutating func settleWhatIsLeft(of call: Call) {
        if call.state == .ringing {
            guard !isRinging(call), !isSettling(call) else { return }
            write(record(call, as: .missed))
            mustOutlivePowerCut = true
        } else if call.ended == nil {
            write(record(call, as: call.state))
        } else if isForgotten(call) {
            remove(call.key)
        }
    }

    /// Whether the ring is just over and its owner about to say how.
    private func isSettling(_ call: Call) -> Bool {
        guard let owner = call.owner, moment.isAlive(owner) else { return false }
        return call.until <= moment.now && moment.now - call.until <= Self.settlingGrace
    }

    /// A record is over at its deadline. One whose deadline lies too far off, as in another boot's clock, is believed
    /// as long as the wall clock puts its end within the memory.
    private func isForgotten(_ call: Call) -> Bool {
        guard call.until > moment.now else { return true }
        if call.until - moment.now <= Self.memory { return false }
        guard let ended = call.ended else { return true }
        let age = moment.wall.wholeUnixSeconds.subtractingReportingOverflow(ended)
        return age.overflow || age.partialValue < 0 || age.partialValue > Self.memory.microseconds / 1_000_000
    }

    private mutating func dropOldestRecords() {
        guard entries.count > Self.callsAlwaysFit else { return }
        var bytes = entries.keys.reduce(0) { $0 + Self.bytesAtMost(ofEntry: $1, in: entries) }
        guard bytes > Self.callsBytesMax else { return }
        let oldest = calls.filter { !isRinging($0) }.sorted { $0.until < $1.until }
        for call in oldest where bytes > Self.callsBytesMax {
            bytes -= Self.bytesAtMost(ofEntry: call.key.text, in: entries)
            remove(call.key)
        }
    }

    /// XML spells `&` with five bytes; keys, tags and numbers of an entry of ours take under 900.
    private static func bytesAtMost(ofEntry key: String, in entries: PropertyListDictionary) -> Int {
        guard case .dictionary(let entry)? = entries[key] else { return key.utf8.count }
        let texts = entry.keys.reduce(0) { sum, name in
            guard case .string(let text)? = entry[name] else { return sum }
            return sum + text.utf8.count
        }
        return 900 + 5 * (key.utf8.count + texts)
    }
}
