import BelfrySyscalls
public import Foundation

/// Actions that are asked for, and performed, as one. Source: Apple, `CXTransaction`.
open class CXTransaction: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    /// Its own UUID.
    public let uuid: UUID
    private let added: LockedValue<[CXAction]>

    /// A transaction of these actions, in this order.
    public init(actions: [CXAction]) {
        uuid = UUID()
        added = LockedValue(actions)
        super.init()
    }

    /// A transaction of no actions yet.
    public convenience override init() { self.init(actions: []) }

    /// A transaction of one action.
    public convenience init(action: CXAction) { self.init(actions: [action]) }

    /// A transaction from an archive.
    public required init?(coder: NSCoder) {
        guard let uuid = coder.decodeObject(of: NSString.self, forKey: "uuid").flatMap({ UUID(uuidString: String($0)) })
        else { return nil }
        self.uuid = uuid
        let kinds = [
            NSArray.self, CXStartCallAction.self, CXAnswerCallAction.self, CXEndCallAction.self,
            CXSetHeldCallAction.self, CXSetMutedCallAction.self, CXSetGroupCallAction.self, CXPlayDTMFCallAction.self,
            CXSetTranslatingCallAction.self, CXCallAction.self, CXAction.self,
        ]
        added = LockedValue(coder.decodeObject(of: kinds, forKey: "actions") as? [CXAction] ?? [])
        super.init()
    }

    init(uuid: UUID, actions: [CXAction]) {
        self.uuid = uuid
        added = LockedValue(actions)
        super.init()
    }

    /// Its actions, in their order.
    open var actions: [CXAction] { added.withLock { $0 } }

    /// Whether each of its actions is complete.
    open var isComplete: Bool { actions.allSatisfy(\.isComplete) }

    /// Adds an action as the last.
    open func addAction(_ action: CXAction) { added.withLock { $0.append(action) } }

    /// A transaction with the same UUID, of copies of its actions.
    open func copy(with zone: NSZone? = nil) -> Any {
        CXTransaction(uuid: uuid, actions: actions.compactMap { $0.copy() as? CXAction })
    }

    /// Archives it.
    open func encode(with coder: NSCoder) {
        coder.encode(uuid.uuidString as NSString, forKey: "uuid")
        coder.encode(actions as NSArray, forKey: "actions")
    }

    /// True.
    open class var supportsSecureCoding: Bool { true }
}
