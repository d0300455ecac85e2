import BelfrySyscalls
import Testing
import XCTest

/// Whether the test that runs has failed, for what is shown of failed tests alone.
enum FailureWatch {
    /// Calls `body`; also says if the test has failed meanwhile: by an error, or by a failure that it recorded.
    static func watching<Value>(
        _ body: @escaping () async throws -> Value
    ) async -> (outcome: Result<Value, any Error>, hasFailed: Bool) {
        guard let test = Test.current else {
            let before = XCTestFailureCount.now()
            let outcome = await result(of: body)
            return (outcome, isFailure(outcome) || XCTestFailureCount.now() > before)
        }
        let lent = Lent(body: body)
        let (scope, hasFailed) = await watching(test, Test.Case.current) { lent.outcome = await result(of: lent.body) }
        let outcome = lent.outcome ?? scope.flatMap { .failure(CancellationError()) }
        return (outcome, hasFailed || isFailure(outcome))
    }

    /// Calls `body` as what the scope of a test, or of one case of it, performs.
    static func watching(
        _ test: Test, _ testCase: Test.Case?, _ body: @Sendable () async throws -> Void
    ) async -> (outcome: Result<Void, any Error>, hasFailed: Bool) {
        let issues = LockedValue(0)
        let trait: IssueHandlingTrait = .compactMapIssues { issue in
            if issue.isFailure { issues.withLock { $0 += 1 } }
            return issue
        }
        let outcome = await result(of: { try await trait.provideScope(for: test, testCase: testCase, performing: body) }
        )
        return (outcome, isFailure(outcome) || issues.withLock { $0 } > 0)
    }

    private static func isFailure<Value>(_ outcome: Result<Value, any Error>) -> Bool {
        if case .failure(let error) = outcome { !(error is CancellationError) } else { false }
    }

    private static func result<Value>(of body: () async throws -> Value) async -> Result<Value, any Error> {
        do { return .success(try await body()) } catch { return .failure(error) }
    }

    /// A closure on its way through a scope, which takes none but those that any thread may call. One task at a time
    /// uses it: who lends it awaits the scope.
    private final class Lent<Value>: @unchecked Sendable {
        let body: () async throws -> Value
        var outcome: Result<Value, any Error>?

        init(body: @escaping () async throws -> Value) { self.body = body }
    }
}

/// How many failures XCTest's tests had.
private final class XCTestFailureCount: XCTestObservation, Sendable {
    private struct State {
        var isObserving = false
        var failures = 0
    }

    private static let state = LockedValue(State())

    /// The number since this was asked first: by a test that runs, while XCTest's own thread waits for it.
    static func now() -> Int {
        let isFirst = state.withLock { state in
            defer { state.isObserving = true }
            return !state.isObserving
        }
        if isFirst { XCTestObservationCenter.shared.addTestObserver(XCTestFailureCount()) }
        return state.withLock { $0.failures }
    }

    /// Called by XCTest.
    func testCase(_: XCTestCase, didFailWithDescription _: String, inFile _: String?, atLine _: Int) {
        Self.state.withLock { $0.failures += 1 }
    }
}
