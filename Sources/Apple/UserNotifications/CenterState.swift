import BelfryJSON
import BelfryPropertyList
import BelfryProtocol
import BelfryTerms
import KeeperChannel

/// A stored request of an app's, with its date.
struct StoredRequest: Sendable {
    let identifier: String
    let content: NotificationContent
    let trigger: StoredTrigger?
    /// The date of the request, or of its delivery.
    var date: Date
}

/// A stored trigger: what a request waits for.
enum StoredTrigger: Sendable {
    case push
    case interval(TimeInterval, repeats: Bool)
    case calendar(DateComponents, repeats: Bool)
    case region(StoredRegion, repeats: Bool)
}

/// The state of one app's notification centre, as it is in the file. Broken entries are skipped.
struct CenterState: Sendable {
    /// The most requests that wait, as on iOS, which keeps the soonest.
    static let pendingMax = 64
    /// The most notifications shown; then the oldest are removed.
    static let deliveredMax = 64
    /// The most categories kept.
    static let categoriesMax = 256
    /// The most bytes kept of each kind: three times as many, as text, still fit into a file.
    static let bytesMax = 192 << 10

    var pending: [StoredRequest]
    var delivered: [StoredRequest]
    var badge: Int64
    /// Each in JSON.
    var categories: [[UInt8]]

    init(_ root: PropertyListDictionary) {
        func records(_ key: String) -> [[UInt8]] {
            (root[key]?.arrayValue ?? []).compactMap { if case .data(let bytes) = $0 { bytes } else { nil } }
        }
        pending = records("pending").compactMap(StoredRequest.init)
        delivered = records("delivered").compactMap(StoredRequest.init)
        badge = root["badge"]?.boundedInteger(in: 0...Int64.max) ?? 0
        categories = records("categories")
    }

    func write(to root: inout PropertyListDictionary) {
        root["pending"] = Self.kept(pending.map(\.bytes))
        root["delivered"] = Self.kept(delivered.map(\.bytes))
        root["badge"] = .integer(badge)
        root["categories"] = Self.kept(categories)
    }

    /// The last of `records`, as many as have at most ``bytesMax`` together.
    private static func kept(_ records: [[UInt8]]) -> PropertyListValue {
        var bytes = 0
        let kept = records.reversed().filter { record in
            guard bytes + record.count <= bytesMax else { return false }
            bytes += record.count
            return true
        }
        return .array(kept.reversed().map { .data($0) })
    }

    /// Adds a request, in place of a waiting one with its identifier. A request without a trigger is delivered at once.
    mutating func add(_ request: StoredRequest) {
        removePending([request.identifier])
        guard request.trigger != nil else { return deliver(request) }
        pending.append(request)
        // A request that never fires sorts last, and so is dropped first.
        let next = pending.map { ($0, $0.nextDate(after: request.date) ?? .distantFuture) }
        if pending.count > Self.pendingMax {
            pending = next.sorted { $0.1 < $1.1 }.prefix(Self.pendingMax).map(\.0)
        }
    }

    /// Adds a notification that is shown since its date, in place of a shown one with its identifier.
    mutating func deliver(_ request: StoredRequest) {
        removeDelivered([request.identifier])
        delivered.append(request)
        delivered.removeFirst(max(delivered.count - Self.deliveredMax, 0))
    }

    /// Removes waiting requests with one of `identifiers`; nil removes all.
    mutating func removePending(_ identifiers: [String]?) {
        pending.removeAll { identifiers?.contains($0.identifier) ?? true }
    }

    /// Removes shown notifications with one of `identifiers`; nil removes all.
    mutating func removeDelivered(_ identifiers: [String]?) {
        delivered.removeAll { identifiers?.contains($0.identifier) ?? true }
    }

