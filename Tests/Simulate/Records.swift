import BelfryPropertyList
import BelfryTerms
import CallLedger

/// What the group file says of calls beside how they ended, as docs/protocol.md has it.
extension Oracle {
    /// Holds what `ledger` says, as it was decided, against who called when.
    func judgeRecords(_ ledger: Ledger, group: Int) {
        let calls = ledger.root["calls"]?.dictionaryValue ?? [:]
        for key in ledger.calls.map(\.key.text) where key != World.forgedKey {
            judgeEntry(calls[key]?.dictionaryValue ?? [:], of: key, group: group)
        }
        let oldest = ledger.rings.first.flatMap { calls[$0.key.text]?.dictionaryValue?["started"] }
        demand(ledger.root["keyStartCallTime"] == oldest, "keyStartCallTime is not when the oldest ring began")
        for answer in ledger.root["pendingAccept"]?.arrayValue ?? [] {
            judgeAnswer(answer.dictionaryValue ?? [:], group: group)
        }
        judgeListing(ledger, group: group)
    }

    private func judgeEntry(_ entry: PropertyListDictionary, of key: String, group: Int) {
        let callers = callers(of: key, since: entry["since"]?.integerValue, group: group)
        demand(!callers.isEmpty, "nobody called when “\(key)” says that it began")
        let isDescribed = callers.contains {
            guard case .request = $0.push.kind else { return entry["name"] == nil && entry["handle"] == nil }
            return describes(entry, $0)
        }
        demand(isDescribed, "of “\(key)” another caller is written down")
        for worker in callers where callers.count == 1 && worker.account.mode != nil {
            let second = worker.account.decidedAt.map { self.second(of: $0) }
            demand(entry["started"]?.integerValue == second, "“\(key)” began at another second")
        }
        demand(
            entry["pidRing"] == nil && (entry["pid"] == nil) == (entry["bootId"] == nil), "“\(key)” has half an owner")
        let isRinging = entry["state"] == .string("ringing")
        guard let ended = entry["ended"]?.integerValue, let until = entry["until"]?.integerValue else {
            return demand(isRinging && entry["ended"] == nil, "nobody knows when “\(key)” ended")
        }
        let latest = second(of: Instant(microseconds: until - Rules.memory.microseconds))
        demand(
            !isRinging && ended <= latest
                && ended >= second(of: Instant(microseconds: now.microseconds - Rules.memory.microseconds)) - 1,
            "“\(key)” ended at \(ended)")
    }

    private func judgeAnswer(_ answer: PropertyListDictionary, group: Int) {
        let key = answer["callId"]?.stringValue ?? ""
        let callers = world.workers.filter {
            $0.push.group == group && $0.push.id == key && $0.account.decidedAt != nil
        }
        demand(callers.contains { describes(answer, $0) }, "the answer to “\(key)” is to another caller")
        let given = Instant(microseconds: (answer["until"]?.integerValue ?? 0) - 120_000_000)
        demand(
            answer["answered"]?.integerValue == second(of: given)
                && answer["bootId"] == .string(world.machine.bootID),
            "“\(key)” was answered at another time")
    }

    /// R11: what was missed is listed, with the change that says so.
    private func judgeListing(_ ledger: Ledger, group: Int) {
        let all = listedCalls(ledger)
        let listed = all.filter { !listedBefore.contains($0) }
        for call in ledger.calls where call.key.text != World.forgedKey {
            let entry = listed.last {
                $0["callId"] == .string(call.key.text) && $0["since"] == .integer(call.since.microseconds)
            }
            let isDue = rules[group].entries[call.key.text]?.isListed ?? false
            demand(entry != nil || !isDue || all.count == Ledger.missedMax, "“\(call.key.text)” is not listed")
            let isSeen = rules[group].entries[call.key.text]?.isSeen ?? false
            demand(entry == nil || !isSeen, "“\(call.key.text)” is listed, and was seen")
            guard let entry else { continue }
            let callers = callers(of: call.key.text, since: call.since.microseconds, group: group)
            demand(callers.contains { describes(entry, $0) }, "“\(call.key.text)” is listed of another caller")
            let reason = entry["reason"]?.stringValue ?? ""
            // A hangup may come after the end for which it is listed, and the end of one that only stood still.
            guard call.state != .hangup, reason != "died" else { continue }
            let expected = call.state == .missed ? "stale" : call.state.rawValue
            demand(reason == expected, "“\(call.key.text)” is listed for another reason")
            demand(entry["missed"]?.integerValue == call.ended, "“\(call.key.text)” is listed with another time")
        }
    }

    /// The calls that are listed as missed.
    func listedCalls(_ ledger: Ledger) -> [PropertyListDictionary] {
        (ledger.root["missedCalls"]?.arrayValue ?? []).compactMap(\.dictionaryValue)
    }

    /// Who called with the id `key`, or hung up, when that was written down as `since`: each call of a group begins at
    /// a time of its own.
    private func callers(of key: String, since: Int64?, group: Int) -> [PlayedWorker] {
        world.workers.filter { worker in
            guard worker.push.group == group, worker.push.id == key, let since, let at = worker.account.decidedAt else {
                return false
            }
            return 0..<1_000 ~= since - at.microseconds
        }
    }

    private func describes(_ entry: PropertyListDictionary, _ worker: PlayedWorker) -> Bool {
        // As much as the file keeps: 128 bytes, and of whole characters.
        let caller = PropertyListValue.string(String(decoding: worker.push.caller.utf8.prefix(127), as: UTF8.self))
        return entry["name"] == (worker.push.isNamed ? caller : nil)
            && entry["handle"] == (worker.push.isNamed ? nil : caller) && entry["video"] == .bool(false)
    }

    /// The second of the wall clock at `instant`, as long as nobody sets it.
    private func second(of instant: Instant) -> Int64 {
        let age = world.machine.bootTime - instant
        return WallTime(microseconds: world.machine.wall.microseconds - age.microseconds).unixSecond
    }
}

extension PropertyListValue {
    fileprivate var integerValue: Int64? {
        if case .integer(let value) = self { value } else { nil }
    }
}
