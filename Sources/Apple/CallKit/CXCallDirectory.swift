// The call directory: its names are here, and there is none yet.

import BelfryAppDoor
import BelfryAppleGround
import BelfryTerms
public import Foundation

/// A phone number: country code and national number as digits.
public typealias CXCallDirectoryPhoneNumber = Int64

/// The largest phone number.
public let CXCallDirectoryPhoneNumberMax: CXCallDirectoryPhoneNumber = .max - 1

/// The class of an extension that says whom to block, and who it is that calls. Source: Apple,
/// `CXCallDirectoryProvider`.
open class CXCallDirectoryProvider: NSObject, NSExtensionRequestHandling {
    /// A provider.
    public override init() { super.init() }

    /// The numbers are wanted.
    open func beginRequest(with context: CXCallDirectoryExtensionContext) {}

    /// Numbers are wanted, if the context is one of the directory's.
    open func beginRequest(with context: NSExtensionContext) {
        if let context = context as? CXCallDirectoryExtensionContext { beginRequest(with: context) }
    }
}

/// What the delegate of a directory's context hears. Source: Apple, `CXCallDirectoryExtensionContextDelegate`.
public protocol CXCallDirectoryExtensionContextDelegate: NSObjectProtocol {
    /// What was added was refused, and the request with it.
    func requestFailed(for extensionContext: CXCallDirectoryExtensionContext, withError error: any Error)
}

/// Where a directory's numbers go. Source: Apple, `CXCallDirectoryExtensionContext`.
open class CXCallDirectoryExtensionContext: NSExtensionContext, @unchecked Sendable {
    /// Hears of refusals.
    open weak var delegate: (any CXCallDirectoryExtensionContextDelegate)?

    /// Whether only changes are wanted.
    open var isIncremental: Bool { false }

    /// Blocks a number, which is larger than the last.
    open func addBlockingEntry(withNextSequentialPhoneNumber phoneNumber: CXCallDirectoryPhoneNumber) { refuse() }

    /// Blocks a number no longer.
    open func removeBlockingEntry(withPhoneNumber phoneNumber: CXCallDirectoryPhoneNumber) { refuse() }

    /// Blocks no number any longer.
    open func removeAllBlockingEntries() { refuse() }

    /// Says whose a number is, which is larger than the last.
    open func addIdentificationEntry(
        withNextSequentialPhoneNumber phoneNumber: CXCallDirectoryPhoneNumber, label: String
    ) {
        refuse()
    }

    /// Says no longer whose a number is.
    open func removeIdentificationEntry(withPhoneNumber phoneNumber: CXCallDirectoryPhoneNumber) { refuse() }

    /// Says of no number any longer whose it is.
    open func removeAllIdentificationEntries() { refuse() }

    /// All numbers are said.
    @preconcurrency open func completeRequest(completionHandler completion: (@Sendable (Bool) -> Void)? = nil) {
        refuse()
        completion?(true)
    }

    /// All numbers are said.
    @discardableResult
    open func completeRequest() async -> Bool {
        await withCheckedContinuation { continuation in
            completeRequest { continuation.resume(returning: $0) }
        }
    }

    private func refuse() { AppDoor.current.warn(.unsupported, "a call directory: there is none yet") }
}
