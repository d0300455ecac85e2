/// What the package of a new app has of its own: a delegate that makes a registry and a provider, a test, and a push of
/// a call for it.
enum AppTemplate {
    /// The class of the template that the program runs.
    static let className = "AppDelegate"

    /// Its sources, by their names.
    static let sources = [
        PackageTemplate.File(path: "\(className).swift", text: delegate),
        PackageTemplate.File(path: "CallManager.swift", text: calls),
        PackageTemplate.File(path: "IncomingCall.swift", text: call),
        PackageTemplate.File(path: "PushManager.swift", text: pushes),
    ]

    /// The delegate of an app whose other classes are the developer's.
    static let bareDelegate = """
        import UIKit

        class AppDelegate: UIResponder, UIApplicationDelegate {
            func application(
                _ application: UIApplication,
                didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
            ) -> Bool {
                // Make your registry and your provider here: both have to be there before a push is handed over.
                true
            }
        }

        """

    static let program = """
        import UIKit

        UIApplication.run($())

        """

    static let payload = PackageTemplate.File(
        path: "call.apns",
        text: """
            {"pushType": "voip",
             "payload": {"callId": "abc-123", "callerName": "Jane Doe", "handle": "+1234567890", "hasVideo": false}}

            """)

    /// What `Info.plist` says of an app beside its identifier.
    static func information(target: String) -> String {
        """
            <key>CFBundleExecutable</key>
            <string>\(target)</string>
            <key>CFBundleDisplayName</key>
            <string>\(target.hasSuffix("App") && target != "App" ? String(target.dropLast(3)) : target)</string>
            <key>UIBackgroundModes</key>
            <array>
                <string>voip</string>
            </array>
            <key>aps-environment</key>
            <string>development</string>

        """
    }

    private static let delegate = """
        import UIKit

        class AppDelegate: UIResponder, UIApplicationDelegate {
            private let calls = CallManager()
            private var pushes: PushManager?

            func application(
                _ application: UIApplication,
                didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
            ) -> Bool {
                pushes = PushManager(calls: calls)
                return true
            }
        }

        """

    private static let pushes = """
        import PushKit

        /// Receives the pushes that bring calls.
        final class PushManager: NSObject, PKPushRegistryDelegate {
            private let calls: CallManager
            private let registry = PKPushRegistry(queue: .main)

            init(calls: CallManager) {
                self.calls = calls
                super.init()
                registry.delegate = self
                registry.desiredPushTypes = [.voIP]
            }

            func pushRegistry(
                _ registry: PKPushRegistry, didUpdate credentials: PKPushCredentials, for type: PKPushType
            ) {
                // Your server pushes calls to this token.
                print("voip token \\(credentials.token.map { String(format: "%02x", $0) }.joined())")
            }

            func pushRegistry(
                _ registry: PKPushRegistry, didReceiveIncomingPushWith payload: PKPushPayload, for type: PKPushType,
                completion: @escaping () -> Void
            ) {
                // Before this method returns: iOS kills an app that reports its call later.
                calls.report(IncomingCall(payload.dictionaryPayload), completion: completion)
            }
        }

        """

    private static let calls = """
        import CallKit

        /// Reports calls to the system, and does what the person chooses.
        final class CallManager: NSObject, CXProviderDelegate {
            private let provider: CXProvider

            override init() {
                let configuration = CXProviderConfiguration()
                configuration.supportedHandleTypes = [.generic, .phoneNumber]
                configuration.supportsVideo = true
                provider = CXProvider(configuration: configuration)
                super.init()
                provider.setDelegate(self, queue: nil)
            }

            func report(_ call: IncomingCall, completion: @escaping () -> Void) {
                provider.reportNewIncomingCall(with: call.uuid, update: call.update) { error in
                    if let error { print("\\(call.name) does not ring: \\(error)") }
                    completion()
                }
            }

            func provider(_ provider: CXProvider, perform action: CXAnswerCallAction) {
                // Connect the call, then:
                action.fulfill()
            }

            func provider(_ provider: CXProvider, perform action: CXEndCallAction) {
                // End the call, or tell your server that it was declined, then:
                action.fulfill()
            }

            func provider(_ provider: CXProvider, didActivate audioSession: AVAudioSession) {
                // Start what is heard.
            }

            func provider(_ provider: CXProvider, didDeactivate audioSession: AVAudioSession) {
                // Stop what is heard.
            }

            func providerDidReset(_ provider: CXProvider) {
                // All calls are over.
            }
        }

        """

    private static let call = """
        import CallKit

        /// A call as a push brings it.
        struct IncomingCall {
            let uuid = UUID()
            let name: String
            let handle: String
            let hasVideo: Bool

            /// What is missing in `payload` has a stand-in, since every push must be reported.
            init(_ payload: [AnyHashable: Any]) {
                handle = payload["handle"] as? String ?? "unknown"
                name = payload["callerName"] as? String ?? handle
                hasVideo = payload["hasVideo"] as? Bool ?? false
            }

            /// What the system shows of it.
            var update: CXCallUpdate {
                let update = CXCallUpdate()
                update.remoteHandle = CXHandle(type: handle.hasPrefix("+") ? .phoneNumber : .generic, value: handle)
                update.localizedCallerName = name
                update.hasVideo = hasVideo
                return update
            }
        }

        """

    /// The test of the class `name`, or of the developer's own: that calls are reported and answered.
    static func test(of name: String, in target: String, isOwn: Bool) -> String {
        let claim =
            isOwn
            ? """
            /// What your own push server sends goes into call.apns.
                @Test func isReported() async throws {
                    let bell = try Belfry.bell
                    try await bell.push(contentsOf: "call.apns").waitFor(.ringing)
                    try await bell.app.waitFor(.call) { $0.appCall?.state == .reported }
                }
            """
            : """
            @Test func answered() async throws {
                    let bell = try Belfry.bell
                    let call = try await bell.push(contentsOf: "call.apns")
                    try await call.waitFor(.ringing)
                    #expect(await bell.calls.first?.name == "Jane Doe")
                    try await bell.answer()
                    try await bell.app.waitFor(.action) { $0.action?.kind == .answer && $0.action?.state == .fulfilled }
                    try await bell.app.waitFor(.call) { $0.appCall?.state == .connected }
                }

                @Test func isReportedInTime() async throws {
                    let bell = try Belfry.bell
                    try await bell.push(contentsOf: "call.apns").waitFor(.ringing)
                    #expect(try await bell.app.events.allSatisfy { $0.warning == nil })
                }
            """
        return """
            import CallTesting
            import Testing
            @testable import \(target)

            @Suite(.belfry(app: \(name)(), resources: "\(PackageTemplate.resourceFolder)")) struct CallTests {
                \(claim)
            }

            """
    }
}
