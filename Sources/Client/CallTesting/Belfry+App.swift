public import BelfryTesting
public import UIKit

/// Makes the delegate of the app that is tested, as its launch does.
typealias MakeDelegate = @MainActor @Sendable () -> any UIApplicationDelegate

extension Belfry {
    /// Runs `body` with a bell whose voip pushes go to an app in this process; see ``running(settings:_:)``.
    ///
    /// ```swift
    /// try await Belfry.running(app: AppDelegate()) { bell in
    ///     let call = try await bell.push(contentsOf: "call.apns")
    ///     try await call.waitFor(.ringing)
    ///     try await bell.answer()
    ///     try await bell.app.waitFor(.call) { $0.appCall?.state == .connected }
    /// }
    /// ```
    ///
    /// The app is launched once the bell serves, and ends with it: its delegate is asked to terminate and let go. A
    /// process has one app at a time: others wait for their turn.
    ///
    /// - Parameters:
    ///   - delegate: evaluated on the main actor, once for each bell.
    ///   - resources: the folder with what the app's bundle has beside its program, such as its `Info.plist`; a
    ///     relative path is looked for as by ``Bell/push(contentsOf:source:)``.
    @discardableResult
    public static func running<Result>(
        app delegate: @autoclosure @escaping @MainActor @Sendable () -> any UIApplicationDelegate,
        resources: String? = nil, settings: BellSettings = BellSettings(), source: String = #filePath,
        _ body: @escaping (Bell) async throws -> Result
    ) async throws -> Result {
        let bell = try await start(app: delegate(), resources: resources, settings: settings, source: source)
        return try await bell.running { bell in try await asApp(of: bell) { try await body(bell) } }
    }

    /// A bell whose voip pushes go to an app in this process, until ``Bell/stop()``: for `setUp` and `tearDown` of
    /// XCTest. See ``running(app:resources:settings:source:_:)``.
    public static func start(
        app delegate: @autoclosure @escaping @MainActor @Sendable () -> any UIApplicationDelegate,
        resources: String? = nil, settings: BellSettings = BellSettings(), source: String = #filePath
    ) async throws(BellError) -> Bell {
        let folder: String? = if let resources { try TestFile.find(resources, near: source) } else { nil }
        let bell = try await start(settings: settings) { place throws(BellError) in
            let app = try BellApp(at: place, holder: source, resources: folder, delegate)
            try await app.takeTurn()
            return app
        }
        do throws(BellError) {
            try await bell.app.launch(at: bell.callsSocketPath)
        } catch {
            await bell.stop()
            throw error
        }
        return bell
    }

    /// Calls `body` as code of the app that `bell` has.
    static func asApp<Result>(of bell: Bell, _ body: () async throws -> Result) async throws -> Result {
        try await ProcessTurn.$isMine.withValue(true) { try await bell.app.run(body) }
    }
}

extension Bell {
    /// Its app, and what that does.
    ///
    /// Throws ``BellError/Code/noApp`` if the bell was made without one.
    public nonisolated var app: BellApp {
        get throws(BellError) {
            if let app = standIn as? BellApp { return app }
            throw BellError(.noApp, "this bell has no app: give the test .belfry(app:), or Belfry.running(app:)")
        }
    }
}
