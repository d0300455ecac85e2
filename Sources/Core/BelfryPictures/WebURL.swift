import BelfryTerms

/// An http or https URL in the one spelling that the fetcher hands to libcurl.
///
/// The only parser for URLs: it reads payloads, redirects and the fetcher's request. It is stricter than libcurl's own
/// parser, and the URL for libcurl is put together again from the parts, so that the two cannot disagree about the host
/// of any text. A host name beyond ASCII must come as punycode.
public struct WebURL: Hashable, Sendable {
    /// Which machine a URL names.
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

    /// The URL in its one spelling; the port is left out if it is the scheme's own.
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
        let outline = try Outline(text)
        guard !outline.authority.contains(UInt8(ascii: "@")) else {
            throw Skip(.credentialsInURL, "the URL carries a user name or password")
        }
        let (hostBytes, portBytes) = try Self.split(outline.authority)
        isSecure = outline.isSecure
        host = try Host(hostBytes)
        port = try Self.port(portBytes) ?? (isSecure ? 443 : 80)
        target = Self.target(outline.rest)
    }

    /// Whether `text` is an http or https URL that names some host.
    ///
    /// That is what a payload's field has to hold to count as a picture's address at all. Whether the host, the port
    /// and what else stands in `text` can be used is judged by ``init(_:)`` once the picture is asked for, which gives
    /// each fault its own reason.
    public static func isAddress(_ text: String) -> Bool { (try? Outline(text)) != nil }

    /// The URL that `reference`, such as a `Location`, means from here (RFC 3986, 5.2; libcurl removes dot segments).
    public func resolving(_ reference: String) throws(Skip) -> WebURL {
        let bytes = Array(reference.utf8)
        if Outline.schemeEnd(of: bytes) != nil { return try WebURL(reference) }
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
        guard digits.count <= 5, digits.allSatisfy(\.isASCIIDigit),
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
}

/// A URL cut into scheme, authority and the rest, none of which is judged further here.
private struct Outline {
    /// Whether the scheme is https.
    let isSecure: Bool
    /// Credentials, host and port as they are written.
    let authority: ArraySlice<UInt8>
    /// Path, query and fragment as they are written.
    let rest: ArraySlice<UInt8>

    /// Cuts `text`. Throws ``SkipReason/badURL`` or ``SkipReason/badScheme``.
    init(_ text: String) throws(Skip) {
        let bytes = Array(text.utf8)
        guard !bytes.isEmpty else { throw Skip(.badURL, "the URL is empty") }
        guard bytes.count <= FetchLimits.urlBytesMax else {
            throw Skip(.badURL, "the URL has \(bytes.count) bytes; at most \(FetchLimits.urlBytesMax) are taken")
        }
        guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "\\") }) else {
            throw Skip(.badURL, "the URL holds control characters or backslashes")
        }
        guard let schemeEnd = Self.schemeEnd(of: bytes) else { throw Skip(.badURL, "the URL has no scheme") }
        let scheme = String(decoding: bytes[..<schemeEnd], as: UTF8.self).lowercased()
        guard scheme == "http" || scheme == "https" else {
            throw Skip(.badScheme, "the scheme is \(scheme.prefix(32)); only http and https are fetched")
        }
        isSecure = scheme == "https"
        let afterScheme = bytes[(schemeEnd + 1)...]
        guard afterScheme.starts(with: "//".utf8) else { throw Skip(.badURL, "the URL names no host") }
        let afterSlashes = afterScheme.dropFirst(2)
        let end = afterSlashes.firstIndex { $0 == 0x2F || $0 == 0x3F || $0 == 0x23 } ?? afterSlashes.endIndex
        authority = afterSlashes[..<end]
        rest = afterSlashes[end...]
        guard let first = authority.first, first != UInt8(ascii: ":") else {
            throw Skip(.badURL, "the URL names no host")
        }
    }

    /// The index of the colon that ends a scheme (RFC 3986, 3.1); nil if there is no scheme.
    static func schemeEnd(of bytes: [UInt8]) -> Int? {
        guard let first = bytes.first, first.isASCIILetter, let end = bytes.firstIndex(of: UInt8(ascii: ":")) else {
            return nil
        }
        let isScheme = bytes[..<end].allSatisfy {
            $0.isASCIILetterOrDigit || "+-.".utf8.contains($0)
        }
        return isScheme ? end : nil
    }
}

