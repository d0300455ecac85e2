import BelfryAppDoor
import BelfryTerms
public import Foundation

/// Loads call directories. Source: Apple, `CXCallDirectoryManager`.
open class CXCallDirectoryManager: NSObject, @unchecked Sendable {
    /// Whether the person has enabled an extension.
    public enum EnabledStatus: Int, Sendable {
        /// That is not known.
        case unknown
        /// It is not enabled.
        case disabled
        /// It is enabled.
        case enabled
    }

    private static let one = CXCallDirectoryManager()
    private static let queue = DispatchQueue(label: "belfry.call-directory")

    /// The only one.
    open class var sharedInstance: CXCallDirectoryManager { one }

    /// Loads an extension's numbers anew; refused: none is found.
    @preconcurrency open func reloadExtension(
        withIdentifier identifier: String, completionHandler completion: (@Sendable ((any Error)?) -> Void)? = nil
    ) {
        refuse("reloadExtension(withIdentifier: \(identifier))") {
            completion?(CXErrorCodeCallDirectoryManagerError(.noExtensionFound))
        }
    }

    /// Asks if the person has enabled an extension; refused: none is found.
    @preconcurrency open func getEnabledStatusForExtension(
        withIdentifier identifier: String,
        completionHandler completion: @escaping @Sendable (EnabledStatus, (any Error)?) -> Void
    ) {
        refuse("getEnabledStatusForExtension(withIdentifier: \(identifier))") {
            completion(.unknown, CXErrorCodeCallDirectoryManagerError(.noExtensionFound))
        }
    }

    /// Opens the settings of call directories; refused.
    @preconcurrency open func openSettings(completionHandler completion: (@Sendable ((any Error)?) -> Void)? = nil) {
        refuse("openSettings()") { completion?(CXErrorCodeCallDirectoryManagerError(.unknown)) }
    }

    /// Loads an extension's numbers anew; refused: none is found.
    open func reloadExtension(withIdentifier identifier: String) async throws {
        try await completion { reloadExtension(withIdentifier: identifier, completionHandler: $0) }
    }

    /// Asks if the person has enabled an extension; refused: none is found.
    open func enabledStatusForExtension(withIdentifier identifier: String) async throws -> EnabledStatus {
        try await withCheckedThrowingContinuation { continuation in
            getEnabledStatusForExtension(withIdentifier: identifier) { status, error in
                if let error { continuation.resume(throwing: error) } else { continuation.resume(returning: status) }
            }
        }
    }

    /// Opens the settings of call directories; refused.
    open func openSettings() async throws {
        try await completion { openSettings(completionHandler: $0) }
    }

    private func refuse(_ what: String, _ completion: @escaping @Sendable () -> Void) {
        AppDoor.current.warn(.unsupported, "CXCallDirectoryManager.\(what): there is no call directory yet")
        Self.queue.async(execute: completion)
    }
}
