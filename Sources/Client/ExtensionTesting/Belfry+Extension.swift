public import BelfryTesting
public import UserNotifications

/// Makes the extension anew for each notification.
typealias MakeService = @Sendable () -> BelfryServiceExtension

extension Belfry {
    /// Runs `body` with a bell whose notifications go to an extension in this process; see ``running(settings:_:)``.
    ///
    /// ```swift
    /// try await Belfry.running(NotificationService()) { bell in
    ///     let push = try await bell.push(contentsOf: "alert.apns")
    ///     #expect(try await push.waitFor(.delivered).content?.title == "Hello [modified]")
    /// }
    /// ```
    ///
    /// A process has one such bell at a time: others wait for their turn. In `body`
    /// `UserNotifications.UserDefaults(suiteName:)` is the one that the extension has.
    ///
    /// - Parameters:
    ///   - service: evaluated anew for each notification.
    ///   - resources: the folder with what the extension's bundle has beside its program, such as sounds and an
    ///     `Info.plist`; a relative path is looked for as by ``Bell/push(contentsOf:source:)``.
    @discardableResult
    public static func running<Result>(
        _ service: @autoclosure @escaping @Sendable () -> BelfryServiceExtension, resources: String? = nil,
        settings: BellSettings = BellSettings(), source: String = #filePath,
        _ body: @escaping (Bell) async throws -> Result
    ) async throws -> Result {
        let bell = try await start(service(), resources: resources, settings: settings, source: source)
        return try await bell.running { bell in try await asApp(of: bell) { try await body(bell) } }
    }

    /// Calls `body` as code of the app whose extension `bell` has.
    static func asApp<Result>(of bell: Bell, _ body: () async throws -> Result) async throws -> Result {
        guard let app = (bell.standIn as? LentExtension)?.app else { return try await body() }
        return try await ProcessTurn.$isMine.withValue(true) {
            try await app.run { try await body() }
        }
    }

    /// A bell whose notifications go to an extension in this process, until ``Bell/stop()``: for `setUp` and
    /// `tearDown` of XCTest. See ``running(_:resources:settings:source:_:)``.
    public static func start(
        _ service: @autoclosure @escaping @Sendable () -> BelfryServiceExtension, resources: String? = nil,
        settings: BellSettings = BellSettings(), source: String = #filePath
    ) async throws(BellError) -> Bell {
        let folder: String? = if let resources { try TestFile.find(resources, near: source) } else { nil }
        return try await start(settings: settings) { place throws(BellError) in
            let lent = LentExtension(at: place, holder: source, makeService: service)
            try await lent.settle(resources: folder)
            return lent
        }
    }
}
