import BelfryEventLoop
import BelfrySyscalls
import BelfryTerms
public import CallKit
import CallDirectory
import CallDirectoryFiles
import DirectoryLoading
import Glibc
import KeeperChannel

/// Loads extensions of the call directory in the process of their tests, by the rules by which the system loads them.
///
/// ```swift
/// @Test func blocksWhatTheAppHasStored() async throws {
///     let first = try await DirectoryTesting.load(CallDirectoryHandler())
///     #expect(first.error == nil && first.blocked == [14085555555, 18005555555])
///     let second = try await DirectoryTesting.load(CallDirectoryHandler(), after: first)
///     #expect(second.isIncremental && second.identified[18775555555] == "Telemarketer")
/// }
/// ```
///
/// With `@Test(.callDirectory)` the handler has the test's groups: what the test writes to `UserDefaults(suiteName:)`,
/// or into the group's container, is there for it. In a bell with an extension or an app it has that bell's. Else, also
/// in a bell without, it has groups that are the process's, not those of the developer's programs.
public enum DirectoryTesting {
    /// How long a handler may take to complete its request, if a test does not say.
    public static let patience = Duration.seconds(10)

    /// Loads a handler, after an earlier load if there was one, which may have failed.
    ///
    /// - Parameters:
    ///   - provider: the handler, evaluated once.
    ///   - previous: the load before: its numbers are there, and if one has succeeded this one may be incremental.
    ///   - entriesMax: how many entries the load may give.
    ///   - patience: how long it may take; then its error is `loadingInterrupted`.
    public static func load(
        _ provider: @autoclosure @escaping @Sendable () -> CXCallDirectoryProvider,
        after previous: LoadedDirectory? = nil, entriesMax: Int = 2_000_000, patience: Duration = patience
    ) async throws -> LoadedDirectory {
        let state = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: state) }
        let table = try TestedTable(inStateDirectory: state, of: previous)
        let load = TestedLoad(of: table, entriesMax: entriesMax)
        try load.begin()
        let door = DirectoryTestState.current
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            load.onceOver { continuation.resume() }
            let code = Thread { door.run { load.run(provider()) } }
            code.name = "beginRequest"
            code.start()
            let watch = Thread { load.giveUp(after: patience) }
            watch.name = "patience"
            watch.start()
        }
        return try load.loaded(after: previous)
    }
}

/// What a load of a call directory's extension came to, and what the system knows after it.
public struct LoadedDirectory: Sendable {
    /// The numbers that are blocked, in ascending order.
    public let blocked: [CXCallDirectoryPhoneNumber]
    /// The labels of the numbers that have one.
    public let identified: [CXCallDirectoryPhoneNumber: String]
    /// Why the load failed, and the numbers are those of before; nil if it succeeded.
    public let error: CXErrorCodeCallDirectoryManagerError.Code?
    /// The error by which the handler cancelled its request, as whoever has asked for the load gets it; nil if it did
    /// not. Then ``error`` is `unknown`, unless it is one of the call directory's own.
    public let cancellation: NSError?
    /// In words why it failed; empty if it did not.
    public let problem: String
    /// Whether the load was a difference to the one before: the handler has asked for `isIncremental`, which was true.
    public let isIncremental: Bool
    /// The codes of what Belfry warns of, such as `directory-order`.
    public let warnings: [String]
    /// Whether a load has succeeded, this one or one before.
    let isLoaded: Bool
}

/// The table of a handler under test.
private struct TestedTable {
    static let owner = TableOwner.list

    let folder: DirectoryFolder

    /// A table with what an earlier load has left.
    init(inStateDirectory path: String, of previous: LoadedDirectory?) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        guard let folder = try DirectoryFolder.open(inStateDirectory: path, makes: true) else {
            throw SystemError(errno: ENOENT, call: "open", subject: path)
        }
        self.folder = folder
        guard let previous, previous.isLoaded else { return }
        let load = try NumberTableLoad(Self.owner, in: folder, wantsDifference: false, entriesMax: .max)
        try load.block(previous.blocked)
        let labels = previous.identified.sorted { $0.key < $1.key }
        try load.identify(labels.map(\.key), labels: labels.map { Array($0.value.utf8)[...] })
        _ = try load.commit()
    }

    /// What it has.
    func entries() throws -> [NumberEntry]? {
        guard let file = try NumberTableFile(of: Self.owner, in: folder) else { return nil }
        var entries: [NumberEntry] = []
        try file.forEach { entry in
            entries.append(entry)
            return true
        }
        return entries
    }
}

/// One load of a handler under test, which is its own host.
private final class TestedLoad: DirectoryHost, @unchecked Sendable {
    private struct State {
        var warnings: [String] = []
        var outcome: LoadOutcome?
        var isIncremental = false
        var request: DirectoryRequest?
        var hasReturned = false
        var isCodeOver = false
        var isTold = false
        var whenOver: (@Sendable () -> Void)?
    }

