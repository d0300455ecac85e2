import BelfryJSON
import BelfryTerms

/// Reads `aps` as Apple's device does: a value of the wrong type is dropped, never refused.
struct ContentReader {
    /// Most arguments of a `loc-key` that are looked at.
    static let localizationArgumentsMax = 64
    /// Most bytes of a `loc-key` with its arguments.
    static let localizedBytesMax = 4096

    let aps: JSONObject
    var notes: FieldNotes

    init(aps: JSONObject, notes: FieldNotes) {
        self.aps = aps
        self.notes = notes
    }

    /// What would be shown; `payload` becomes `userInfo` as it came.
    mutating func content(payload: JSONObject) -> NotificationContent {
        var content = NotificationContent()
        readAlert(into: &content)
        content.badge = badge()
        content.interruptionLevel = interruptionLevel()
        content.sound = sound(isLevelCritical: content.interruptionLevel == .critical)
        content.categoryIdentifier = text(aps, "category", "aps.category") ?? ""
        content.threadIdentifier = text(aps, "thread-id", "aps.thread-id") ?? ""
        content.targetContentIdentifier = text(aps, "target-content-id", "aps.target-content-id")
        content.filterCriteria = text(aps, "filter-criteria", "aps.filter-criteria")
        content.relevanceScore = fraction(aps, "relevance-score", "aps.relevance-score") ?? 0
        content.userInfo = payload
        return content
    }

    /// A flag as a device reads it: a number above 0, or anything that is no number, such as `"0"`.
    mutating func flag(_ object: JSONObject, _ key: String, _ field: String) -> Bool {
        guard let value = object[key], !value.isNull else { return false }
        guard let number = Self.number(value) else {
            notes.add(field, found: value, expected: "1", outcome: "a device takes it for 1")
            return true
        }
        if number < 0 { notes.add(field, found: value, expected: "1") }
        return number > 0
    }

    /// Notes flags that are not set, but spelled as FCM's requests do, or beside `aps`.
    mutating func noteNearFlags(_ payload: JSONObject, isMutable: Bool, isAvailable: Bool) {
        if !isMutable { noteNear("mutable-content", ["mutable_content", "mutableContent"], payload) }
        if !isAvailable { noteNear("content-available", ["content_available", "contentAvailable"], payload) }
    }

    private mutating func noteNear(_ key: String, _ spellings: [String], _ payload: JSONObject) {
        if let near = spellings.first(where: { aps[$0] != nil }) {
            notes.add(unknown: "aps.", near, meant: key)
        } else if let near = ([key] + spellings).first(where: { payload[$0] != nil }) {
            notes.add(unknown: "", near, meant: "aps." + key)
        }
    }

    /// Notes that a push with nothing to show is one for a live activity, which its push type did not say.
    mutating func noteLiveActivity() {
        guard let state = aps["content-state"], !state.isNull else { return }
        notes.add("aps.content-state", isOf: "a live activity, which reaches no notification")
    }

    private mutating func readAlert(into content: inout NotificationContent) {
        guard let alert = aps["alert"], !alert.isNull else { return }
        switch alert {
        case .string(let body): content.body = body
        case .object(let alert):
            content.title = alertText(alert, "title", key: "title-loc-key", arguments: "title-loc-args")
            content.subtitle = alertText(alert, "subtitle", key: "subtitle-loc-key", arguments: "subtitle-loc-args")
            content.body = alertText(alert, "body", key: "loc-key", arguments: "loc-args")
            content.launchImageName = text(alert, "launch-image", "aps.alert.launch-image") ?? ""
            content.summaryArgument = text(alert, "summary-arg", "aps.alert.summary-arg") ?? ""
            content.summaryArgumentCount = summaryCount(alert["summary-arg-count"] ?? .null)
        case .null, .bool, .integer, .unsigned, .real, .array:
            notes.add("aps.alert", found: alert, expected: "a string or an object")
        }
    }

