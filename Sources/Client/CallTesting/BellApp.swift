import BelfryAppDoor
import BelfryAppleGround
import BelfryEventLoopExecutor
public import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
public import BelfryTesting
import CallChannel
import Foundation
public import Testing
import UIKit

/// An app whose code runs in the process of its test, behind real workers and a real `belfry-calls`, and what that
/// tells of it: ``BelfryProtocol/Event/Kind/app``, `call`, `action` and `warning`, of all pushes and of none.
public actor BellApp: StandIn {
    /// The identifier of an app whose `Info.plist` names none.
    static let standardID = "belfry.tested.app"

    /// None: it stands for an app.
    package nonisolated var extensionPath: String? { nil }
    /// The bundle identifier of its `Info.plist`; if that has none, `belfry.tested.app`.
    public nonisolated var id: String { hello.id }
    package nonisolated var appID: String? { id }

    nonisolated let place: BellPlace
    nonisolated let story: EventStory
    private nonisolated let files = LockedValue<KeeperDoor?>(nil)
    private nonisolated let hello: AppHello
    private let holder: String
    private let bundlePath: String?
    private let makeDelegate: MakeDelegate
    /// Where the bell's `belfry-calls` listens; nil before it does, and once the app has ended.
    private(set) var socketPath: String?
    /// The other apps of its bell.
    private var others: [OtherApp] = []
    private var watch: CentreWatch?
    private var isLaunched = false
    /// The number of the first event after all that a wait has returned.
    private var next = 0

    /// The loop's thread.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe place.executor.asUnownedSerialExecutor() }

    /// An app for the bell at `place`, of the test in `holder`, with its resources in the folder `resources`.
    init(
        at place: BellPlace, holder: String, resources: String?, _ makeDelegate: @escaping MakeDelegate
    ) throws(BellError) {
        self.place = place
        self.holder = holder
        self.makeDelegate = makeDelegate
        bundlePath = resources == nil ? nil : "\(place.folder)/Tested.app"
        if let resources, let bundlePath {
            do {
                // Not where it is: a folder that is called Resources is none of a bundle to Foundation.
                try FileManager.default.copyItem(atPath: resources, toPath: bundlePath)
            } catch {
                throw BellError(.noSuchFile, "\(Printable.escaped(resources)) cannot be copied: \(error)")
            }
        }
        hello = Self.hello(bundlePath)
        story = EventStory(ending: "belfry-calls left", on: place.executor)
    }

    // MARK: Its life

    /// Waits until no other app or extension runs in this process.
    func takeTurn() async throws(BellError) {
        try await ProcessTurn.ofProcess.take(as: holder, patience: ProcessTurn.patience, on: place.executor.loop)
    }

    /// Launches it, once the bell's `belfry-calls` listens at `socketPath`.
    func launch(at socketPath: String) async throws(BellError) {
        try await watch(socketPath)
        let files = KeeperDoor.openForApp(stateDirectory: place.statePath, bundle: bundlePath) {
            AppDoor.underTest.warn($0, $1)
        }
        self.files.withLock { $0 = files }
        AppDoor.underTest.open(socketPath: socketPath, hello: hello)
        AppDoor.underTest.whenStopped { [place] in Task(executorPreference: place.executor) { await self.terminate() } }
        (isLaunched, self.socketPath) = (true, socketPath)
        let makeDelegate = makeDelegate
        await onMain {
            AppDoor.underTest.connect()
            UIApplication.shared.launch(makeDelegate())
        }
        let start = await story.first(.app, within: place.patience.forOne) { $0.app?.state == .started }
        guard start != nil else {
            throw BellError(.notServed, "belfry-calls did not let the app in: see bell.workersWords()")
        }
    }

    /// Hears of all that happens from now on.
    private func watch(_ socketPath: String) async throws(BellError) {
        let watch: CentreWatch
        do throws(SystemError) {
            watch = try CentreWatch(at: socketPath, story, on: place.executor.loop)
        } catch {
            throw BellError(.notServed, "belfry-calls cannot be asked: \(error)")
        }
        self.watch = watch
        let limit = TimeSpan(place.patience.forOne)
        let hasBegun = await withCheckedContinuation { continuation in
            watch.whenBegun(within: limit) { continuation.resume(returning: $0) }
        }
        guard hasBegun else {
            throw BellError(.notServed, "belfry-calls does not answer: see bell.workersWords()")
        }
    }

    private static func hello(_ bundlePath: String?) -> AppHello {
        let pid = Int64(ProcessInfo.processInfo.processIdentifier)
        guard let bundlePath, let bundle = Bundle(path: bundlePath),
            let hello = AppIdentity.hello(of: bundle, standardID: standardID)
        else {
            var hello = AppHello(id: standardID, pid: pid)
            hello.hasVoIPMode = true
            return hello
        }
        return hello
    }

    /// Calls `body` as code of the app.
    nonisolated func run<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        try await AppDoor.underTest.run {
            guard let files = files.withLock({ $0 }) else { return try await body() }
            return try await files.run(body)
        }
    }

    private nonisolated func onMain(_ body: @MainActor () -> Void) async {
        await MainActor.run {
            AppDoor.underTest.run {
                guard let files = files.withLock({ $0 }) else { return body() }
                files.run(body)
            }
        }
    }

    /// Ends it as its system would: its delegate hears of it, and is let go.
    package func terminate() async {
        guard isLaunched else { return }
        (isLaunched, socketPath) = (false, nil)
        for other in others { await other.quit() }
        others = []
        await onMain {
            UIApplication.shared.terminate()
            AppDoor.underTest.leave { UIApplication.shared.delegate = nil }
        }
    }

    /// Ends what has to do with it, and passes the turn on.
    package func leave() async {
        await terminate()
        watch?.close()
        story.finish(nil)
        files.withLock { $0 }?.close()
        ProcessTurn.ofProcess.pass()
    }

    /// Another app of its bell ends with it.
    func add(_ other: OtherApp) { others.append(other) }

    // MARK: Its events

    /// The events so far.
    public var events: [Event] { get async { await story.events } }

    /// Waits for the first event of `kind` that `isMeant`; it may have come already.
    ///
    /// Throws ``BellError/Code/didNotCome``, which says line by line what came instead, after `patience`;
    /// CancellationError if the task is cancelled. A test that ends by that is reported to have failed at the line of
    /// the wait.
    @discardableResult
    public func waitFor(
        _ kind: Event.Kind, within patience: Duration? = nil, fileID: String = #fileID, filePath: String = #filePath,
        line: Int = #line, column: Int = #column, where isMeant: @escaping @Sendable (Event) -> Bool = { _ in true }
    ) async throws -> Event {
        try await wait(
            for: kind, from: 0, patience,
            SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column), isMeant)
    }

    /// The same, for code that gets the place of its test.
    @discardableResult
    public func waitFor(
        _ kind: Event.Kind, within patience: Duration? = nil, sourceLocation: SourceLocation,
        where isMeant: @escaping @Sendable (Event) -> Bool = { _ in true }
    ) async throws -> Event {
        try await wait(for: kind, from: 0, patience, sourceLocation, isMeant)
    }

    /// Waits for the next event of `kind` that `isMeant`: after all events that a wait has returned of this app. It may
    /// have come already. Throws as ``waitFor(_:within:fileID:filePath:line:column:where:)``.
    @discardableResult
    public func waitFor(
        next kind: Event.Kind, within patience: Duration? = nil, fileID: String = #fileID,
        filePath: String = #filePath, line: Int = #line, column: Int = #column,
        where isMeant: @escaping @Sendable (Event) -> Bool = { _ in true }
    ) async throws -> Event {
        try await wait(
            for: kind, from: next, patience,
            SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column), isMeant)
    }

    /// The same, for code that gets the place of its test.
    @discardableResult
    public func waitFor(
        next kind: Event.Kind, within patience: Duration? = nil, sourceLocation: SourceLocation,
        where isMeant: @escaping @Sendable (Event) -> Bool = { _ in true }
    ) async throws -> Event {
        try await wait(for: kind, from: next, patience, sourceLocation, isMeant)
    }

    private func wait(
        for kind: Event.Kind, from start: Int, _ patience: Duration?, _ location: SourceLocation,
        _ isMeant: @escaping @Sendable (Event) -> Bool
    ) async throws -> Event {
        let (event, index) = try await story.wait(
            for: kind, from: start, within: patience ?? place.patience.forOne, at: WaitPlace(location), isMeant)
        next = max(next, index + 1)
        return event
    }
}
