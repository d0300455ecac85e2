import BelfryTerms

/// How long a fetched picture may be used again without asking, and how to ask whether it changed (RFC 9111).
public struct Freshness: Hashable, Sendable {
    /// Seconds a picture is kept at most, and if the server says nothing: a day.
    public static let secondsMax: Int64 = 86_400

    /// Seconds from now for which it may be used without asking.
    public let seconds: Int64
    /// The entity tag to ask with; nil if the server sent none that is usable, or wants nothing kept.
    public let entityTag: String?

    /// Whether there is any use in keeping the picture.
    public var isWorthKeeping: Bool { seconds > 0 || entityTag != nil }

    /// A freshness, its seconds brought into 0...``secondsMax``.
    public init(seconds: Int64 = 0, entityTag: String? = nil) {
        self.seconds = min(max(seconds, 0), Self.secondsMax)
        self.entityTag = entityTag
    }

    /// What the headers of an answer say; `name` in lower case, several of one name joined or repeated as they came.
    ///
    /// `no-store`, `no-cache`, `max-age=0` and a number that is none give 0; of several the smallest counts. `Age` is
    /// subtracted. `Expires` and `private` are not looked at: the cache is one person's, and their clocks may differ.
    public init(headers: [(name: String, value: String)]) {
        var seconds = Self.secondsMax
        var age: Int64 = 0
        var entityTag: String?
        var mayKeep = true
        for header in headers {
            switch header.name {
            case "cache-control":
                for directive in header.value.split(separator: ",") {
                    seconds = min(seconds, Self.seconds(directive))
                    if Self.trimmed(directive).lowercased() == "no-store" { mayKeep = false }
                }
            case "age": age = max(age, Self.number(header.value[...]) ?? 0)
            case "etag": entityTag = Self.isEntityTag(header.value) ? header.value : nil
            default: break
            }
        }
        self.init(seconds: seconds - age, entityTag: mayKeep ? entityTag : nil)
    }

    /// Whether `text` is an entity tag that may stand in a request: `"…"` or `W/"…"` of visible ASCII, not too long.
    public static func isEntityTag(_ text: String) -> Bool {
        var bytes = text.utf8[...]
        guard bytes.count <= FetchLimits.entityTagBytesMax else { return false }
        if bytes.starts(with: "W/".utf8) { bytes = bytes.dropFirst(2) }
        guard bytes.count >= 2, bytes.first == UInt8(ascii: "\""), bytes.last == UInt8(ascii: "\"") else {
            return false
        }
        return bytes.dropFirst().dropLast().allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") }
    }

    private static func seconds(_ directive: Substring) -> Int64 {
        let parts = directive.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        switch trimmed(parts[0]).lowercased() {
        case "no-store", "no-cache": return 0
        case "max-age": return parts.count == 2 ? number(parts[1]) ?? 0 : 0
        default: return secondsMax
        }
    }

    /// A number of seconds, in quotes or not; one too large to matter counts as ``secondsMax``.
    private static func number(_ text: Substring) -> Int64? {
        let digits = trimmed(text).utf8.filter { $0 != UInt8(ascii: "\"") }
        guard !digits.isEmpty, digits.allSatisfy(\.isASCIIDigit) else { return nil }
        return digits.reduce(0) { min($0 * 10 + Int64($1 - 0x30), secondsMax) }
    }

    private static func trimmed(_ text: Substring) -> String {
        let isBlank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
        let start = text.utf8.drop(while: isBlank)
        let end = start.lastIndex { !isBlank($0) }.map { start[...$0] } ?? start.prefix(0)
        return String(decoding: end, as: UTF8.self)
    }
}
