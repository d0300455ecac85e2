public import BelfryEventLoop
import BelfryJSON
import BelfrySettings
public import BelfrySyscalls
import BelfryTerms
import Glibc

/// A machine of a fleet without a service manager, for test jobs: it joins by a credential that many may have, and has
/// a device of its own, in the state directory that its environment names, until it stops.
///
/// It belongs to its loop's thread.
public final class ServedFleet {
    /// Where its programs are.
    public struct Programs {
        /// `belfry-fleet`.
        let fleet: String
        /// `belfry-apns`, which knows the commands of devices.
        let devices: String

        /// Those at these paths.
        public init(fleet: String, devices: String) { (self.fleet, self.devices) = (fleet, devices) }
    }

    /// How long the agent has to end after SIGTERM.
    private static let stopPatience = TimeSpan.seconds(3)
    /// How many commands may wait to be accepted.
    private static let backlog: Int32 = 64
    /// The unit that `belfry fleet join` names for a machine, where a service manager runs.
    private static let unit = "belfry-agent.service"

    /// The variables by which a program finds its device.
    public let variables: [(name: String, value: String)]
    /// Called if the agent ends by itself.
    public var onEnd: (ChildExit) -> Void = { _ in }

    private let loop: Loop
    private let removal: ChildCommand
    private var removing: ChildProcess?
    private var agent: ChildProcess?
    private var killing: (any ScheduledTimer)?
    private var stopped: (() -> Void)?

    /// Joins by the credential in `file`, starts the agent, whose socket is in `runtimePath`, with `environment`, and
    /// adds a device for the app `bundleID`. What fails has said why on standard error.
    public init(
        _ programs: Programs, joiningBy file: String, environment: [String: String], runtimePath: String,
        bundleID: String, on loop: Loop
    ) throws(SystemError) {
        self.loop = loop
        _ = try Directory.open(path: runtimePath, makes: true)
        var environment = environment
        environment["BELFRY_CONFIG_FILES"] = "no"
        for name in ["LISTEN_FDS", "LISTEN_PID", "LISTEN_FDNAMES", "NOTIFY_SOCKET"] { environment[name] = nil }
        let joined = try AskedProgram(path: programs.fleet, environment: environment).ask(["join", file])
        guard String(decoding: joined, as: UTF8.self).contains(Self.unit) else {
            throw SystemError(errno: EINVAL, call: "join", subject: "the credential of a gateway")
        }
        let listener = try listenPrivately(at: "\(runtimePath)/agent.sock", backlog: Self.backlog)
        var command = ChildCommand(
            path: programs.fleet, arguments: ["agent"], environment: environment.merging(["LISTEN_FDS": "1"]) { $1 },
            streams: [STDIN_FILENO: .null, STDOUT_FILENO: .null, 3: .descriptor(listener.number)])
        command.leadsGroup = true
        let agent = try ChildProcess(command)
        let settings = SettingsLoader.load(environment: Environment(environment)).settings
        let device = try AskedProgram(path: programs.devices, environment: environment).object([
            "device", "add", "--bundle-id", bundleID, "--environment", settings.text(of: .apnsEnvironment), "--json",
        ])
        let id = device["id"]?.stringValue ?? ""
        removal = ChildCommand(
            path: programs.devices, arguments: ["device", "remove", id], environment: environment,
            streams: [STDIN_FILENO: .null, STDOUT_FILENO: .null])
        variables = [
            ("BELFRY_APNS_BUNDLE_ID", bundleID), ("BELFRY_APNS_DEVICE", id),
            ("BELFRY_APNS_TOKEN", device["alertToken"]?.stringValue ?? ""),
            ("BELFRY_APNS_VOIP_TOKEN", device["voipToken"]?.stringValue ?? ""),
        ]
        self.agent = agent
        try loop.onExit(of: agent, description: "agent") { [weak self] in self?.ended($0) }
    }

    /// Removes its device, as long as a gateway can be asked to, ends the agent, and then calls `done`.
    public func stop(_ done: @escaping () -> Void) {
        guard agent != nil else { return done() }
        stopped = done
        do throws(SystemError) {
            let child = try ChildProcess(removal)
            try loop.onExit(of: child, description: "device") { [weak self] _ in self?.endAgent() }
            removing = child
        } catch {
            endAgent()
        }
    }

    private func endAgent() {
        removing = nil
        guard let agent else { return }
        try? agent.signal(SIGTERM)
        killing = loop.schedule(at: loop.now + Self.stopPatience, description: "agent") { try? agent.signal(SIGKILL) }
    }

    private func ended(_ exit: ChildExit) {
        agent = nil
        killing?.cancel()
        guard let stopped = stopped.take() else { return onEnd(exit) }
        stopped()
    }
}
