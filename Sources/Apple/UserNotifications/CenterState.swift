import BelfryJSON
import BelfryPropertyList
import BelfryProtocol
import BelfryTerms
import KeeperChannel

/// A request of an app's as it is kept, with when it was made.
struct StoredRequest: Sendable {
    let identifier: String
    let content: NotificationContent
    let trigger: StoredTrigger?
    /// When the app asked for it, or when it was delivered.
    var date: Date
}

/// What a request waits for, as it is kept.
enum StoredTrigger: Sendable {
    case push
    case interval(TimeInterval, repeats: Bool)
    case calendar(DateComponents, repeats: Bool)
    case region(StoredRegion, repeats: Bool)
}

/// What the notification centre of one app knows, as the file has it: what is broken in it is passed over.
struct CenterState: Sendable {
    /// As many requests may wait as on iOS, which keeps the soonest.
    static let pendingMax = 64
    /// As many notifications are shown; then the oldest go.
    static let deliveredMax = 64
    /// As many categories are kept.
    static let categoriesMax = 256
    /// As many bytes of each kind are kept: three of them, as text, are less than a file may have.
    static let bytesMax = 192 << 10

    var pending: [StoredRequest]
    var delivered: [StoredRequest]
    var badge: Int64
    /// Each as its JSON.
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

    /// The last of `records` that are not too much together.
    private static func kept(_ records: [[UInt8]]) -> PropertyListValue {
        var bytes = 0
        let kept = records.reversed().filter { record in
            guard bytes + record.count <= bytesMax else { return false }
            bytes += record.count
            return true
        }
        return .array(kept.reversed().map { .data($0) })
    }

    /// Adds what was asked for at its date, in place of what has its identifier; a notification without a trigger is
    /// delivered at once.
    mutating func add(_ request: StoredRequest) {
        removePending([request.identifier])
        guard request.trigger != nil else { return deliver(request) }
        pending.append(request)
        let next = pending.map { ($0, $0.nextDate(after: request.date) ?? .distantFuture) }
        if pending.count > Self.pendingMax {
            pending = next.sorted { $0.1 < $1.1 }.prefix(Self.pendingMax).map(\.0)
        }
    }

    /// Adds what is shown since its date, in place of what has its identifier.
    mutating func deliver(_ request: StoredRequest) {
        removeDelivered([request.identifier])
        delivered.append(request)
        delivered.removeFirst(max(delivered.count - Self.deliveredMax, 0))
    }

    /// Takes back what has one of `identifiers`; nil is everything.
    mutating func removePending(_ identifiers: [String]?) {
        pending.removeAll { identifiers?.contains($0.identifier) ?? true }
    }

    /// Shows no longer what has one of `identifiers`; nil is everything.
    mutating func removeDelivered(_ identifiers: [String]?) {
        delivered.removeAll { identifiers?.contains($0.identifier) ?? true }
    }

    /// Delivers what has become due by `now`: nobody was there to do so at its time.
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
    /// `request` as it is now.
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

    /// When it appears next after `now`; nil if never again.
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
    /// What the keeper is told of it; what is to be shown only if that is at once.
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

    /// What has a longer identifier is not shown.
    private static let identifierBytesMax = 1_024
    /// As much of each text is shown.
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
    /// The category as it is kept.
    var bytes: [UInt8] {
        let object: JSONObject = [
            "identifier": .string(identifier), "actions": .array(actions.map { .object($0.json) }),
            "intents": .array(intentIdentifiers.map { .string($0) }),
            "placeholder": .string(hiddenPreviewsBodyPlaceholder), "summary": .string(categorySummaryFormat),
            "options": .integer(Int64(clamping: options.rawValue)),
        ]
        return object.serialized()
    }

    /// A category that was kept; nil if it is broken.
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
