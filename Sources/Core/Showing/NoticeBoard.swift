import BelfryTerms

/// What is to be shown and what a server shows, brought together one call at a time: never two calls for the same
/// notification at once, and each id is of the server that gave it (S6).
///
/// Nothing more is asked for than there are places for its kind. What is over and was asked for may be shown until the
/// server has answered and it is closed: it holds its place until then, or a thousand calls that end at once, each of
/// which makes room for the next, were all shown for a moment.
///
///     none ── notify ──▶ asked ── id ──▶ on(id) ── notify, replacing id ──▶ asked …
///                          └── error ──▶ refused      └── close ──▶ gone
struct NoticeBoard: Sendable {
    /// What became of the server.
    enum Server: Hashable, Sendable {
        /// It is not known yet whether there is one.
        case unknown
        /// There is none; why, for people.
        case absent(String)
        /// It is there.
        case present(NoticeServer)
    }

    private enum Actual: Hashable, Sendable {
        /// The server does not show it.
        case none
        /// The server was asked to show it in place of `replaces`, and has not answered: it may be stopped, and show
        /// it when it goes on.
        case asked(token: Int64, replaces: UInt32)
        /// The server shows it.
        case on(UInt32)
        /// The server would not show it; it is not asked again for the same.
        case refused
        /// The person, or the server for its time, closed it.
        case closed(byPerson: Bool)

        var isClosed: Bool { if case .closed = self { true } else { false } }
    }

    private struct Record: Sendable {
        var subject: NoticeSubject
        /// What is to be shown; nil if it is to go.
        var wanted: Notice?
        var sent: Notice?
        /// What kind that was of.
        var sentKind: NoticeSubject.Kind?
        /// What the server has shown last.
        var shown: Notice?
        var actual = Actual.none
        var link: Int64?
        /// The link that knows that it is shown.
        var reportedLink: Int64?
        var hasReportedWhyNot = false

        /// Whether the server shows nothing for it, and would have to be asked for something new.
        var isNew: Bool { wanted != nil && (actual == .none || actual == .refused) }

        /// Whether it has, or the server may still give it, one of the places of `kind`.
        func holdsPlace(of kind: NoticeSubject.Kind) -> Bool {
            switch actual {
            case .asked: subject.kind == kind || sentKind == kind
            case .on: wanted != nil && subject.kind == kind
            case .none, .refused, .closed: false
            }
        }
    }

    private var records: [Record] = []
    private var tokens: Int64 = 0
    private(set) var server = Server.unknown

    /// What the server shows, with its numbers.
    var shown: [(subject: NoticeSubject, id: UInt32)] {
        records.compactMap { record in
            switch record.actual {
            case .on(let id): (record.subject, id)
            case .asked(_, let replaces): replaces == 0 ? nil : (record.subject, replaces)
            case .none, .refused, .closed: nil
            }
        }
    }

    /// Whether anything is shown, or may be yet, in which a person can choose something, or that has to be closed yet.
    var isNeeded: Bool {
        records.contains { record in
            switch record.actual {
            case .asked: true
            case .on: record.wanted.map { !$0.actions.isEmpty } ?? true
            case .none, .refused, .closed: false
            }
        }
    }

    /// Whether something is wanted, and there is no server to show it.
    var lacksServer: Bool {
        if case .present = server { return false }
        return records.contains { $0.wanted != nil && $0.actual != .closed(byPerson: true) }
    }

    /// Has `notice` shown for `subject`; reports go to `link`.
    mutating func want(_ notice: Notice, for subject: NoticeSubject, link: Int64?) {
        guard let index = index(of: subject) else {
            return records.append(Record(subject: subject, wanted: notice, link: link))
        }
        records[index].wanted = notice
        if let link { records[index].link = link }
    }

    /// Has what is shown for `subject` closed.
    mutating func drop(_ subject: NoticeSubject) {
        if let index = index(of: subject) { records[index].wanted = nil }
    }

    /// What was shown for `subject` is about `other` from now on, unless that is shown already, or has no place.
    mutating func turn(_ subject: NoticeSubject, into other: NoticeSubject) {
        guard let index = index(of: subject) else { return }
        guard self.index(of: other) == nil, hasPlace(for: other.kind) else { return drop(subject) }
        records[index].subject = other
        // Its worker gets no reports of the missed call: it has written that event itself, and leaves.
        records[index].link = nil
        // What was closed or refused as a call is shown as missed.
        if records[index].actual.isClosed || records[index].actual == .refused { records[index].actual = .none }
    }

    /// Takes over what an earlier process has shown by the server that is there now: it stays as it is if it is
    /// `notice` and that is wanted.
    mutating func adopt(_ subject: NoticeSubject, id: UInt32, showing notice: Notice? = nil) {
        guard let index = index(of: subject) else {
            return records.append(Record(subject: subject, wanted: notice, sent: notice, actual: .on(id)))
        }
        if records[index].actual == .none { records[index].actual = .on(id) }
    }

    /// The server is another, or gone: what it showed is gone with it.
    mutating func change(to server: Server) {
        if case .present(let old) = self.server, case .present(let new) = server, old.owner == new.owner {
            return self.server = server
        }
        // What is shown before a server is known was taken over, and is this server's.
        if self.server != .unknown {
            // What a person has closed is closed for good.
            for index in records.indices where records[index].actual != .closed(byPerson: true) {
                records[index].actual = .none
                records[index].sent = nil
            }
        }
        self.server = server
    }

