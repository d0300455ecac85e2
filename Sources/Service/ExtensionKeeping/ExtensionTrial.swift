public import BelfryEventLoop
public import BelfrySyscalls
public import BelfryTerms
import KeeperChannel

/// One start of a foreign extension, to see that it starts, and that what it attaches can be taken: its process says
/// that it is there, and is ended before any code of its own runs for a notification.
public final class ExtensionTrial {
    /// How it went.
    public enum Outcome: Hashable, Sendable {
        /// The process was there after so long, and a file that lay where it may lay its own could be attached.
        case started(TimeSpan)
        /// The process was there, but whatever it attaches is dropped for this reason.
        case unattachable(SystemError)
        /// It ended instead, and wrote this last.
        case ended(ChildExit, lastLine: String)
        /// It says nothing.
        case silent
    }

    /// How long it may take to be there.
    public static let patience = TimeSpan.seconds(10)
    private static let outputBytesMax = 4 << 10

    private let loop: Loop
    private let start: Instant
    private let folders: ExtensionFolders
    private let decided: (Outcome) -> Void
    private var process: KeptProcess?
    private var channel: KeeperEnd
    private var output: [UInt8] = []
    private var timer: (any ScheduledTimer)?

    /// Starts what `setting` says, and calls `decided` once.
    ///
    /// - Throws: why there is no process.
    public init(
        _ setting: ExtensionSetting, on loop: Loop, decided: @escaping (Outcome) -> Void
    ) throws(ExtensionBundleError) {
        self.loop = loop
        self.decided = decided
        start = loop.now
        do throws(SystemError) {
            folders = try ExtensionFolders(of: setting.bundle, state: setting.statePath)
            channel = KeeperEnd(folders: folders.channel)
            process = try KeptProcess(setting, in: folders, on: loop) { [unowned self] in happened($0) }
        } catch {
            throw ExtensionBundleError("\(setting.bundle.program) cannot be started: \(error)")
        }
        _ = process?.say(KeeperMessage.hello(ExtensionKeeper.greeting(setting)).line)
        timer = loop.schedule(at: start + Self.patience, description: "trial") { [unowned self] in end(.silent) }
    }

    private func happened(_ event: KeptProcess.Event) {
        switch event {
        case .said(let bytes, _):
            guard let messages = try? channel.take(bytes, at: loop.now) else { return end(.silent) }
            if messages.contains(.hello) { end(attached(after: loop.now - start)) }
        case .wrote(let bytes): output = Array((output + bytes).suffix(Self.outputBytesMax))
        case .ended(let exit):
            let line = output.split(separator: UInt8(ascii: "\n")).last ?? []
            end(.ended(exit, lastLine: String(decoding: line, as: UTF8.self)))
        case .hungUp: end(.silent)
        }
    }

    private func attached(after elapsed: TimeSpan) -> Outcome {
        do throws(SystemError) {
            try folders.tryAttaching()
            return .started(elapsed)
        } catch {
            return .unattachable(error)
        }
    }

    private func end(_ outcome: Outcome) {
        // Killing the process reports an end as well, but the first outcome counts.
        guard timer != nil else { return }
        timer?.cancel()
        timer = nil
        process?.kill()
        folders.removeTemporary()
        decided(outcome)
    }
}
