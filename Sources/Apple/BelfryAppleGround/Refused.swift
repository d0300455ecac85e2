import BelfryTerms

// Parts of iOS's Foundation that code uses and Linux cannot provide: they compile, and fail at run time as Apple
// documents it, with a warning.

/// Coordinates files with other processes of iOS: there are none here, so it refuses.
open class NSFileCoordinator: NSObject {
    /// How to read.
    public struct ReadingOptions: OptionSet, Sendable {
        /// The options' bits.
        public let rawValue: UInt

        /// The options of these bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Without others saving first.
        public static let withoutChanges = ReadingOptions(rawValue: 1 << 0)
    }

    /// How to write.
    public struct WritingOptions: OptionSet, Sendable {
        /// The options' bits.
        public let rawValue: UInt

        /// The options of these bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// To delete.
        public static let forDeleting = WritingOptions(rawValue: 1 << 0)
        /// To replace.
        public static let forReplacing = WritingOptions(rawValue: 1 << 3)
    }

    /// A coordinator.
    public init(filePresenter: Any? = nil) { super.init() }

    /// Refused: `outError` says so, and `reader` is not called.
    open func coordinate(
        readingItemAt url: URL, options: ReadingOptions = [], error outError: UnsafeMutablePointer<NSError?>?,
        byAccessor reader: (URL) -> Void
    ) {
        unsafe refuse(outError)
    }

    /// Refused: `outError` says so, and `writer` is not called.
    open func coordinate(
        writingItemAt url: URL, options: WritingOptions = [], error outError: UnsafeMutablePointer<NSError?>?,
        byAccessor writer: (URL) -> Void
    ) {
        unsafe refuse(outError)
    }

    private func refuse(_ outError: UnsafeMutablePointer<NSError?>?) {
        KeeperDoor.warn(.unsupported, "NSFileCoordinator")
        unsafe outError?.pointee = Refusal.error
    }
}

/// Data that another app offers: there is none.
open class NSItemProvider: NSObject {
    /// The domain of its errors.
    public static let errorDomain = "NSItemProviderErrorDomain"

    /// A provider of nothing.
    public override init() { super.init() }

    /// A provider of the file at `fileURL`, which is never loaded.
    public convenience init?(contentsOf fileURL: URL!) { self.init() }

    /// None.
    open var registeredTypeIdentifiers: [String] { [] }

    /// False.
    open func hasItemConformingToTypeIdentifier(_ typeIdentifier: String) -> Bool { false }

    /// Refused: the handler gets an error that the item is not available.
    @preconcurrency open func loadItem(
        forTypeIdentifier typeIdentifier: String, options: [AnyHashable: Any]? = nil,
        completionHandler: (@Sendable (Any?, (any Error)?) -> Void)? = nil
    ) {
        KeeperDoor.warn(.unsupported, "NSItemProvider")
        DispatchQueue.global().async {
            completionHandler?(nil, NSError(domain: NSItemProvider.errorDomain, code: -1_000, userInfo: nil))
        }
    }
}

/// What a server says to prove who it is. There is never one here: what loads web addresses has checked the server
/// already, by the system's certificates, and asks nobody.
public final class SecTrust: Sendable {
    private init() {}
}

private enum Refusal {
    static var error: NSError {
        NSError(domain: NSCocoaErrorDomain, code: CocoaError.featureUnsupported.rawValue, userInfo: nil)
    }
}
