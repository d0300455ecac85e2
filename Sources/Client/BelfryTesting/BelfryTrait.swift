public import Testing

/// Gives each test a bell of its own, which ``Belfry/bell`` is while the test runs.
public struct BelfryTrait: SuiteTrait, TestTrait, TestScoping {
    /// The settings of each bell.
    let settings: BellSettings

    /// Whether a suite's tests, and those of suites in it, have it too.
    public var isRecursive: Bool { true }

    /// Runs a test, or one case of it, with a bell.
    @concurrent
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let bell = try await Belfry.start(settings: settings)
        try await bell.provideScope(for: test, testCase: testCase) {
            try await Bell.$current.withValue(bell) { try await function() }
        }
    }
}

extension Trait where Self == BelfryTrait {
    /// A bell for each test; see ``Belfry/bell``.
    public static var belfry: Self { .belfry() }

    /// A bell with `settings` for each test; see ``Belfry/bell``.
    public static func belfry(settings: BellSettings = BellSettings()) -> Self { Self(settings: settings) }
}
