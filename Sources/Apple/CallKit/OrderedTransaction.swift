import BelfryAppDoor
import BelfryTerms
import CallChannel
import Foundation

/// A transaction that the delegate is to perform.
final class OrderedTransaction: @unchecked Sendable {
    /// The provider's desk.
    let desk: DelegateDesk
    /// Its place among all.
    let number: Int64
    /// The object that the delegate gets.
    let transaction: CXTransaction
    private let lock = NSLock()
    private var ordered: [ActionOrder] = []
    /// Whether the delegate carries it out as a whole; nil before it was asked.
    private var isExecuted: Bool?

    init(_ uuid: CallUUID, number: Int64, for desk: DelegateDesk) {
        self.desk = desk
        self.number = number
        transaction = CXTransaction(uuid: UUID(uuidString: uuid.text) ?? UUID(), actions: [])
    }

    /// Its actions.
    var orders: [ActionOrder] { lock.withLock { ordered } }

    /// Whether the delegate has taken the whole on itself.
    var isTaken: Bool { lock.withLock { isExecuted } == true }

    /// One more action.
    func add(_ order: ActionOrder) {
        guard let object = order.object else { return }
        lock.withLock { ordered.append(order) }
        transaction.addAction(object)
    }

    /// Has the delegate perform one of its actions, unless it carries out the whole.
    func perform(_ order: ActionOrder, by door: AppDoor) {
        desk.pay(
            .init(what: "provider(_:perform:) of \(order.words)", matters: true) { [self] provider, delegate in
                guard !order.isVoid, let object = object(of: order) else { return }
                let isImplemented = isExecuted(provider, delegate) || call(delegate, provider, object)
                _ = door.say(.performed(order.action, isImplemented: isImplemented))
            })
    }

    private func object(of order: ActionOrder) -> CXAction? {
        transaction.actions.first { $0.order === order }
    }

    private func isExecuted(_ provider: CXProvider, _ delegate: any CXProviderDelegate) -> Bool {
        if let known = lock.withLock({ isExecuted }) { return known }
        let answer = delegate.provider(provider, execute: transaction)
        lock.withLock { isExecuted = answer }
        return answer
    }

    /// Calls the method for this action; false if the delegate has none.
    private func call(_ delegate: any CXProviderDelegate, _ provider: CXProvider, _ action: CXAction) -> Bool {
        action.isImplemented = true
        switch action {
        case let action as CXAnswerCallAction: delegate.provider(provider, perform: action)
        case let action as CXEndCallAction: delegate.provider(provider, perform: action)
        case let action as CXStartCallAction: delegate.provider(provider, perform: action)
        case let action as CXSetHeldCallAction: delegate.provider(provider, perform: action)
        case let action as CXSetMutedCallAction: delegate.provider(provider, perform: action)
        case let action as CXSetGroupCallAction: delegate.provider(provider, perform: action)
        case let action as CXPlayDTMFCallAction: delegate.provider(provider, perform: action)
        default: return false
        }
        return action.isImplemented
    }
}
