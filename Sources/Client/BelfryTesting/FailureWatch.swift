import BelfrySyscalls
import Testing

/// Whether the test of a bell has failed, for what is shown of failed tests alone: in Swift Testing while this watches,
/// in XCTest since this was made, too.
final class FailureWatch: Sendable {
    private let hasNoted = LockedValue(false)
    /// How many failures XCTest had before.
    private let failuresBefore = XCTestFailures.count

    /// Whether it has failed by now: by an error, or by a failure that it recorded.
    var hasFailed: Bool { hasNoted.withLock { $0 } || XCTestFailures.count > failuresBefore }

    /// Calls `body`, the test or a part of it; what came of it.
    func watching<Value>(_ body: @escaping () async throws -> Value) async -> Result<Value, any Error> {
        guard let test = Test.current else { return noting(await Self.result(of: body)) }
        let lent = Lent(body: body)
        let scope = await watching(test, Test.Case.current) { lent.outcome = await Self.result(of: lent.body) }
        return noting(lent.outcome ?? scope.flatMap { .failure(CancellationError()) })
    }

    /// Calls `body` as what the scope of a test, or of one case of it, performs; what came of it.
    func watching(
        _ test: Test, _ testCase: Test.Case?, _ body: @Sendable () async throws -> Void
    ) async -> Result<Void, any Error> {
        let trait: IssueHandlingTrait = .compactMapIssues { issue in
            if issue.isFailure { self.note() }
            return issue
        }
        return noting(
            await Self.result { try await trait.provideScope(for: test, testCase: testCase, performing: body) })
    }

    private func noting<Value>(_ outcome: Result<Value, any Error>) -> Result<Value, any Error> {
        if case .failure(let error) = outcome, !(error is CancellationError) { note() }
        return outcome
    }

    private func note() { hasNoted.withLock { $0 = true } }

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
