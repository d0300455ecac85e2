/// A compiler error about something missing, and who would have to bring it, as far as names show.
struct CompilerMessage {
    /// The message, without place and kind.
    let text: String
    /// What stands in quotes.
    let names: [String]
    /// Apple's modules whose imports are blanked in the file.
    private let gone: [GoneImport]

    init(_ text: String, gone: [GoneImport] = []) {
        self.text = text
        self.gone = gone
        names = text.split(separator: "'", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset % 2 == 1 }.map { String($0.element) }
    }

    /// Whether it only follows from something else that is missing: the compiler cannot make sense of an expression.
    var isConsequence: Bool {
        // A class whose parent is missing has none.
        Self.consequences.contains { text.hasPrefix($0) }
            || text.hasSuffix("does not conform to protocol 'NSObjectProtocol'")
    }

    /// What is missing, in words for people, with what would bring it.
    var detail: String {
        // A member of ours that iOS has, for people, by its key alone: they do not see ours.
        if text.hasSuffix("'package' protection level") { return "there is no \(names.first ?? "member") here" }
        if text.hasPrefix("'#selector'") { return MissingPart.selectorDetail }
        if isOfMainActor { return "\(text): write nonisolated class, and nonisolated before its extensions" }
        guard isUnknownName, let name = names.first else { return text }
        if isOfBridgingHeader {
            return "\(text): it is in CommonCrypto: import that, or the bridging header, too"
        }
        if let module = KnownNames.module(of: name) {
            // Whoever does not import that module may have a type of this name.
            let doubt = owner == .either ? ", unless it is the app's own" : ""
            return "\(text): it is in \(module): import that\(doubt)"
        }
        var modules: [String] = []
        for found in gone where found.standIn == nil && !modules.contains(found.module) { modules.append(found.module) }
        guard owner != .belfry, !modules.isEmpty else { return text }
        return "\(text): if \(modules.joined(separator: " or ")), whose import is blanked, is a module of the app's, "
            + "name its package in Package.swift, and import again"
    }

    /// Who would have to bring what is missing.
    var owner: MissingPart.Owner {
        let name = names.first ?? ""
        if isOfMainActor { return .app }
        if isConsequence || Self.calls.contains(where: { text.hasPrefix($0) }) { return .either }
        if isUnknownName { return owner(of: name) }
        if text.hasPrefix("unknown attribute") { return Self.attributes.contains(name) ? .belfry : .app }
        if text.hasPrefix("no macro named") { return .app }
        if text.hasPrefix("no type named"), let module = names.last {
            return KnownModules.origin(of: module) == .foreign ? .otherPackage : .belfry
        }
        // The parent, or the extension that conforms, may be in a file that was not imported.
        if Self.outsides.contains(where: { text.contains($0) }) { return .either }
        if Self.conversions.contains(where: text.hasPrefix), names.last?.contains("Delegate") == true {
            return .either
        }
        if text.contains("has no member") { return Self.owner(ofMember: names.last ?? "", of: name) }
        return .belfry
    }

    /// Whether a class is the main actor's, since its module's code is that by default, while what it descends from or
    /// conforms to is nobody's.
    private var isOfMainActor: Bool {
        text.hasPrefix("main actor-isolated ")
            && (text.hasSuffix("different actor isolation from nonisolated overridden declaration")
                || text.contains("cannot be used in nonisolated context"))
    }

    private var isUnknownName: Bool { text.hasPrefix("cannot find") }

    /// Whether what is missing comes with CommonCrypto, which files without its import have by a bridging header.
    private var isOfBridgingHeader: Bool {
        guard let name = names.first else { return false }
        return name.hasPrefix("CC_") || name.hasPrefix("kCC") || KnownNames.module(of: name) == "CommonCrypto"
    }

    /// Who would have to bring the declaration `name`.
    private func owner(of name: String) -> MissingPart.Owner {
        if isOfBridgingHeader || ApplesNames.contains(name) { return .belfry }
        if let module = KnownNames.module(of: name) { return KnownNames.arePlain(module) ? .either : .belfry }
        if gone.contains(where: { ApplesNames.isName(name, of: $0.module) }) { return .belfry }
        return gone.contains { ApplesNames.hasPlainNames($0.module) } ? .either : .app
    }

    /// Who would have to bring a missing member of `type`. Apps extend Apple's types: if all of such a type is here, a
    /// missing member is the app's.
    private static func owner(ofMember member: String, of type: String) -> MissingPart.Owner {
        if ["Publishers.", "AnyPublisher<"].contains(where: { type.hasPrefix($0) }) { return .belfry }
        let name =
            type.split { !$0.isLetter && !$0.isNumber }.last { !["Type", "any"].contains($0) }.map(String.init) ?? type
        let isApples =
            ApplesNames.contains(name) || ApplesNames.isOfFoundation(name) || KnownNames.module(of: name) != nil
        guard isApples else { return .app }
        if ApplesNames.isMember(member) { return .belfry }
        return wholeTypes.contains(name) || name.hasPrefix("UN") ? .app : .either
    }

    private static let consequences = [
        "'@escaping' only applies to function types", "'nil' requires a contextual type",
        "'super' cannot be used in class", "cannot call value of non-function type '[Any]'",
        "cannot infer contextual base", "cannot infer key path type", "cannot infer return type for closure",
        "cannot infer type of closure parameter", "failed to produce diagnostic", "generic parameter",
        "reference to member", "type annotation missing in pattern", "type of expression is ambiguous",
    ]
    /// A call that fits none of a type's own: the app may have added one that does.
    private static let calls = [
        "argument passed to call that takes no arguments", "extra argument", "extraneous argument label",
        "incorrect argument label", "missing argument", "no exact matches",
    ]
    /// What another declaration of the app's own may bring: a parent's member, a conformance.
    private static let outsides = ["does not override any", "does not override a designated", "does not conform to"]
    private static let conversions = ["cannot assign value of type", "cannot convert value of type"]
    /// Apple's wrappers and marks that are not here.
    private static let attributes: Set<String> = [
        "AppStorage", "Binding", "Environment", "EnvironmentObject", "FetchRequest", "IBAction", "IBDesignable",
        "IBInspectable", "IBOutlet", "Model", "NSManaged", "ObservedObject", "Published", "Query", "SceneStorage",
        "State",
        "StateObject", "UIApplicationMain",
    ]
    /// Apple's types that are here as a whole, apart from those of UserNotifications.
    private static let wholeTypes: Set<String> = ["Logger", "OSLog", "OSLogType", "UserDefaults"]
}
