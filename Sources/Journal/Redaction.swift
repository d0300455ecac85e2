/// What of a text may stand in the journal, which outlives the call and is read by others than the caller meant.
enum Redaction {
    /// Scheme and host of an address; a placeholder where there is none.
    static func schemeAndHost(of address: String) -> String {
        guard let scheme = scheme(endingBefore: address[...]) else { return "an unusable address" }
        let rest = address[scheme.rest...]
        let authority = rest.prefix { !"/?#\\".contains($0) && !$0.isWhitespace }
        // Name and password come before the last @; the port is part of where it points to.
        let host = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
        return "\(address[..<scheme.rest])\(host)"
    }

    /// `detail` with every address in it cut to scheme and host.
    static func ofAddresses(_ detail: String) -> String {
        detail.split(separator: " ", omittingEmptySubsequences: false).map { word in
            guard let separator = word.firstRange(of: "://") else { return String(word) }
            let start = word[..<separator.lowerBound].lastIndex { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
            let from = start.map { word.index(after: $0) } ?? word.startIndex
            return word[..<from] + schemeAndHost(of: String(word[from...]))
        }.joined(separator: " ")
    }

    /// `detail` of a fault in a payload without what the payload said: of `field: found "x", expected y` it keeps
    /// `field: expected y`, and whatever else is quoted goes too.
    static func ofPayload(_ detail: String) -> String {
        let found = ": found "
        let expected = ", expected "
        if let start = detail.firstRange(of: found) {
            let field = detail[..<start.lowerBound]
            var last: Substring?
            var rest = detail[start.upperBound...]
            while let next = rest.firstRange(of: expected) {
                rest = rest[next.upperBound...]
                last = rest
            }
            return last.map { "\(field): expected \($0)" } ?? String(field)
        }
        guard let first = detail.firstIndex(of: "\""), let last = detail.lastIndex(of: "\""), first != last else {
            return ofAddresses(detail)
        }
        return ofAddresses(detail[...first] + "…" + detail[last...])
    }

    /// The scheme that `text` starts with, and where what follows its `://` starts.
    private static func scheme(endingBefore text: Substring) -> (name: Substring, rest: String.Index)? {
        guard let separator = text.firstRange(of: "://") else { return nil }
        let name = text[..<separator.lowerBound]
        guard !name.isEmpty, name.utf8.count <= 16, name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) })
        else {
            return nil
        }
        return (name, separator.upperBound)
    }
}
