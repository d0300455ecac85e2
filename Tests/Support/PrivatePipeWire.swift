public import BelfrySyscalls
import CBelfryLinux
import Glibc

/// A PipeWire of one test's own with its stand-in for PulseAudio, whose only sink, `ring`, plays into nothing.
public final class PrivatePipeWire {
    /// Whether it is installed: not where another sound server runs, which that would disturb.
    public static var isInstalled: Bool {
        ["pipewire", "pipewire-pulse", "wireplumber"].allSatisfy { unsafe access("/usr/bin/\($0)", X_OK) == 0 }
    }

    /// Programs that have this environment find it, and no other.
    public let environment: [String: String]

    private let folder = TemporaryFolder()
    /// Its end ends them all, also if the test crashes.
    private let input: OwnedDescriptor
    private let session: ChildProcess

    /// Starts it, and returns when it plays to its sink.
    public init() throws(SystemError) {
        environment = ["XDG_RUNTIME_DIR": folder.path, "HOME": folder.path, "PATH": "/usr/bin:/bin"]
        let pipe = try DescriptorPair.pipe()
        input = try pipe.writing.duplicate()
        unsafe chmod(folder.path, 0o700)
        session = try ChildProcess(
            ChildCommand(
                path: "/usr/bin/dbus-run-session",
                arguments: [
                    "--", "/bin/sh", "-c",
                    """
                    pipewire & until [ -S "$XDG_RUNTIME_DIR/pipewire-0" ]; do sleep 0.01; done
                    wireplumber & pipewire-pulse & read -r _; kill $(jobs -p); wait
                    """,
                ], environment: environment, streams: [0: .descriptor(pipe.reading.number), 1: .null, 2: .null]))
        let deadline = bootTimeMicroseconds() + Int64(PrivateSoundServer.startMillisecondsMax) * 1_000
        // The session's part of it comes a little later, and gives the default sink.
        for words in [["load-module", "module-null-sink", "sink_name=ring"], ["set-default-sink", "ring"]] {
            while try pactl(words) != .exited(code: 0) {
                guard bootTimeMicroseconds() < deadline else {
                    throw SystemError(errno: ETIMEDOUT, call: "pactl \(words[0])", subject: folder.path)
                }
                _ = poll(nil, 0, 20)
            }
        }
    }

    private func pactl(_ words: [String]) throws(SystemError) -> ChildExit {
        let child = try ChildProcess(
            ChildCommand(
                path: "/usr/bin/pactl", arguments: words, environment: environment,
                streams: [0: .null, 1: .null, 2: .null]))
        return try child.waitUntilExit()
    }
}
