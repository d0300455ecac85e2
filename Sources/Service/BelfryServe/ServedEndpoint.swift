public import BelfryEventLoop
import BelfryJSON
import BelfrySettings
public import BelfrySyscalls
import BelfryTerms
import CBelfryLinux
import Glibc

/// An APNs endpoint without a service manager, for tests: on a TCP port of this machine that the system chose, with
/// credentials and a virtual device of its own, in the state directory that its environment names.
///
/// It belongs to its loop's thread.
public final class ServedEndpoint {
    /// The app that its device and its credentials are for, unless another one is named.
    public static let bundleID = "com.example.phone"
    /// How long it has to end after SIGTERM, as in `belfry-apns.service`.
    private static let stopPatience = TimeSpan.seconds(10)
    /// How many clients may wait to be accepted.
    private static let backlog: Int32 = 256

    /// The variables by which a program finds the endpoint, its credentials and its device.
    public private(set) var variables: [(name: String, value: String)] = []
    /// Called if it ends by itself.
    public var onEnd: (ChildExit) -> Void = { _ in }

    private let loop: Loop
    private var child: ChildProcess?
    private var killing: (any ScheduledTimer)?
    private var stopped: (() -> Void)?

    /// Starts `program`, which is `belfry-apns`, with `environment`; its control socket is in `runtimePath`, its device
    /// and its credentials are for the app `bundleID`, the device in the environment that whoever pushes there means.
    public init(
        _ program: String, environment: [String: String], runtimePath: String,
        bundleID: String = ServedEndpoint.bundleID, on loop: Loop
    ) throws(SystemError) {
        self.loop = loop
        _ = try Directory.open(path: runtimePath, makes: true)
        let controlPath = "\(runtimePath)/apns.sock"
        var environment = environment
        environment["BELFRY_APNS_SOCKET"] = controlPath
        environment["BELFRY_CONFIG_FILES"] = "no"
        for name in ["LISTEN_FDS", "LISTEN_PID", "LISTEN_FDNAMES", "NOTIFY_SOCKET"] { environment[name] = nil }
        let asked = AskedProgram(path: program, environment: environment)
        var port: UInt16 = 0
        let listener = try listenLocally(backlog: Self.backlog, port: &port)
        let control = try listenPrivately(at: controlPath, backlog: Self.backlog)
        try asked.ask(["apns", "setup"])
        let credentials = try asked.object(["apns", "credentials", "new", "--bundle-id", bundleID, "--json"])
        let settings = SettingsLoader.load(environment: Environment(environment)).settings
        let device = try asked.object([
            "device", "add", "--bundle-id", bundleID, "--environment", settings.text(of: .apnsEnvironment), "--json",
        ])
        variables = [
            ("BELFRY_APNS_URL", "https://localhost:\(port)"), ("BELFRY_APNS_SOCKET", controlPath),
            ("BELFRY_APNS_BUNDLE_ID", bundleID),
        ]
        let named = [
            ("BELFRY_APNS_CA", credentials, "authority"), ("BELFRY_APNS_KEY", credentials, "key"),
            ("BELFRY_APNS_KEY_ID", credentials, "keyId"), ("BELFRY_APNS_TEAM", credentials, "team"),
            ("BELFRY_APNS_CERTIFICATE", credentials, "certificate"), ("BELFRY_APNS_DEVICE", device, "id"),
            ("BELFRY_APNS_TOKEN", device, "alertToken"), ("BELFRY_APNS_VOIP_TOKEN", device, "voipToken"),
        ]
        for (name, object, key) in named { variables.append((name, object[key]?.stringValue ?? "")) }
        var command = ChildCommand(
            path: program, arguments: ["--listeners", "2"], environment: environment,
            streams: [
                STDIN_FILENO: .null, STDOUT_FILENO: .null, 3: .descriptor(listener.number),
                4: .descriptor(control.number),
            ])
        command.leadsGroup = true
        let child = try ChildProcess(command)
        try loop.onExit(of: child, description: "APNs endpoint") { [weak self] in self?.ended($0) }
        self.child = child
    }

    /// Ends it, by SIGTERM and if need be SIGKILL, and then calls `done`.
    public func stop(_ done: @escaping () -> Void) {
        guard let child else { return done() }
        stopped = done
        try? child.signal(SIGTERM)
        killing = loop.schedule(at: loop.now + Self.stopPatience, description: "APNs endpoint") {
            try? child.signal(SIGKILL)
        }
    }

    private func ended(_ exit: ChildExit) {
        child = nil
        killing?.cancel()
        guard let stopped = stopped.take() else { return onEnd(exit) }
        stopped()
    }
}
