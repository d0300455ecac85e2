import BelfryAppGroup
import BelfryAppleGround
import BelfryPropertyList
import BelfryTerms
import Foundation
import KeeperChannel

/// A call that a notification service extension hands to its app, as if it had come as a voip push.
enum VoIPPayload {
    /// The entitlement that iOS asks for. On Linux it stands in the bundle's Info.plist, as a truth value.
    private static let entitlement = "com.apple.developer.usernotifications.filtering"
    /// The most payloads kept for the app; then the oldest are removed.
    private static let payloadsMax = 20
    private static let key = "payloads"
    private static let queue = DispatchQueue(label: "belfry.voip-payloads")

    /// Reports it to the keeper, keeps it for the app, and calls `completion`.
    static func handOver(_ payload: [AnyHashable: Any], _ completion: (@Sendable ((any Error)?) -> Void)?) {
        let refusal = refusal(of: payload)
        let json = refusal == nil ? try? JSONSerialization.data(withJSONObject: payload) : nil
        if let json { KeeperDoor.ask(Asked(CodeWord(.voipPayload), detail: "\(json.count) bytes")) }
        KeeperDoor.current.run(on: queue) {
            if let json { keep(String(decoding: json, as: UTF8.self)) }
            completion?(refusal)
        }
    }

    private static func refusal(
        of payload: [AnyHashable: Any]
    ) -> CXErrorCodeNotificationServiceExtensionError? {
        guard KeeperDoor.bundle.object(forInfoDictionaryKey: entitlement) as? Bool == true else {
            KeeperDoor.warn(
                .unsupported, "a voip payload without \(entitlement), which on Linux Info.plist has as true")
            return CXErrorCodeNotificationServiceExtensionError(.missingNotificationFilteringEntitlement)
        }
        guard JSONSerialization.isValidJSONObject(payload) else {
            KeeperDoor.warn(.unsupported, "a voip payload that is no JSON")
            return CXErrorCodeNotificationServiceExtensionError(.unknown)
        }
        return nil
    }

    private static func keep(_ payload: String) {
        KeeperDoor.changeFile(in: "voip-payloads") { edit in
            let kept = edit.root[key]?.arrayValue ?? []
            edit.root[key] = .array((kept + [.string(payload)]).suffix(payloadsMax))
        }
    }
}
