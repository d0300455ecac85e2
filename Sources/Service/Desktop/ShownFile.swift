import BelfryJSON
import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import RingEar
import Showing

/// What is shown, kept in memory beside the ears for a process that comes after this one: else it would be shown twice.
struct ShownFile {
    private static let name = "desktop.shown"
    /// Alerts have their whole content in it.
    private static let bytesMax = 1 << 20

    /// The folder that it is in.
    let runtime: RuntimeDirectory

    /// What an earlier process has shown, and by which server; nil if nothing is known.
    func read() -> (owner: String, notices: [KeptNotice])? {
        guard let folder = try? Directory.open(path: runtime.path, makes: false),
            let content = try? folder.read(Self.name, bytesMax: Self.bytesMax),
            case .object(let object)? = try? JSONValue.parse(
                content.bytes, limits: JSONLimits(bytesMax: Self.bytesMax)),
            let owner = object["owner"]?.stringValue, case .array(let entries)? = object["notices"]
        else { return nil }
        return (owner, entries.compactMap(Self.notice))
    }

    /// Keeps `notices`, which the server that calls itself `owner` shows; removes the file if there are none.
    func write(_ notices: [KeptNotice], by owner: String) {
        guard let folder = try? Directory.open(path: runtime.path, makes: true) else { return }
        // Without it a process after this one does not have to look which calls ring.
        guard !notices.isEmpty else {
            _ = try? folder.remove(Self.name)
            return
        }
        let object: JSONObject = [
            "owner": .string(owner), "notices": .array(notices.map { .object(Self.entry($0)) }),
        ]
        _ = try? folder.write(object.serialized(), as: Self.name, aside: "\(Self.name).new")
    }

    private static func entry(_ notice: KeptNotice) -> JSONObject {
        var entry: JSONObject = ["id": .integer(Int64(notice.id)), "count": .integer(Int64(notice.count))]
        switch notice.subject {
        case .call(let call):
            entry["call"] = .string(call.call)
            entry["group"] = .string(call.group.text)
        case .missed(let group, let caller):
            entry["missed"] = .string(caller)
            entry["group"] = .string(group.text)
        case .alert(let group, let name):
            entry["alert"] = .string(name)
            entry["group"] = .string(group.text)
            entry["content"] = notice.alert.map { .object($0.content.json) }
        case .ongoing(let uuid): entry["ongoing"] = .string(uuid)
        case .moreOngoing: entry["isOngoing"] = .bool(true)
        case .more: break
        }
        if let caller = notice.caller {
            entry["name"] = .string(caller.name)
            entry["handle"] = .string(caller.handle)
            entry["video"] = .bool(caller.hasVideo)
            entry = entry.with(caller.label)
        }
        return entry
    }

    private static func notice(_ value: JSONValue) -> KeptNotice? {
        guard case .object(let entry) = value, case .integer(let number)? = entry["id"],
            let id = UInt32(exactly: number), let subject = subject(entry)
        else { return nil }
        var caller: ShownCaller?
        if let name = entry["name"]?.stringValue {
            caller = ShownCaller(
                name: name, handle: entry["handle"]?.stringValue ?? "", hasVideo: entry["video"] == .bool(true),
                label: NumberLabel(in: entry))
        }
        var count = 0
        if case .integer(let number)? = entry["count"] { count = Int(clamping: min(max(number, 0), 1_000)) }
        return KeptNotice(subject: subject, id: id, caller: caller, count: count, alert: alert(entry, subject))
    }

    private static func alert(_ entry: JSONObject, _ subject: NoticeSubject) -> ShownAlert? {
        guard case .alert(let group, let name) = subject, case .object(let content)? = entry["content"] else {
            return nil
        }
        return (try? NotificationContent(json: content)).map { ShownAlert($0, in: group, name: name) }
    }

    private static func subject(_ entry: JSONObject) -> NoticeSubject? {
        if let uuid = entry["ongoing"]?.stringValue { return .ongoing(uuid: uuid) }
        if entry["isOngoing"] == .bool(true) { return .moreOngoing }
        guard let group = entry["group"]?.stringValue.flatMap(GroupName.init) else { return .more }
        if let call = entry["call"]?.stringValue { return .call(ShownCallID(group: group, call: call)) }
        if let caller = entry["missed"]?.stringValue { return .missed(group, caller: caller) }
        return entry["alert"]?.stringValue.map { .alert(group, name: $0) }
    }
}
