package import Testing

/// Where a test waits.
package struct WaitPlace: Sendable {
    let location: SourceLocation

    init(_ fileID: String, _ filePath: String, _ line: Int, _ column: Int) {
        location = SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    }

    /// The line at `location`.
    package init(_ location: SourceLocation) { self.location = location }

    /// Why the wait failed, with its place before it.
    func failure(_ text: String) -> BellError {
        let error = BellError(.didNotCome, "\(location.fileID):\(location.line): \(text)", at: location)
        if Test.current == nil { XCTestFailures.remember(error) }
        return error
    }
}

/// Has waits that fail reported where they stand, and not at the beginning of their test.
enum FailedWait {
    /// Calls `body`; a wait that failed in it is recorded at its line, and then this returns, as the test has failed.
    static func recorded(_ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch let error as BellError {
            guard let location = error.sourceLocation else { throw error }
            Issue.record(error, sourceLocation: location)
        }
    }

    /// What to throw for `error` where only an error ends the test: one that Swift Testing does not report once more.
    static func recorded(_ error: any Error) -> any Error {
        guard Test.current != nil, let failed = error as? BellError, let location = failed.sourceLocation else {
            return error
        }
        do {
            let hasCome = false
            try #require(hasCome, Comment(rawValue: "\(failed)"), sourceLocation: location)
            return error
        } catch {
            return error
        }
    }
}
