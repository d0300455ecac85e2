import BelfryAppGroup
import BelfryAppleGround
import BelfryPropertyList
import BelfryTerms
@_exported public import Foundation
import KeeperChannel

/// Reports an app's calls to the system; here only the part that a notification service extension may use. Source:
/// Apple, `CXProvider`.
open class CXProvider: NSObject {
    /// The entitlement that iOS asks for. On Linux it stands in the bundle's Info.plist, as a truth value.
    private static let entitlement = "com.apple.developer.usernotifications.filtering"
    /// The most payloads kept for the app; then the oldest are removed.
    private static let payloadsMax = 20
    private static let key = "payloads"
    private static let queue = DispatchQueue(label: "belfry.voip-payloads")

    /// Hands a call to the app, as if it had come as a voip push: reports it to the keeper, and keeps the payload for
    /// the app as JSON, below `voip-payloads/` in the state directory. Then calls `completion`, on another thread.
    ///
    /// Fails without the filtering entitlement, and with a payload that is no JSON.
    open class func reportNewIncomingVoIPPushPayload(
        _ dictionaryPayload: [AnyHashable: Any], completion: (@Sendable ((any Error)?) -> Void)?
    ) {
        let refusal = refusal(of: dictionaryPayload)
        let json = refusal == nil ? try? JSONSerialization.data(withJSONObject: dictionaryPayload) : nil
        if let json { KeeperDoor.ask(Asked(CodeWord(.voipPayload), detail: "\(json.count) bytes")) }
        KeeperDoor.current.run(on: queue) {
            if let json { keep(String(decoding: json, as: UTF8.self)) }
            completion?(refusal)
        }
    }

    /// Hands a call to the app, as ``reportNewIncomingVoIPPushPayload(_:completion:)`` does.
    open class func reportNewIncomingVoIPPushPayload(_ dictionaryPayload: [AnyHashable: Any]) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            reportNewIncomingVoIPPushPayload(dictionaryPayload) { error in
                if let error { continuation.resume(throwing: error) } else { continuation.resume() }
            }
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
