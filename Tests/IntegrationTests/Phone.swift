import BelfryTerms
import BelfryAppGroup
import BelfryJSON
import BelfryPropertyList
import BelfrySyscalls
import CallLedger
import GroupLedger
import Glibc
import Support

/// One phone of a test's own under the private user manager: its units, its settings, its state.
///
/// The units are those that `make install` installs, under another name and on another socket.
final class Phone {
    let name: String
    let state: StateDirectory
    let folder = TemporaryFolder()
    private let unitFolder = "\(Surroundings.home)/.config/systemd/user"

    private static let units = [".socket", "@.service", "-tidy.service", "-extension.socket", "-extension.service"]

    /// - Parameters:
    ///   - settings: environment variables of the workers; sound is off unless they say otherwise.
    ///   - configuration: the configuration file of the workers, if they shall read one.
    init(_ settings: [String: String] = [:], configuration: String? = nil) throws {
        name = "belfry-\(String(UInt32.random(in: .min ... .max), radix: 36))"
        state = StateDirectory(path: settings["BELFRY_STATE_DIRECTORY"] ?? "\(folder.path)/state")
        var environment = ["BELFRY_SOUND": "none", "BELFRY_STATE_DIRECTORY": state.path].merging(settings) { $1 }
        if let configuration {
            configure(configuration)
            environment["XDG_CONFIG_HOME"] = "\(folder.path)/config"
            environment["BELFRY_SOUND"] = settings["BELFRY_SOUND"]
        }
        let isHosted = settings.keys.contains { $0 == "BELFRY_EXTENSION_STRICT" || $0 == "BELFRY_EXTENSION_REUSE" }
        if isHosted { environment["BELFRY_RUNTIME_DIRECTORY"] = "\(Surroundings.runtimeDirectory)/\(name)" }
        try writeUnits(environment)
        try systemctl("daemon-reload")
        try systemctl("start", "\(name).socket")
        if isHosted { try systemctl("start", "\(name)-extension.socket") }
    }

    deinit {
        _ = try? systemctl(
            "stop", "\(name).socket", "\(name)@*.service", "\(name)-extension.socket", "\(name)-extension.service")
        for unit in Self.units { unsafe unlink("\(unitFolder)/\(name)\(unit)") }
    }

    /// Has workers that start from now on read `configuration`, if those of this phone read one.
    func configure(_ configuration: String) {
        folder.makeFolder("config/belfry")
        folder.write(Array(configuration.utf8), to: "config/belfry/belfry.conf")
    }

    var socket: String { "\(Surroundings.runtimeDirectory)/\(name)/push.sock" }

    /// Pushes `text` as it is.
    func push(_ text: String) throws -> Client { try Client(socket: socket, sending: Array(text.utf8)) }

    /// Pushes a call request that is intercepted; `more` are further fields of its `info`.
    func call(_ id: String, _ more: String = "", group: String? = nil) throws -> Client {
        try push(Self.payload(#""type": 1, "callId": "\#(id)", "callerName": "Ada""#, more, group: group))
    }

    /// Pushes a hangup that is intercepted.
    func hangUp(_ id: String, _ more: String = "", group: String? = nil) throws -> Client {
        try push(Self.payload(#""type": 2, "callId": "\#(id)""#, more, group: group))
    }

    static func payload(_ fields: String, _ more: String, group: String?) -> String {
        let info = more.isEmpty ? fields : "\(fields), \(more)"
        let payload =
            #"{"aps": {"alert": {"title": "Ada", "body": "calls"}, "mutable-content": 1}, "info": {\#(info)}}"#
        return group.map { #"{"payload": \#(payload), "appGroup": "\#($0)"}"# } ?? payload
    }

    /// Runs `belfry` for this phone.
    @discardableResult
    func belfry(_ arguments: String..., input: String = "") throws -> Finished {
        try run(
            "\(Surroundings.programs)/belfry", arguments,
            environment: ["BELFRY_SOCKET": socket, "BELFRY_STATE_DIRECTORY": state.path], input: input)
    }

    /// The group file as a foreign program sees it.
    func file(_ group: String = "group.belfry") -> GroupFile {
        guard let group = GroupName(group) else { preconditionFailure("\(group) is no group") }
        return GroupFile(state: state, group: group)
    }

    /// The calls that ring, the loud one first, as `belfry calls` tells.
    func rings() throws -> [(call: String, mode: String, worker: Int32)] {
        try belfry("calls", "--json").output.split(separator: "\n").map { line in
            let object = try JSONValue.parse(Array(line.utf8)).objectValue
            let worker = object?["pid"]?.numberValue.flatMap(Int32.init(exactly:))
            return (object?["call"]?.stringValue ?? "", object?["mode"]?.stringValue ?? "", worker ?? 0)
        }
    }

    /// What the group file says now.
    func ledger(_ group: String = "group.belfry") -> Ledger {
        let snapshot = file(group).snapshot()
        return Ledger(reading: snapshot)
    }

    /// The worker that rings `call`.
    func worker(of call: String) -> Int32? {
        ledger().call(CallKey(call))?.owner.flatMap { Int32(exactly: $0.pid) }
    }

    /// Replaces the group file as a program does that knows nothing of locks.
    func foreign(_ group: String = "group.belfry", _ change: (inout PropertyListDictionary) -> Void) {
        let file = file(group)
        var root = file.snapshot().root
        change(&root)
        let directory = String(file.path[..<(file.path.lastIndex(of: "/") ?? file.path.endIndex)])
        let temporary = folder.write(root.serializedXML(), to: "foreign.plist")
        let result = unsafe rename(temporary, file.path)
        precondition(result == 0, "rename to \(directory): errno \(errno)")
    }

    /// The workers that live.
    func livingWorkers() throws -> Int {
        try systemctl("list-units", "--no-legend", "--plain", "\(name)@*.service").output.split(separator: "\n").count
    }

    @discardableResult
    func systemctl(_ arguments: String...) throws -> Finished {
        let finished = try run("/usr/bin/systemctl", ["--user"] + arguments)
        precondition(finished.status.isSuccess, "systemctl \(arguments): \(finished.errors)")
        return finished
    }

    private func writeUnits(_ environment: [String: String]) throws {
        let variables = environment.map { "Environment=\"\($0.key)=\($0.value)\"" }.sorted().joined(separator: "\n")
        let installed = "\(Surroundings.programs)/../share/systemd/user"
        var made = Surroundings.home
        for part in [".config", "systemd", "user"] {
            made += "/\(part)"
            unsafe mkdir(made, 0o755)
        }
        for unit in Self.units {
            var text = contents(of: "\(installed)/belfry\(unit)")
            precondition(!text.isEmpty, "no \(installed)/belfry\(unit)")
            text = replace("%t/belfry/", with: "%t/\(name)/", in: text)
            text = replace("belfry-tidy.service", with: "\(name)-tidy.service", in: text)
            text = replace("[Service]", with: "[Service]\n\(variables)", in: text)
            let descriptor = unsafe open("\(unitFolder)/\(name)\(unit)", O_WRONLY | O_CREAT | O_TRUNC, 0o644)
            precondition(descriptor >= 0, "\(unitFolder): errno \(errno)")
            _ = unsafe write(descriptor, text, text.utf8.count)
            close(descriptor)
        }
    }
}

/// `text` with every `old` replaced.
private func replace(_ old: String, with new: String, in text: String) -> String {
    var result = ""
    var rest = text[...]
    while let found = rest.firstRange(of: old) {
        result += rest[..<found.lowerBound] + new
        rest = rest[found.upperBound...]
    }
    return result + rest
}
