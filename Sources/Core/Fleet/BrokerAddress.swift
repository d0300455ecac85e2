import BelfryTerms

/// Where a broker listens to gateways and machines: a host's name or address, and a port.
public struct BrokerAddress: Hashable, Sendable, CustomStringConvertible {
    /// The port that NATS has for clients.
    public static let usualPort: UInt16 = 4222
    /// How long a host's name may be (RFC 1035, 2.3.4).
    private static let hostBytesMax = 253
    private static let labelBytesMax = 63

    /// The host's name in small letters, or its address, one of version 6 without brackets.
    public let host: String
    /// The port.
    public let port: UInt16

    /// An address; nil if `host` is neither a host's name nor an address, or `port` is 0.
    public init?(host: some StringProtocol, port: UInt16 = usualPort) {
        let host = host.lowercased()
        guard port > 0, Self.isName(host) || Self.isAddress(host) else { return nil }
        self.host = host
        self.port = port
    }

    /// As ``description`` writes it; the port may be missing.
    public init?(_ text: some StringProtocol) {
        guard let parts = Self.parts(of: text), parts.numbers.count <= 1 else { return nil }
        self.init(host: parts.host, port: parts.numbers.first ?? Self.usualPort)
    }

    /// The host, with brackets about an address of version 6, and behind colons the ports that follow it; nil if one of
    /// them is none.
    public static func parts(of text: some StringProtocol) -> (host: String, numbers: [UInt16])? {
        var (host, rest) = (String(text), Substring())
        if host.utf8.first == UInt8(ascii: "[") {
            guard let end = host.firstIndex(of: "]") else { return nil }
            rest = host[host.index(after: end)...]
            host = String(host[host.index(after: host.startIndex)..<end])
            guard host.contains(":") else { return nil }
        } else if let colon = host.firstIndex(of: ":") {
            rest = host[colon...]
            host = String(host[..<colon])
        }
        guard !rest.isEmpty else { return (host, []) }
        guard rest.first == ":" else { return nil }
        let words = rest.dropFirst().split(separator: ":", omittingEmptySubsequences: false)
        let numbers = words.compactMap { word in UInt16(word).flatMap { String($0) == word && $0 > 0 ? $0 : nil } }
        return numbers.count == words.count ? (host, numbers) : nil
    }

    /// `host:port`, an address of version 6 in brackets.
    public var description: String { "\(bracketedHost):\(port)" }

    /// The host as it stands in addresses with a port.
    public var bracketedHost: String { host.contains(":") ? "[\(host)]" : host }

    /// Whether the host is an address, not a name.
    public var isNumeric: Bool { Self.isAddress(host) }

    /// Labels of letters, digits and hyphens; the last one has a letter, or it would be taken for an address.
    private static func isName(_ text: String) -> Bool {
        let labels = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let areLabels = labels.allSatisfy { label in
            !label.isEmpty && label.count <= labelBytesMax && label.first != UInt8(ascii: "-")
                && label.last != UInt8(ascii: "-")
                && label.allSatisfy { $0.isASCIILetterOrDigit || $0 == UInt8(ascii: "-") }
        }
        return text.utf8.count <= hostBytesMax && areLabels && labels.last?.contains(where: \.isASCIILetter) == true
    }

    private static func isAddress(_ text: String) -> Bool { text.contains(":") ? isVersion6(text) : isVersion4(text) }

    private static func isVersion4(_ text: String) -> Bool {
        let numbers = text.split(separator: ".", omittingEmptySubsequences: false)
        return numbers.count == 4 && numbers.allSatisfy { number in UInt8(number).map { "\($0)" == number } ?? false }
    }

    /// Eight groups of hexadecimal digits, or fewer about one `::` (RFC 4291, 2.2).
    private static func isVersion6(_ text: String) -> Bool {
        let halves = text.split(separator: "::", omittingEmptySubsequences: false)
        guard halves.count <= 2, !text.contains(":::") else { return false }
        let groups = halves.flatMap { $0.isEmpty ? [] : $0.split(separator: ":", omittingEmptySubsequences: false) }
        let areGroups = groups.allSatisfy { group in
            (1...4).contains(group.utf8.count) && group.allSatisfy { $0.isASCII && $0.isHexDigit }
        }
        return areGroups && (halves.count == 2 ? groups.count < 8 : groups.count == 8)
    }
}
