import ExtensionTesting
import Testing
@testable import AppExtension

@Suite(.belfry(running: NotificationService())) struct NotificationServiceTests {
    @Test func appendsModified() async throws {
        let push = try await Belfry.bell.push(contentsOf: "alert.json")
        #expect(try await push.waitFor(.delivered).content?.title == "Hello [modified]")
    }
}
