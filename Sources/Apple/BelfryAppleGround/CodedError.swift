public import Foundation

/// An error of Apple's: a struct with a code, in a domain.
///
/// On Apple's systems each error is an `NSError` as well, and a compiler takes `catch let error as NSError` for a
/// clause that catches everything. On Linux a cast decides at run time, and only a type with a bridge passes it:
/// without one such a clause is passed over, and what follows is undefined.
public protocol CodedError: CustomNSError, _ObjectiveCBridgeable where _ObjectiveCType == NSError {
    /// What its codes are.
    associatedtype Code: RawRepresentable<Int>

    /// Why.
    var code: Code { get }

    /// An error.
    init(_ code: Code)
}

extension CodedError {
    /// The code's number.
    public var errorCode: Int { code.rawValue }

    /// Its words if it has any: Foundation looks for them here alone.
    public var errorUserInfo: [String: Any] {
        (self as? any LocalizedError)?.errorDescription.map { [NSLocalizedDescriptionKey: $0] } ?? [:]
    }

    /// The error as an `NSError`.
    public func _bridgeToObjectiveC() -> NSError {
        NSError(domain: Self.errorDomain, code: errorCode, userInfo: errorUserInfo)
    }

    /// The error that `error` is.
    public static func _forceBridgeFromObjectiveC(_ error: NSError, result: inout Self?) {
        guard _conditionallyBridgeFromObjectiveC(error, result: &result) else {
            preconditionFailure("\(error) is none of \(errorDomain)")
        }
    }

    /// The error that `error` is, if it has this domain and one of its codes.
    public static func _conditionallyBridgeFromObjectiveC(_ error: NSError, result: inout Self?) -> Bool {
        result = error.domain == errorDomain ? Code(rawValue: error.code).map { Self($0) } : nil
        return result != nil
    }

    /// The error that `error` is.
    public static func _unconditionallyBridgeFromObjectiveC(_ error: NSError?) -> Self {
        var result: Self?
        if let error { _forceBridgeFromObjectiveC(error, result: &result) }
        guard let result else { preconditionFailure("no error is none of \(errorDomain)") }
        return result
    }
}
