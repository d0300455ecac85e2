public import BelfryJSON
public import BelfryTerms

/// What those who follow the pushes of a phone get: a JSON line for each push that a worker has read, for each of its
/// events and for its end, and for each request that the APNs endpoint has answered.
public enum PushRecord: Hashable, Sendable {
    /// A worker has read a push: before its events.
    case push(Taken)
    /// An event of that push.
    case event(Event)
    /// Nothing more comes of that push. It is not whole if its worker left without a word, as one that was killed.
    case end(id: String, isWhole: Bool)
    /// The endpoint has answered a push server: before a worker reads what it has accepted.
    case request(Request)

    /// What a worker takes a push for.
    public struct Taken: Hashable, Sendable {
        /// Its identifier, a UUID in lower case: that of its events, and of the endpoint its `apns-id`.
        public let id: String
        /// When it was read.
        public let time: WallTime
        /// What it says outside of its payload; nil of one that could not be read, which is `rejected`.
        public let envelope: Envelope?
        /// The call's id, empty for the anonymous call; nil if it is not about a call.
        public let call: String?
        /// Whether an extension may change it.
        public let isMutableContent: Bool
        /// Whether it wakes the app.
        public let isContentAvailable: Bool
        /// What it shows, before an extension; `userInfo` is the payload. Nil of one that could not be read.
        public let content: NotificationContent?

        /// The push `push`, read at `time`.
        public init(_ push: Push, at time: WallTime) {
            id = push.request.id
            self.time = time
            envelope = push.envelope
            call = push.call?.callID
            isMutableContent = push.isMutableContent
            isContentAvailable = push.isContentAvailable
            content = push.request.content
        }

        /// A push of which nothing can be read.
        public init(unreadable id: String, at time: WallTime) {
            self.id = id
            self.time = time
            (envelope, call, content) = (nil, nil, nil)
            (isMutableContent, isContentAvailable) = (false, false)
        }
    }

    /// A request of a push server, and what it was answered.
    public struct Request: Hashable, Sendable {
        /// ``apnsID`` in lower case: the identifier of the push if it was accepted.
        public var id: String { apnsID.lowercased() }
        /// `apns-id` as it was answered: as the server spelled it, or as the endpoint made it.
        public let apnsID: String
        /// When it was answered.
        public let time: WallTime
        /// `:method`.
        public let method: String
        /// `:path`.
        public let path: String
        /// The headers of APNs' that it had, by their names in lower case; without `authorization`.
        public let headers: [String: String]
        /// Its body; bytes that are not UTF-8 are replaced, and what is longer than any payload is cut off.
        public let payload: String
        /// The device that its token is of; nil if none is known.
        public let device: String?
        /// `:status` of the answer.
        public let status: Int
        /// `reason` of the answer; nil with success.
        public let reason: String?
        /// `apns-unique-id` of the answer, which the development environment alone sends.
        public let uniqueID: String?

        /// A request with its answer.
        public init(
            apnsID: String, time: WallTime, method: String, path: String, headers: [String: String], payload: String,
            device: String?, status: Int, reason: String?, uniqueID: String?
        ) {
            self.apnsID = apnsID
            self.time = time
            self.method = method
            self.path = path
            self.headers = headers
            self.payload = payload
            self.device = device
            self.status = status
            self.reason = reason
            self.uniqueID = uniqueID
        }
    }

    /// The identifier of its push.
    public var id: String {
        switch self {
        case .push(let taken): taken.id
        case .event(let event): event.id
        case .end(let id, _): id
        case .request(let request): request.id
        }
    }

    /// What a record is called in `record`.
    private enum Kind: String {
        case push, event, end, request
    }
}

// MARK: Writing

extension PushRecord {
    /// The record as an object.
    public var json: JSONObject {
        switch self {
        case .push(let taken): taken.json
        case .event(let event): Self.object(.event, event.json.members)
        case .end(let id, let isWhole):
            ["record": .string(Kind.end.rawValue), "id": .string(id), "whole": .bool(isWhole)]
        case .request(let request): request.json
        }
    }

    /// The record as a line, its newline included.
    public var line: [UInt8] {
        guard case .event(let event) = self else { return json.serialized() + [UInt8(ascii: "\n")] }
        // An event's line with a member before the others.
        return Array("{\"record\":\"event\",".utf8) + event.line.dropFirst()
    }

