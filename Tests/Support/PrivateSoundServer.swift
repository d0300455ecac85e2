public import BelfrySyscalls
import CBelfryLinux
import Glibc

/// A PulseAudio of one test's own, whose only sink plays into nothing and is recorded: what a person at the endpoint
/// hears.
public final class PrivateSoundServer {
    /// Samples a second, one channel of 16 bits.
    public static let samplesPerSecond = 48_000
    /// How long starting it may take before the test fails.
    public static let startMillisecondsMax: Int32 = 20_000

    /// Programs that have this environment find the server, and no other.
    public var environment: [String: String] {
        [
            "XDG_RUNTIME_DIR": folder.path, "HOME": folder.path, "PATH": "/usr/bin:/bin",
            "PULSE_RUNTIME_PATH": "\(folder.path)/pulse",
        ]
    }

    /// What `XDG_RUNTIME_DIR` is.
    public var runtimeDirectory: String { folder.path }
    /// The socket it listens on.
    public var socketPath: String { "\(folder.path)/pulse/native" }

    private let folder = TemporaryFolder()
    private var server: ChildProcess?
    private var recorder: ChildProcess?
    private var recording: SoundRecording?

    /// A runtime directory in which no server listens yet.
    public init() {}

    /// Starts the server and its recorder, and returns when both are ready. What it recorded before is gone.
    @discardableResult
    public func start() throws(SystemError) -> SoundRecording {
        // Without norewinds= it renders 2 s ahead before anybody listens.
        try start(modules: ["module-null-sink sink_name=ring rate=\(Self.samplesPerSecond) channels=1 norewinds=1"])
        return try record()
    }

    /// Starts the server with `modules` besides its socket, and without a recorder.
    public func start(modules: [String]) throws(SystemError) {
        let notices = try NoticeSocket(path: "\(folder.path)/notices")
        var environment = environment
        environment["NOTIFY_SOCKET"] = notices.path
        server = try ChildProcess(
            ChildCommand(
                path: "/usr/bin/pulseaudio",
                arguments: [
                    // Idle only once its recorder is gone, as when the tests crashed: nobody else would end it.
                    "-n", "--daemonize=no", "--use-pid-file=no", "--exit-idle-time=60", "--log-target=null",
                    "--load=module-native-protocol-unix",
                ] + modules.map { "--load=\($0)" },
                environment: environment,
                streams: [0: .null, 1: .null, 2: .null]
            )
        )
        try notices.wait(for: "READY=1", within: Self.startMillisecondsMax)
    }

    /// Kills the server, as a crash does.
    public func kill() {
        recorder = nil
        server = nil
        recording = nil
    }

    /// Stops it in its tracks (SIGSTOP): it accepts what the kernel accepts for it, and answers nothing.
    public func hang() throws(SystemError) { try server?.signal(SIGSTOP) }

    /// Lets it go on (SIGCONT).
    public func resume() throws(SystemError) { try server?.signal(SIGCONT) }

    /// Records its sink `ring` from now on. A recorder that is there already goes along to another default sink.
    public func record() throws(SystemError) -> SoundRecording {
        let pipe = try DescriptorPair.pipe()
        let sound = try pipe.reading.duplicate()
        recorder = try ChildProcess(
            ChildCommand(
                path: "/usr/bin/parec",
                arguments: [
                    "--device=ring.monitor", "--raw", "--format=s16le", "--rate=\(Self.samplesPerSecond)",
                    "--channels=1", "--latency-msec=10",
                ],
                environment: environment,
                streams: [0: .null, 1: .descriptor(pipe.writing.number), 2: .null]
            )
        )
        let recording = SoundRecording(sound)
        guard recording.waitUntilRunning(within: Self.startMillisecondsMax) else {
            throw SystemError(errno: ETIMEDOUT, call: "parec", subject: "ring.monitor")
        }
        self.recording = recording
        return recording
    }
}

/// Where a service says that it is ready (sd_notify(3)).
private final class NoticeSocket {
    let path: String
    private let descriptor: OwnedDescriptor

    init(path: String) throws(SystemError) {
        self.path = path
        unsafe unlink(path)
        let number = try checked("socket") { socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0) }
        descriptor = OwnedDescriptor(owning: number)
        try bindUnixSocket(number, to: path)
    }

    func wait(for text: String, within milliseconds: Int32) throws(SystemError) {
        let deadline = bootTimeMicroseconds() + Int64(milliseconds) * 1_000
        while let notice = readSome(from: descriptor.number, until: deadline) {
            if String(decoding: notice, as: UTF8.self).split(separator: "\n").contains(Substring(text)) { return }
        }
        throw SystemError(errno: ETIMEDOUT, call: "waiting for \(text)", subject: path)
    }
}
