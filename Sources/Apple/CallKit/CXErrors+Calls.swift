// Apple's errors of CallKit. Source: the headers of the iPhoneOS 16.5 SDK, names and numbers.

public import BelfryAppleGround
import Foundation

/// The domain of ``CXError``.
public let CXErrorDomain = "com.apple.CallKit.error"

/// CallKit refuses to do something. Source: Apple, `CXError`.
public struct CXError: CodedError, Hashable, Sendable {
    /// Why. An error matches the pattern of its code, be it this type or an `NSError`.
    public enum Code: Int, Sendable {
        /// The reason is unknown.
        case unknownError = 0
        /// The app may not do that.
        case unentitled
        /// An argument makes no sense.
        case invalidArgument
        /// The app's `UIBackgroundModes` lacks `voip`.
        case missingVoIPBackgroundMode

        /// Whether `error` has this code.
        public static func ~= (code: Code, error: any Error) -> Bool {
            hasCode(error, CXErrorDomain, code.rawValue)
        }
    }

    /// Why.
    public let code: Code

    /// An error.
    public init(_ code: Code) { self.code = code }

    /// The reason is unknown.
    public static var unknownError: Code { .unknownError }
    /// The app may not do that.
    public static var unentitled: Code { .unentitled }
    /// An argument makes no sense.
    public static var invalidArgument: Code { .invalidArgument }
    /// The app's `UIBackgroundModes` lacks `voip`.
    public static var missingVoIPBackgroundMode: Code { .missingVoIPBackgroundMode }

    /// ``CXErrorDomain``.
    public static var errorDomain: String { CXErrorDomain }
}

/// The domain of ``CXErrorCodeIncomingCallError``.
public let CXErrorDomainIncomingCall = "com.apple.CallKit.error.incomingcall"

/// A report of an incoming call is refused: nothing rings. Source: Apple, `CXErrorCodeIncomingCallError`.
public struct CXErrorCodeIncomingCallError: CodedError, Hashable, Sendable {
    /// Why. An error matches the pattern of its code, be it this type or an `NSError`.
    public enum Code: Int, Sendable {
        /// The reason is unknown.
        case unknown = 0
        /// The app may not report calls.
        case unentitled
        /// A call has that UUID.
        case callUUIDAlreadyExists
        /// The person does not want to be disturbed.
        case filteredByDoNotDisturb
        /// The person has blocked the caller.
        case filteredByBlockList
        /// The device is shared, and restricted.
        case filteredDuringRestrictedSharingMode
        /// The app is hidden or protected.
        case callIsProtected
        /// A participant is sensitive.
        case filteredBySensitiveParticipants

        /// Whether `error` has this code.
        public static func ~= (code: Code, error: any Error) -> Bool {
            hasCode(error, CXErrorDomainIncomingCall, code.rawValue)
        }
    }

    /// Why.
    public let code: Code

    /// An error.
    public init(_ code: Code) { self.code = code }

    /// The reason is unknown.
    public static var unknown: Code { .unknown }
    /// The app may not report calls.
    public static var unentitled: Code { .unentitled }
    /// A call has that UUID.
    public static var callUUIDAlreadyExists: Code { .callUUIDAlreadyExists }
    /// The person does not want to be disturbed.
    public static var filteredByDoNotDisturb: Code { .filteredByDoNotDisturb }
    /// The person has blocked the caller.
    public static var filteredByBlockList: Code { .filteredByBlockList }
    /// The device is shared, and restricted.
    public static var filteredDuringRestrictedSharingMode: Code { .filteredDuringRestrictedSharingMode }
    /// The app is hidden or protected.
    public static var callIsProtected: Code { .callIsProtected }
    /// A participant is sensitive.
    public static var filteredBySensitiveParticipants: Code { .filteredBySensitiveParticipants }

    /// ``CXErrorDomainIncomingCall``.
    public static var errorDomain: String { CXErrorDomainIncomingCall }
}

/// The domain of ``CXErrorCodeRequestTransactionError``.
public let CXErrorDomainRequestTransaction = "com.apple.CallKit.error.requesttransaction"

