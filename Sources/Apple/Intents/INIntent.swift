public import BelfryAppleGround
@_exported public import Foundation

/// What a person wants from an app, as a value. Source: Apple, `INIntent`.
open class INIntent: NSObject, NSCopying {
    /// Its identifier.
    open var identifier: String? { nil }
    /// A text that Siri suggests.
    open var suggestedInvocationPhrase: String?
    /// Further values of the donation.
    open var donationMetadata: INIntentDonationMetadata?
    fileprivate var images: [AnyKeyPath: INImage] = [:]

    /// An intent of no particular kind.
    public override init() { super.init() }

    /// Itself.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Its values in a kept donation.
    var donation: [String: String] { ["intent": "\(type(of: self))"] }
}

/// A type with pictures of its parameters.
public protocol INIntentSetImageKeyPath: NSObjectProtocol {}

extension INIntent: INIntentSetImageKeyPath {}

extension INIntentSetImageKeyPath where Self: INIntent {
    /// Sets the picture of the parameter `parameterName`; nil removes it.
    public func setImage<Value>(_ image: INImage?, forParameterNamed parameterName: KeyPath<Self, Value>) {
        images[parameterName] = image
    }

    /// The picture of the parameter `parameterName`; nil if it has none.
    public func image<Value>(forParameterNamed parameterName: KeyPath<Self, Value>) -> INImage? {
        images[parameterName]
    }
}

/// Further values of an app's donation.
open class INIntentDonationMetadata: NSObject, NSCopying {
    /// Nothing yet.
    public override init() { super.init() }

    /// Itself.
    open func copy(with zone: NSZone? = nil) -> Any { self }
}

/// The result of an intent. Source: Apple, `INIntentResponse`.
open class INIntentResponse: NSObject, NSCopying {
    /// The activity that the app should continue.
    open var userActivity: NSUserActivity?

    /// A response.
    public override init() { super.init() }

    /// Itself.
    open func copy(with zone: NSZone? = nil) -> Any { self }
}
