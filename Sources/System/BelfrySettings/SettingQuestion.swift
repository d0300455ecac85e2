import BelfryTerms

/// A question to a setting, which a row of the table answers for its field: one description of a field serves for
/// reading it, printing it and saying what it expects.
///
/// The kinds of field are not inlined: rows that are rarely asked would make every worker's program longer.
struct SettingQuestion {
    /// What is asked.
    enum Kind {
        /// Take the value in this text; the empty text is an empty value.
        case take(String)
        /// Return the value as it would be written.
        case value
        /// Return what the field accepts, for people.
        case expectation
    }

    private let kind: Kind
    /// The text that was asked for or taken; nil if there is none.
    private(set) var answer: String?

    /// A question that is not yet answered.
    init(_ kind: Kind) { self.kind = kind }

    /// Answers for `field`, which takes what `read` has a value for.
    mutating func field<Value>(
        _ field: inout Value, expects expectation: String, read: (String) -> Value?,
        write: (Value) -> String
    ) {
        switch kind {
        case .take(let text):
            guard let value = read(text) else { return }
            field = value
            answer = text
        case .value: answer = write(field)
        case .expectation: answer = expectation
        }
    }

    /// A text as it is.
    @inline(never)
    mutating func text(
        _ field: inout String, expects expectation: String, read: (String) -> String?
    ) {
        self.field(&field, expects: expectation, read: read) { $0 }
    }

    /// A text that there may be; the empty one is nil.
    @inline(never)
    mutating func optional(
        _ field: inout String?, expects expectation: String, read: (String) -> String?
    ) {
        self.field(&field, expects: expectation, read: { $0.isEmpty ? .some(nil) : read($0).map(Optional.some) }) {
            $0 ?? ""
        }
    }

    /// One of the words of a list.
    mutating func word<Word: RawRepresentable>(_ field: inout Word, expects expectation: String)
    where Word.RawValue == String {
        self.field(&field, expects: expectation, read: Word.init(rawValue:), write: { $0.rawValue })
    }

    /// A boolean as systemd writes it.
    @inline(never)
    mutating func boolean(_ field: inout Bool) {
        self.field(&field, expects: "yes or no", read: ValueText.boolean) { $0 ? "yes" : "no" }
    }

    /// A duration in a range.
    @inline(never)
    mutating func duration(
        _ field: inout TimeSpan, expects expectation: String, from shortest: TimeSpan = .zero,
        to longest: TimeSpan = .longest
    ) {
        self.field(
            &field, expects: expectation, read: { ValueText.duration($0, from: shortest, to: longest) },
            write: ValueText.text(of:))
    }

    /// A whole number in a range.
    @inline(never)
    mutating func integer(_ field: inout Int, in range: ClosedRange<Int>) {
        self.field(
            &field, expects: "a whole number from \(range.lowerBound) to \(range.upperBound)",
            read: { ValueText.integer($0, in: range) }, write: { "\($0)" })
    }

    /// A list of hosts; with `addresses` an entry may also be an address or a block of them.
    @inline(never)
    mutating func hosts(
        _ field: inout [String], expects expectation: String, addresses: Bool
    ) {
        self.field(
            &field, expects: "\(expectation), separated by spaces or commas, at most \(Settings.hostsMax)",
            read: { HostList.parse($0, addresses: addresses) }, write: { $0.joined(separator: " ") })
    }

    /// Folders of apps.
    @inline(never)
    mutating func apps(_ field: inout [String]) {
        self.field(
            &field, expects: "absolute paths of apps, such as /opt/phone/Phone.app, at most \(Settings.appsMax)",
            read: { ValueText.bundles($0, ending: ".app", max: Settings.appsMax) },
            write: { $0.joined(separator: " ") })
    }

    /// Folders of call directory extensions.
    @inline(never)
    mutating func directoryExtensions(_ field: inout [String]) {
        self.field(
            &field,
            expects: "absolute paths of extensions, such as /opt/spam/Spam.appex, "
                + "at most \(Settings.directoryExtensionsMax)",
            read: { ValueText.bundles($0, ending: ".appex", max: Settings.directoryExtensionsMax) },
            write: { $0.joined(separator: " ") })
    }

    /// Keys of fields in a payload.
    @inline(never)
    mutating func keys(_ field: inout [String]) {
        self.field(
            &field, expects: "names of fields, \(Self.entries)", read: CallNames.entries,
            write: { $0.joined(separator: " ") })
    }

    /// Values that say what a push is, each with its field or without.
    @inline(never)
    mutating func words(_ field: inout [CallWord], expects expectation: String, read: (String) -> CallWord?) {
        self.field(
            &field, expects: "\(expectation), \(Self.entries)",
            read: { text in
                guard let entries = CallNames.entries(text) else { return nil }
                let words = entries.compactMap(read)
                return words.count == entries.count ? words : nil
            }, write: { $0.map(\.text).joined(separator: " ") })
    }

    private static var entries: String {
        "separated by spaces or commas, at most \(CallNames.entriesMax) of \(CallNames.entryBytesMax) bytes"
    }

    /// What the service manager can run; the empty text is nil.
    @inline(never)
    mutating func command(_ field: inout String?) {
        optional(&field, expects: "a unit, or the absolute path of a program with arguments", read: ValueText.command)
    }
}
