/// A compiler error about something missing, and who would have to bring it, as far as names show.
struct CompilerMessage {
    /// The message, without place and kind.
    let text: String
    /// What stands in quotes.
    let names: [String]

    init(_ text: String) {
        self.text = text
        names = text.split(separator: "'", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset % 2 == 1 }.map { String($0.element) }
    }

    /// Whether it only follows from something else that is missing: the compiler cannot make sense of an expression.
    var isConsequence: Bool { Self.consequences.contains { text.hasPrefix($0) } }

    /// Whether what is missing comes with CommonCrypto, which files without its import have by a bridging header.
    var isOfBridgingHeader: Bool {
        text.hasPrefix("cannot find") && names.first.map { $0.hasPrefix("CC_") || $0.hasPrefix("kCC") } == true
    }

    /// Who would have to bring what is missing.
    var owner: MissingPart.Owner {
        let name = names.first ?? ""
        if isConsequence || Self.calls.contains(where: { text.hasPrefix($0) }) { return .either }
        if isOfBridgingHeader { return .app }
        if text.hasPrefix("cannot find") { return Self.isApples(name) ? .belfry : .app }
        if text.hasPrefix("unknown attribute") { return Self.attributes.contains(name) ? .belfry : .app }
        if text.hasPrefix("no macro named") { return .app }
        if text.contains("has no member") { return Self.owner(ofMembersOf: name) }
        return .belfry
    }

    /// Who would have to bring a missing member of `type`. Apps extend Apple's types: if all of such a type is here, a
    /// missing member is the app's.
    private static func owner(ofMembersOf type: String) -> MissingPart.Owner {
        if ["Publishers.", "AnyPublisher<"].contains(where: { type.hasPrefix($0) }) { return .belfry }
        let name =
            type.split { !$0.isLetter && !$0.isNumber }.last { !["Type", "any"].contains($0) }.map(String.init) ?? type
        if wholeTypes.contains(name) || name.hasPrefix("UN") && isApples(name) { return .app }
        return isApples(name) ? .either : .app
    }

    private static let consequences = [
        "'nil' requires a contextual type", "cannot infer contextual base", "cannot infer key path type",
        "cannot infer type of closure parameter", "failed to produce diagnostic", "generic parameter",
        "type of expression is ambiguous",
    ]
    /// A call that fits none of a type's own: the app may have added one that does.
    private static let calls = [
        "argument passed to call that takes no arguments", "extra argument", "extraneous argument label",
        "incorrect argument label", "missing argument", "no exact matches",
    ]
    /// Apple's wrappers and marks that are not here.
    private static let attributes: Set<String> = [
        "AppStorage", "Binding", "Environment", "EnvironmentObject", "FetchRequest", "IBAction", "IBDesignable",
        "IBInspectable", "IBOutlet", "Model", "NSManaged", "ObservedObject", "Query", "SceneStorage", "State",
        "StateObject", "UIApplicationMain",
    ]
    /// Apple's types that are here as a whole, apart from those of UserNotifications.
    private static let wholeTypes: Set<String> = ["Logger", "OSLog", "OSLogType", "UserDefaults"]

    private static let prefixes: Set<Substring> = [
        "AB", "AC", "AS", "AT", "AU", "AV", "BG", "CA", "CB", "CF", "CG", "CI", "CK", "CL", "CM", "CN", "CT", "CV",
        "CX", "EK", "GC", "HK", "IN", "LA", "MF", "MK", "MP", "MT", "NE", "NL", "NS", "NW", "OS", "PH", "PK",
        "SC", "SF", "SK", "SL", "SN", "ST", "UI", "UN", "UT", "VN", "WC", "WK", "WN",
    ]
    private static let words: Set<Substring> = [
        "AudioServices", "AudioQueue", "AudioToolbox", "ObservableObject", "SecAccess", "SecCertificate", "SecIdentity",
        "SecItem", "SecKey", "SecPolicy", "SecTrust", "SecureEnclave", "errSec", "kSec", "kCF", "kUT", "kCG", "kCC",
        "CC_", "objc_", "os_", "notify_", "dispatch_",
    ]

    /// Whether `name` looks like one of Apple's: two capitals of a framework before a word that begins with one.
    static func isApples(_ name: String) -> Bool {
        if words.contains(where: { name.hasPrefix($0) }) { return true }
        let rest = name.dropFirst(2)
        guard prefixes.contains(name.prefix(2)), let first = rest.first, first.isUppercase else { return false }
        return rest.hasPrefix("URL") || rest.dropFirst().first?.isLowercase == true
    }
}
