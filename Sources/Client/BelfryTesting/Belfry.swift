import BelfryEventLoopExecutor
import BelfryServe
import BelfrySettings
import BelfrySyscalls
import BelfryTerms
import ExtensionKeeping
import Glibc
public import Testing

/// Belfry for a test: a push socket of its own with real workers. No other process sees its state, and all of it is
/// gone afterwards. Needs neither systemd nor a sound server, and runs beside any number of others.
///
/// ```swift
/// try await Belfry.running { bell in
///     let call = try await bell.call(name: "Anna")
///     try await call.waitFor(.ringing, within: .seconds(2))
///     try await bell.answer()
///     #expect(try await call.waitFor(.ended).ended?.reason == .answered)
/// }
/// ```
public enum Belfry {
    /// Runs `body` with a bell, which has ended once this returns or throws: workers and files are gone.
    ///
    /// Throws ``BellError`` if there can be no bell, and what `body` throws. A wait that fails, and whose error leaves
    /// `body`, is reported at its own line: in a test of Swift Testing an error comes out that is not reported again.
    @discardableResult
    public static func running<Result>(
        settings: BellSettings = BellSettings(), _ body: @escaping (Bell) async throws -> Result
    ) async throws -> Result {
        try await start(settings: settings).running(body)
    }

    /// A bell that runs until ``Bell/stop()``: for `setUp` and `tearDown` of XCTest.
    public static func start(settings: BellSettings = BellSettings()) async throws(BellError) -> Bell {
        try await start(settings: settings, standIn: nil)
    }

    /// A bell that runs until ``Bell/stop()``, with what `makeStandIn` makes in place of the process of its extension
    /// or its app.
    package static func start(
        settings: BellSettings, standIn makeStandIn: ((BellPlace) async throws(BellError) -> any StandIn)?
    ) async throws(BellError) -> Bell {
        let checked = try settings.checked()
        guard let group = GroupName(checked.appGroup) else {
            throw BellError(.badSetting, "[AppGroup] Name=: expected \(GroupName.rule)")
        }
        raiseDescriptorLimit()
        var environment = Environment.allOfThisProcess()
        let patience = try Patience(settings.patience, environment: environment, budget: checked.expiryBudget)
        for setting in Setting.allCases { environment[setting.environmentVariable] = checked.text(of: setting) }
        let (worker, executor) = (try path(of: "belfry-worker", environment), try loop())
        let device = try BellDeviceServing(settings, environment)
        let folder = try folder(in: environment)
        let place = BellPlace(
            folder: folder.path, statePath: folder.statePath, workerPath: worker, patience: patience,
            executor: executor)
        for (name, value) in folder.variables(socketPath: folder.socketPath) { environment[name] = value }
        let standIn: (any StandIn)?
        do throws(BellError) {
            standIn = try await makeStandIn?(place)
        } catch {
            folder.remove()
            throw error
        }
        let callsPath: String?
        do throws(BellError) {
            try checkExtension(standIn?.extensionPath ?? checked.extensionPath)
            callsPath = standIn?.appID == nil ? nil : try path(of: "belfry-calls", environment)
        } catch {
            await standIn?.leave()
            folder.remove()
            throw error
        }
        if let path = standIn?.extensionPath { environment[Setting.extensionPath.environmentVariable] = path }
        let bell = Bell(
            folder, group: group, settings: checked, patience: patience, standIn: standIn, on: place.executor)
        do throws(SystemError) {
            try await bell.serve(
                place.workerPath, calls: callsPath, environment: environment, log: settings.log)
        } catch {
            await standIn?.leave()
            throw notServed(error)
        }
        do throws(BellError) {
            try await device?.serve(bell, standIn?.appID, environment)
        } catch {
            await bell.stop()
            throw error
        }
        return bell
    }

    /// Throws if the extension at `path` cannot be run: workers would hand notifications to the built-in service.
    private static func checkExtension(_ path: String?) throws(BellError) {
        guard let path else { return }
        do throws(ExtensionBundleError) {
            _ = try ExtensionBundle(path: path)
        } catch {
            throw BellError(.notServed, Printable.escaped("the extension cannot be run: \(error)"))
        }
    }

    private static func folder(in environment: [String: String]) throws(BellError) -> ServeFolder {
        do throws(SystemError) {
            return try ServeFolder(in: ServeFolder.places(in: environment))
        } catch {
            throw notServed(error)
        }
    }

    private static func loop() throws(BellError) -> LoopExecutor {
        do throws(SystemError) { return try LoopExecutor.onOwnThread() } catch { throw notServed(error) }
    }

    static func notServed(_ error: SystemError) -> BellError {
        BellError(.notServed, "no push socket can be served: \(error)")
    }

    /// The bell of the test that runs now, made by its trait ``Testing/Trait/belfry``.
    public static var bell: Bell {
        get throws(BellError) {
            guard let bell = Bell.current else {
                // XCTest has no traits.
                let remedy =
                    Test.current == nil
                    ? "XCTest's tests call Belfry.running { bell in ... }, or Belfry.start() in setUp()"
                    : "give the test or its suite the trait .belfry"
                throw BellError(.noBell, "no bell runs here: \(remedy)")
            }
            return bell
        }
    }

    static func path(of name: String, _ environment: [String: String]) throws(BellError) -> String {
        do throws(SystemError) { return try program(name, environment) } catch { throw notServed(error) }
    }

    /// Where the program `name` is: beside the running program, where SwiftPM builds the worker, else in PATH; a name
    /// with a slash is a path.
    static func program(_ name: String, _ environment: [String: String]) throws(SystemError) -> String {
        guard !name.utf8.contains(UInt8(ascii: "/")) else { return name }
        let folders = (environment["PATH"] ?? "").split(separator: ":")
        let places = [programBeside(name) ?? ""] + folders.map { "\($0)/\(name)" }
        guard let path = places.first(where: { unsafe access($0, X_OK) == 0 }) else {
            throw SystemError(errno: ENOENT, call: "access", subject: "\(name) at \(places[0]) or in PATH")
        }
        return path
    }

    /// Each call of each bell takes a few descriptors, and tests run side by side: the soft limit, often 1024, is for
    /// programs that call select(2), which nothing here does.
    private static func raiseDescriptorLimit() {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}

/// Why a bell could not do what a test asked of it, or what a test waited for did not come.
public struct BellError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of failure it is.
    public enum Code: String, CaseIterable, Sendable {
        /// A setting is out of its range.
        case badSetting
        /// There is no worker, or no folder, thread or socket can be made.
        case notServed
        /// The test has no bell.
        case noBell
        /// The bell has no app.
        case noApp
        /// The bell has been stopped.
        case stopped
        /// No such call rings, or goes on.
        case noSuchCall
        /// An app has not done it, or cannot.
        case notDone
        /// What was done could not be recorded.
        case notRecorded
        /// There is no such file, or it cannot be read.
        case noSuchFile
        /// What was waited for did not come in time, or cannot come any more.
        case didNotCome
    }

    /// What kind of failure it is.
    public let code: Code
    /// What failed, for people; text from outside in it is escaped.
    public let description: String
    /// Where the test waited; nil of any other failure.
    public let sourceLocation: SourceLocation?

    package init(_ code: Code, _ description: String, at sourceLocation: SourceLocation? = nil) {
        self.code = code
        self.description = description
        self.sourceLocation = sourceLocation
    }
}
