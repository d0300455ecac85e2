import BelfrySyscalls
import BelfryTerms

/// One pass over the layers, which collects values, origins and mistakes.
struct Reading {
    private var loaded = LoadedSettings()

    /// Variables of ours that are no settings; a program of ours reads each.
    private static let otherVariables = [
        "BELFRY_SOCKET", "BELFRY_STATE_DIRECTORY", "BELFRY_RUNTIME_DIRECTORY", "BELFRY_SOUNDS_DIRECTORY",
        "BELFRY_CONFIG_FILES", "BELFRY_JOURNAL", "BELFRY_APNS_SOCKET", "BELFRY_APNS_URL", "BELFRY_APNS_CA",
        "BELFRY_APNS_BUNDLE_ID", "BELFRY_APNS_KEY", "BELFRY_APNS_KEY_ID", "BELFRY_APNS_TEAM", "BELFRY_APNS_CERTIFICATE",
        "BELFRY_APNS_DEVICE", "BELFRY_APNS_TOKEN", "BELFRY_APNS_VOIP_TOKEN", "BELFRY_CALL", "BELFRY_CALLS_SOCKET",
    ]

    /// Reads `belfry.conf` and its drop-ins in the folder `path`, if there is one.
    mutating func readLayer(_ path: String) {
        guard FileReader.directoryExists(path) else { return }
        readFile("\(path)/belfry.conf", required: false)
        let folder = "\(path)/belfry.conf.d"
        let names: [String]
        do throws(FileReader.Failure) {
            names = try FileReader.dropIns(in: folder)
        } catch {
            note(error, folder, required: false)
            return
        }
        for name in names { readFile("\(folder)/\(name)", required: true) }
    }

    /// Reads one file; one that is not there is a mistake only if it is `required`.
    mutating func readFile(_ path: String, required: Bool) {
        let text: String
        do throws(FileReader.Failure) {
            text = try FileReader.text(at: path)
        } catch {
            note(error, path, required: required)
            return
        }
        var section: SectionState = .none
        for (line, item) in ConfigurationText(text).items {
            let origin = Origin.file(path: path, line: line)
            switch item {
            case .section(let name): section = enter(name, at: origin)
            case .assignment(let key, let value): assign(key, value, in: section, at: origin)
            case .unreadable(let text):
                add(Mistake(.badLine, at: origin, "'\(Self.cut(text))' is not Key=value, a [Section] or a # comment"))
            }
        }
    }

    /// Takes the variables of the environment, which have the last word.
    mutating func readVariables(_ environment: Environment) {
        let ours = environment.names.filter { $0.utf8.starts(with: "BELFRY_".utf8) && environment[$0] != "" }
        guard !ours.isEmpty else { return }
        for setting in Setting.allCases {
            let variable = setting.environmentVariable
            guard let value = environment[variable], !value.isEmpty else { continue }
            set(setting, to: value, at: .environment(variable: variable))
        }
        let known = Setting.allCases.map(\.environmentVariable) + Self.otherVariables
        for variable in ours.sorted() where !known.contains(variable) {
            // Other programs have variables with this prefix too, so only a near miss is worth a warning.
            guard let meant = NearestName.nearest(to: variable, of: known) else { continue }
            let origin = Origin.environment(variable: variable)
            add(Mistake(.unknownKey, at: origin, "there is no such variable, ignored; did you mean \(meant)?"))
        }
    }

    /// The result, in which each mistake about a value names the value that is in force instead.
    func finished() -> LoadedSettings {
        var result = loaded
        for index in result.mistakes.indices {
            guard let setting = result.mistakes[index].setting else { continue }
            let value = result.settings.text(of: setting)
            let origin = result.origin(of: setting)
            result.mistakes[index].detail += "; in force is \(value.isEmpty ? "none" : value) (\(origin))"
        }
        return result
    }

    /// Where in a file the reading is.
    private enum SectionState {
        /// Before the first section.
        case none
        /// In a section of ours.
        case known(String)
        /// In a section whose keys are passed over, since it is unknown, or somebody else's (`X-`).
        case ignored
    }

    private mutating func enter(_ name: String, at origin: Origin) -> SectionState {
        let sections = Setting.allCases.reduce(into: [String]()) { if $0.last != $1.section { $0.append($1.section) } }
        if sections.contains(name) { return .known(name) }
        if name.hasPrefix("X-") { return .ignored }
        let meant = NearestName.nearest(to: name, of: sections).map { "; did you mean [\($0)]?" }
        let known = "; there are " + sections.map { "[\($0)]" }.joined(separator: " ")
        let detail = "there is no section [\(Self.cut(name))], all of it is ignored\(meant ?? known)"
        add(Mistake(.unknownSection, at: origin, detail))
        return .ignored
    }

