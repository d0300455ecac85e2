import BelfryAppGroup
import BelfryJSON
import BelfryPropertyList
import BelfrySyscalls
import BelfryTerms
import CBelfryLinux
import CallLedger
import Glibc
import GroupLedger
import Support
import Testing

/// One phone of a test's own under the private user manager: its units, its settings, its state.
///
/// The units are those that `make install` installs, under another name and on another socket.
final class Phone {
    let name: String
    let state: StateDirectory
    /// Where ears and the desktop's socket are, if that is not where they usually are.
    private var runtimeDirectory: String?
    let folder = TemporaryFolder()
    private let unitFolder = "\(Surroundings.home)/.config/systemd/user"

    private static let units = [
        ".socket", "@.service", "-tidy.service", "-missing.service", "-extension.socket", "-extension.service",
        "-desktop.socket", "-desktop.service", "-bus.service", "-apns.socket", "-apns.service",
        "-calls.socket", "-calls.service", "-app@.service", "-relay.socket", "-relay.service", "-agent.socket",
        "-agent.service",
    ]

    /// Where its APNs endpoint listens.
    let endpointPort: UInt16

    /// - Parameters:
    ///   - settings: environment variables of the workers; sound is off unless they say otherwise. `BELFRY_SOCKET` is
    ///     where its endpoint pushes, if that is not its push socket.
    ///   - configuration: the configuration file of the workers, if they shall read one.
    ///   - hasDesktop: whether calls are shown.
    ///   - hasApps: whether voip pushes are handed to apps.
    ///   - isInFleet: whether it has a relay or an agent.
    ///   - hasWorker: whether its units' worker is there.
    init(
        _ settings: [String: String] = [:], configuration: String? = nil, hasDesktop: Bool = false,
        hasApps: Bool = false, isInFleet: Bool = false, hasWorker: Bool = true
    ) throws {
        name = "belfry-\(String(UInt32.random(in: .min ... .max), radix: 36))"
        // Of a port that nobody has.
        var port: UInt16 = 0
        _ = try listenLocally(backlog: 1, port: &port)
        endpointPort = port
        state = StateDirectory(path: settings["BELFRY_STATE_DIRECTORY"] ?? "\(folder.path)/state")
        var environment = ["BELFRY_SOUND": "none", "BELFRY_STATE_DIRECTORY": state.path].merging(settings) { $1 }
        if let configuration {
            configure(configuration)
            environment["XDG_CONFIG_HOME"] = "\(folder.path)/config"
            environment["BELFRY_SOUND"] = settings["BELFRY_SOUND"]
        }
        let isKept = settings.keys.contains { $0 == "BELFRY_EXTENSION_STRICT" || $0 == "BELFRY_EXTENSION_REUSE" }
        runtimeDirectory =
            isKept || hasDesktop || hasApps || isInFleet
            ? "\(Surroundings.runtimeDirectory)/\(name)" : settings["BELFRY_RUNTIME_DIRECTORY"]
        environment["BELFRY_RUNTIME_DIRECTORY"] = runtimeDirectory
        try writeUnits(environment, worker: hasWorker ? "/belfry-worker" : "/nosuch-worker")
        try systemctl("daemon-reload")
        try systemctl("start", "\(name).socket")
        if isKept { try systemctl("start", "\(name)-extension.socket") }
        if hasDesktop { try systemctl("start", "\(name)-desktop.socket") }
        if hasApps { try systemctl("start", "\(name)-calls.socket") }
    }

    deinit {
        _ = try? systemctl(
            "stop", "\(name).socket", "\(name)@*.service", "\(name)-extension.socket", "\(name)-extension.service",
            "\(name)-desktop.socket", "\(name)-desktop.service", "\(name)-bus.service", "\(name)-apns.socket",
            "\(name)-apns.service", "\(name)-calls.socket", "\(name)-calls.service", "\(name)-app@*.service",
            "\(name)-relay.socket", "\(name)-relay.service", "\(name)-agent.socket", "\(name)-agent.service")
        for unit in Self.units { unsafe unlink("\(unitFolder)/\(name)\(unit)") }
    }

    /// Has workers that start from now on read `configuration`, if those of this phone read one.
    func configure(_ configuration: String) {
        folder.makeFolder("config/belfry")
        folder.write(Array(configuration.utf8), to: "config/belfry/belfry.conf")
    }

    var socket: String { "\(Surroundings.runtimeDirectory)/\(name)/push.sock" }

