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
        if let identifier = request.identifier, !Self.isIdentifier(identifier) { throw Refusal(.badMessageID) }
        expiration = try Self.expiration(request.expiration)
        priority = try Self.priority(request.priority)
        pushType = try Self.pushType(request.pushType)
        if let priority, let pushType, !TopicRules.isPossible(priority, for: pushType) {
            throw Refusal(.badPriority)
        }
        guard request.collapseID?.utf8.count ?? 0 <= Self.collapseIDBytesMax else { throw Refusal(.badCollapseID) }
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
        else { throw Refusal(.badExpirationDate) }
        return WallTime(microseconds: TimeSpan.seconds(seconds).microseconds)
    }

    private static func priority(_ text: String?) throws(Refusal) -> APNsPriority? {
        switch text {
        case nil: return nil
        case "10": return .immediate
        case "5": return .considerate
        case "1": return .low
        default: throw Refusal(.badPriority)
        }
    }

    private static func pushType(_ text: String?) throws(Refusal) -> APNsPushType? {
        guard let text else { return nil }
        guard let type = APNsPushType(rawValue: text) else { throw Refusal(.invalidPushType) }
        return type
    }
}
