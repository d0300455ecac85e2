// What is done with calls beside answering and ending them. Translations are refused here.

import CallChannel
public import Foundation

/// Somebody is to be called. Source: Apple, `CXStartCallAction`.
open class CXStartCallAction: CXCallAction, @unchecked Sendable {
    /// Who.
    @NSCopying open var handle: CXHandle
    /// The person's contact, by its identifier.
    open var contactIdentifier: String?
    /// Whether it is a video call.
    open var isVideo = false

    /// A call to `handle`.
    public init(call callUUID: UUID, handle: CXHandle) {
        self.handle = handle
        super.init(call: callUUID)
    }

    /// An action from an archive.
    public required init?(coder: NSCoder) {
        guard let handle = coder.decodeObject(of: CXHandle.self, forKey: "handle") else { return nil }
        self.handle = handle
        contactIdentifier = coder.decodeObject(of: NSString.self, forKey: "contact").map { String($0) }
        isVideo = coder.decodeBool(forKey: "video")
        super.init(coder: coder)
    }

    /// An action that the system asks for.
    init(_ start: CallStart, call: UUID, uuid: UUID, order: ActionOrder) {
        handle = CXHandle(start.handle)
        (contactIdentifier, isVideo) = (start.contact, start.hasVideo)
        super.init(call: call, uuid: uuid, order: order)
    }

    init(copying other: CXStartCallAction) {
        (handle, contactIdentifier, isVideo) = (other.handle, other.contactIdentifier, other.isVideo)
        super.init(copying: other)
    }

    override var timeout: TimeInterval { 600 }

    /// It has been called since that date.
    open func fulfill(withDateStarted dateStarted: Date) { order?.settle(isFulfilled: true, at: dateStarted) }

    /// Another object of the same action.
    open override func copy(with zone: NSZone? = nil) -> Any { CXStartCallAction(copying: self) }

    /// Archives it.
    open override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        coder.encode(handle, forKey: "handle")
        if let contactIdentifier { coder.encode(contactIdentifier as NSString, forKey: "contact") }
        coder.encode(isVideo, forKey: "video")
    }
}

/// A call is to be held, or to go on. Source: Apple, `CXSetHeldCallAction`.
open class CXSetHeldCallAction: CXCallAction, @unchecked Sendable {
    /// Whether it is to be held.
    open var isOnHold: Bool

    /// Holds the call, or lets it go on.
    public init(call callUUID: UUID, onHold: Bool) {
        isOnHold = onHold
        super.init(call: callUUID)
    }

    /// An action from an archive.
    public required init?(coder: NSCoder) {
        isOnHold = coder.decodeBool(forKey: "hold")
        super.init(coder: coder)
    }

    /// An action that the system asks for.
    init(_ isOnHold: Bool, call: UUID, uuid: UUID, order: ActionOrder) {
        self.isOnHold = isOnHold
        super.init(call: call, uuid: uuid, order: order)
    }

    init(copying other: CXSetHeldCallAction) {
        isOnHold = other.isOnHold
        super.init(copying: other)
    }

    /// Another object of the same action.
    open override func copy(with zone: NSZone? = nil) -> Any { CXSetHeldCallAction(copying: self) }

    /// Archives it.
    open override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        coder.encode(isOnHold, forKey: "hold")
    }
}

/// A call is to be muted, or to be heard. Source: Apple, `CXSetMutedCallAction`.
open class CXSetMutedCallAction: CXCallAction, @unchecked Sendable {
    /// Whether it is to be muted.
    open var isMuted: Bool

    /// Mutes the call, or lets it be heard.
    public init(call callUUID: UUID, muted: Bool) {
        isMuted = muted
        super.init(call: callUUID)
    }

    /// An action from an archive.
    public required init?(coder: NSCoder) {
        isMuted = coder.decodeBool(forKey: "mute")
        super.init(coder: coder)
    }

    /// An action that the system asks for.
    init(_ isMuted: Bool, call: UUID, uuid: UUID, order: ActionOrder) {
        self.isMuted = isMuted
        super.init(call: call, uuid: uuid, order: order)
    }

    init(copying other: CXSetMutedCallAction) {
        isMuted = other.isMuted
        super.init(copying: other)
    }

    /// Another object of the same action.
    open override func copy(with zone: NSZone? = nil) -> Any { CXSetMutedCallAction(copying: self) }

    /// Archives it.
    open override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        coder.encode(isMuted, forKey: "mute")
    }
}

/// A call is to join another's group, or to leave its own. Source: Apple, `CXSetGroupCallAction`.
open class CXSetGroupCallAction: CXCallAction, @unchecked Sendable {
    /// A call of the group; nil to leave.
    open var callUUIDToGroupWith: UUID?

