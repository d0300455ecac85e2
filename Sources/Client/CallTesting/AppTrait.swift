public import BelfryTesting
public import Testing
public import UIKit

/// Gives each test a bell of its own whose voip pushes go to an app in this process; ``Belfry/bell`` is that bell while
/// the test runs.
public struct AppTrait: SuiteTrait, TestTrait, TestScoping {
    let makeDelegate: MakeDelegate
    let resources: String?
    let settings: BellSettings
    let source: String

    /// Whether a suite's tests, and those of suites in it, have it too.
    public var isRecursive: Bool { true }

    /// Runs a test, or one case of it, with a bell.
    @concurrent
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let bell = try await Belfry.start(app: makeDelegate(), resources: resources, settings: settings, source: source)
        try await bell.provideScope(for: test, testCase: testCase) {
            try await Belfry.asApp(of: bell) {
                try await Bell.$current.withValue(bell) { try await function() }
            }
        }
    }
}

extension Trait where Self == AppTrait {
    /// A bell for each test whose voip pushes go to an app; see
    /// ``Belfry/running(app:resources:settings:source:_:)``.
    public static func belfry(
        app delegate: @autoclosure @escaping @MainActor @Sendable () -> any UIApplicationDelegate,
        resources: String? = nil, settings: BellSettings = BellSettings(), source: String = #filePath
    ) -> Self {
        Self(makeDelegate: delegate, resources: resources, settings: settings, source: source)
    }
}
