import BelfryAppleGround
import BelfrySyscalls
import BelfryTerms
import CBelfryLinux
import CallDirectory
import CallKit
import Glibc
import KeeperChannel

/// The one load of this process: the loader beyond the channel, as the extension's code drives it.
final class LoadVisit: DirectoryHost, @unchecked Sendable {
    private let channel: ProcessChannel
    private let makeProvider: @Sendable () -> CXCallDirectoryProvider
    /// Touched only by the reading thread: opened by the loader's first message.
    private var door: KeeperDoor?
    /// Touched only by the thread of `beginRequest`: what the code works with, also after that has returned.
    private var kept: [NSObject] = []
    private let answered = DispatchSemaphore(value: 0)
    private let state = LockedValue(State())

    private struct State {
        var mayBeIncremental = false
        /// The answer that was read last.
        var answer: DirectoryFailure?
        var completion: (@Sendable (Bool) -> Void)?
        var hasReturned = false
        var isOver = false
        var isDone = false
        var request: DirectoryRequest?
    }

    init(channel: ProcessChannel, makeProvider: @escaping @Sendable () -> CXCallDirectoryProvider) {
        self.channel = channel
        self.makeProvider = makeProvider
    }

    /// Reads the loader's messages until it leaves.
    func serve() {
        var end = ExtensionEnd()
        while true {
            let bytes = channel.read()
            guard !bytes.isEmpty, let messages = try? end.take(bytes) else { break }
            for message in messages { hear(message) }
        }
        door?.close()
        channel.close()
    }

    private func hear(_ message: KeeperMessage) {
        switch message {
        case .hello(let greeting):
            door = KeeperDoor.open(greeting) { [channel] in channel.pass($0) }
            channel.say(.hello)
        case .begin(let isIncremental): begin(isIncremental)
        case .answer(let failure):
            state.withLock { $0.answer = failure }
            answered.signal()
        case .completed(let isExpired): completed(isExpired)
        case .finished(let token): door?.finished(token)
        // To an extension of another kind, which is handed notifications.
        case .request, .expire: break
        }
    }

    private func begin(_ isIncremental: Bool) {
        guard let door else { return }
        let request = DirectoryRequest(by: self)
        state.withLock { ($0.mayBeIncremental, $0.request) = (isIncremental, request) }
        door.requestBegan()
        start("beginRequest") { visit in
            let (provider, context) = (visit.makeProvider(), CXCallDirectoryExtensionContext(request))
            visit.kept = [provider, context]
            provider.beginRequest(with: context)
            visit.channel.say(.directory(.returned))
            visit.finish { $0.hasReturned = true }
        }
    }

    private func completed(_ isExpired: Bool) {
        let completion = state.withLock { $0.completion.take() }
        start("completeRequest") { visit in
            completion?(isExpired)
            visit.finish { $0.isOver = true }
        }
    }

    /// Notes what has ended, and tells the loader once nothing is left.
    private func finish(_ note: (inout State) -> Void) {
        let isDone = state.withLock { state in
            note(&state)
            guard state.isOver, state.hasReturned, !state.isDone else { return false }
            state.isDone = true
            return true
        }
        guard isDone else { return }
        state.withLock { $0.request }?.warnOfLateEntries()
        fflush(nil)
        channel.say(.directory(.done))
    }

    private func start(_ name: String, _ body: @escaping @Sendable (LoadVisit) -> Void) {
        guard let door else { return }
        let thread = Thread { door.run { body(self) } }
        thread.name = name
        thread.start()
    }

    // MARK: - What the code's request wants

    var mayBeIncremental: Bool { state.withLock { $0.mayBeIncremental } }

    func carryOut(_ word: DirectoryWord, _ entries: DirectoryEntries?) -> DirectoryFailure? {
        do throws(SystemError) {
            channel.say(.directory(word), passing: try entries.map(Self.file))
        } catch {
            return DirectoryFailure(.unknown, "a batch of entries cannot be handed over: \(error)")
        }
        guard word != .whole else { return nil }
        answered.wait()
        return state.withLock { $0.answer }
    }

    func complete(_ completion: @escaping @Sendable (Bool) -> Void) {
        state.withLock { $0.completion = completion }
        channel.say(.directory(.complete))
    }

    func requestIsOver() { finish { $0.isOver = true } }

    func warn(_ code: WarningCode, _ detail: String) { KeeperDoor.warn(code, detail) }

    /// A file of `entries` that nobody can change any more.
    private static func file(_ entries: DirectoryEntries) throws(SystemError) -> PassedFile {
        let file = PassedFile(
            OwnedDescriptor(owning: try checked("memfd_create") { unsafe clinux_memory_file("entries") }))
        try writeAll(entries.bytes, to: file.descriptor.number, path: "entries")
        try checked("fcntl", on: "F_ADD_SEALS") { clinux_seal_memory_file(file.descriptor.number) }
        return file
    }
}
