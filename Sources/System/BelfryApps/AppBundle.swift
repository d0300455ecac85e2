import BelfryPropertyList
import BelfrySyscalls
import BelfryTerms
import Glibc

/// An app that has its own calling code, as it is laid out on iOS: `NAME.app`, a flat folder with a program,
/// `Info.plist` and resources.
public struct AppBundle: Hashable, Sendable {
    /// The folder, without a slash behind it.
    public let path: String
    /// `CFBundleIdentifier`: a bundle identifier that can be a topic, a container and the name of a unit.
    public let identifier: String
    /// Its name for people: `CFBundleDisplayName`, else `CFBundleName`, else that of the folder.
    public let name: String
    /// The program's path: what `CFBundleExecutable` names, else the folder's name without its ending.
    public let program: String
    /// Whether `UIBackgroundModes` has `voip`.
    public let hasVoIPMode: Bool
    /// `aps-environment`: `development` or `production`; nil if it is absent.
    public let environment: String?

    /// ``environment``, if it is one of Apple's.
    public var knownEnvironment: String? { environment.flatMap { Self.environments.contains($0) ? $0 : nil } }

    private static let environments = ["development", "production"]

    /// Something that iOS wants of an app that takes calls.
    public struct Lack: Hashable, Sendable {
        /// What is missing or wrong, for people.
        public let what: String
        /// What to do about it, for people.
        public let remedy: String
    }

    /// What its `Info.plist` lacks to take calls, none of which keeps it from running here.
    public var lacks: [Lack] {
        var lacks: [Lack] = []
        if !hasVoIPMode {
            lacks.append(
                Lack(
                    what: "without the mode voip iOS hands it no push",
                    remedy: "add voip to UIBackgroundModes in \(path)/Info.plist"))
        }
        if let environment, knownEnvironment == nil {
            lacks.append(
                Lack(
                    what: "its aps-environment is \(environment)",
                    remedy: "development or production, in \(path)/Info.plist"))
        }
        return lacks
    }

    /// How its folder's name ends.
    public static let ending = ".app"

    /// Larger than any that a tool writes.
    private static let informationBytesMax = 64 << 10

    /// The app at `path`, which the operator has configured.
    ///
    /// - Throws: what is missing or wrong, in words for people.
    public init(path: String) throws(AppBundleError) {
        let path = path.hasSuffix("/") ? String(path.dropLast()) : path
        let information = try Self.information(in: path)
        guard let identifier = information["CFBundleIdentifier"]?.stringValue else {
            throw AppBundleError("\(path)/Info.plist has no CFBundleIdentifier")
        }
        if let fault = Self.fault(inIdentifier: identifier) {
            throw AppBundleError("\(path)/Info.plist: CFBundleIdentifier \(fault)")
        }
        let folder = path.split(separator: "/").last.map(String.init) ?? path
        let plain = folder.hasSuffix(Self.ending) ? String(folder.dropLast(Self.ending.count)) : folder
        let executable = information["CFBundleExecutable"]?.stringValue ?? plain
        guard !executable.isEmpty, !executable.utf8.contains(UInt8(ascii: "/")), !executable.utf8.contains(0) else {
            throw AppBundleError("\(path)/Info.plist has a CFBundleExecutable that is no plain name")
        }
        self.path = path
        self.identifier = identifier
        let names = ["CFBundleDisplayName", "CFBundleName"].lazy.compactMap { information[$0]?.stringValue }
        name = names.first { !$0.isEmpty } ?? plain
        program = "\(path)/\(executable)"
        hasVoIPMode = information["UIBackgroundModes"]?.arrayValue?.contains(.string("voip")) ?? false
        environment = information["aps-environment"]?.stringValue
        guard Self.isFile(program), unsafe access(program, X_OK) == 0 else {
            throw AppBundleError("\(program) is no program that can be executed")
        }
    }

    /// The variable by which a process finds the `belfry-calls` that has started it.
    public static let socketVariable = "BELFRY_CALLS_SOCKET"

    /// What a service manager says to its own services alone.
    private static let foreignVariables = ["LISTEN_FDS", "LISTEN_PID", "LISTEN_FDNAMES", "NOTIFY_SOCKET"]

    /// The variable of what PulseAudio's library says of each stream of a process.
    private static let soundVariable = "PULSE_PROP"

    /// The variables of an app that is started with those of `environment`, and finds `belfry-calls` at `socketPath`.
    /// Its sounds have the role of a telephone's, unless `environment` gives them another.
    public static func variables(
        _ environment: [String: String], socketPath: String
    ) -> [String: String] {
        var variables = environment.filter { !foreignVariables.contains($0.key) }
        variables[socketVariable] = socketPath
        // First: the last of two that have one name counts.
        let own = variables[soundVariable].flatMap { $0.isEmpty ? nil : " \($0)" } ?? ""
        variables[soundVariable] = "media.role=phone\(own)"
        return variables
    }

    /// What keeps `text` from being the identifier of an app, for people; nil if nothing does.
    public static func fault(inIdentifier text: String) -> String? {
        guard GroupName(text) != nil else {
            return "is no bundle identifier, of \(GroupName.rule)"
        }
        guard text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy({ !$0.isEmpty }) else {
            return "is no bundle identifier: each dot stands between two names"
        }
        return text.hasSuffix(".voip") ? "is a topic, that of calls: leave .voip away" : nil
    }

    private static func information(in path: String) throws(AppBundleError) -> PropertyListDictionary {
        do {
            let file = try readFile(at: "\(path)/Info.plist", bytesMax: informationBytesMax)
            return try PropertyListDictionary.parse(file.bytes)
        } catch {
            throw AppBundleError("\(path)/Info.plist cannot be read: \(error)")
        }
    }

    private static func isFile(_ path: String) -> Bool {
        var status = stat()
        return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }
}

/// Why a folder is no app.
public struct AppBundleError: Error, Hashable, Sendable, CustomStringConvertible {
    /// In words for people.
    public let description: String

    init(_ description: String) { self.description = description }
}

/// The apps that the operator has configured, read once.
public struct ConfiguredApps: Sendable {
    /// Those that can be run, in the order in which they are configured: one for each identifier.
    public private(set) var bundles: [AppBundle] = []
    /// What is wrong with the others, for people.
    public private(set) var faults: [String] = []
    /// Those of the faults that are an identifier which an earlier folder has.
    public private(set) var repetitions: [String] = []

    /// Reads the folders at `paths`.
    public init(paths: [String]) {
        for path in paths {
            do throws(AppBundleError) {
                let bundle = try AppBundle(path: path)
                if let first = bundles.first(where: { $0.identifier == bundle.identifier }) {
                    let fault = "\(bundle.path) has the identifier of \(first.path), which counts"
                    faults.append(fault)
                    repetitions.append(fault)
                } else {
                    bundles.append(bundle)
                }
            } catch {
                faults.append(error.description)
            }
        }
    }

    /// The app with that identifier; nil if none is configured.
    public subscript(identifier: String) -> AppBundle? { bundles.first { $0.identifier == identifier } }
}
