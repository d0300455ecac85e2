import BelfryPropertyList
import BelfrySyscalls
public import BelfryTerms
import Glibc

/// A foreign extension as it is laid out: `Name.appex`, a flat folder with a program, `Info.plist` and resources.
public struct ExtensionBundle: Hashable, Sendable {
    /// The folder.
    public let path: String
    /// The program's path: what `CFBundleExecutable` names, else the folder's name without its ending.
    public let program: String
    /// `CFBundleIdentifier`, by which the extension's own folders are called.
    public let identifier: GroupName
    /// The name of the app that it belongs to, whose notification centre it shares: with `NSExtension` in `Info.plist`
    /// its identifier without the last part, else the same.
    public let app: GroupName
    /// Whether the app may have nothing of an alert shown: it has the filtering entitlement.
    public let mayFilter: Bool
    /// Whether the app's alerts may be critical: it has the entitlement for that.
    public let mayBeCritical: Bool
    /// Its name for people: `CFBundleDisplayName`, else `CFBundleName`, else that of the folder.
    public let name: String
    /// Whether it is one of the call directory, by `NSExtensionPointIdentifier`.
    public let isCallDirectory: Bool
    /// Whether its program only stands in for the extension, whose code runs in the process of its tests:
    /// ``lentKey`` in `Info.plist`.
    public let isLent: Bool

    /// The key of `Info.plist` that says so.
    public static let lentKey = "BelfryRunsInTests"

    private static let callDirectoryPoint = "com.apple.callkit.call-directory"

    /// Larger than any that a tool writes.
    private static let informationBytesMax = 64 << 10

    private static let entitlements = "com.apple.developer.usernotifications"

    /// The extension at `path`, which the operator has configured.
    ///
    /// - Throws: what is missing or wrong, in words for people.
    public init(path: String) throws(ExtensionBundleError) {
        let path = path.hasSuffix("/") ? String(path.dropLast()) : path
        let information = try Self.information(in: path)
        guard case .string(let identifier)? = information["CFBundleIdentifier"], let name = GroupName(identifier) else {
            throw ExtensionBundleError("\(path)/Info.plist has no CFBundleIdentifier of \(GroupName.rule)")
        }
        let folder = path.split(separator: "/").last.map(String.init) ?? path
        var executable = folder.hasSuffix(".appex") ? String(folder.dropLast(".appex".count)) : folder
        let plain = executable
        if case .string(let stated)? = information["CFBundleExecutable"] { executable = stated }
        guard !executable.isEmpty, !executable.utf8.contains(UInt8(ascii: "/")), !executable.utf8.contains(0) else {
            throw ExtensionBundleError("\(path)/Info.plist has a CFBundleExecutable that is no plain name")
        }
        self.path = path
        self.identifier = name
        let dot = identifier.lastIndex(of: ".").flatMap { information["NSExtension"] == nil ? nil : $0 }
        app = dot.flatMap { GroupName(String(identifier[..<$0])) } ?? name
        mayFilter = information["\(Self.entitlements).filtering"] == .bool(true)
        mayBeCritical = information["\(Self.entitlements).critical-alerts"] == .bool(true)
        isLent = information[Self.lentKey] == .bool(true)
        let names = ["CFBundleDisplayName", "CFBundleName"].lazy.compactMap { information[$0]?.stringValue }
        self.name = names.first { !$0.isEmpty } ?? plain
        let point = information["NSExtension"]?.dictionaryValue?["NSExtensionPointIdentifier"]
        isCallDirectory = point == .string(Self.callDirectoryPoint)
        program = "\(path)/\(executable)"
        guard unsafe access(program, X_OK) == 0 else {
            throw ExtensionBundleError("\(program) cannot be executed: \(SystemError(errno: errno, call: "access"))")
        }
    }

    private static func information(in path: String) throws(ExtensionBundleError) -> PropertyListDictionary {
        do {
            let file = try readFile(at: "\(path)/Info.plist", bytesMax: informationBytesMax)
            return try PropertyListDictionary.parse(file.bytes)
        } catch {
            throw ExtensionBundleError("\(path)/Info.plist cannot be read: \(error)")
        }
    }
}

/// Why a folder is no extension.
public struct ExtensionBundleError: Error, Hashable, Sendable, CustomStringConvertible {
    /// In words for people.
    public let description: String

    init(_ description: String) { self.description = description }
}
