/// An http or https URL in the one spelling that the fetcher hands to libcurl.
///
/// Stricter than libcurl's own parser and put together again from its parts, so that there is no text on which the two
/// could disagree about the host. A host name beyond ASCII must come as punycode.
public struct WebURL: Hashable, Sendable {
    /// Where a URL points.
    public enum Host: Hashable, Sendable {
        /// A DNS name in lower case, without the root's trailing dot.
        case name(String)
        /// An address, whichever way it was spelled.
        case address(InternetAddress)
    }

    /// Whether it is https.
    public let isSecure: Bool
    /// The host.
    public let host: Host
    /// The port, written or implied.
    public let port: UInt16
    /// Path and query, starting with `/`.
    public let target: String

    /// `http` or `https`.
    public var scheme: String { isSecure ? "https" : "http" }

    /// The host as a URL spells it: an IPv6 address in brackets.
    public var hostText: String {
        switch host {
        case .name(let name): name
        case .address(let address): address.isV4 ? address.description : "[\(address)]"
        }
    }

    /// The whole URL; a port only where it is not the scheme's own.
    public var text: String { origin + target }

    /// Scheme, host and port: all of a URL that may be journalled.
    public var origin: String {
        let isImplied = port == (isSecure ? 443 : 80)
        return scheme + "://" + hostText + (isImplied ? "" : ":\(port)")
    }

    /// Reads an absolute URL. A fragment is dropped; spaces and what is not ASCII are percent-encoded in path and
    /// query.
    ///
    /// Throws ``SkipReason/badURL``, ``SkipReason/badScheme`` or ``SkipReason/credentialsInURL``.
    public init(_ text: String) throws(Skip) {
        let bytes = Array(text.utf8)
        guard !bytes.isEmpty else { throw Skip(.badURL, "the URL is empty") }
        guard bytes.count <= FetchLimits.urlBytesMax else {
            throw Skip(.badURL, "the URL has \(bytes.count) bytes; at most \(FetchLimits.urlBytesMax) are taken")
        }
        guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "\\") }) else {
            throw Skip(.badURL, "the URL holds control characters or backslashes")
        }
        guard let schemeEnd = Self.schemeEnd(of: bytes[...]) else { throw Skip(.badURL, "the URL has no scheme") }
        let scheme = String(decoding: bytes[..<schemeEnd], as: UTF8.self).lowercased()
        guard scheme == "http" || scheme == "https" else {
            throw Skip(.badScheme, "the scheme is \(scheme.prefix(32)); only http and https are fetched")
        }
        isSecure = scheme == "https"
        let afterScheme = bytes[(schemeEnd + 1)...]
        guard afterScheme.starts(with: "//".utf8) else { throw Skip(.badURL, "the URL names no host") }
        let rest = afterScheme.dropFirst(2)
        let authorityEnd = rest.firstIndex { $0 == 0x2F || $0 == 0x3F || $0 == 0x23 } ?? rest.endIndex
        let authority = rest[..<authorityEnd]
        guard !authority.contains(UInt8(ascii: "@")) else {
            throw Skip(.credentialsInURL, "the URL carries a user name or password")
        }
        let (hostBytes, portBytes) = try Self.split(authority)
        host = try Host(hostBytes)
        port = try Self.port(portBytes) ?? (isSecure ? 443 : 80)
        target = Self.target(rest[authorityEnd...])
    }

    /// The URL that `reference`, such as a `Location`, means from here (RFC 3986, 5.2; libcurl removes dot segments).
    public func resolving(_ reference: String) throws(Skip) -> WebURL {
        let bytes = Array(reference.utf8)
        if Self.schemeEnd(of: bytes[...]) != nil { return try WebURL(reference) }
        if bytes.starts(with: "//".utf8) { return try WebURL(scheme + ":" + reference) }
        if bytes.first == UInt8(ascii: "/") { return try WebURL(origin + reference) }
        let path = target.utf8.prefix { $0 != UInt8(ascii: "?") }
        if bytes.first == UInt8(ascii: "?") {
            return try WebURL(origin + String(decoding: path, as: UTF8.self) + reference)
        }
        if bytes.isEmpty || bytes.first == UInt8(ascii: "#") { return self }
        let folder = path.lastIndex(of: UInt8(ascii: "/")).map { path[...$0] } ?? path
        return try WebURL(origin + String(decoding: folder, as: UTF8.self) + reference)
    }

    /// The index of the colon that ends a scheme (RFC 3986, 3.1); nil where there is none.
    private static func schemeEnd(of bytes: ArraySlice<UInt8>) -> Int? {
        guard let first = bytes.first, isLetter(first), let end = bytes.firstIndex(of: UInt8(ascii: ":")) else {
            return nil
        }
        let isScheme = bytes[..<end].allSatisfy { isLetter($0) || isDigit($0) || "+-.".utf8.contains($0) }
        return isScheme ? end : nil
    }

    /// Host and port of an authority without credentials; the brackets stay with the host.
    private static func split(_ authority: ArraySlice<UInt8>) throws(Skip) -> (ArraySlice<UInt8>, ArraySlice<UInt8>?) {
        var hostEnd = authority.firstIndex(of: UInt8(ascii: ":")) ?? authority.endIndex
        if authority.first == UInt8(ascii: "[") {
            guard let bracket = authority.firstIndex(of: UInt8(ascii: "]")) else {
                throw Skip(.badURL, "the URL's IPv6 address has no closing bracket")
            }
            hostEnd = bracket + 1
        }
        let rest = authority[hostEnd...]
        guard rest.isEmpty || rest.first == UInt8(ascii: ":") else {
            throw Skip(.badURL, "something other than a port follows the URL's IPv6 address")
        }
        return (authority[..<hostEnd], rest.isEmpty ? nil : rest.dropFirst())
    }

    private static func port(_ digits: ArraySlice<UInt8>?) throws(Skip) -> UInt16? {
        guard let digits, !digits.isEmpty else { return nil }
        guard digits.count <= 5, digits.allSatisfy(isDigit),
            let port = UInt16(exactly: digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }), port != 0
        else { throw Skip(.badURL, "the URL's port is not a number from 1 to 65535") }
        return port
    }

    private static func target(_ bytes: ArraySlice<UInt8>) -> String {
        var target: [UInt8] = bytes.first == UInt8(ascii: "/") ? [] : [UInt8(ascii: "/")]
        for byte in bytes {
            if byte == UInt8(ascii: "#") { break }
            if byte > 0x20 && byte < 0x7F && !"\"<>^`{|}".utf8.contains(byte) {
                target.append(byte)
            } else {
                target.append(UInt8(ascii: "%"))
                target.append(contentsOf: [byte >> 4, byte & 15].map { $0 < 10 ? $0 + 0x30 : $0 + 0x37 })
            }
        }
        return String(decoding: target, as: UTF8.self)
    }

    static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
    static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
