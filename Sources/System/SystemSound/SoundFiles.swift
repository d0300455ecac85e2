public import BelfrySyscalls
import BelfryTerms
import Glibc

/// Where sounds are looked up, and what a configured one turns out to be.
public struct SoundFiles: Sendable {
    /// How much quieter a soft ring plays a sound that has no soft variant.
    public static let softAttenuationDecibels = 14
    /// The sound that rings if the configured one cannot.
    public static let defaultName = "ring"

    /// The sound of an alert whose own is not there.
    public static let alertName = "alert"

    /// The setting for no sound.
    public static let none = "none"

    /// The folders, in the order they are searched.
    public let folders: [String]

    /// Looks in `folders`, in that order.
    public init(folders: [String]) {
        self.folders = folders
    }

    /// Looks in `$BELFRY_SOUNDS_DIRECTORY`, in `../share/belfry/sounds` beside the program's directory, for a program
    /// that runs from the source tree in that tree's `Sounds`, and then in the theme `freedesktop`, which every sound
    /// theme falls back to (freedesktop.org, Sound Theme Specification).
    ///
    /// `programPath` is where the running program is, links resolved (`runningProgramPath()`).
    public init(environment: Environment, programPath: String?) {
        var folders: [String] = []
        if let folder = environment["BELFRY_SOUNDS_DIRECTORY"], !folder.isEmpty { folders.append(folder) }
        if let programPath {
            let directories = Self.ancestors(of: programPath)
            if directories.count > 1 { folders.append(directories[1] + "/share/belfry/sounds") }
            // Only in a source tree with its package file: any other folder named Sounds further up has nothing to do
            // with us.
            let tree = directories.first { Self.exists($0 + "/Package.swift") && Self.exists($0 + "/Sounds") }
            if let tree { folders.append(tree + "/Sounds") }
        }
        folders += Self.dataFolders(environment).map { $0 + "/sounds/freedesktop/stereo" }
        self.folders = folders
    }

    /// What `setting` means: `none` is nil, text with a slash is a file, anything else a name in the folders.
    ///
    /// A `soft` ring takes the variant `<name>-soft` beside the file if that can be played, else the file itself
    /// ``softAttenuationDecibels`` quieter.
    public func find(configured setting: String, soft: Bool = false) throws(SoundProblem) -> ResolvedSound? {
        if setting == Self.none { return nil }
        guard setting.utf8.contains(UInt8(ascii: "/")) else { return try find(named: setting, soft: soft) }
        return try variant(of: setting, name: setting, soft: soft)
    }

    /// The sound called `name` in the folders, a bare name that never becomes a path (S1).
    public func find(named name: String, soft: Bool = false) throws(SoundProblem) -> ResolvedSound {
        guard SoundName.isValid(name) else { throw .badName(String(name.prefix(SoundName.bytesMax))) }
        for folder in folders {
            for ending in ["", ".wav", ".oga", ".ogg"] {
                let path = folder + "/" + name + ending
                // The first file that exists decides: if an operator's file is broken, report it rather than skip it.
                if Self.isFile(path) { return try variant(of: path, name: name, soft: soft) }
            }
        }
        throw .notFound(name: name, folders: folders)
    }

    /// The sound to ring with: the configured sound, else ``defaultName``, else nothing; and what is wrong with the
    /// setting, if anything is. A mistake never silences a call.
    public func resolve(configured setting: String, soft: Bool = false) -> (
        sound: ResolvedSound?, problem: SoundProblem?
    ) {
        do { return (try find(configured: setting, soft: soft), nil) } catch {
            return (try? find(named: Self.defaultName, soft: soft), error)
        }
    }

    /// The sound of an alert whose push asks for `name`, played once: what is called so in the folders, with or without
    /// its ending, since apps name files of kinds that play on iOS; else ``alertName``; nil if not even that is there.
    public func find(alert name: String) -> ResolvedSound? {
        let bare = name.lastIndex(of: ".").map { String(name[..<$0]) }
        for name in [name, bare, Self.alertName].compactMap({ $0 }) {
            if let sound = try? find(named: name) { return sound.tellingEnd }
        }
        return nil
    }

    private func variant(of path: String, name: String, soft: Bool) throws(SoundProblem) -> ResolvedSound {
        guard soft else {
            try SoundFileCheck.check(path: path)
            return ResolvedSound(name: name, path: path)
        }
        let softPath = Self.softPath(of: path)
        if Self.isFile(softPath), (try? SoundFileCheck.check(path: softPath)) != nil {
            return ResolvedSound(name: name, path: softPath, isSoft: true)
        }
        try SoundFileCheck.check(path: path)
        return ResolvedSound(name: name, path: path, attenuationDecibels: Self.softAttenuationDecibels, isSoft: true)
    }

