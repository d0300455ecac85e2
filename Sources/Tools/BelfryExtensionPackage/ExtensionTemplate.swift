/// What the package of a new notification service extension has of its own: the class that Xcode makes, its test, and a
/// push for it.
enum ExtensionTemplate {
    /// The class of the template.
    static let className = "NotificationService"

    /// Its sources, by their names.
    static let sources = [PackageTemplate.File(path: "\(className).swift", text: service)]

    static let program = """
        import ExtensionProcess

        ExtensionProcess.run($())

        """

    static let payload = PackageTemplate.File(
        path: "payload.apns",
        text: """
            {"aps": {"alert": {"title": "Hello", "body": "from a push"}, "mutable-content": 1}}

            """)

    /// What Xcode's template does.
    private static let service = """
        import UserNotifications

        class NotificationService: UNNotificationServiceExtension {
            private var contentHandler: ((UNNotificationContent) -> Void)?
            private var bestAttempt: UNMutableNotificationContent?

            override func didReceive(
                _ request: UNNotificationRequest, withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
            ) {
                self.contentHandler = contentHandler
                bestAttempt = request.content.mutableCopy() as? UNMutableNotificationContent
                guard let content = bestAttempt else { return contentHandler(request.content) }
                content.title += " [modified]"
                contentHandler(content)
            }

            override func serviceExtensionTimeWillExpire() {
                if let contentHandler, let bestAttempt { contentHandler(bestAttempt) }
            }
        }

        """

    /// The test of the class `name`: that it modifies the title, or, if it is the developer's own, that it replies long
    /// before its time is over.
    static func test(of name: String, in target: String, isOwn: Bool) -> String {
        let claim = isOwn ? "replies" : "appendsModified"
        let delivery = "try await push.waitFor(.delivered)"
        let expectation = isOwn ? delivery : "#expect(\(delivery).content?.title == \"Hello [modified]\")"
        return """
            import ExtensionTesting
            import Testing
            @testable import \(target)

            @Suite(.belfry(running: \(name)(), resources: "\(PackageTemplate.resourceFolder)"))
            struct \(className)Tests {
                @Test func \(claim)() async throws {
                    let push = try await Belfry.bell.push(contentsOf: "payload.apns")
                    \(expectation)
                }
            }

            """
    }
}
