import BelfryAppleGround
import BelfryTerms
import CallDirectory
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

/// Where a directory's numbers go. Source: Apple, `CXCallDirectoryExtensionContext`.
///
/// Entries are sent by 10,000 of a kind, and the call that fills a batch waits until that is taken. A fault is told as
/// its batch is refused, not as the entry is added; then the request is cancelled, and what else is added is ignored.
open class CXCallDirectoryExtensionContext: NSExtensionContext, @unchecked Sendable {
    /// Hears of refusals.
    open weak var delegate: (any CXCallDirectoryExtensionContextDelegate)?

    private let request: DirectoryRequest?

    /// A context without a request: what is done with it is refused.
    public override init() {
        request = nil
        super.init()
    }

    /// The context of `request`.
    package init(_ request: DirectoryRequest) {
        self.request = request
        super.init()
    }

    /// Whether only changes are wanted: the last load has succeeded, and the code that asks sends a difference.
    open var isIncremental: Bool { request?.isIncremental() ?? false }

    /// Blocks a number, which is larger than the last.
    open func addBlockingEntry(withNextSequentialPhoneNumber phoneNumber: CXCallDirectoryPhoneNumber) {
        ask { $0.add(phoneNumber, label: nil, to: .blocking) }
    }

    /// Blocks a number no longer.
    open func removeBlockingEntry(withPhoneNumber phoneNumber: CXCallDirectoryPhoneNumber) {
        ask { $0.remove(phoneNumber, from: .blocking) }
    }

    /// Blocks no number any longer.
    open func removeAllBlockingEntries() { ask { $0.removeAll(of: .blocking) } }

    /// Says whose a number is, which is larger than the last.
    open func addIdentificationEntry(
        withNextSequentialPhoneNumber phoneNumber: CXCallDirectoryPhoneNumber, label: String
    ) {
        ask { $0.add(phoneNumber, label: label, to: .identification) }
    }

    /// Says no longer whose a number is.
    open func removeIdentificationEntry(withPhoneNumber phoneNumber: CXCallDirectoryPhoneNumber) {
        ask { $0.remove(phoneNumber, from: .identification) }
    }

    /// Says of no number any longer whose it is.
    open func removeAllIdentificationEntries() { ask { $0.removeAll(of: .identification) } }

    /// All numbers are said. `completion` hears whether that came to nothing.
    @preconcurrency open func completeRequest(completionHandler completion: (@Sendable (Bool) -> Void)? = nil) {
        let completion = completion ?? { _ in }
        if !ask({ $0.complete(completion) }) { completion(true) }
    }

    /// All numbers are said. Whether that came to nothing.
    @discardableResult
    open func completeRequest() async -> Bool {
        await withCheckedContinuation { continuation in
            completeRequest { continuation.resume(returning: $0) }
        }
    }

    /// All numbers are said.
    @preconcurrency
    open override func completeRequest(
        returningItems items: [Any]?, completionHandler: (@Sendable (Bool) -> Void)? = nil
    ) {
        completeRequest(completionHandler: completionHandler)
    }

    /// Nothing is to change. Whoever has asked for the load gets `error`.
    open override func cancelRequest(withError error: any Error) {
        ask { request in
            request.cancel(error as NSError)
            return nil
        }
    }

    /// Carries out `body`, and tells the delegate if the request is refused by that. False if it is.
    @discardableResult
    private func ask(_ body: (DirectoryRequest) -> DirectoryFailure?) -> Bool {
        guard let request else {
            KeeperDoor.warn(.unsupported, "a CXCallDirectoryExtensionContext that no request has made")
            return false
        }
        guard let failure = body(request) else { return true }
        let code = CXErrorCodeCallDirectoryManagerError.Code(rawValue: failure.code.rawValue)
        delegate?.requestFailed(for: self, withError: CXErrorCodeCallDirectoryManagerError(code ?? .unknown))
        request.host.requestIsOver()
        return false
    }
}

/// What the delegate of a directory's context hears. Source: Apple, `CXCallDirectoryExtensionContextDelegate`.
public protocol CXCallDirectoryExtensionContextDelegate: NSObjectProtocol {
    /// What was added was refused, and the request with it.
    func requestFailed(for extensionContext: CXCallDirectoryExtensionContext, withError error: any Error)
}