    private let table: TestedTable
    private let entriesMax: Int
    /// Used under the lock of the request, and by nobody after the outcome.
    private var intake: DirectoryIntake?
    /// Touched only by the thread of `beginRequest`: what the code works with, also after that has returned.
    private var kept: [NSObject] = []
    private let state = LockedValue(State())
    private let ended = DispatchSemaphore(value: 0)

    init(of table: TestedTable, entriesMax: Int) { (self.table, self.entriesMax) = (table, entriesMax) }

    func begin() throws {
        let intake = try DirectoryIntake(TestedTable.owner, in: table.folder, entriesMax: entriesMax) {
            [state] code, _ in state.withLock { $0.warnings.append(code.rawValue) }
        }
        self.intake = intake
        state.withLock { $0.isIncremental = intake.isIncremental }
    }

    func onceOver(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.whenOver = body } }

    /// Has the handler do what it does.
    func run(_ provider: CXCallDirectoryProvider) {
        let request = DirectoryRequest(by: self)
        let context = CXCallDirectoryExtensionContext(request)
        kept = [provider, context]
        state.withLock { $0.request = request }
        provider.beginRequest(with: context)
        finish { $0.hasReturned = true }
    }

    /// Waits so long for the end, and then has the load fail.
    func giveUp(after patience: Duration) {
        let seconds = Double(patience.components.seconds) + Double(patience.components.attoseconds) / 1e18
        guard ended.wait(timeout: .now() + seconds) == .timedOut else { return }
        decide(.init(.failure(DirectoryFailure(.loadingInterrupted, "the handler has not completed its request"))))
        tell()
    }

    /// What came of it.
    func loaded(after previous: LoadedDirectory?) throws -> LoadedDirectory {
        let (outcome, warnings, isIncremental) = state.withLock { ($0.outcome, $0.warnings, $0.isIncremental) }
        let entries = try table.entries()
        let labels = (entries ?? []).compactMap { entry in entry.label.map { (entry.number, $0) } }
        let failure = outcome?.failure
        let cancellation = outcome?.cancellation.map {
            NSError(domain: $0.domain, code: Int($0.code), userInfo: [NSLocalizedDescriptionKey: $0.text])
        }
        return LoadedDirectory(
            blocked: (entries ?? []).filter(\.isBlocked).map(\.number),
            identified: Dictionary(labels) { first, _ in first },
            error: failure.map { .init(rawValue: $0.code.rawValue) ?? .unknown }, cancellation: cancellation,
            problem: failure?.description ?? "", isIncremental: isIncremental, warnings: warnings,
            isLoaded: entries != nil)
    }

    var mayBeIncremental: Bool { state.withLock { $0.isIncremental } }

    func carryOut(_ word: DirectoryWord, _ entries: DirectoryEntries?) -> DirectoryFailure? {
        guard state.withLock({ $0.outcome == nil }), let intake else { return nil }
        do {
            if case .cancel(let domain, let code, let text) = word {
                let cancellation = LoadOutcome.Cancellation(domain: domain, code: code, text: text)
                intake.abandon()
                decide(LoadOutcome(.failure(cancellation.failure), cancellation: cancellation))
                return nil
            }
            let hasLabels = if case .add(.identification, _) = word { true } else { false }
            let batch = try entries.map {
                try DirectoryBatch($0.bytes, count: Int64($0.count), hasLabels: hasLabels)
            }
            try intake.take(word, batch)
            if word == .whole { state.withLock { $0.isIncremental = false } }
            return nil
        } catch {
            let failure = error as? DirectoryFailure ?? DirectoryFailure(.unknown, "\(error)")
            decide(LoadOutcome(.failure(failure)))
            return failure
        }
    }

    func complete(_ completion: @escaping @Sendable (Bool) -> Void) {
        do throws(DirectoryFailure) {
            if state.withLock({ $0.outcome == nil }), let loaded = try intake?.commit() {
                decide(LoadOutcome(.success(loaded)))
            }
        } catch {
            decide(LoadOutcome(.failure(error)))
        }
        let isExpired = state.withLock { $0.outcome?.failure != nil }
        let door = KeeperDoor.current
        let thread = Thread { [self] in
            door.run { completion(isExpired) }
            finish { $0.isCodeOver = true }
        }
        thread.name = "completeRequest"
        thread.start()
    }

    func requestIsOver() { finish { $0.isCodeOver = true } }

    func warn(_ code: WarningCode, _ detail: String) { state.withLock { $0.warnings.append(code.rawValue) } }

    private func decide(_ outcome: LoadOutcome) {
        state.withLock { if $0.outcome == nil { $0.outcome = outcome } }
    }

    private func finish(_ note: (inout State) -> Void) {
        let isOver = state.withLock { state in
            note(&state)
            return state.isCodeOver && state.hasReturned
        }
        if isOver { tell() }
    }

    private func tell() {
        state.withLock { $0.request }?.warnOfLateEntries()
        let whenOver: (@Sendable () -> Void)? = state.withLock { state in
            guard !state.isTold else { return nil }
            state.isTold = true
            return state.whenOver.take()
        }
        ended.signal()
        whenOver?()
    }
}
