public import BelfryAppleGround
@_exported public import Foundation

/// What somebody wants of an app, as a value. Source: Apple, `INIntent`.
open class INIntent: NSObject, NSCopying {
    /// What tells it from others.
    open var identifier: String? { nil }
    /// A text that Siri suggests.
    open var suggestedInvocationPhrase: String?
    /// What the app adds as it tells the system.
    open var donationMetadata: INIntentDonationMetadata?
    fileprivate var images: [AnyKeyPath: INImage] = [:]

    /// What is wanted of nobody in particular.
    public override init() { super.init() }

    /// Itself.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// What is written of it where it is kept.
    var donation: [String: String] { ["intent": "\(type(of: self))"] }
}

/// What has pictures of what it is made of.
public protocol INIntentSetImageKeyPath: NSObjectProtocol {}

extension INIntent: INIntentSetImageKeyPath {}

extension INIntentSetImageKeyPath where Self: INIntent {
    /// Gives what is at `parameterName` a picture; nil takes it away.
    public func setImage<Value>(_ image: INImage?, forParameterNamed parameterName: KeyPath<Self, Value>) {
        images[parameterName] = image
    }

    /// The picture of what is at `parameterName`; nil if it has none.
    public func image<Value>(forParameterNamed parameterName: KeyPath<Self, Value>) -> INImage? {
        images[parameterName]
    }
}

/// What an app adds as it tells the system what somebody did.
open class INIntentDonationMetadata: NSObject, NSCopying {
    /// Nothing yet.
    public override init() { super.init() }

    /// Itself.
    open func copy(with zone: NSZone? = nil) -> Any { self }
}

/// What came of what was wanted. Source: Apple, `INIntentResponse`.
open class INIntentResponse: NSObject, NSCopying {
    /// What the app is to go on with.
    open var userActivity: NSUserActivity?

    /// A response.
    public override init() { super.init() }

    /// Itself.
    open func copy(with zone: NSZone? = nil) -> Any { self }
}
