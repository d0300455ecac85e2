public import BelfryTesting
public import Testing
public import UserNotifications

/// Gives each test a bell of its own whose notifications go to an extension in this process; ``Belfry/bell`` is that
/// bell while the test runs.
public struct ExtensionTrait: SuiteTrait, TestTrait, TestScoping {
    let makeService: MakeService
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
        let bell = try await Belfry.start(makeService(), resources: resources, settings: settings, source: source)
        try await bell.provideScope(for: test, testCase: testCase) {
            try await Belfry.asApp(of: bell) {
                try await Bell.$current.withValue(bell) { try await function() }
            }
        }
    }
}

extension Trait where Self == ExtensionTrait {
    /// A bell for each test whose notifications go to an extension; see
    /// ``Belfry/running(_:resources:settings:source:_:)``.
    public static func belfry(
        running service: @autoclosure @escaping @Sendable () -> BelfryServiceExtension,
        resources: String? = nil, settings: BellSettings = BellSettings(), source: String = #filePath
    ) -> Self {
        Self(makeService: service, resources: resources, settings: settings, source: source)
    }
}