extension WebURL.Host {
    /// Reads the host of a URL: a name, an IPv6 address in brackets, or an IPv4 address in any of the spellings that C
    /// libraries take, such as `0x7f.1`, `2130706433` or `0177.0.0.1`
    /// (https://url.spec.whatwg.org/#concept-ipv4-parser).
    ///
    /// A host that ends in a number and is not such an address is refused, since some resolver might take it for one.
    init(_ bytes: ArraySlice<UInt8>) throws(Skip) {
        guard !bytes.isEmpty else { throw Skip(.badURL, "the URL names no host") }
        if bytes.first == UInt8(ascii: "[") {
            let text = String(decoding: bytes.dropFirst().dropLast(), as: UTF8.self)
            guard let address = InternetAddress(text: text), !address.isV4 else {
                throw Skip(.badURL, "what stands in brackets is no IPv6 address")
            }
            self = .address(address)
            return
        }
        let name = bytes.last == UInt8(ascii: ".") ? bytes.dropLast() : bytes
        let labels = name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        if let last = labels.last, Self.endsInNumber(last) {
            guard let number = Self.v4(labels) else { throw Skip(.badURL, "the host is no IPv4 address and no name") }
            self = .address(InternetAddress(v4: number))
            return
        }
        guard name.count <= 253, labels.allSatisfy(Self.isLabel) else {
            throw Skip(
                .badURL, "the host is no DNS name; one beyond ASCII must be written as punycode, which starts with xn--"
            )
        }
        self = .name(String(decoding: name, as: UTF8.self).lowercased())
    }

    private static func isLabel(_ label: ArraySlice<UInt8>) -> Bool {
        (1...63).contains(label.count)
            && label.allSatisfy { $0.isASCIILetterOrDigit || $0 == 0x2D || $0 == 0x5F }
    }

    private static func endsInNumber(_ label: ArraySlice<UInt8>) -> Bool {
        !label.isEmpty && (label.allSatisfy(\.isASCIIDigit) || number(label) != nil)
    }

    private static func v4(_ labels: [ArraySlice<UInt8>]) -> UInt32? {
        guard labels.count <= 4 else { return nil }
        var address: UInt64 = 0
        for (index, label) in labels.enumerated() {
            guard let part = number(label) else { return nil }
            // The last part fills all the bytes that are left: 127.1 is 127.0.0.1.
            let bytesLeft = index == labels.count - 1 ? 4 - index : 1
            guard part < UInt64(1) << (8 * UInt64(bytesLeft)) else { return nil }
            address = address << (8 * UInt64(bytesLeft)) | part
        }
        return UInt32(exactly: address)
    }

    /// A decimal, octal (`0…`) or hexadecimal (`0x…`) number of at most 32 bits.
    private static func number(_ label: ArraySlice<UInt8>) -> UInt64? {
        var digits = label
        var radix: UInt64 = 10
        if digits.count >= 2, digits.first == UInt8(ascii: "0") {
            let isHexadecimal = digits.dropFirst().first.map { $0 | 0x20 } == UInt8(ascii: "x")
            radix = isHexadecimal ? 16 : 8
            digits = digits.dropFirst(isHexadecimal ? 2 : 1)
        }
        // WHATWG takes "0x" for 0; longer than any IPv4 number, leading zeros included, is refused.
        guard label.count > 0, digits.count <= 32 else { return nil }
        var value: UInt64 = 0
        for byte in digits {
            guard let digit = Character(UnicodeScalar(byte)).hexDigitValue.flatMap({ UInt64(exactly: $0) }),
                digit < radix
            else { return nil }
            value = value * radix + digit
            guard value <= UInt64(UInt32.max) else { return nil }
        }
        return value
    }
}
