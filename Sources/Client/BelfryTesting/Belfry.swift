import BelfryEventLoopExecutor
import BelfryServe
import BelfrySettings
import BelfrySyscalls
import BelfryTerms
import Glibc

/// Belfry for a test: a push socket of its own with real workers, whose state nobody else sees, and which is gone
/// afterwards. Needs neither systemd nor a sound server, and runs beside any number of others.
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
    /// Throws ``BellError`` if there can be no bell, and what `body` throws.
    public static func running<Result>(
        settings: BellSettings = BellSettings(), _ body: (Bell) async throws -> Result
    ) async throws -> Result {
        let bell = try await start(settings: settings)
        do {
            let result = try await body(bell)
            await bell.stop()
            return result
        } catch {
            await bell.stop()
            throw error
        }
    }

    /// A bell that runs until ``Bell/stop()``: for `setUp` and `tearDown` of XCTest.
    public static func start(settings: BellSettings = BellSettings()) async throws(BellError) -> Bell {
        let checked = try settings.checked()
        guard let group = GroupName(checked.appGroup) else {
            throw BellError(.badSetting, "[AppGroup] Name=: expected \(GroupName.rule)")
        }
        raiseDescriptorLimit()
        do throws(SystemError) {
            var environment = Environment.allOfThisProcess()
            let folder = try ServeFolder(in: ServeFolder.places(in: environment))
            for setting in Setting.allCases { environment[setting.environmentVariable] = checked.text(of: setting) }
            for (name, value) in folder.variables(socketPath: folder.socketPath) { environment[name] = value }
            let worker = ServedWorker(try workerPath(environment), environment: environment)
            let bell = Bell(folder, group: group, on: try LoopExecutor.onOwnThread())
            try await bell.serve(worker)
            return bell
        } catch {
            throw BellError(.notServed, "no push socket can be served: \(error)")
        }
    }

    /// The bell of the test that runs now, whose ``Testing/Trait/belfry`` it is.
    public static var bell: Bell {
        get throws(BellError) {
            guard let bell = Bell.current else {
                throw BellError(.noBell, "no bell runs here: give the test or its suite the trait .belfry")
            }
            return bell
        }
    }

    /// Where `belfry-worker` is: beside the running program, where SwiftPM builds it, else in PATH.
    private static func workerPath(_ environment: [String: String]) throws(SystemError) -> String {
        let folders = (environment["PATH"] ?? "").split(separator: ":")
        let places = [programBeside("belfry-worker") ?? ""] + folders.map { "\($0)/belfry-worker" }
        guard let path = places.first(where: { unsafe access($0, X_OK) == 0 }) else {
            throw SystemError(errno: ENOENT, call: "access", subject: "belfry-worker at \(places[0]) or in PATH")
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
        /// The bell has been stopped.
        case stopped
        /// No such call rings.
        case noSuchCall
        /// What was done could not be recorded.
        case notRecorded
        /// What was waited for did not come in time, or cannot come any more.
        case didNotCome
    }

    /// What kind of failure it is.
    public let code: Code
    /// What failed, for people; text from outside in it is escaped.
    public let description: String

    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}