    /// Delivers requests that are due by `now`: no process runs to do so at their time.
    mutating func settle(at now: Date) {
        for request in pending {
            guard let first = request.nextDate(after: request.date), first <= now else { continue }
            var shown = request
            shown.date = first
            deliver(shown)
            if request.nextDate(after: now) == nil { removePending([request.identifier]) }
        }
    }
}

extension StoredRequest {
    /// A copy of `request`.
    init(_ request: UNNotificationRequest, at date: Date) {
        identifier = request.identifier
        content = request.content.value
        trigger = request.trigger.map(StoredTrigger.init)
        self.date = date
    }

    /// The request.
    var request: UNNotificationRequest {
        UNNotificationRequest(
            identifier: identifier, content: UNNotificationContent(content), trigger: trigger?.trigger)
    }

    /// The notification that it became.
    var notification: UNNotification { UNNotification(date: date, request: request) }

    /// The date of its next appearance after `now`; nil if there is none.
    func nextDate(after now: Date) -> Date? { trigger?.trigger.nextDate(after: now, askedAt: date) }

    var bytes: [UInt8] {
        var object: JSONObject = [
            "identifier": .string(identifier), "date": .real(date.timeIntervalSinceReferenceDate),
            "content": .object(content.json),
        ]
        switch trigger {
        case nil: break
        case .push?: object["trigger"] = "push"
        case .interval(let seconds, let repeats)?:
            object["trigger"] = ["seconds": .real(seconds), "repeats": .bool(repeats)]
        case .calendar(let components, let repeats)?:
            let text = String(decoding: (try? JSONEncoder().encode(components)) ?? Data(), as: UTF8.self)
            object["trigger"] = ["components": .string(text), "repeats": .bool(repeats)]
        case .region(let region, let repeats)?:
            var json = region.json
            json["repeats"] = .bool(repeats)
            object["trigger"] = .object(json)
        }
        return object.serialized()
    }

    init?(_ bytes: [UInt8]) {
        guard let object = (try? JSONValue.parse(bytes, limits: .aroundForeignValue))?.objectValue,
            let identifier = object["identifier"]?.stringValue, let seconds = object["date"]?.numberValue,
            let json = object["content"]?.objectValue, let content = try? NotificationContent(json: json)
        else { return nil }
        self.identifier = identifier
        self.content = content
        date = Date(timeIntervalSinceReferenceDate: seconds)
        switch object["trigger"] {
        case nil: trigger = nil
        case .string: trigger = .push
        case let value?:
            let repeats = value.objectValue?["repeats"]?.boolValue ?? false
            if let seconds = value.objectValue?["seconds"]?.numberValue, seconds > 0, !repeats || seconds >= 60 {
                trigger = .interval(seconds, repeats: repeats)
            } else if let text = value.objectValue?["components"]?.stringValue,
                let components = try? JSONDecoder().decode(DateComponents.self, from: Data(text.utf8))
            {
                trigger = .calendar(components, repeats: repeats)
            } else if let region = value.objectValue.flatMap(StoredRegion.init) {
                trigger = .region(region, repeats: repeats)
            } else {
                return nil
            }
        }
    }
}

extension StoredRequest {
    /// The request to the keeper; with content only if it is to be shown at once.
    var asked: Asked {
        var asked = Asked(CodeWord(.add), detail: identifier)
        guard trigger == nil, identifier.utf8.count <= Self.identifierBytesMax else { return asked }
        var shown = NotificationContent()
        shown.title = String(content.title.prefix(Self.textCharactersMax))
        shown.subtitle = String(content.subtitle.prefix(Self.textCharactersMax))
        shown.body = String(content.body.prefix(Self.textCharactersMax))
        asked.identifiers = [identifier]
        asked.content = shown
        return asked
    }

    /// Notifications with longer identifiers are not shown.
    private static let identifierBytesMax = 1_024
    /// The most characters of each text that are shown.
    private static let textCharactersMax = 1_000
}

