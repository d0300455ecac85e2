import BelfryTerms
public import BelfryJSON

extension NotificationContent {
    /// The content as events, extension processes and files carry it: every field of the contract, always.
    public var json: JSONObject {
        var object = JSONObject()
        object.append(newKey: "title", .string(title))
        object.append(newKey: "subtitle", .string(subtitle))
        object.append(newKey: "body", .string(body))
        object.append(newKey: "badge", badge.map { .integer($0) } ?? .null)
        object.append(newKey: "sound", sound.map { .object($0.json) } ?? .null)
        object.append(newKey: "category", .string(categoryIdentifier))
        object.append(newKey: "thread", .string(threadIdentifier))
        object.append(newKey: "interruptionLevel", .string(interruptionLevel.rawValue))
        object.append(newKey: "attachments", .array(attachments.map { .object($0.json) }))
        object.append(newKey: "userInfo", .object(userInfo))
        object.append(newKey: "relevanceScore", .real(relevanceScore))
        object.append(newKey: "targetContentId", targetContentIdentifier.map { .string($0) } ?? .null)
        object.append(newKey: "launchImageName", .string(launchImageName))
        object.append(newKey: "filterCriteria", filterCriteria.map { .string($0) } ?? .null)
        object.append(newKey: "summaryArgument", .string(summaryArgument))
        object.append(newKey: "summaryArgumentCount", .integer(summaryArgumentCount))
        return object
    }

    /// Reads what ``json`` writes. A field that is missing or null has its default, one that is unknown is passed
    /// over, one of another type is an error; numbers are brought into their ranges.
    public init(json object: JSONObject) throws(ContentError) {
        self.init()
        let fields = ContentFields(object: object, prefix: "")
        title = try fields.string("title") ?? ""
        subtitle = try fields.string("subtitle") ?? ""
        body = try fields.string("body") ?? ""
        if let number = fields.value("badge") {
            guard let count = number.boundedInteger(in: 0...Int64.max) else {
                throw fields.error("badge", found: number, expected: "a number")
            }
            badge = count
        }
        if let value = try fields.object("sound") { sound = try NotificationSound(json: value) }
        categoryIdentifier = try fields.string("category") ?? ""
        threadIdentifier = try fields.string("thread") ?? ""
        if let word = try fields.string("interruptionLevel") {
            guard let level = InterruptionLevel(rawValue: word) else {
                throw fields.error(
                    "interruptionLevel", found: .string(word), expected: "passive, active, time-sensitive or critical")
            }
            interruptionLevel = level
        }
        attachments = try Self.attachments(of: fields)
        userInfo = try fields.object("userInfo") ?? JSONObject()
        relevanceScore = min(max(try fields.number("relevanceScore") ?? 0, 0), 1)
        targetContentIdentifier = try fields.string("targetContentId")
        launchImageName = try fields.string("launchImageName") ?? ""
        filterCriteria = try fields.string("filterCriteria")
        summaryArgument = try fields.string("summaryArgument") ?? ""
        if let number = fields.value("summaryArgumentCount") {
            guard let count = number.boundedInteger(in: 0...Int64.max) else {
                throw fields.error("summaryArgumentCount", found: number, expected: "a number")
            }
            summaryArgumentCount = count
        }
    }

    private static func attachments(of fields: ContentFields) throws(ContentError) -> [NotificationAttachment] {
        guard let value = fields.value("attachments") else { return [] }
        guard case .array(let elements) = value else {
            throw fields.error("attachments", found: value, expected: "an array")
        }
        var attachments: [NotificationAttachment] = []
        for (index, element) in elements.enumerated() {
            guard case .object(let object) = element else {
                throw fields.error("attachments[\(index)]", found: element, expected: "an object")
            }
            attachments.append(try NotificationAttachment(json: object, prefix: "attachments[\(index)]."))
        }
        return attachments
    }
}

extension NotificationSound {
    fileprivate var json: JSONObject {
        [
            "name": .string(name), "critical": .bool(isCritical), "volume": .real(volume),
            "ringtone": .bool(isRingtone),
        ]
    }

