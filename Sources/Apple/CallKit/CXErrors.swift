public import BelfryAppleGround
import Foundation

/// The domain of ``CXErrorCodeNotificationServiceExtensionError``.
public let CXErrorDomainNotificationServiceExtension = "com.apple.CallKit.error.notificationserviceextension"

/// Why a notification service extension may not hand a call to its app. Source: Apple,
/// `CXErrorCodeNotificationServiceExtensionError`.
public struct CXErrorCodeNotificationServiceExtensionError: CodedError, LocalizedError, Hashable, Sendable {
    /// Why.
    public enum Code: Int, Sendable {
        /// The reason is unknown.
        case unknown
        /// The caller is no notification service extension.
        case invalidClientProcess
        /// The extension may not keep notifications back.
        case missingNotificationFilteringEntitlement

        /// Whether `error` has this code.
        public static func ~= (code: Code, error: any Error) -> Bool {
            hasCode(error, CXErrorDomainNotificationServiceExtension, code.rawValue)
        }
    }

    /// Why.
    public let code: Code

    /// An error.
    public init(_ code: Code) { self.code = code }

    /// The reason is unknown.
    public static var unknown: Code { .unknown }
    /// The caller is no notification service extension.
    public static var invalidClientProcess: Code { .invalidClientProcess }
    /// The extension may not keep notifications back.
    public static var missingNotificationFilteringEntitlement: Code { .missingNotificationFilteringEntitlement }

    /// ``CXErrorDomainNotificationServiceExtension``.
    public static var errorDomain: String { CXErrorDomainNotificationServiceExtension }
    /// The code in words.
    public var errorDescription: String? {
        switch code {
        case .unknown: "The call could not be handed to the app"
        case .invalidClientProcess: "Only a notification service extension hands a call to its app"
        case .missingNotificationFilteringEntitlement: "The extension has no notification filtering entitlement"
        }
    }
}

/// Whether `error` has this code in this domain: as a struct, or as an `NSError`.
func hasCode(_ error: any Error, _ domain: String, _ code: Int) -> Bool {
    let error = error as NSError
    return error.domain == domain && error.code == code
}