    /// Where its relay listens.
    var relaySocket: String { "\(Surroundings.runtimeDirectory)/\(name)/relay.sock" }

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
        try run("\(Surroundings.programs)/belfry", arguments, environment: environment, input: input)
    }

    /// The certificate of a push server of this phone's endpoint, for the app com.example.phone.
    func pushCertificate() throws -> String {
        let minted = try object(belfry("apns", "credentials", "new", "--bundle-id", "com.example.phone", "--json"))
        return try #require(minted["certificate"]?.stringValue)
    }

    /// What curl is answered by its endpoint, which knows it by `certificate`: status, and the body before it.
    func push(
        _ payload: String, to token: String, topic: String = "com.example.phone.voip", by certificate: String,
        _ more: [String] = []
    ) throws -> String {
        let finished = try run("/usr/bin/curl", curl(payload, to: token, topic: topic, by: certificate, more))
        return finished.output + finished.errors
    }

    /// With what curl pushes: ``push(_:to:topic:by:_:)``.
    func curl(
        _ payload: String, to token: String, topic: String = "com.example.phone.voip", by certificate: String,
        _ more: [String] = []
    ) -> [String] {
        let host = "api.push.apple.com"
        return [
            "--silent", "--show-error", "--write-out", "%{http_code}", "--cacert",
            "\(state.path)/credentials/ca.pem", "--connect-to", "\(host):443:127.0.0.1:\(endpointPort)", "--cert",
            certificate, "--header", "apns-topic: \(topic)", "--data", payload, "https://\(host)/3/device/\(token)",
        ] + more
    }

    /// What tells a program that it is this phone's.
    var environment: [String: String] {
        var environment = ["BELFRY_SOCKET": socket, "BELFRY_STATE_DIRECTORY": state.path]
        environment["BELFRY_APNS_SOCKET"] = "\(Surroundings.runtimeDirectory)/\(name)/apns.sock"
        environment["BELFRY_RUNTIME_DIRECTORY"] = runtimeDirectory
        return environment
    }

    /// The group file as a foreign program sees it.
    func file(_ group: String = "group.belfry") -> GroupFile {
        guard let group = GroupName(group) else { preconditionFailure("\(group) is no group") }
        return GroupFile(state: state, group: group)
    }

    /// The calls that ring, the loud one first, and then those that are active, as `belfry calls` tells.
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

    /// The worker that rings `call`, as soon as the file has it, which follows what rings.
    func worker(of call: String) -> Int32? {
        var worker: Int32?
        _ = waitUntil {
            worker = ledger().call(CallKey(call))?.owner.flatMap { Int32(exactly: $0.pid) }
            return worker != nil
        }
        return worker
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

    /// The process that shows calls; nil if none does.
    var desktop: Int32? { process(of: "-desktop.service") }

    /// The process that answers on the bus while none does; nil if nobody has asked.
    var standIn: Int32? { process(of: "-bus.service") }

    /// The process that knows apps' calls; nil if none does.
    var calls: Int32? { process(of: "-calls.service") }

    private func process(of unit: String) -> Int32? {
        let shown = try? systemctl("show", "--property=MainPID", "--value", "\(name)\(unit)").output
        return shown.flatMap { Int32($0.filter { $0.isNumber }) }.flatMap { $0 == 0 ? nil : $0 }
    }

    /// Whether the socket is there by which the next call starts it.
    func isDesktopListening() throws -> Bool {
        try systemctl("show", "--property=ActiveState", "--value", "\(name)-desktop.socket").output
            .hasPrefix("active")
    }

    /// Whether a unit of this phone has failed, and stays so.
    func hasFailedUnits() throws -> Bool {
        try systemctl("list-units", "--state=failed", "--no-legend", "--plain", "\(name)*").output.contains(name)
    }

    /// The workers that live.
    func livingWorkers() throws -> Int {
        try systemctl("list-units", "--no-legend", "--plain", "\(name)@*.service").output.split(separator: "\n").count
    }

    /// The process of the APNs endpoint; nil if none runs.
    var endpoint: Int32? { process(of: "-apns.service") }

    @discardableResult
    func systemctl(_ arguments: String...) throws -> Finished {
        let finished = try run("/usr/bin/systemctl", ["--user"] + arguments)
        precondition(finished.status.isSuccess, "systemctl \(arguments): \(finished.errors)")
        return finished
    }

    private func writeUnits(_ environment: [String: String], worker: String) throws {
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
            text = replace("/belfry-worker", with: worker, in: text)
            text = replace("%t/belfry/", with: "%t/\(name)/", in: text)
            for other in ["-tidy.service", "-missing.service", "-desktop.socket", "-relay.socket", "-agent.socket"] {
                text = replace("belfry\(other)", with: "\(name)\(other)", in: text)
            }
            text = replace("[Service]", with: "[Service]\n\(variables)", in: text)
            text = replace("--units belfry-app", with: "--units \(name)-app", in: text)
            if ["-apns.service", "-calls.service", "-agent.service"].contains(unit) {
                let pushed = environment["BELFRY_SOCKET"] ?? socket
                text = replace("[Service]", with: "[Service]\nEnvironment=BELFRY_SOCKET=\(pushed)", in: text)
            }
            if environment["BELFRY_EXPIRY_BUDGET"] != nil {
                // As the operator's drop-in does that goes with a longer budget.
                text = replace("RuntimeMaxSec=33", with: "RuntimeMaxSec=123", in: text)
            }
            text = replace(":2197", with: ":\(endpointPort)", in: text)
            let descriptor = unsafe open("\(unitFolder)/\(name)\(unit)", O_WRONLY | O_CREAT | O_TRUNC, 0o644)
            precondition(descriptor >= 0, "\(unitFolder): errno \(errno)")
            _ = unsafe write(descriptor, text, text.utf8.count)
            close(descriptor)
        }
    }
}

/// `text` with every `old` replaced.
func replace(_ old: String, with new: String, in text: String) -> String {
    var result = ""
    var rest = text[...]
    while let found = rest.firstRange(of: old) {
        result += rest[..<found.lowerBound] + new
        rest = rest[found.upperBound...]
    }
    return result + rest
}
