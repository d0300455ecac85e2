import ExtensionTesting
import XCTest
@testable import OwnExtension

final class NotificationServiceXCTests: XCTestCase {
    func testAppendsModified() async throws {
        try await Belfry.running(NotificationService()) { bell in
            let push = try await bell.push(payload: ["aps": ["alert": ["title": "Hi"], "mutable-content": 1]])
            let delivered = try await push.waitFor(.delivered)
            XCTAssertEqual(delivered.content?.title, "Hi [modified]")
        }
    }
}
