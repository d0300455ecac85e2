/// What a request says before its body.
public struct EndpointRequest: Hashable, Sendable {
    /// A header that matters here; all others are ignored.
    enum Header: CaseIterable {
        case authorization
        case identifier
        case expiration
        case priority
        case pushType
        case topic
        case collapseID

        /// As HTTP/2 has it, in lower case.
        var name: String {
            switch self {
            case .authorization: "authorization"
            case .identifier: "apns-id"
            case .expiration: "apns-expiration"
            case .priority: "apns-priority"
            case .pushType: "apns-push-type"
            case .topic: "apns-topic"
            case .collapseID: "apns-collapse-id"
            }
        }
    }

    /// `:method`.
    public private(set) var method = ""
    /// `:path`.
    public private(set) var path = ""
    private(set) var authorization: String?
    /// `apns-id`.
    private(set) var identifier: String?
    private(set) var expiration: String?
    private(set) var priority: String?
    private(set) var pushType: String?
    private(set) var topic: String?
    private(set) var collapseID: String?
    /// The first of the headers that count which was there twice; nil if none was.
    private(set) var duplicate: Header?

    /// The headers that count, by their names, for those who follow pushes: without `authorization`.
    public var headersWithoutSecrets: [String: String] {
        var headers: [String: String] = [:]
        for header in Self.headers {
            switch header {
            case .authorization: break
            case .identifier: headers[header.name] = identifier
            case .expiration: headers[header.name] = expiration
            case .priority: headers[header.name] = priority
            case .pushType: headers[header.name] = pushType
            case .topic: headers[header.name] = topic
            case .collapseID: headers[header.name] = collapseID
            }
        }
        return headers
    }

    /// A request that says nothing yet.
    public init() {}

    /// Takes a header. Bytes that are not UTF-8 become characters that no valid value contains.
    public mutating func add(_ name: Span<UInt8>, _ value: Span<UInt8>) {
        if Self.isEqual(name, ":method") {
            method = Self.text(value)
        } else if Self.isEqual(name, ":path") {
            path = Self.text(value)
        } else if let header = Self.header(name) {
            set(header, Self.text(value))
        }
    }

    private mutating func set(_ header: Header, _ value: String) {
        let isFirst =
            switch header {
            case .authorization: Self.take(value, into: &authorization)
            case .identifier: Self.take(value, into: &identifier)
            case .expiration: Self.take(value, into: &expiration)
            case .priority: Self.take(value, into: &priority)
            case .pushType: Self.take(value, into: &pushType)
            case .topic: Self.take(value, into: &topic)
            case .collapseID: Self.take(value, into: &collapseID)
            }
        if !isFirst, duplicate == nil { duplicate = header }
    }

    /// Whether `field` had none before.
    private static func take(_ value: String, into field: inout String?) -> Bool {
        guard field == nil else { return false }
        field = value
        return true
    }

    // `allCases` makes an array each time.
    private static let headers = Header.allCases

    private static func header(_ name: Span<UInt8>) -> Header? {
        // All others differ in their length or their first letter.
        guard name.count >= 7, name[0] == UInt8(ascii: "a") else { return nil }
        for header in headers where isEqual(name, header.name) { return header }
        return nil
    }

    private static func isEqual(_ bytes: Span<UInt8>, _ name: String) -> Bool {
        guard bytes.count == name.utf8.count else { return false }
        let wanted = name.utf8Span.span
        for index in bytes.indices where wanted[index] != bytes[index] { return false }
        return true
    }

    private static func text(_ bytes: Span<UInt8>) -> String {
        guard let valid = try? UTF8Span(validating: bytes) else { return "\u{FFFD}" }
        return String(copying: valid)
    }
}