    /// `/a/ring.wav` becomes `/a/ring-soft.wav`.
    static func softPath(of path: String) -> String {
        let directory = path.lastIndex(of: "/").map { path[...$0] } ?? ""
        let file = path[directory.endIndex...]
        guard let dot = file.lastIndex(of: "."), dot != file.startIndex else { return path + "-soft" }
        return directory + file[..<dot] + "-soft" + file[dot...]
    }

    /// The user's folder of data, then the machine's (XDG Base Directory Specification); relative ones do not count.
    private static func dataFolders(_ environment: Environment) -> [String] {
        func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        let own = value("XDG_DATA_HOME") ?? value("HOME").map { $0 + "/.local/share" }
        let machine = (value("XDG_DATA_DIRS") ?? "/usr/local/share:/usr/share").split(separator: ":").map(String.init)
        return ([own].compactMap { $0 } + machine).filter { $0.utf8.first == UInt8(ascii: "/") }
    }

    /// The directories above `path`, nearest first, without their last slash; the root itself is none.
    private static func ancestors(of path: String) -> [String] {
        var directories: [String] = []
        var rest = path[...]
        while let slash = rest.lastIndex(of: "/"), slash != rest.startIndex {
            rest = rest[..<slash]
            directories.append(String(rest))
        }
        return directories
    }

    private static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

    private static func isFile(_ path: String) -> Bool {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return false }
        return status.st_mode & S_IFMT == S_IFREG
    }
}

/// A sound file that was found and looked at, ready to be played.
public struct ResolvedSound: Hashable, Sendable {
    /// How it was asked for: a bare name or a path.
    public let name: String
    /// The file.
    public let path: String
    /// By how many decibels it is attenuated; never negative.
    public let attenuationDecibels: Int
    /// Whether it is the sound of a soft ring; loud rings take precedence.
    public let isSoft: Bool
    /// Whether its end is reported.
    public private(set) var tellsEnd: Bool
    /// Whether it is played again and again, whole, from one tick on until it is silenced.
    public let repeats: Bool
    /// What ``SoundReport/playing(_:)`` calls it.
    public let label: String
    /// The file behind the path, kept open as long as this value exists.
    private let file: PassedFile?

    /// A sound.
    public init(name: String, path: String, attenuationDecibels: Int = 0, isSoft: Bool = false) {
        precondition(attenuationDecibels >= 0, "an attenuation of \(attenuationDecibels) dB would be louder")
        self.name = name
        self.path = path
        self.attenuationDecibels = attenuationDecibels
        self.isSoft = isSoft
        (tellsEnd, repeats) = (false, false)
        label = path
        file = nil
    }

    /// The same, with its end reported.
    var tellingEnd: ResolvedSound {
        var sound = self
        sound.tellsEnd = true
        return sound
    }

    /// A sound that another process has passed, named `name`, whose end is reported, unless it `repeats`.
    ///
    /// - Throws: why it cannot be played: also if that process could still change it.
    public init(passed file: PassedFile, name: String, repeats: Bool = false) throws(SoundProblem) {
        guard file.isSealedMemory else { throw .unusable(path: name, why: "not a sealed file in memory") }
        do throws(SoundProblem) {
            try SoundFileCheck.check(path: file.path)
        } catch {
            guard case .unusable(_, let why) = error else { throw error }
            throw .unusable(path: name, why: why)
        }
        self.name = name
        path = file.path
        attenuationDecibels = 0
        isSoft = false
        tellsEnd = true
        self.repeats = repeats
        label = name
        self.file = file
    }
}

/// Why a configured sound cannot be played.
public enum SoundProblem: Error, Hashable, Sendable {
    /// Not a bare name: one has 1 to 64 of `A-Z a-z 0-9 . _ -` and does not start with a dot.
    case badName(String)
    /// No file of that name in any of the folders.
    case notFound(name: String, folders: [String])
    /// There is a file, but it cannot be played.
    case unusable(path: String, why: String)
}

extension SoundProblem: CustomStringConvertible {
    /// For people: what is wrong, and with which file.
    public var description: String {
        switch self {
        case .badName(let name):
            "\"\(name)\" is no name of a sound: letters, digits, '.', '_' and '-', at most \(SoundName.bytesMax)"
        case .notFound(let name, let folders):
            folders.isEmpty
                ? "no sound \"\(name)\": there is no folder of sounds"
                : "no sound \"\(name)\" in \(folders.joined(separator: ", "))"
        case .unusable(let path, let why):
            "\(path): \(why)"
        }
    }
}
