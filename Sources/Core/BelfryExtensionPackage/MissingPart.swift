/// What an extension names and its package does not have.
public struct MissingPart: Hashable, Sendable {
    /// Who would have to bring it.
    public enum Owner: String, Sendable, CaseIterable {
        /// Belfry: a part of Apple's system that is not here.
        case belfry = "Belfry's"
        /// A package of somebody else's, or a module of the app's.
        case otherPackage = "another package's"
        /// The app, in a file that was not imported.
        case app = "the app's own"
    }

    /// The file, in the package's folder.
    public let file: String
    /// The line, the first is 1.
    public let line: Int
    /// Who would have to bring it.
    public let owner: Owner
    /// What is missing, in words for people.
    public let detail: String

    /// The part as a line for people.
    public var description: String { "\(file):\(line): \(owner.rawValue): \(detail)" }

    /// What is missing if `module` cannot be imported.
    static func module(_ module: String, file: String, line: Int) -> MissingPart {
        switch KnownModules.origin(of: module) {
        case .product, .present, .apple:
            MissingPart(file: file, line: line, owner: .belfry, detail: "there is no module \(module) here")
        case .foreign:
            MissingPart(
                file: file, line: line, owner: .otherPackage,
                detail: "there is no module \(module): name its package in Package.swift, or write a stub")
        }
    }
}

extension MissingPart {
    /// What the compiler misses in the files of `folder`, which is in the package's folder `root`: each line of
    /// `output` that says an error, once, in the order of files and lines.
    public static func found(in output: String, root: String, folder: String) -> [MissingPart] {
        var parts: Set<MissingPart> = []
        let prefix = "\(root)/\(folder)/"
        for line in output.split(whereSeparator: \.isNewline) where line.hasPrefix(prefix) {
            guard let mark = line.firstRange(of: ": error: ") else { continue }
            let place = line[..<mark.lowerBound].split(separator: ":")
            guard place.count >= 3, let number = Int(place[place.count - 2]) else { continue }
            let file = place.dropLast(2).joined(separator: ":").dropFirst(root.count + 1)
            parts.insert(part(String(line[mark.upperBound...]), file: String(file), line: number))
        }
        return parts.sorted { ($0.file, $0.line, $0.detail) < ($1.file, $1.line, $1.detail) }
    }

    private static func part(_ message: String, file: String, line: Int) -> MissingPart {
        let names = message.split(separator: "'", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset % 2 == 1 }.map { String($0.element) }
        if message.hasPrefix("no such module"), let module = names.first {
            return .module(module, file: file, line: line)
        }
        let isOfApp =
            switch names.first {
            case let name? where message.hasPrefix("cannot find"): !isApples(name)
            // A member of Apple's types may be one of the app's own, but Belfry's types do not have all of theirs.
            case let name? where message.contains("has no member"): !isApples(name)
            default: false
            }
        return MissingPart(file: file, line: line, owner: isOfApp ? .app : .belfry, detail: message)
    }

    private static let prefixes: Set<Substring> = [
        "AB", "AC", "AS", "AT", "AU", "AV", "BG", "CA", "CB", "CF", "CG", "CI", "CK", "CL", "CM", "CN", "CT", "CV",
        "CX",
        "EK", "GC", "HK", "IN", "LA", "MF", "MK", "MP", "MT", "MX", "NE", "NL", "NS", "NW", "OS", "PH", "PK", "SC",
        "SF",
        "SK", "SL", "SN", "ST", "UI", "UN", "UT", "VN", "WC", "WK", "WN",
    ]
    private static let words: Set<Substring> = [
        "AudioServices", "AudioQueue", "AudioToolbox", "ObservableObject", "SecureEnclave", "SecItem", "SecKey", "kSec",
        "kCF", "kUT", "kCG", "kCC", "CC_", "objc_", "os_", "notify_", "dispatch_",
    ]

    /// Whether `name` looks as Apple's do: two capitals of a framework before a word that begins with one.
    static func isApples(_ name: String) -> Bool {
        if words.contains(where: { name.hasPrefix($0) }) { return true }
        let rest = name.dropFirst(2)
        guard prefixes.contains(name.prefix(2)), let first = rest.first, first.isUppercase else { return false }
        return rest.hasPrefix("URL") || rest.dropFirst().first?.isLowercase == true
    }
}