    /// Joins the group of another call, or leaves.
    public init(call callUUID: UUID, callUUIDToGroupWith: UUID?) {
        self.callUUIDToGroupWith = callUUIDToGroupWith
        super.init(call: callUUID)
    }

    /// An action from an archive.
    public required init?(coder: NSCoder) {
        let other = coder.decodeObject(of: NSString.self, forKey: "group")
        callUUIDToGroupWith = other.flatMap { UUID(uuidString: String($0)) }
        super.init(coder: coder)
    }

    /// An action that the system asks for.
    init(_ other: CallUUID?, call: UUID, uuid: UUID, order: ActionOrder) {
        callUUIDToGroupWith = other.flatMap { UUID(uuidString: $0.text) }
        super.init(call: call, uuid: uuid, order: order)
    }

    init(copying other: CXSetGroupCallAction) {
        callUUIDToGroupWith = other.callUUIDToGroupWith
        super.init(copying: other)
    }

    /// Another object of the same action.
    open override func copy(with zone: NSZone? = nil) -> Any { CXSetGroupCallAction(copying: self) }

    /// Archives it.
    open override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        if let callUUIDToGroupWith { coder.encode(callUUIDToGroupWith.uuidString as NSString, forKey: "group") }
    }
}

/// Tones are to be played to the other side. Source: Apple, `CXPlayDTMFCallAction`.
open class CXPlayDTMFCallAction: CXCallAction, @unchecked Sendable {
    /// What the digits are.
    public enum ActionType: Int, Sendable {
        /// One digit.
        case singleTone = 1
        /// Digits after a short pause.
        case softPause
        /// Digits after the person said so.
        case hardPause
    }

    /// The digits.
    open var digits: String
    /// What they are.
    open var type: ActionType

    /// Plays the digits.
    public init(call callUUID: UUID, digits: String, type: ActionType) {
        self.digits = digits
        self.type = type
        super.init(call: callUUID)
    }

    /// An action from an archive.
    public required init?(coder: NSCoder) {
        guard let digits = coder.decodeObject(of: NSString.self, forKey: "digits") else { return nil }
        self.digits = String(digits)
        type = ActionType(rawValue: coder.decodeInteger(forKey: "type")) ?? .singleTone
        super.init(coder: coder)
    }

    /// An action that the system asks for.
    init(_ digits: CallDigits, call: UUID, uuid: UUID, order: ActionOrder) {
        self.digits = digits.digits
        type = ActionType(rawValue: Int(digits.type)) ?? .singleTone
        super.init(call: call, uuid: uuid, order: order)
    }

    init(copying other: CXPlayDTMFCallAction) {
        (digits, type) = (other.digits, other.type)
        super.init(copying: other)
    }

    /// Another object of the same action.
    open override func copy(with zone: NSZone? = nil) -> Any { CXPlayDTMFCallAction(copying: self) }

    /// Archives it.
    open override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        coder.encode(digits as NSString, forKey: "digits")
        coder.encode(type.rawValue, forKey: "type")
    }
}

/// A call is to be translated, or no longer. Source: Apple, `CXSetTranslatingCallAction` of iOS 26.
open class CXSetTranslatingCallAction: CXCallAction, @unchecked Sendable {
    /// Whether it is to be translated.
    open var isTranslating: Bool
    /// The language that is spoken here.
    open var localLanguage: Locale.Language
    /// The language that is spoken there.
    open var remoteLanguage: Locale.Language

    /// Translates the call, or no longer.
    public init(
        call callUUID: UUID, isTranslating: Bool, localLanguage: Locale.Language, remoteLanguage: Locale.Language
    ) {
        (self.isTranslating, self.localLanguage, self.remoteLanguage) = (isTranslating, localLanguage, remoteLanguage)
        super.init(call: callUUID)
    }

    /// An action from an archive.
    public required init?(coder: NSCoder) {
        func language(_ key: String) -> Locale.Language {
            let identifier = coder.decodeObject(of: NSString.self, forKey: key).map { String($0) } ?? ""
            return Locale.Language(identifier: identifier)
        }
        isTranslating = coder.decodeBool(forKey: "translate")
        localLanguage = language("local")
        remoteLanguage = language("remote")
        super.init(coder: coder)
    }

    init(copying other: CXSetTranslatingCallAction) {
        (isTranslating, localLanguage) = (other.isTranslating, other.localLanguage)
        remoteLanguage = other.remoteLanguage
        super.init(copying: other)
    }

    /// Another object of the same action.
    open override func copy(with zone: NSZone? = nil) -> Any { CXSetTranslatingCallAction(copying: self) }

    /// Archives it.
    open override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        coder.encode(isTranslating, forKey: "translate")
        coder.encode(localLanguage.minimalIdentifier as NSString, forKey: "local")
        coder.encode(remoteLanguage.minimalIdentifier as NSString, forKey: "remote")
    }
}
