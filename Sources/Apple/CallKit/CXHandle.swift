import CallChannel
public import Foundation

/// What identifies a person: a number, an address or an account. Source: Apple, `CXHandle`.
open class CXHandle: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    /// What kind of handle.
    public enum HandleType: Int, Sendable {
        /// Of another kind, such as the app's own accounts.
        case generic = 1
        /// A phone number.
        case phoneNumber
        /// An email address.
        case emailAddress
    }

    /// Its kind.
    public let type: HandleType
    /// The number, address or account.
    public let value: String

    /// A handle.
    public init(type: HandleType, value: String) {
        self.type = type
        self.value = value
        super.init()
    }

    /// The handle as the channel has it.
    convenience init(_ handle: CallHandle) {
        self.init(type: HandleType(rawValue: Int(handle.kind.rawValue)) ?? .generic, value: handle.value)
    }

    /// A handle from an archive.
    public required init?(coder: NSCoder) {
        guard let type = HandleType(rawValue: coder.decodeInteger(forKey: "type")),
            let value = coder.decodeObject(of: NSString.self, forKey: "value")
        else { return nil }
        self.type = type
        self.value = String(value)
        super.init()
    }

    /// Whether `object` is a handle of the same kind and value.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? CXHandle else { return false }
        return type == other.type && value == other.value
    }

    /// The same for equal handles.
    open override var hash: Int {
        var hasher = Hasher()
        hasher.combine(type)
        hasher.combine(value)
        return hasher.finalize()
    }

    /// This handle: it never changes.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Archives it.
    open func encode(with coder: NSCoder) {
        coder.encode(type.rawValue, forKey: "type")
        coder.encode(value as NSString, forKey: "value")
    }

    /// True.
    open class var supportsSecureCoding: Bool { true }
}
