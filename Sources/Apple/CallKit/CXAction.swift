public import Foundation

/// Something that a provider's delegate is to do. Source: Apple, `CXAction`.
///
/// An action that the code made is a wish. What the delegate gets is the system's copy, and its outcome counts; it may
/// be given later, and by any thread.
open class CXAction: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    /// Its own UUID, which no call has.
    public let uuid: UUID
    /// Where its outcome goes, once the system has handed it over. Copies have it too.
    let order: ActionOrder?
    /// Set while the delegate is called for it: whether the delegate has that method.
    var isImplemented = true

    /// An action about nothing, which no transaction can have.
    public override init() {
        (uuid, order) = (UUID(), nil)
        super.init()
    }

    /// An action from an archive.
    public required init?(coder: NSCoder) {
        guard let uuid = coder.decodeObject(of: NSString.self, forKey: "uuid").flatMap({ UUID(uuidString: String($0)) })
        else { return nil }
        (self.uuid, order) = (uuid, nil)
        super.init()
    }

    /// A copy of `other`, to be handed out.
    init(copying other: CXAction) {
        uuid = other.uuid
        order = other.order
        super.init()
    }

    /// An action that the system asks for.
    init(uuid: UUID, order: ActionOrder) {
        self.uuid = uuid
        self.order = order
        super.init()
    }

    /// Whether it has its outcome. An action that was not handed over never has one.
    open var isComplete: Bool { order?.isComplete ?? false }

    /// When its time is over: of one that was not handed over, as if that happened now.
    open var timeoutDate: Date { order?.timeoutDate ?? Date(timeIntervalSinceNow: timeout) }

    /// How long an action of this class may take, in seconds, as far as the class knows.
    var timeout: TimeInterval { 5 }

    /// It was done, now. Does nothing but warn if it had its outcome, or its time was over.
    open func fulfill() { order?.settle(isFulfilled: true, at: nil) }

    /// It cannot be done. Does nothing but warn if it had its outcome, or its time was over.
    open func fail() { order?.settle(isFulfilled: false, at: nil) }

    /// Another object of the same action: its outcome is this one's.
    open func copy(with zone: NSZone? = nil) -> Any { CXAction(copying: self) }

    /// Archives it.
    open func encode(with coder: NSCoder) { coder.encode(uuid.uuidString as NSString, forKey: "uuid") }

    /// True.
    open class var supportsSecureCoding: Bool { true }
}

/// Something that a provider's delegate is to do with a call. Source: Apple, `CXCallAction`.
open class CXCallAction: CXAction, @unchecked Sendable {
    /// The call.
    public let callUUID: UUID

    /// An action on that call.
    public init(call callUUID: UUID) {
        self.callUUID = callUUID
        super.init()
    }

    /// An action from an archive.
    public required init?(coder: NSCoder) {
        guard let call = coder.decodeObject(of: NSString.self, forKey: "call").flatMap({ UUID(uuidString: String($0)) })
        else { return nil }
        callUUID = call
        super.init(coder: coder)
    }

    init(copying other: CXCallAction) {
        callUUID = other.callUUID
        super.init(copying: other)
    }

    init(call: UUID, uuid: UUID, order: ActionOrder) {
        callUUID = call
        super.init(uuid: uuid, order: order)
    }

    /// Another object of the same action.
    open override func copy(with zone: NSZone? = nil) -> Any { CXCallAction(copying: self) }

    /// Archives it.
    open override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        coder.encode(callUUID.uuidString as NSString, forKey: "call")
    }
}

/// An incoming call is to be answered. Source: Apple, `CXAnswerCallAction`.
open class CXAnswerCallAction: CXCallAction, @unchecked Sendable {
    override var timeout: TimeInterval { 60 }

    /// The call has been connected since that date.
    open func fulfill(withDateConnected dateConnected: Date) {
        order?.settle(isFulfilled: true, at: dateConnected)
    }

    /// Another object of the same action.
    open override func copy(with zone: NSZone? = nil) -> Any { CXAnswerCallAction(copying: self) }
}

/// A call is to be ended. Source: Apple, `CXEndCallAction`.
open class CXEndCallAction: CXCallAction, @unchecked Sendable {
    /// The call has been over since that date.
    open func fulfill(withDateEnded dateEnded: Date) {
        order?.settle(isFulfilled: true, at: dateEnded)
    }

    /// Another object of the same action.
    open override func copy(with zone: NSZone? = nil) -> Any { CXEndCallAction(copying: self) }
}
