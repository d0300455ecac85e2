public import BelfryEventLoop
import BelfryJSON
import BelfrySettings
public import BelfrySyscalls
import BelfryTerms
import Fleet
import Glibc

/// A machine of a fleet without a service manager, for test jobs: it joins by a credential that many may have, and has
/// a device of its own, in the state directory that its environment names, until it stops.
///
/// It belongs to its loop's thread.
public final class ServedFleet {
    /// Where its programs are.
    public struct Programs: Sendable {
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

    /// The variables by which a program finds its device.
    public let variables: [(name: String, value: String)]
    /// Called if the agent ends by itself.
    public var onEnd: (ChildExit) -> Void = { _ in }

    private let loop: Loop
    private let removal: ChildCommand
    /// The agent ends once nobody has this end of its standard input any more, however this process has ended: its
    /// device would live on without its phone.
    private let lifeline: OwnedDescriptor
    private var removing: ChildProcess?
    private var agent: ChildProcess?
    private var killing: (any ScheduledTimer)?
    private var stopped: (() -> Void)?

    /// Joins by the credential in `file`, starts the agent, whose socket is in `runtimePath`, with `environment`, and
    /// adds a device for the app `bundleID`.
    ///
    /// - Parameter words: where the agent writes what a journal would have; nil for this process's standard error.
    public init(
        _ programs: Programs, joiningBy file: String, environment: [String: String], runtimePath: String,
        bundleID: String, words: ChildCommand.Stream? = nil, on loop: Loop
    ) throws(FleetServingError) {
        self.loop = loop
        try Self.check(file)
        var environment = environment
        environment["BELFRY_CONFIG_FILES"] = "no"
        for name in ["LISTEN_FDS", "LISTEN_PID", "LISTEN_FDNAMES", "NOTIFY_SOCKET"] { environment[name] = nil }
        _ = try Self.ask(programs.fleet, ["join", file], environment)
        let agent: ChildProcess
        do throws(SystemError) {
            _ = try Directory.open(path: runtimePath, makes: true)
            let pipe = try DescriptorPair.pipe()
            let listener = try listenPrivately(at: "\(runtimePath)/agent.sock", backlog: Self.backlog)
            var command = ChildCommand(
                path: programs.fleet, arguments: ["agent"],
                environment: environment.merging(["LISTEN_FDS": "1"]) { $1 },
                streams: [
                    STDIN_FILENO: .descriptor(pipe.reading.number), STDOUT_FILENO: .null,
                    3: .descriptor(listener.number),
                ])
            command.streams[STDERR_FILENO] = words
            command.leadsGroup = true
            agent = try ChildProcess(command)
            lifeline = pipe.writing
        } catch { throw FleetServingError(error) }
        let kind = SettingsLoader.load(environment: Environment(environment)).settings.text(of: .apnsEnvironment)
        let addition = ["device", "add", "--bundle-id", bundleID, "--environment", kind, "--json"]
        let printed = try Self.ask(programs.devices, addition, environment)
        guard let device = (try? JSONValue.parse(printed))?.objectValue else {
            throw FleetServingError([], of: addition)
        }
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
        do throws(SystemError) {
            try loop.onExit(of: agent, description: "agent") { [weak self] in self?.ended($0) }
        } catch { throw FleetServingError(error) }
    }

    /// Throws unless many may have the credential in `file`: a gateway takes no pushes, and by the credential of a
    /// machine a test would be that machine, with its devices.
    private static func check(_ file: String) throws(FleetServingError) {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try readFile(at: file, bytesMax: FleetCredential.bytesMax).bytes
        } catch {
            throw FleetServingError(.unreadable, "the credential cannot be read: \(error)")
        }
        let credential: FleetCredential
        do throws(FleetCredentialError) {
            credential = try FleetCredential(bytes: bytes)
        } catch {
            throw FleetServingError(.unfit, "\(file) cannot be used: \(error)")
        }
        guard credential.role == .shared else {
            throw FleetServingError(
                .unfit, "\(file) is \(credential), and test jobs have one of belfry fleet enroll NAME --shared")
        }
    }

    /// What `program` prints for `words`.
    private static func ask(
        _ program: String, _ words: [String], _ environment: [String: String]
    ) throws(FleetServingError) -> [UInt8] {
        let end: AskedProgram.End
        do throws(SystemError) {
            end = try AskedProgram(path: program, environment: environment).run(words)
        } catch { throw FleetServingError(error) }
        guard end.isSuccess else { throw FleetServingError(end.complaints, of: words) }
        for line in end.complaints { complain(line) }
        return end.output
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
