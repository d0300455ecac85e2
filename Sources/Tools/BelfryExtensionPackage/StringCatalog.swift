import BelfryJSON
public import BelfryPropertyList
import BelfryTerms

/// A String Catalog of Xcode's (`.xcstrings`), as the tables of strings that Foundation reads on Linux.
///
/// Foundation on Linux has no `.stringsdict`, so that of a text that varies by number the form `other` is in the table,
/// and of one that varies by device that of the iPhone, else `other`. What is not translated is left out, and the key
/// is shown.
public struct StringCatalog: Hashable, Sendable {
    /// The most bytes of a catalogue, and the most values in it.
    public static let (bytesMax, valuesMax) = (4 << 20, 400_000)
    /// The most languages of a catalogue.
    public static let languagesMax = 200

    /// A property list of the texts by their keys, for each language, which has its `.lproj` folder.
    public let tables: [String: PropertyListDictionary]

    /// Reads a catalogue.
    ///
    /// - Throws: what is wrong with it, for people.
    public init(_ bytes: [UInt8]) throws(StringCatalogError) {
        let limits = JSONLimits(bytesMax: Self.bytesMax, valuesMax: Self.valuesMax)
        guard let root = (try? JSONValue.parse(bytes, limits: limits))?.objectValue else {
            throw StringCatalogError("is no JSON object of at most \(Self.bytesMax >> 20) MiB")
        }
        guard let source = root["sourceLanguage"]?.stringValue, let strings = root["strings"]?.objectValue else {
            throw StringCatalogError("has no sourceLanguage and no strings")
        }
        var tables = [source: PropertyListDictionary()]
        for (key, entry) in strings.members.map({ ($0.key, $0.value.objectValue) }) {
            // A text that was not changed in its own language is its key.
            tables[source]?[key] = .string(key)
            for localization in entry?["localizations"]?.objectValue?.members ?? [] {
                guard let object = localization.value.objectValue, let text = Self.text(of: object) else { continue }
                tables[localization.key, default: PropertyListDictionary()][key] = .string(text)
            }
        }
        guard tables.count <= Self.languagesMax else {
            throw StringCatalogError("has more than \(Self.languagesMax) languages")
        }
        let isName = { (byte: UInt8) in "-_".utf8.contains(byte) || byte.isASCIILetterOrDigit }
        if let stray = tables.keys.sorted().first(where: { $0.isEmpty || !$0.utf8.allSatisfy(isName) }) {
            throw StringCatalogError("has a language that is none: \(stray.prefix(40).debugDescription)")
        }
        self.tables = tables
    }

    /// The text of a localization, or of a form of it; nil if there is none.
    private static func text(of object: JSONObject) -> String? {
        if let unit = object["stringUnit"]?.objectValue {
            guard let value = unit["value"]?.stringValue, !value.isEmpty else { return nil }
            return filled(value, object["substitutions"]?.objectValue)
        }
        guard let variations = object["variations"]?.objectValue else { return nil }
        for (kind, forms) in [("plural", ["other"]), ("device", ["iphone", "other"])] {
            for form in forms {
                if let found = variations[kind]?.objectValue?[form]?.objectValue, let text = text(of: found) {
                    return filled(text, object["substitutions"]?.objectValue)
                }
            }
        }
        return nil
    }

    /// `text` with the places of `substitutions`, such as `%#@count@`, taken by their own texts.
    private static func filled(_ text: String, _ substitutions: JSONObject?) -> String {
        var text = text
        for member in substitutions?.members ?? [] {
            guard let object = member.value.objectValue, let form = self.text(of: object) else { continue }
            let number = object["argNum"]?.boundedInteger(in: 1...99).map { "\($0)$" } ?? ""
            let argument = "%\(number)\(object["formatSpecifier"]?.stringValue ?? "@")"
            text = text.replacing("%#@\(member.key)@", with: form.replacing("%arg", with: argument))
        }
        return text
    }
}

/// Why a file is no String Catalog.
public struct StringCatalogError: Error, Hashable, Sendable {
    /// In words for people, to stand after the file's path.
    public let detail: String

    init(_ detail: String) { self.detail = detail }
}
