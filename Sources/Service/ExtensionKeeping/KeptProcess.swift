package import BelfryEventLoop
package import BelfrySyscalls
import BelfryTerms
import CBelfryLinux
import Glibc
import KeeperChannel

/// The process of a foreign extension: its channel, what it writes, and its end.
///
/// It is confined before it becomes the extension's program (``ExtensionConfinement``). It leads a group, which is
/// killed with it, and so are processes that have left that group, by programs that adopt them. It shall be
/// killed before the worker if memory runs out, and leaves no core.
package final class KeptProcess {
    /// What happens in it, on the loop.
    package enum Event {
        /// It sent bytes over the channel, and passed files with them.
        case said([UInt8], [PassedFile])
        /// It has closed its end of the channel, and still runs.
        case hungUp
        /// It wrote to standard output or standard error.
        case wrote([UInt8])
        /// It is gone; nothing comes after that.
        case ended(ChildExit)
    }

    /// How long a process that closed its channel has to end by itself.
    private static let hangUpPatience = TimeSpan.seconds(1)
    private static let readBytesMax = 64 << 10
    /// More willing to be killed than any worker (proc_pid_oom_score_adj(5)).
    private static let killability = "500"

    /// Its number.
    package var pid: Int32 { child.pid }

    private let loop: Loop
    private let child: ChildProcess
    private let channel: OwnedDescriptor
    private let output: OwnedDescriptor
    private let happened: (Event) -> Void
    private var channelSource: DescriptorSource?
    private var outputSource: DescriptorSource?
    private var hangUp: (any ScheduledTimer)?

    /// Starts what `setting` says, at home in `folders`.
    package init(
        _ setting: ExtensionSetting, in folders: ExtensionFolders, on loop: Loop, happened: @escaping (Event) -> Void
    ) throws(SystemError) {
        let ends = try SocketPair()
        let pipe = try DescriptorPair.pipe()
        guard let launcher = programBeside("belfry-worker") else {
            throw SystemError(errno: ENOENT, call: "readlink", subject: "/proc/self/exe")
        }
        // Which confines itself, and then becomes the extension's program.
        var command = ChildCommand(
            path: launcher, arguments: ["--confined", setting.bundle.program],
            environment: folders.environment(from: setting.environment, passed: setting.passedVariables),
            streams: [
                0: .null, 1: .descriptor(pipe.writing.number), 2: .descriptor(pipe.writing.number),
                3: .descriptor(ends.writing.number),
            ])
        command.leadsGroup = true
        command.workingDirectory = folders.home
        child = try ChildProcess(command)
        Self.confine(child.pid)
        self.loop = loop
        self.happened = happened
        channel = try ends.reading.duplicate()
        output = try pipe.reading.duplicate()
        channelSource = try loop.watch(descriptor: channel.number, events: .readable, description: "extension") {
            [unowned self] _ in readChannel()
        }
        outputSource = try loop.watch(descriptor: output.number, events: .readable, description: "extension output") {
            [unowned self] _ in readOutput()
        }
        try loop.onExit(of: child, description: "extension") { [weak self] in self?.ended($0) }
    }

    deinit { stopReading() }

    /// Writes a line to it. False if it takes nothing any more.
    package func say(_ line: [UInt8]) -> Bool {
        NonBlockingOutput(channel.number).write(line[...]) == .wrote(line.count)
    }

    /// Kills it with its group.
    package func kill() { try? child.signal(SIGKILL) }

    /// Confines the process. A step that a kernel does not have is left out, and the others still apply.
    private static func confine(_ pid: Int32) {
        clinux_forbid_core(pid)
        guard let file = unsafe fopen("/proc/\(pid)/oom_score_adj", "we") else { return }
        unsafe fputs(killability, file)
        unsafe fclose(file)
    }

    private func readChannel() {
        let (bytes, files) = receiveSome(from: channel.number, bytesMax: Self.readBytesMax)
        if bytes.isEmpty {
            channelSource?.cancel()
            hangUp = loop.schedule(at: loop.now + Self.hangUpPatience, description: "extension") { [unowned self] in
                happened(.hungUp)
            }
        } else {
            happened(.said(bytes, files))
        }
    }

    private func readOutput() {
        let bytes = Self.read(output.number)
        if bytes.isEmpty { outputSource?.cancel() } else { happened(.wrote(bytes)) }
    }

    /// The process has ended. What it sent before its end counts.
    private func ended(_ exit: ChildExit) {
        while channelSource?.isActive == true, isReady(channel.number, for: POLLIN) { readChannel() }
        while outputSource?.isActive == true, isReady(output.number, for: POLLIN) { readOutput() }
        stopReading()
        // Its group was killed with it; what has left that is killed here.
        OrphanedProcesses.endAll()
        happened(.ended(exit))
    }

    private func stopReading() {
        channelSource?.cancel()
        outputSource?.cancel()
        hangUp?.cancel()
    }

    /// The bytes that can be read; none at the end, and if reading fails.
    private static func read(_ descriptor: Int32) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: readBytesMax) { buffer, count in
            count = max(0, unsafe Glibc.read(descriptor, buffer.baseAddress, readBytesMax))
        }
    }
}
