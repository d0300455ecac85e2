import ExtensionTesting
import Testing
@testable import OwnExtension

@Suite(.belfry(running: NotificationService(), resources: "Resources"))
struct NotificationServiceTests {
    @Test func appendsModified() async throws {
        let push = try await Belfry.bell.push(contentsOf: "payload.apns")
        #expect(try await push.waitFor(.delivered).content?.title == "Hello [modified]")
    }
}
