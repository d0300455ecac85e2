import BelfryEventLoop
import BelfryTerms
import CallLedger
import GroupLedger
import Showing

/// The missed calls that the ledgers list: what the screen shows agrees with them, whoever changes them.
final class MissedLists {
    private let loop: Loop
    private let calls: GroupCalls
    private let changed: (GroupName, [ListedCall]) -> Void
    private var watches: [GroupName: LedgerWatch] = [:]

    /// - Parameter changed: gets what a group lists, once it is watched and whenever that may be something else.
    init(on loop: Loop, of calls: GroupCalls, changed: @escaping (GroupName, [ListedCall]) -> Void) {
        self.loop = loop
        self.calls = calls
        self.changed = changed
    }

    /// What all groups list that list something.
    func all() -> [(GroupName, [ListedCall])] {
        calls.groups().map { ($0, listed($0)) }.filter { !$0.1.isEmpty }
    }

    /// When `call` was missed last, in Unix seconds and as people read it; 0 and "" if it is not listed.
    func moment(of call: ShownCallID) -> (missed: Int64, time: String) {
        listed(call.group).last { $0.mark.id == call }.map { ($0.mark.missed, $0.time) } ?? (0, "")
    }

    /// Watches these groups, and no others.
    func watch(_ groups: Set<GroupName>) {
        for group in watches.keys where !groups.contains(group) { watches.removeValue(forKey: group)?.cancel() }
        for group in groups where watches[group] == nil {
            watches[group] = calls.file(of: group).watch(on: loop) { [weak self] ledger in
                self?.changed(group, Self.listed(ledger, of: group))
            }
        }
    }

    private func listed(_ group: GroupName) -> [ListedCall] {
        calls.file(of: group).read().map { Self.listed($0, of: group) } ?? []
    }

    private static func listed(_ ledger: Ledger, of group: GroupName) -> [ListedCall] {
        ledger.missedCalls.map { missed in
            ListedCall(
                MissedMark(id: ShownCallID(group: group, call: missed.key.text), missed: missed.missed),
                ShownCaller(
                    name: missed.name, handle: missed.handle, hasVideo: missed.hasVideo, label: missed.label),
                time: LocalTime.text(missed.missed), picture: missed.picture)
        }
    }
}
