@_exported public import Foundation

/// A kind of data. Source: Apple, `UTType`.
public struct UTType: Hashable, Codable, Sendable, CustomStringConvertible {
    /// Its identifier, such as `public.png`.
    public let identifier: String
    /// Whether its identifier was made up for an extension or a MIME type that the system does not know.
    public var isDynamic: Bool { identifier.hasPrefix("dyn.") }
    /// Whether everybody may use it.
    public var isPublic: Bool { identifier.hasPrefix("public.") }

    /// The type of this identifier; nil if it is not known.
    public init?(_ identifier: String) {
        guard let known = KnownType.byIdentifier[identifier.lowercased()] else { return nil }
        self.identifier = known.identifier
    }

    /// The type of files with this extension, if it conforms to `supertype`; a made-up one if it is not known.
    public init?(filenameExtension: String, conformingTo supertype: UTType = .data) {
        self.init(KnownType.byExtension[filenameExtension.lowercased()], filenameExtension, "f", supertype)
    }

    /// The type of this MIME type, if it conforms to `supertype`; a made-up one if it is not known.
    public init?(mimeType: String, conformingTo supertype: UTType = .data) {
        let bare = mimeType.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces)
        self.init(KnownType.byMIMEType[bare.lowercased()], bare, "m", supertype)
    }

    /// A type that the app declares.
    public init(exportedAs identifier: String, conformingTo parentType: UTType? = nil) { self.init(known: identifier) }

    /// A type that another app declares.
    public init(importedAs identifier: String, conformingTo parentType: UTType? = nil) { self.init(known: identifier) }

    private init?(_ known: KnownType?, _ tag: String, _ kind: String, _ supertype: UTType) {
        guard let known else {
            guard !tag.isEmpty, ["public.data", "public.item"].contains(supertype.identifier) else { return nil }
            self.init(known: "dyn.\(kind).\(tag.lowercased())")
            return
        }
        self.init(known: known.identifier)
        guard conforms(to: supertype) else { return nil }
    }

    init(known identifier: String) { self.identifier = identifier }

    /// The extension of its files; nil if they have none.
    public var preferredFilenameExtension: String? {
        tags[.filenameExtension]?.first
    }

    /// Its MIME type; nil if it has none.
    public var preferredMIMEType: String? { tags[.mimeType]?.first }

    /// Its name, in English; nil for a type that is not known.
    public var localizedDescription: String? { KnownType.byIdentifier[identifier]?.name }

    /// The extensions of its files, and its MIME types.
    public var tags: [UTTagClass: [String]] {
        if let known = KnownType.byIdentifier[identifier] {
            return [.filenameExtension: known.extensions, .mimeType: known.mimeTypes].filter { !$0.value.isEmpty }
        }
        let parts = identifier.split(separator: ".", maxSplits: 2)
        guard isDynamic, parts.count == 3 else { return [:] }
        return [parts[1] == "f" ? .filenameExtension : .mimeType: [String(parts[2])]]
    }

    /// The types that it conforms to.
    public var supertypes: Set<UTType> {
        var found: Set<UTType> = []
        var rest = KnownType.byIdentifier[identifier]?.parents ?? (isDynamic ? ["public.data"] : [])
        while let parent = rest.popLast() {
            guard found.insert(UTType(known: parent)).inserted else { continue }
            rest += KnownType.byIdentifier[parent]?.parents ?? []
        }
        return found
    }

    /// Whether it is `type`, or conforms to that.
    public func conforms(to type: UTType) -> Bool { self == type || supertypes.contains(type) }

    /// Whether it conforms to `type`, and is not `type` itself.
    public func isSubtype(of type: UTType) -> Bool { supertypes.contains(type) }

    /// Whether `type` conforms to it, and is another type.
    public func isSupertype(of type: UTType) -> Bool { type.supertypes.contains(self) }

    /// Its identifier.
    public var description: String { identifier }
}

/// A kind of names that types have beside their identifiers.
public struct UTTagClass: RawRepresentable, Hashable, Sendable {
    /// Its identifier.
    public let rawValue: String

    /// The kind with this identifier.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Extensions of files.
    public static let filenameExtension = UTTagClass(rawValue: "public.filename-extension")
    /// MIME types.
    public static let mimeType = UTTagClass(rawValue: "public.mime-type")
}

extension URL {
    /// The URL with the extension of `contentType`.
    public func appendingPathExtension(for contentType: UTType) -> URL {
        contentType.preferredFilenameExtension.map { appendingPathExtension($0) } ?? self
    }

    /// The URL of a file of this name, with an extension of `contentType`.
    public func appendingPathComponent(_ partialName: String, conformingTo contentType: UTType) -> URL {
        let url = appendingPathComponent(partialName)
        guard UTType(filenameExtension: url.pathExtension)?.conforms(to: contentType) != true else { return url }
        return url.appendingPathExtension(for: contentType)
    }
}
