import BelfryEventLoop
import BelfrySyscalls
import BelfryTerms
import Glibc

/// Watches for changes that other processes make in the registry: a named pipe beside its file, into which each process
/// writes a byte after it has committed.
///
/// The file system's own notice comes too early: SQLite writes its log and synchronises it for some milliseconds before
/// others can see the change, and then it shows only in mapped memory, for which there is no notice.
public final class RegistryWatch {
    private static let pipeSuffix = ".pipe"
    /// How many names of the folder are looked through for pipes.
    private static let namesMax = 1_000

    private let pipe: OwnedDescriptor
    private let directory: Directory
    private let name: String
    private var source: (any LoopWatch)?

    init(
        in directory: consuming Directory, on loop: some EventLoop, _ changed: @escaping () -> Void
    ) throws(SystemError) {
        // Removes the pipes that killed processes have left.
        try Self.tell(in: directory)
        let unique = "\(getpid())-\(randomUUID())"
        name = unique + Self.pipeSuffix
        pipe = try directory.makePipe(name, aside: "\(unique).new")
        self.directory = directory
        let number = pipe.number
        source = try loop.watch(descriptor: number, events: .readable, description: "devices") { _ in
            var bytes = [UInt8](repeating: 0, count: 4_096)
            _ = unsafe read(number, &bytes, bytes.count)
            changed()
        }
    }

    deinit { cancel() }

    /// Wakes every watcher of the registry in `directory`.
    static func tell(in directory: borrowing Directory) throws(SystemError) {
        try directory.pokePipes(endingIn: pipeSuffix, max: namesMax)
    }

    /// Ends it.
    public func cancel() {
        source?.cancel()
        try? directory.remove(name)
    }
}
