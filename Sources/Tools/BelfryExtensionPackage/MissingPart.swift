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
        /// Belfry or the app: a member that Apple's type may have, and the app may have given it.
        case either = "Belfry's or the app's own"
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

    /// What is said of a `#selector`, which can be seen without a compiler.
    static let selectorDetail = "#selector does not compile on Linux"

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
    /// What the compiler misses in the files of `folder`, which is in the package's folder `root`: each error line of
    /// `output` once, in the order of files and lines. Errors that only follow from another missing part are left out
    /// as long as there is any other. `gone` has the imports of Apple's that were blanked, by the files' paths.
    public static func found(
        in output: String, root: String, folder: String, gone: [String: [GoneImport]] = [:]
    ) -> [MissingPart] {
        var parts: Set<MissingPart> = []
        var consequences: Set<MissingPart> = []
        let prefix = "\(root)/\(folder)/"
        for line in output.split(whereSeparator: \.isNewline) where line.hasPrefix(prefix) {
            guard let mark = line.firstRange(of: ": error: ") else { continue }
            let place = line[..<mark.lowerBound].split(separator: ":")
            guard place.count >= 3, let number = Int(place[place.count - 2]) else { continue }
            let file = place.dropLast(2).joined(separator: ":").dropFirst(root.count + 1)
            let message = CompilerMessage(String(line[mark.upperBound...]), gone: gone[String(file)] ?? [])
            let part = part(message, file: String(file), line: number)
            if message.isConsequence { consequences.insert(part) } else { parts.insert(part) }
        }
        return ordered(parts.isEmpty ? consequences : parts)
    }

    /// `parts` in the order of files and lines.
    static func ordered(_ parts: some Sequence<MissingPart>) -> [MissingPart] {
        parts.sorted { ($0.file, $0.line, $0.detail) < ($1.file, $1.line, $1.detail) }
    }

    private static func part(_ message: CompilerMessage, file: String, line: Int) -> MissingPart {
        if message.text.hasPrefix("no such module"), let module = message.names.first {
            return .module(module, file: file, line: line)
        }
        return MissingPart(file: file, line: line, owner: message.owner, detail: message.detail)
    }
}
