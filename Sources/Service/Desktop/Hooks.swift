import BelfryBus
import BelfryJSON
import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import Glibc
import RingEar
import Showing

/// What the operator has run when a call was answered, declined or missed: a unit, or a program with arguments, which
/// the service manager runs as a transient unit. No shell reads it (S4).
public struct DesktopHook: Hashable, Sendable, CustomStringConvertible {
    /// What is run.
    public enum Action: Hashable, Sendable {
        /// This unit is started.
        case unit(String)
        /// This program is started with these arguments.
        case program(String, [String])
    }

    /// Most bytes of a unit's name (`UNIT_NAME_MAX` of systemd, less what an instance takes).
    private static let unitBytesMax = 200

    /// What is run.
    public let action: Action

    /// What `text` names: a unit, by its suffix, or an absolute path with arguments between spaces; nil for anything
    /// else.
    public init?(_ text: String) {
        let words = text.split(separator: " ").map(String.init)
        guard let first = words.first else { return nil }
        if first.utf8.first == UInt8(ascii: "/") {
            action = .program(first, Array(words.dropFirst()))
        } else if words.count == 1, Self.isUnit(first) {
            action = .unit(first)
        } else {
            return nil
        }
    }

    /// Whether `name` is a unit's, as systemd.unit(5) allows it, of a kind that is started to do something.
    private static func isUnit(_ name: String) -> Bool {
        let isPlain = name.utf8.allSatisfy { byte in
            let scalar = Unicode.Scalar(byte)
            return scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
                || ":-_.\\@".unicodeScalars.contains(scalar)
        }
        return isPlain && name.utf8.count <= unitBytesMax
            && [".service", ".target"].contains { name.hasSuffix($0) && name.utf8.count > $0.utf8.count }
    }

    /// What is run, for people.
    public var description: String {
        switch action {
        case .unit(let name): name
        case .program(let program, _): program
        }
    }

    /// Has the service manager on `bus` run it, with `variables`; `failed` gets why it could not, or `started` the
    /// unit.
    ///
    /// - Parameters:
    ///   - call: a number that no other call has, by which a template's instance differs from others.
    ///   - files: where a unit finds the variables.
    func run(
        on bus: SessionBus, variables: HookVariables, call: Int64, files: HookFiles,
        failed: @escaping (String) -> Void, started: @escaping (String) -> Void
    ) {
        let (manager, path) = ("org.freedesktop.systemd1", "/org/freedesktop/systemd1")
        let interface = "\(manager).Manager"
        func start(_ unit: String, _ method: String, _ more: [BusValue]) {
            bus.call(manager, path, interface, method, [.string(unit)] + more) { answer in
                switch answer {
                case .success: started(unit)
                case .failure(let failure): failed("\(failure.name): \(failure.text)")
                }
            }
        }
        switch action {
        case .unit(let name):
            let unit = Self.instance(of: name, call)
            do throws(SystemError) {
                try files.write(variables, for: unit)
            } catch {
                return failed("\(error)")
            }
            start(unit, "StartUnit", [.string("replace")])
        case .program(let program, let arguments):
            // The manager would find out only as it starts the unit, after it has answered us.
            guard unsafe access(program, X_OK) == 0 else {
                return failed(SystemError(errno: errno, call: "access").reason)
            }
            // Without it, the manager would put variables in the place of what looks like one.
            let command = BusValue.structure([
                .string(program), .strings([program] + arguments), .strings(["no-env-expand"]),
            ])
            let properties: [(String, BusValue)] = [
                ("Description", .string("Belfry: \(program)")), ("CollectMode", .string("inactive-or-failed")),
                ("Environment", .strings(variables.assignments)), ("ExecStartEx", .array(of: "(sasas)", [command])),
            ]
            start(
                "belfry-hook-\(randomUUID()).service", "StartTransientUnit",
                [
                    .string("fail"),
                    .array(of: "(sv)", properties.map { .structure([.string($0.0), .variant($0.1)]) }),
                    .array(of: "(sa(sv))", []),
                ])
        }
    }