    fileprivate init(json object: JSONObject) throws(ContentError) {
        let fields = ContentFields(object: object, prefix: "sound.")
        self.init(
            name: try fields.required("name"),
            isCritical: try fields.bool("critical") ?? false,
            volume: try fields.number("volume") ?? 1,
            isRingtone: try fields.bool("ringtone") ?? false
        )
    }
}

extension NotificationAttachment {
    fileprivate var json: JSONObject {
        var object: JSONObject = ["id": .string(id), "path": .string(path), "type": .string(type)]
        if thumbnail != AttachmentThumbnail() { object["thumbnail"] = .object(thumbnail.json) }
        return object
    }

    fileprivate init(json object: JSONObject, prefix: String) throws(ContentError) {
        let fields = ContentFields(object: object, prefix: prefix)
        var thumbnail = AttachmentThumbnail()
        if let value = try fields.object("thumbnail") {
            thumbnail = try AttachmentThumbnail(json: value, prefix: "\(prefix)thumbnail.")
        }
        self.init(
            id: try fields.required("id"), path: try fields.required("path"), type: try fields.required("type"),
            thumbnail: thumbnail)
    }
}

extension AttachmentThumbnail {
    fileprivate var json: JSONObject {
        var object: JSONObject = ["hidden": .bool(isHidden)]
        object["clip"] = clip.map {
            ["x": .real($0.x), "y": .real($0.y), "width": .real($0.width), "height": .real($0.height)]
        }
        object["time"] = time.map { .real($0) }
        return object
    }

    fileprivate init(json object: JSONObject, prefix: String) throws(ContentError) {
        let fields = ContentFields(object: object, prefix: prefix)
        var clip: Clip?
        if let value = try fields.object("clip") {
            let sides = ContentFields(object: value, prefix: "\(prefix)clip.")
            clip = Clip(
                x: try sides.number("x") ?? 0, y: try sides.number("y") ?? 0, width: try sides.number("width") ?? 1,
                height: try sides.number("height") ?? 1)
        }
        self.init(isHidden: try fields.bool("hidden") ?? false, clip: clip, time: try fields.number("time"))
    }
}

/// An object read field by field.
private struct ContentFields {
    let object: JSONObject
    /// What an error writes before a field's name, such as `sound.`.
    let prefix: String

    func value(_ key: String) -> JSONValue? {
        guard let value = object[key], !value.isNull else { return nil }
        return value
    }

    func string(_ key: String) throws(ContentError) -> String? {
        guard let value = value(key) else { return nil }
        guard let string = value.stringValue else { throw error(key, found: value, expected: "a string") }
        return string
    }

    func required(_ key: String) throws(ContentError) -> String {
        guard let string = try string(key) else { throw error(key, found: .null, expected: "a string") }
        return string
    }

    func bool(_ key: String) throws(ContentError) -> Bool? {
        guard let value = value(key) else { return nil }
        guard let flag = value.boolValue else { throw error(key, found: value, expected: "true or false") }
        return flag
    }

    func number(_ key: String) throws(ContentError) -> Double? {
        guard let value = value(key) else { return nil }
        guard let number = value.numberValue else { throw error(key, found: value, expected: "a number") }
        return number
    }

    func object(_ key: String) throws(ContentError) -> JSONObject? {
        guard let value = value(key) else { return nil }
        guard let object = value.objectValue else { throw error(key, found: value, expected: "an object") }
        return object
    }

    func error(_ key: String, found: JSONValue, expected: String) -> ContentError {
        ContentError(field: prefix + key, detail: "found \(found.foundDescription), expected \(expected)")
    }
}

/// Why an object is no notification content: which field is wrong, what was found and what was expected.
public struct ContentError: Error, Hashable, Sendable {
    /// The field, with its path from the outermost object, such as `sound.volume`.
    public let field: String
    /// What was found and what was expected, for people.
    public let detail: String
}

extension ContentError: CustomStringConvertible {
    /// Field and detail in one line.
    public var description: String { "\(field): \(detail)" }
}
