import BelfryTerms

/// Which call was missed when.
public struct MissedMark: Hashable, Sendable {
    /// The call.
    public let id: ShownCallID
    /// When it was missed, in Unix seconds; 0 if that is not known.
    public let missed: Int64

    /// The call `id`, which was missed at the Unix second `missed`.
    public init(id: ShownCallID, missed: Int64) {
        self.id = id
        self.missed = missed
    }
}

/// A missed call, as the ledger lists it.
public struct ListedCall: Hashable, Sendable {
    /// Which one, and when.
    public let mark: MissedMark
    /// Who called.
    public let caller: ShownCaller
    /// When that was, as people read it; empty if it is not known.
    public let time: String
    /// The file of the caller's picture; nil for none.
    public let picture: String?

    /// A missed call.
    public init(_ mark: MissedMark, _ caller: ShownCaller, time: String, picture: String?) {
        self.mark = mark
        self.caller = caller
        self.time = time
        self.picture = picture
    }
}

/// Who was missed, for the screen: as the ledgers list it, less what the person has closed.
struct MissedCallers: Sendable {
    /// The missed calls of one caller.
    struct Entry: Sendable {
        let subject: NoticeSubject
        var caller: ShownCaller
        var picture: String?
        var calls: [Missed]
        /// How many an earlier process has shown, until the list says which.
        var adopted = 0

        /// How many calls it stands for.
        var count: Int { max(calls.count, adopted) }
        /// When the last one was missed, as people read it.
        var time: String { calls.last?.time ?? "" }
        /// Where it stands among the others.
        fileprivate var order: Int64 { calls.last.map { $0.mark.missed == 0 ? .max : $0.mark.missed } ?? 0 }
    }

    /// One of them.
    struct Missed: Sendable {
        let mark: MissedMark
        let time: String
        /// Whether the ledger has listed it: then it goes once it is listed no longer.
        var isListed = false
    }

    /// The callers, who was missed last at the end.
    private(set) var entries: [Entry] = []
    /// What the person has closed, and is still listed.
    private(set) var dismissed: Set<MissedMark> = []
    /// What the server that is there has closed by itself.
    private var expired: Set<MissedMark> = []

    private static func subject(_ id: ShownCallID, _ caller: ShownCaller) -> NoticeSubject {
        .missed(id.group, caller: caller.handle.isEmpty ? caller.name : caller.handle)
    }

    /// Whether `mark` is known.
    func knows(_ mark: MissedMark) -> Bool {
        entries.contains { entry in
            entry.calls.contains { mark.missed == 0 ? $0.mark.id == mark.id : $0.mark == mark }
        }
    }

    /// The entry of `subject`.
    func entry(of subject: NoticeSubject) -> Entry? { entries.first { $0.subject == subject } }

    /// A call was missed just now. Returns its subject.
    mutating func note(_ call: ListedCall) -> NoticeSubject {
        let subject = Self.subject(call.mark.id, call.caller)
        // Who knows when it was has read that in the list.
        let missed = Missed(mark: call.mark, time: call.time, isListed: call.mark.missed != 0)
        var entry = Entry(subject: subject, caller: call.caller, picture: call.picture, calls: [missed])
        if let index = entries.firstIndex(where: { $0.subject == subject }) {
            let earlier = entries.remove(at: index)
            entry.calls = earlier.calls.filter { $0.mark != call.mark || call.mark.missed == 0 } + entry.calls
            entry.adopted = earlier.adopted == 0 ? 0 : earlier.adopted + 1
            entry.picture = entry.picture ?? earlier.picture
        }
        entries.append(entry)
        return subject
    }

    /// Of `group` these are listed, the latest last; `isHeldBack` for one that rings again, or has yet to be heard of
    /// from its worker. Returns the subjects that are over.
    mutating func list(
        _ listed: [ListedCall], of group: GroupName, isHeldBack: (ShownCallID) -> Bool
    ) -> [NoticeSubject] {
        let marks = Set(listed.map(\.mark))
        dismissed = dismissed.filter { $0.id.group != group || marks.contains($0) }
        let taken = listed.filter { knows($0.mark) || !isHeldBack($0.mark.id) }
        var (fresh, others): ([Entry], [Entry]) = ([], [])
        for entry in entries {
            guard case .missed(group, _) = entry.subject else {
                others.append(entry)
                continue
            }
            // What the ledger has not listed yet, since it cannot be read or written, was missed all the same.
            let ids = Set(taken.map(\.mark.id))
            let unlisted = entry.calls.filter { !$0.isListed && !ids.contains($0.mark.id) }
            if !unlisted.isEmpty {
                fresh.append(
                    Entry(subject: entry.subject, caller: entry.caller, picture: entry.picture, calls: unlisted))
            }
        }
        for call in taken { add(call, to: &fresh) }
        fresh.removeAll { entry in
            entry.calls.allSatisfy { dismissed.contains($0.mark) || expired.contains($0.mark) }
        }
        let over = entries.map(\.subject).filter { subject in
            !(fresh + others).contains { $0.subject == subject }
        }
        entries = (others + fresh).sorted { $0.order < $1.order }
        return over
    }

    private func add(_ call: ListedCall, to fresh: inout [Entry]) {
        let subject = Self.subject(call.mark.id, call.caller)
        let known = entry(of: subject)
        // At midnight nothing is shown anew for its time's sake.
        let time = known?.calls.first { $0.mark == call.mark && !$0.time.isEmpty }?.time ?? call.time
        let missed = Missed(mark: call.mark, time: time, isListed: true)
        if let index = fresh.firstIndex(where: { $0.subject == subject }) {
            fresh[index].calls.append(missed)
            fresh[index].caller = call.caller
            fresh[index].picture = call.picture ?? fresh[index].picture
        } else {
            fresh.append(
                Entry(
                    subject: subject, caller: call.caller, picture: call.picture ?? known?.picture, calls: [missed]))
        }
    }

    /// The picture of who called as `id` is in `path`.
    mutating func illustrate(_ id: ShownCallID, with path: String) {
        for index in entries.indices where entries[index].calls.last?.mark.id == id { entries[index].picture = path }
    }

    /// Takes over `count` calls of `caller`, which an earlier process has shown as `subject`.
    mutating func adopt(_ subject: NoticeSubject, _ caller: ShownCaller, count: Int) {
        guard entry(of: subject) == nil else { return }
        entries.append(Entry(subject: subject, caller: caller, picture: nil, calls: [], adopted: max(1, count)))
    }

    /// `subject` is shown no longer: closed by the person for good if `byPerson`, else until another server is there.
    mutating func close(_ subject: NoticeSubject, byPerson: Bool) {
        let marks = (entry(of: subject)?.calls ?? []).map(\.mark).filter { $0.missed != 0 }
        if byPerson { dismissed.formUnion(marks) } else { expired.formUnion(marks) }
        remove(subject)
    }

    /// Takes `subject` away.
    mutating func remove(_ subject: NoticeSubject) { entries.removeAll { $0.subject == subject } }

    /// The callers that there are more of than `most`, who was missed first at the start, which are forgotten.
    mutating func dropOldest(beyond most: Int) -> [NoticeSubject] {
        let over = entries.prefix(max(0, entries.count - most)).map(\.subject)
        entries.removeFirst(over.count)
        return over
    }

    /// Another server is there, which has closed nothing yet.
    mutating func serverChanged() { expired = [] }

    /// The person has closed these before.
    mutating func dismiss(_ marks: [MissedMark]) { dismissed.formUnion(marks) }
}
