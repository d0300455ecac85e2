public import BelfryJSON
import BelfryTerms

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
        object.append(newKey: "picture", picture.map { .object($0.json) } ?? .null)
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
        try self.init(JSONFields(object))
    }

    /// The same of `fields`, perhaps of an object in another one.
    package init(_ fields: JSONFields) throws(ContentError) {
        self.init()
        func text(_ key: String) throws(ContentError) -> String { try fields.ifPresent(key, fields.string) ?? "" }
        title = try text("title")
        subtitle = try text("subtitle")
        body = try text("body")
        if fields.has("badge") { badge = try fields.bounded("badge", in: 0...Int64.max) }
        if fields.has("sound") { sound = try NotificationSound(fields.fields("sound")) }
        categoryIdentifier = try text("category")
        threadIdentifier = try text("thread")
        if fields.has("interruptionLevel") {
            interruptionLevel = try fields.word(
                "interruptionLevel", InterruptionLevel.init(rawValue:),
                expected: "passive, active, time-sensitive or critical")
        }
        for attachment in try fields.ifPresent("attachments", fields.fieldsOfEach) ?? [] {
            attachments.append(try NotificationAttachment(attachment))
        }
        picture = try fields.ifPresent("picture", fields.fields).map(NotificationAttachment.init)
        userInfo = try fields.ifPresent("userInfo", fields.object) ?? JSONObject()
        relevanceScore = min(max(try fields.ifPresent("relevanceScore", fields.number) ?? 0, 0), 1)
        targetContentIdentifier = try fields.ifPresent("targetContentId", fields.string)
        launchImageName = try text("launchImageName")
        filterCriteria = try fields.ifPresent("filterCriteria", fields.string)
        summaryArgument = try text("summaryArgument")
        if fields.has("summaryArgumentCount") {
            summaryArgumentCount = try fields.bounded("summaryArgumentCount", in: 0...Int64.max)
        }
    }
}

extension NotificationSound {
    fileprivate var json: JSONObject {
        [
            "name": .string(name), "critical": .bool(isCritical), "volume": .real(volume),
            "ringtone": .bool(isRingtone),
        ]
    }

    fileprivate init(_ fields: JSONFields) throws(ContentError) {
        self.init(
            name: try fields.string("name"),
            isCritical: try fields.ifPresent("critical", fields.bool) ?? false,
            volume: try fields.ifPresent("volume", fields.number) ?? 1,
            isRingtone: try fields.ifPresent("ringtone", fields.bool) ?? false
        )
    }
}

extension NotificationAttachment {
    fileprivate var json: JSONObject {
        var object: JSONObject = ["id": .string(id), "path": .string(path), "type": .string(type)]
        if thumbnail != AttachmentThumbnail() { object["thumbnail"] = .object(thumbnail.json) }
        return object
    }

    fileprivate init(_ fields: JSONFields) throws(ContentError) {
        var thumbnail = AttachmentThumbnail()
        if fields.has("thumbnail") { thumbnail = try AttachmentThumbnail(fields.fields("thumbnail")) }
        self.init(
            id: try fields.string("id"), path: try fields.string("path"), type: try fields.string("type"),
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

    fileprivate init(_ fields: JSONFields) throws(ContentError) {
        var clip: Clip?
        if let sides = try fields.ifPresent("clip", fields.fields) {
            clip = Clip(
                x: try sides.ifPresent("x", sides.number) ?? 0, y: try sides.ifPresent("y", sides.number) ?? 0,
                width: try sides.ifPresent("width", sides.number) ?? 1,
                height: try sides.ifPresent("height", sides.number) ?? 1)
        }
        self.init(
            isHidden: try fields.ifPresent("hidden", fields.bool) ?? false, clip: clip,
            time: try fields.ifPresent("time", fields.number))
    }
}

/// Why an object is no notification content: which field is wrong, what was found and what was expected.
public typealias ContentError = JSONFieldError