    private mutating func assign(_ key: String, _ value: String, in section: SectionState, at origin: Origin) {
        switch section {
        case .ignored: break
        case .none:
            let place = Setting.allCases.first { $0.key == key }
            let detail = "\(Self.cut(key))= stands before the first section, ignored"
            let home = place.map { "; it belongs under [\($0.section)]" } ?? ""
            add(Mistake(.unknownSection, at: origin, detail + home))
        case .known(let name):
            if let setting = Setting.allCases.first(where: { $0.section == name && $0.key == key }) {
                set(setting, to: value, at: origin)
            } else if !key.hasPrefix("X-") {
                add(Mistake(.unknownKey, at: origin, unknownKey(key, in: name)))
            }
        }
    }

    private func unknownKey(_ key: String, in section: String) -> String {
        let keys = Setting.allCases.filter { $0.section == section }.map(\.key)
        var detail = "there is no [\(section)] \(Self.cut(key))=, ignored; "
        if let meant = NearestName.nearest(to: key, of: keys) {
            detail += "did you mean \(meant)=?"
        } else if let elsewhere = Setting.allCases.first(where: { $0.key == key }) {
            detail += "did you mean \(elsewhere.name)?"
        } else {
            detail += "[\(section)] has \(keys.map { "\($0)=" }.joined(separator: " "))"
        }
        return detail
    }

    private mutating func set(_ setting: Setting, to value: String, at origin: Origin) {
        guard loaded.settings.set(setting, to: value) else {
            let isForShell = value.utf8.first.map { "~\"'$".utf8.contains($0) } ?? false
            let detail =
                "\(setting.key)=\(Self.cut(value)) is ignored: expected \(setting.expectation)"
                + (isForShell ? ", as it is: no shell reads it, so that ~, $ and quotes mean nothing" : "")
            return add(Mistake(.badValue, at: origin, setting: setting, detail))
        }
        loaded.setOrigin(value.isEmpty ? nil : origin, of: setting)
    }

    private mutating func note(_ failure: FileReader.Failure, _ path: String, required: Bool) {
        let origin = Origin.file(path: path, line: 0)
        switch failure {
        case .missing:
            if required { add(Mistake(.unreadable, at: origin, "there is no such file")) }
        case .system(let error):
            add(Mistake(.unreadable, at: origin, "cannot be read, ignored: \(error)"))
        case .notRegular: add(Mistake(.unreadable, at: origin, "is no regular file, ignored"))
        case .tooLarge:
            let limits = "a file may have \(FileReader.bytesMax) bytes, a folder \(FileReader.dropInsMax) drop-ins"
            add(Mistake(.tooLarge, at: origin, "is too large, all of it is ignored: \(limits)"))
        case .notText: add(Mistake(.notText, at: origin, "is not UTF-8 text, all of it is ignored"))
        }
    }

    private mutating func add(_ mistake: Mistake) {
        let limit = LoadedSettings.mistakesMax
        guard loaded.mistakes.count < limit else { return }
        let isLast = loaded.mistakes.count == limit - 1
        loaded.mistakes.append(
            isLast ? Mistake(.tooLarge, at: mistake.origin, "more mistakes follow, which are not listed") : mistake
        )
    }

    /// As much of a foreign text as helps a person find it.
    private static func cut(_ text: String) -> String {
        text.unicodeScalars.count > 80 ? String(text.unicodeScalars.prefix(80)) + "…" : text
    }
}

/// Something in a configuration that is not in force, and why.
public struct Mistake: Hashable, Sendable, CustomStringConvertible {
    /// What kind of mistake it is.
    public enum Code: String, CaseIterable, Sendable {
        /// A file or directory cannot be read, or is no regular file.
        case unreadable
        /// A file is larger than ``FileReader/bytesMax``, or there are more drop-ins or mistakes than are read.
        case tooLarge = "too-large"
        /// A file is not UTF-8, or holds a NUL.
        case notText = "not-text"
        /// A line is neither a section, a comment, nor `Key=value`.
        case badLine = "bad-line"
        /// There is no such section, or a key stands before the first one.
        case unknownSection = "unknown-section"
        /// There is no such key in its section, or no such environment variable.
        case unknownKey = "unknown-key"
        /// The value is not what the key takes.
        case badValue = "bad-value"
    }

    /// What kind of mistake it is.
    public let code: Code
    /// Where it stands.
    public let origin: Origin
    /// What is wrong, what was expected and what is done instead, for people.
    public internal(set) var detail: String
    /// The setting that keeps another value because of it.
    public let setting: Setting?

    /// A mistake at `origin`.
    public init(_ code: Code, at origin: Origin, setting: Setting? = nil, _ detail: String) {
        self.code = code
        self.origin = origin
        self.setting = setting
        self.detail = detail
    }

    /// One line for people, its place first.
    public var description: String { "\(origin): \(detail)" }
}