/// A transaction is refused: none of its actions is performed. Source: Apple, `CXErrorCodeRequestTransactionError`.
public struct CXErrorCodeRequestTransactionError: CodedError, Hashable, Sendable {
    /// Why. An error matches the pattern of its code, be it this type or an `NSError`.
    public enum Code: Int, Sendable {
        /// The reason is unknown.
        case unknown = 0
        /// The app may not ask for it.
        case unentitled
        /// The app has no provider.
        case unknownCallProvider
        /// It has no action.
        case emptyTransaction
        /// No call has that UUID.
        case unknownCallUUID
        /// A call has that UUID.
        case callUUIDAlreadyExists
        /// An action is not possible now.
        case invalidAction
        /// There are as many groups of calls as the provider allows.
        case maximumCallGroupsReached
        /// The app is hidden or protected.
        case callIsProtected

        /// Whether `error` has this code.
        public static func ~= (code: Code, error: any Error) -> Bool {
            hasCode(error, CXErrorDomainRequestTransaction, code.rawValue)
        }
    }

    /// Why.
    public let code: Code

    /// An error.
    public init(_ code: Code) { self.code = code }

    /// The reason is unknown.
    public static var unknown: Code { .unknown }
    /// The app may not ask for it.
    public static var unentitled: Code { .unentitled }
    /// The app has no provider.
    public static var unknownCallProvider: Code { .unknownCallProvider }
    /// It has no action.
    public static var emptyTransaction: Code { .emptyTransaction }
    /// No call has that UUID.
    public static var unknownCallUUID: Code { .unknownCallUUID }
    /// A call has that UUID.
    public static var callUUIDAlreadyExists: Code { .callUUIDAlreadyExists }
    /// An action is not possible now.
    public static var invalidAction: Code { .invalidAction }
    /// There are as many groups of calls as the provider allows.
    public static var maximumCallGroupsReached: Code { .maximumCallGroupsReached }
    /// The app is hidden or protected.
    public static var callIsProtected: Code { .callIsProtected }

    /// ``CXErrorDomainRequestTransaction``.
    public static var errorDomain: String { CXErrorDomainRequestTransaction }
}

/// The domain of ``CXErrorCodeCallDirectoryManagerError``.
public let CXErrorDomainCallDirectoryManager = "com.apple.CallKit.error.calldirectorymanager"

/// A call directory cannot be loaded. Source: Apple, `CXErrorCodeCallDirectoryManagerError`.
public struct CXErrorCodeCallDirectoryManagerError: CodedError, Hashable, Sendable {
    /// Why. An error matches the pattern of its code, be it this type or an `NSError`.
    public enum Code: Int, Sendable {
        /// The reason is unknown.
        case unknown = 0
        /// There is no such extension.
        case noExtensionFound
        /// Loading did not come to its end.
        case loadingInterrupted
        /// The numbers do not ascend.
        case entriesOutOfOrder
        /// A number comes twice.
        case duplicateEntries
        /// There are too many numbers.
        case maximumEntriesExceeded
        /// The person has not enabled the extension.
        case extensionDisabled
        /// It is being loaded.
        case currentlyLoading
        /// Something is removed, and the load is not incremental.
        case unexpectedIncrementalRemoval

        /// Whether `error` has this code.
        public static func ~= (code: Code, error: any Error) -> Bool {
            hasCode(error, CXErrorDomainCallDirectoryManager, code.rawValue)
        }
    }

    /// Why.
    public let code: Code

    /// An error.
    public init(_ code: Code) { self.code = code }

    /// The reason is unknown.
    public static var unknown: Code { .unknown }
    /// There is no such extension.
    public static var noExtensionFound: Code { .noExtensionFound }
    /// Loading did not come to its end.
    public static var loadingInterrupted: Code { .loadingInterrupted }
    /// The numbers do not ascend.
    public static var entriesOutOfOrder: Code { .entriesOutOfOrder }
    /// A number comes twice.
    public static var duplicateEntries: Code { .duplicateEntries }
    /// There are too many numbers.
    public static var maximumEntriesExceeded: Code { .maximumEntriesExceeded }
    /// The person has not enabled the extension.
    public static var extensionDisabled: Code { .extensionDisabled }
    /// It is being loaded.
    public static var currentlyLoading: Code { .currentlyLoading }
    /// Something is removed, and the load is not incremental.
    public static var unexpectedIncrementalRemoval: Code { .unexpectedIncrementalRemoval }

    /// ``CXErrorDomainCallDirectoryManager``.
    public static var errorDomain: String { CXErrorDomainCallDirectoryManager }
}