    private static func object(_ kind: Kind, _ members: [JSONObject.Member] = []) -> JSONObject {
        var object: JSONObject = ["record": .string(kind.rawValue)]
        for member in members { object[member.key] = member.value }
        return object
    }
}

extension PushRecord.Taken {
    fileprivate var json: JSONObject {
        var object: JSONObject = ["record": "push", "id": .string(id), "time": .real(time.unixSeconds)]
        guard let envelope, let content else { return object }
        object["pushType"] = .string(envelope.pushType.rawValue)
        object["topic"] = envelope.topic.map { .string($0) }
        object["collapseId"] = envelope.collapseID.map { .string($0) }
        object["sentAt"] = envelope.sentAt.map { .real($0.unixSeconds) }
        object["expiration"] = envelope.expiration.map { .real($0.unixSeconds) }
        object["appGroup"] = envelope.appGroup.map { .string($0) }
        object["bundle"] = envelope.simulatorTargetBundle.map { .string($0) }
        object["call"] = call.map { .string($0) }
        object["mutableContent"] = .bool(isMutableContent)
        object["contentAvailable"] = .bool(isContentAvailable)
        object["content"] = .object(content.json)
        return object
    }

    fileprivate init(_ fields: JSONFields) throws(JSONFieldError) {
        func text(_ key: String) throws(JSONFieldError) -> String? { try fields.ifPresent(key, fields.string) }
        func time(_ key: String) throws(JSONFieldError) -> WallTime? {
            try fields.ifPresent(key, fields.number).flatMap { WallTime(unixSeconds: $0) }
        }
        id = try fields.string("id")
        self.time = try time("time") ?? WallTime(microseconds: 0)
        call = try text("call")
        isMutableContent = try fields.ifPresent("mutableContent", fields.bool) ?? false
        isContentAvailable = try fields.ifPresent("contentAvailable", fields.bool) ?? false
        content = try fields.ifPresent("content", fields.fields).map { fields throws(JSONFieldError) in
            try NotificationContent(fields)
        }
        guard fields.has("pushType") else {
            envelope = nil
            return
        }
        envelope = Envelope(
            id: id, pushType: try fields.word("pushType") { PushType(rawValue: $0) }, topic: try text("topic"),
            sentAt: try time("sentAt"), expiration: try time("expiration"), collapseID: try text("collapseId"),
            appGroup: try text("appGroup"), simulatorTargetBundle: try text("bundle"))
    }
}

extension PushRecord.Request {
    fileprivate var json: JSONObject {
        var headers = JSONObject()
        for (name, value) in self.headers.sorted(by: { $0.key < $1.key }) { headers[name] = .string(value) }
        var object: JSONObject = [
            "record": "request", "id": .string(id), "apnsId": .string(apnsID), "time": .real(time.unixSeconds),
            "method": .string(method), "path": .string(path), "headers": .object(headers),
            "payload": .string(payload),
        ]
        object["device"] = device.map { .string($0) }
        object["status"] = .integer(Int64(status))
        object["reason"] = reason.map { .string($0) }
        object["uniqueId"] = uniqueID.map { .string($0) }
        return object
    }

    fileprivate init(_ fields: JSONFields) throws(JSONFieldError) {
        var headers: [String: String] = [:]
        for member in try fields.object("headers").members { headers[member.key] = member.value.stringValue }
        self.init(
            apnsID: try fields.string("apnsId"),
            time: WallTime(unixSeconds: try fields.number("time")) ?? WallTime(microseconds: 0),
            method: try fields.string("method"), path: try fields.string("path"), headers: headers,
            payload: try fields.string("payload"), device: try fields.ifPresent("device", fields.string),
            status: Int(try fields.integer("status", in: 0...999)),
            reason: try fields.ifPresent("reason", fields.string),
            uniqueID: try fields.ifPresent("uniqueId", fields.string))
    }
}

// MARK: Reading

extension PushRecord {
    /// Reads a record; nil if `line` is none that this version knows.
    public init?(line: [UInt8]) {
        guard let fields = JSONFields(line: line, limits: .aroundForeignValue),
            let kind = (try? fields.string("record")).flatMap(Kind.init)
        else { return nil }
        do {
            switch kind {
            case .push: self = .push(try Taken(fields))
            case .event: self = .event(try Event(line: line))
            case .end: self = .end(id: try fields.string("id"), isWhole: try fields.bool("whole"))
            case .request: self = .request(try Request(fields))
            }
        } catch {
            return nil
        }
    }
}