    /// The text itself if there is one; else its key, which is all that a device without a table could show, with its
    /// arguments in their places (S4).
    private mutating func alertText(
        _ alert: JSONObject, _ name: String, key keyName: String, arguments argumentsName: String
    ) -> String {
        if let text = text(alert, name, "aps.alert.\(name)") { return text }
        guard let key = text(alert, keyName, "aps.alert.\(keyName)") else { return "" }
        var arguments: [String] = []
        if let value = alert[argumentsName], !value.isNull {
            if case .array(let elements) = value {
                arguments = elements.prefix(Self.localizationArgumentsMax).map { $0.stringValue ?? "" }
            } else {
                notes.add("aps.alert.\(argumentsName)", found: value, expected: "an array of strings")
            }
        }
        guard !arguments.isEmpty else { return key }
        return Placeholders.filled(key, arguments, .texts, bytesMax: Self.localizedBytesMax)
    }

    private mutating func summaryCount(_ value: JSONValue) -> Int64 {
        guard !value.isNull else { return 1 }
        guard let count = value.boundedInteger(in: .min ... .max), count >= 0 else {
            notes.add("aps.alert.summary-arg-count", found: value, expected: "a number from 0")
            return 1
        }
        return count
    }

    private mutating func badge() -> Int64? {
        guard let value = aps["badge"], !value.isNull else { return nil }
        if case .bool(let flag) = value { return flag ? 1 : 0 }
        guard let count = value.boundedInteger(in: .min ... .max), count >= 0 else {
            notes.add("aps.badge", found: value, expected: "a number from 0")
            return nil
        }
        return count
    }

    private mutating func interruptionLevel() -> InterruptionLevel {
        guard let value = aps["interruption-level"], !value.isNull else { return .active }
        guard let level = value.stringValue.flatMap({ InterruptionLevel(rawValue: $0) }) else {
            notes.add(
                "aps.interruption-level", found: value,
                expected: "\"passive\", \"active\", \"time-sensitive\" or \"critical\"",
                outcome: "taken for \"active\"")
            return .active
        }
        return level
    }

    private mutating func sound(isLevelCritical: Bool) -> NotificationSound? {
        guard let value = aps["sound"], !value.isNull else { return nil }
        switch value {
        case .string(let name):
            return name.isEmpty ? nil : NotificationSound(name: name, isCritical: isLevelCritical)
        case .object(let sound):
            let isCritical = flag(sound, "critical", "aps.sound.critical") || isLevelCritical
            let volume = fraction(sound, "volume", "aps.sound.volume")
            let name = text(sound, "name", "aps.sound.name")
            // A critical alert is heard even if its sound has no name.
            guard let name = name ?? (isCritical ? "default" : nil) else { return nil }
            return NotificationSound(name: name, isCritical: isCritical, volume: isCritical ? volume ?? 1 : 1)
        case .null, .bool, .integer, .unsigned, .real, .array:
            notes.add("aps.sound", found: value, expected: "a string or an object")
            return nil
        }
    }

    /// A string that is not empty.
    private mutating func text(_ object: JSONObject, _ key: String, _ field: String) -> String? {
        guard let value = object[key], !value.isNull else { return nil }
        guard let text = value.stringValue else {
            notes.add(field, found: value, expected: "a string")
            return nil
        }
        return text.isEmpty ? nil : text
    }

    /// A number, brought into 0…1.
    private mutating func fraction(_ object: JSONObject, _ key: String, _ field: String) -> Double? {
        guard let value = object[key], !value.isNull else { return nil }
        guard let number = Self.number(value) else {
            notes.add(field, found: value, expected: "a number from 0 to 1")
            return nil
        }
        return min(max(number, 0), 1)
    }

    /// A number as Apple's classes read it: `true` is 1.
    private static func number(_ value: JSONValue) -> Double? {
        value.numberValue ?? value.boolValue.map { $0 ? 1 : 0 }
    }
}
