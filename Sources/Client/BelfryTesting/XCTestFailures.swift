import BelfrySyscalls
import Testing
import XCTest

/// Failures of XCTest's tests: those by a failed wait are reported at its line, too.
final class XCTestFailures: XCTestObservation, Sendable {
    private struct State {
        var isObserving = false
        var failures = 0
        var waits: [BellError] = []
    }

    /// How many failed waits are remembered that no failure has named yet: a test may catch some.
    private static let waitsMax = 100
    private static let state = LockedValue(State())

    /// How many failures there were since this was asked first.
    static var count: Int {
        if Test.current == nil { observe() }
        return state.withLock { $0.failures }
    }

    /// Remembers that a wait has failed with `error`, which may end the test.
    static func remember(_ error: BellError) {
        observe()
        state.withLock { $0.waits = ($0.waits + [error]).suffix(waitsMax) }
    }

    private static func observe() {
        let isFirst = state.withLock { state in
            defer { state.isObserving = true }
            return !state.isObserving
        }
        // While a test runs: XCTest's own thread waits for it, and reads the observers once it has failed or ended.
        if isFirst { XCTestObservationCenter.shared.addTestObserver(XCTestFailures()) }
    }

    /// Called by XCTest.
    func testCase(
        _ testCase: XCTestCase, didFailWithDescription description: String, inFile filePath: String?,
        atLine lineNumber: Int
    ) {
        let named = Self.state.withLock { state -> BellError? in
            state.failures += 1
            return state.waits.firstIndex { description.contains($0.description) }.map { state.waits.remove(at: $0) }
        }
        guard let named, let location = named.sourceLocation else { return }
        testCase.recordFailure(
            withDescription: named.description, inFile: location.filePath, atLine: location.line, expected: true)
    }
}