    /// The server shows what `token` asked for, as `id`.
    mutating func shown(_ token: Int64, as id: UInt32) -> [ShowingEffect] {
        guard let (index, replaces) = asked(token) else { return [] }
        // What an earlier process has shown is new to a worker that reports go to now.
        let isNew = replaces == 0 || records[index].shown == nil
        records[index].actual = .on(id)
        records[index].shown = records[index].sent
        records[index].hasReportedWhyNot = false
        guard let link = records[index].link, records[index].wanted != nil else { return [] }
        records[index].reportedLink = link
        return [.report(link: link, isNew ? .shown : .replaced, detail: "")]
    }

    /// The server would not show what `token` asked for. What it shows instead stays, unless it offers what is over.
    mutating func refused(_ token: Int64, _ detail: String) -> [ShowingEffect] {
        guard let (index, replaces) = asked(token) else { return [] }
        let record = records[index]
        let isOver = record.shown.map { shown in record.wanted.map { $0.category != shown.category } ?? false } ?? false
        records[index].actual = replaces == 0 ? .refused : isOver ? .none : .on(replaces)
        return (replaces != 0 && isOver ? [.close(id: replaces)] : []) + reportWhyNot(index, detail)
    }

    /// The server closed `id`, for the person if `byPerson`; the subject that this was about.
    mutating func closed(_ id: UInt32, byPerson: Bool) -> NoticeSubject? {
        guard let index = records.firstIndex(where: { $0.actual == .on(id) }) else { return nil }
        records[index].actual = .closed(byPerson: byPerson)
        return records[index].subject
    }

    /// What was shown for `subject` and closed is shown anew.
    mutating func reopen(_ subject: NoticeSubject) {
        guard let index = index(of: subject), records[index].actual.isClosed else { return }
        records[index].actual = .none
    }

    /// What `id` is about; nil if it is not ours.
    func subject(of id: UInt32) -> NoticeSubject? {
        records.first { record in
            switch record.actual {
            case .on(let shown): shown == id
            case .asked(_, let replaces): replaces == id
            case .none, .refused, .closed: false
            }
        }?.subject
    }

    /// Whether `subject` is shown, or is to be, or was closed.
    func knows(_ subject: NoticeSubject) -> Bool { index(of: subject) != nil }

    /// Whether what was shown of `subject` was closed.
    func isClosed(_ subject: NoticeSubject) -> Bool { index(of: subject).map { records[$0].actual.isClosed } ?? false }

    /// Whether the server shows `notice` for `subject`, or was asked to.
    func isShowing(_ notice: Notice, for subject: NoticeSubject) -> Bool {
        guard let index = index(of: subject), records[index].wanted == notice else { return false }
        switch records[index].actual {
        case .asked, .on: return true
        case .none, .refused, .closed: return false
        }
    }

    /// The link to which reports on `subject` go.
    func link(of subject: NoticeSubject) -> Int64? { index(of: subject).flatMap { records[$0].link } }

    /// The worker behind `link` has left.
    mutating func forget(link: Int64) {
        for index in records.indices where records[index].link == link { records[index].link = nil }
    }

    /// What has to be done so that the server shows what is wanted.
    mutating func reconcile() -> [ShowingEffect] {
        var effects: [ShowingEffect] = []
        // What goes makes room for what changes its kind, and both for what is new.
        for index in records.indices where records[index].wanted == nil { effects += reconcile(index) }
        for index in records.indices where records[index].wanted != nil && !records[index].isNew {
            effects += reconcile(index)
        }
        for index in records.indices where records[index].isNew { effects += reconcile(index) }
        records.removeAll { record in
            guard record.wanted == nil else { return false }
            if case .asked = record.actual { return false }
            return true
        }
        return effects
    }

    private mutating func reconcile(_ index: Int) -> [ShowingEffect] {
        let record = records[index]
        switch server {
        case .unknown: return []
        case .absent(let detail): return record.wanted == nil ? [] : reportWhyNot(index, detail)
        case .present: break
        }
        switch (record.actual, record.wanted) {
        case (.asked, _), (.none, nil), (.refused, nil), (.closed, nil), (.closed, _?): return []
        case (.on(let id), nil):
            return [.close(id: id)] + (record.link.map { [.report(link: $0, .closed, detail: "")] } ?? [])
        case (.on(let id), let wanted?):
            if wanted != record.sent { return [ask(index, wanted, replaces: id)] }
            // A worker that comes once the call is shown, after a restart of ours.
            guard let link = record.link, record.reportedLink != link else { return [] }
            records[index].reportedLink = link
            return [.report(link: link, .shown, detail: "")]
        case (.none, let wanted?), (.refused, let wanted?):
            guard record.actual == .none || wanted != record.sent, hasPlace(for: record.subject.kind) else { return [] }
            return [ask(index, wanted, replaces: 0)]
        }
    }

    private func hasPlace(for kind: NoticeSubject.Kind) -> Bool {
        records.count { $0.holdsPlace(of: kind) } < ShowingStateMachine.places(of: kind)
    }

    private mutating func ask(_ index: Int, _ notice: Notice, replaces: UInt32) -> ShowingEffect {
        tokens += 1
        records[index].actual = .asked(token: tokens, replaces: replaces)
        records[index].sent = notice
        records[index].sentKind = records[index].subject.kind
        return .notify(token: tokens, replaces: replaces, notice)
    }

    private mutating func reportWhyNot(_ index: Int, _ detail: String) -> [ShowingEffect] {
        guard let link = records[index].link, !records[index].hasReportedWhyNot else { return [] }
        records[index].hasReportedWhyNot = true
        return [.report(link: link, .unavailable, detail: detail)]
    }

    private func asked(_ token: Int64) -> (index: Int, replaces: UInt32)? {
        for (index, record) in records.enumerated() {
            if case .asked(token, let replaces) = record.actual { return (index, replaces) }
        }
        return nil
    }

    private func index(of subject: NoticeSubject) -> Int? { records.firstIndex { $0.subject == subject } }
}
