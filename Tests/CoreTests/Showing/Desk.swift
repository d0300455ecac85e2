import BelfryProtocol
import BelfryTerms
import Showing

/// A machine, and what it had done, in short.
struct Desk {
    var machine: ShowingStateMachine
    /// The notification that each token stands for.
    var notices: [Int64: Notice] = [:]

    static let group = GroupName("group.a") ?? { preconditionFailure("no group") }()
    static let dunst = NoticeServer(owner: ":1.7", hasActions: true, readsMarkup: true)

    init(server: NoticeServer? = Desk.dunst, callsBack: Bool = false, closeSilences: Bool = true) {
        machine = ShowingStateMachine(
            words: NoticeWords(locale: "C"), callsBack: callsBack, closeSilences: closeSilences)
        if let server { _ = machine.serverIs(server) }
    }

    static func id(_ call: String) -> ShownCallID { ShownCallID(group: group, call: call) }

    static func alert(_ title: String, _ body: String, name: String) -> ShownAlert {
        var content = NotificationContent()
        (content.title, content.body) = (title, body)
        return ShownAlert(content, in: group, name: name)
    }

    static func caller(_ name: String = "Ada", handle: String = "") -> ShownCaller {
        ShownCaller(name: name, handle: handle, hasVideo: false)
    }

    mutating func rings(_ call: String, link: Int64? = 1, caller: ShownCaller = caller()) -> [String] {
        told(machine.rings(Self.id(call), caller, until: Instant(microseconds: 30_000_000), link: link))
    }

    /// A call that goes on, active since 10:04 unless `change` says otherwise.
    mutating func goesOn(
        _ call: String, link: Int64, uuid: String? = nil, _ change: (inout OngoingCall) -> Void = { _ in }
    ) -> [String] {
        var known = OngoingCall(call: call, uuid: uuid ?? "U-\(call)", app: "org.belfry.phone")
        (known.name, known.appName, known.state, known.canHold) = ("Ada", "Phone", .active, true)
        known.since = Instant(microseconds: 1)
        change(&known)
        let time = known.since == nil ? "" : "10:04"
        return told(machine.goesOn(ShownOngoingCall(known, link: link, group: Self.group, time: time)))
    }

    mutating func told(_ effects: [ShowingEffect]) -> [String] {
        effects.map { effect in
            switch effect {
            case .notify(let token, let replaces, let notice):
                notices[token] = notice
                return "notify \(token) for \(replaces): \(notice.summary) | \(notice.body) | \(notice.category)"
            case .close(let id): return "close \(id)"
            case .report(let link, let state, let detail):
                return "tell \(link) \(state.rawValue)\(detail.isEmpty ? "" : ": \(detail)")"
            case .answer(let call): return "answer \(call.call)"
            case .decline(let call): return "decline \(call.call)"
            case .silence(let call): return "silence \(call.call)"
            case .findOut(let call): return "find out \(call.call)"
            case .callBack(let call, let caller): return "call back \(call.call) \(caller.name)"
            case .seen(let calls): return "seen \(calls.map(\.call))"
            case .open(let alert): return "open \(alert.name)"
            case .choose(let link, let command): return "choose \(link) \(command)"
            }
        }
    }
}
