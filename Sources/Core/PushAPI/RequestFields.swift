import BelfryDevices
import BelfryTerms

/// The headers that say what a push is, each checked by itself, in the order in which Belfry looks at them.
struct RequestFields: Hashable, Sendable {
    /// How long a collapse identifier may be.
    static let collapseIDBytesMax = 64

    let expiration: WallTime?
    /// nil if none is stated.
    let priority: APNsPriority?
    /// nil if none is stated.
    let pushType: APNsPushType?
    let collapseID: String?

    init(_ request: EndpointRequest) throws(Refusal) {
        if let identifier = request.identifier, !Self.isIdentifier(identifier) {
            throw Refusal(.badMessageID, "apns-id is no UUID")
        }
        expiration = try Self.expiration(request.expiration)
        priority = try Self.priority(request.priority)
        pushType = try Self.pushType(request.pushType)
        if let priority, let pushType, !TopicRules.isPossible(priority, for: pushType) {
            throw Refusal(
                .badPriority, "apns-priority is \(priority.rawValue), which no \(pushType.rawValue) push may have")
        }
        let collapseIDBytes = request.collapseID?.utf8.count ?? 0
        guard collapseIDBytes <= Self.collapseIDBytesMax else {
            throw Refusal(
                .badCollapseID,
                "apns-collapse-id has \(collapseIDBytes) bytes: \(Self.collapseIDBytesMax) are allowed")
        }
        collapseID = request.collapseID?.isEmpty == true ? nil : request.collapseID
    }

    /// Whether `text` is a UUID, in either case: 8, 4, 4, 4 and 12 digits.
    static func isIdentifier(_ text: String) -> Bool {
        guard text.utf8.count == 36 else { return false }
        var place = 0
        for byte in text.utf8 {
            let isHyphen = place == 8 || place == 13 || place == 18 || place == 23
            guard isHyphen ? byte == UInt8(ascii: "-") : isHexDigit(byte) else { return false }
            place += 1
        }
        return true
    }

    static func isHexDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }

    private static func expiration(_ text: String?) throws(Refusal) -> WallTime? {
        guard let text else { return nil }
        guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let seconds = Int64(text)
        else {
            throw Refusal(
                .badExpirationDate, "apns-expiration is \(Sentence.quoted(text)), and no whole seconds since 1970")
        }
        return WallTime(microseconds: TimeSpan.seconds(seconds).microseconds)
    }

    private static func priority(_ text: String?) throws(Refusal) -> APNsPriority? {
        guard let text else { return nil }
        switch text {
        case "10": return .immediate
        case "5": return .considerate
        case "1": return .low
        default: throw Refusal(.badPriority, "apns-priority is \(Sentence.quoted(text)), and not 10, 5 or 1")
        }
    }

    private static func pushType(_ text: String?) throws(Refusal) -> APNsPushType? {
        guard let text else { return nil }
        guard let type = APNsPushType(rawValue: text) else {
            throw Refusal(.invalidPushType, "apns-push-type is \(Sentence.quoted(text)), which is no kind of push")
        }
        return type
    }
}
