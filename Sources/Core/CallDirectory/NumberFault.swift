import BelfryTerms

/// Why a text is no number of the call directory.
public struct NumberFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// In words for people, without a full stop.
    public let description: String
    /// What to do about it, without a full stop.
    public let remedy: String

    init(_ description: String, _ remedy: String) { (self.description, self.remedy) = (description, remedy) }
}

extension DialingPlan {
    /// The number that `text` is, which a person has written for one.
    public func writtenNumber(_ text: String) throws(NumberFault) -> Int64 {
        if let number = number(of: text) { return number }
        let shown = "\"\(Printable.excerpt(of: text))\""
        guard countryCode.isEmpty else {
            if !trunkPrefix.isEmpty,
                DialingPlan(countryCode: countryCode, trunkPrefix: "", internationalPrefix: "").number(of: text) != nil
            {
                throw NumberFault(
                    "\(shown) begins with no \(trunkPrefix), as a number within the country does",
                    "write it with + and its country code")
            }
            throw NumberFault("\(shown) is no telephone number", "+ and its country code, then its digits")
        }
        // Any country tells if it is one at all.
        guard DialingPlan(countryCode: "1", trunkPrefix: "", internationalPrefix: "").number(of: text) != nil else {
            throw NumberFault("\(shown) is no telephone number", "+ and its country code, then its digits")
        }
        throw NumberFault(
            "\(shown) has no country code", "write it with + and its country code, or set [Directory] CountryCode=")
    }
}

/// What a person calls a number.
public enum ListLabel {
    /// Why `text` is no label of the person's list, for people; nil if it is one. What is refused here would be shown
    /// as something else than was written, or not wholly.
    public static func fault(in text: String) -> String? {
        if text.isEmpty { return "the label is empty" }
        guard text.utf8.count <= NumberEntry.labelBytesMax else {
            return "the label has more than \(NumberEntry.labelBytesMax) bytes"
        }
        if text.unicodeScalars.contains(where: { $0 == "\n" || $0 == "\r" }) { return "the label has a line break" }
        return Printable.escaped(text) == text ? nil : "the label has a character that nobody sees"
    }
}