    /// `name` itself, or of a template the instance for `call`.
    static func instance(of name: String, _ call: Int64) -> String {
        let parts = name.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].utf8.first == UInt8(ascii: ".") else { return name }
        return "\(parts[0])@\(call)\(parts[1])"
    }
}

/// What a hook gets of its call, in variables.
struct HookVariables {
    /// Names and values, in the order in which they are documented.
    let values: [(name: String, value: String)]

    /// Those of a call. Name and handle are as they are shown: on one line, without what cannot be seen, since a
    /// service manager takes no control characters, and a script that prints them should not be fooled.
    init(call: ShownCallID, caller: ShownCaller?, reason: String) {
        values = [
            ("BELFRY_CALL", call.call), ("BELFRY_NAME", NoticeText.clean(caller?.name ?? "")),
            ("BELFRY_HANDLE", NoticeText.clean(caller?.handle ?? "")), ("BELFRY_GROUP", call.group.text),
            ("BELFRY_REASON", reason),
        ]
    }

    /// Those of an alert that was clicked, its texts as those of a call. An app's own words, such as an address to
    /// open, are in the payload, which is left out if it is longer than any push's.
    init(opening alert: ShownAlert) {
        // A service manager takes no control characters, and JSON escapes all but this one.
        let userInfo = String(decoding: alert.content.userInfo.serialized(), as: UTF8.self).unicodeScalars
            .reduce(into: "") { text, scalar in
                if scalar == "\u{7F}" { text += "\\u007f" } else { text.unicodeScalars.append(scalar) }
            }
        values = [
            ("BELFRY_ALERT", NoticeText.clean(alert.name)),
            ("BELFRY_TITLE", NoticeText.clean(alert.content.title, max: NoticeText.alertMax)),
            ("BELFRY_BODY", NoticeText.clean(alert.text, max: NoticeText.alertMax)),
            ("BELFRY_USER_INFO", userInfo.utf8.count > Self.userInfoBytesMax ? "" : userInfo),
            ("BELFRY_GROUP", alert.group.text), ("BELFRY_REASON", "clicked"),
        ]
    }

    /// Most bytes of a payload that are passed on: escaped, those of a push may have grown.
    private static let userInfoBytesMax = 64 << 10

    /// As a process has them.
    var assignments: [String] { values.map { "\($0.name)=\($0.value)" } }

    /// As `EnvironmentFile=` reads them (systemd.exec(5)): between double quotes a backslash takes the meaning from
    /// itself, quotes, dollars and backticks.
    var file: [UInt8] {
        Array(
            values.map { name, value in
                let quoted = value.unicodeScalars.reduce(into: "") { text, scalar in
                    if "\\\"$`".unicodeScalars.contains(scalar) { text += "\\" }
                    text.unicodeScalars.append(scalar)
                }
                return "\(name)=\"\(quoted)\"\n"
            }.joined().utf8)
    }
}

/// Where a unit finds its variables: the file of its name, which it reads by `EnvironmentFile=%t/belfry/hooks/%n`.
struct HookFiles {
    private static let name = "hooks"
    /// How many files of templates' instances are kept; the oldest go.
    static let instancesMax = 64
    private static let namesMax = 4_096

    /// The folder that theirs is in.
    let runtime: RuntimeDirectory

    /// Leaves `variables` for `unit`.
    func write(_ variables: HookVariables, for unit: String) throws(SystemError) {
        let folder = try Directory.open(path: runtime.path, makes: true).openDirectory(Self.name, makes: true)
        try folder.write(variables.file, as: unit, aside: ".new")
        let instances = try folder.names(max: Self.namesMax).compactMap { name -> (call: Int64, name: String)? in
            guard let at = name.firstIndex(of: "@"), let end = name[at...].firstIndex(of: ".") else { return nil }
            return Int64(name[name.index(after: at)..<end]).map { ($0, name) }
        }.sorted { $0.call < $1.call }
        for old in instances.dropLast(Self.instancesMax) { try folder.remove(old.name) }
    }
}