extension StoredTrigger {
    init(_ trigger: UNNotificationTrigger) {
        switch trigger {
        case let trigger as UNTimeIntervalNotificationTrigger:
            self = .interval(trigger.timeInterval, repeats: trigger.repeats)
        case let trigger as UNCalendarNotificationTrigger:
            self = .calendar(trigger.dateComponents, repeats: trigger.repeats)
        case let trigger as UNLocationNotificationTrigger:
            KeeperDoor.warn(.unsupported, "UNLocationNotificationTrigger: nothing knows where the device is")
            self = .region(StoredRegion(trigger.region), repeats: trigger.repeats)
        default: self = .push
        }
    }

    var trigger: UNNotificationTrigger {
        switch self {
        case .push: UNPushNotificationTrigger()
        case .interval(let seconds, let repeats):
            UNTimeIntervalNotificationTrigger(timeInterval: seconds, repeats: repeats)
        case .calendar(let components, let repeats):
            UNCalendarNotificationTrigger(dateMatching: components, repeats: repeats)
        case .region(let region, let repeats):
            UNLocationNotificationTrigger(region: region.region, repeats: repeats)
        }
    }
}

extension UNNotificationCategory {
    /// The category in its stored form.
    var bytes: [UInt8] {
        let object: JSONObject = [
            "identifier": .string(identifier), "actions": .array(actions.map { .object($0.json) }),
            "intents": .array(intentIdentifiers.map { .string($0) }),
            "placeholder": .string(hiddenPreviewsBodyPlaceholder), "summary": .string(categorySummaryFormat),
            "options": .integer(Int64(clamping: options.rawValue)),
        ]
        return object.serialized()
    }

    /// A stored category; nil if it is broken.
    convenience init?(_ bytes: [UInt8]) {
        guard let object = (try? JSONValue.parse(bytes))?.objectValue,
            let identifier = object["identifier"]?.stringValue
        else { return nil }
        self.init(
            identifier: identifier,
            actions: (object["actions"]?.arrayValue ?? []).compactMap {
                $0.objectValue.flatMap(UNNotificationAction.of)
            },
            intentIdentifiers: (object["intents"]?.arrayValue ?? []).compactMap(\.stringValue),
            hiddenPreviewsBodyPlaceholder: object["placeholder"]?.stringValue,
            categorySummaryFormat: object["summary"]?.stringValue,
            options: UNNotificationCategoryOptions(
                rawValue: UInt(object["options"]?.boundedInteger(in: 0...Int64.max) ?? 0)))
    }
}

extension UNNotificationAction {
    fileprivate var json: JSONObject {
        var object: JSONObject = [
            "identifier": .string(identifier), "title": .string(title),
            "options": .integer(Int64(clamping: options.rawValue)),
        ]
        object["icon"] = icon.map { ["name": .string($0.name), "system": .bool($0.isSystemImage)] }
        if let input = self as? UNTextInputNotificationAction {
            object["button"] = .string(input.textInputButtonTitle)
            object["placeholder"] = .string(input.textInputPlaceholder)
        }
        return object
    }

    fileprivate static func of(_ object: JSONObject) -> UNNotificationAction? {
        guard let identifier = object["identifier"]?.stringValue, let title = object["title"]?.stringValue else {
            return nil
        }
        let bits = UInt(object["options"]?.boundedInteger(in: 0...Int64.max) ?? 0)
        let options = UNNotificationActionOptions(rawValue: bits)
        let icon = (object["icon"]?.objectValue).flatMap { icon in
            (icon["name"]?.stringValue).map {
                UNNotificationActionIcon($0, isSystemImage: icon["system"]?.boolValue ?? false)
            }
        }
        guard let button = object["button"]?.stringValue else {
            return UNNotificationAction(identifier: identifier, title: title, options: options, icon: icon)
        }
        return UNTextInputNotificationAction(
            identifier: identifier, title: title, options: options, icon: icon, textInputButtonTitle: button,
            textInputPlaceholder: object["placeholder"]?.stringValue ?? "")
    }
}
