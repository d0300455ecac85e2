import AVFAudio
import BelfryAppDoor
import BelfryTerms
import CallChannel
import Foundation

/// What the providers, controllers and observers of an app have in common: it asks `belfry-calls`, which decides, and
/// passes on what that says.
final class CallSystem: AppListener, @unchecked Sendable {
    /// A completion that waits for its answer.
    private struct Completion {
        let queue: DispatchQueue
        let what: String
        let body: @Sendable ((any Error)?) -> Void
    }

    private struct Report {
        let completion: Completion
        let call: CallUUID
        /// Whether no call with that UUID was known.
        let isNew: Bool
    }

    private struct Request {
        let completion: Completion
        let transaction: CallUUID
        let actions: [CallAction]
    }

    /// On it completions are called that have no queue of their own.
    private static let queue = DispatchQueue(label: "belfry.call-completions")

    let door: AppDoor
    private let ringtone: Ringtone
    /// The calls of all apps.
    let observation: CallObservation
    private let lock = NSLock()
    // Guarded by the lock, which is never held while code of others runs.
    private var lastNumber: Int64 = 0
    private var reports: [Int64: Report] = [:]
    private var requests: [Int64: Request] = [:]
    /// The actions of transactions that the app has asked for, and that are accepted.
    private var accepted: [CallUUID: [CallAction]] = [:]
    private var transactions: [CallUUID: OrderedTransaction] = [:]
    /// Who reported each call that lives.
    private var owners: [CallUUID: DelegateDesk] = [:] {
        didSet { door.audio.has(Set(owners.keys.map(\.text))) }
    }
    private var desk: DelegateDesk?
    private var settings = ProviderSettings()
    /// Whether the provider was made by an app that has left, of several under test.
    private var isDeskLeft = false
    /// The providers of apps that have left, which still live, and come after one that this app has.
    private var leftDesks: [(desk: DelegateDesk, settings: ProviderSettings)] = []
    private var owed = OwedPushes()

    init(_ door: AppDoor) {
        self.door = door
        ringtone = Ringtone(door)
        observation = CallObservation(door)
    }

    // MARK: Providers

    /// A provider was made.
    func enter(_ provider: CXProvider, _ settings: ProviderSettings) {
        let isSecond = lock.withLock {
            defer { (desk, self.settings, isDeskLeft) = (provider.desk, settings, false) }
            if let desk, isDeskLeft { leftDesks.append((desk, self.settings)) }
            return desk != nil && !isDeskLeft
        }
        if isSecond {
            door.warn(
                .providerTwice,
                "a second CXProvider was made while the first lives, whose calls it does not know, on iOS either: "
                    + "keep one, and assign its configuration if that changes")
        }
        declare(settings)
        if door.isWelcome { begin(provider.desk) }
    }

    /// A provider's configuration is another.
    func change(_ desk: DelegateDesk, _ settings: ProviderSettings) {
        let isCurrent = lock.withLock {
            guard self.desk === desk else { return false }
            self.settings = settings
            return true
        }
        if isCurrent { declare(settings) }
    }

    private func declare(_ settings: ProviderSettings?) {
        door.declare(provider: settings)
        // After the settings, without whose name nobody wants it.
        ringtone.declare(settings?.ringtoneSound)
    }

    /// A provider was invalidated, or is gone.
    func leave(_ desk: DelegateDesk, isLost: Bool) {
        let (wasCurrent, next, calls, orders) = lock.withLock {
            leftDesks.removeAll { $0.desk === desk }
            let calls = owners.filter { $0.value === desk }.map(\.key)
            for call in calls { owners[call] = nil }
            let orders = transactions.values.filter { $0.desk === desk }.flatMap(\.orders)
            transactions = transactions.filter { $0.value.desk !== desk }
            guard self.desk === desk else { return (false, ProviderSettings?.none, calls, orders) }
            let next = leftDesks.popLast()
            (self.desk, isDeskLeft) = (next?.desk, next != nil)
            settings = next?.settings ?? settings
            return (true, next?.settings, calls, orders)
        }
        for order in orders { order.void() }
        if isLost, !calls.isEmpty {
            let names = calls.map(\.text).sorted().joined(separator: ", ")
            door.warn(
                .providerLost,
                "the CXProvider is gone, which nothing keeps alive, and with it \(names): iOS ends them. Keep it in a "
                    + "property")
        }
        if wasCurrent { declare(next) }
    }

    private func begin(_ desk: DelegateDesk) {
        desk.pay(.init(what: "providerDidBegin(_:)", matters: false) { $1.providerDidBegin($0) })
    }

    // MARK: Calls

    /// A call is reported.
    func report(
        _ uuid: UUID, _ update: CXCallUpdate, by provider: CXProvider,
        _ completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        let call = CallUUID(uuid)
        let desk = provider.desk
        if !desk.hasDelegate, !desk.hasClosed {
            door.warn(
                .delegateLate,
                "call \(call.text) was reported, and the provider has no delegate for what follows: on iOS that is "
                    + "lost. Call setDelegate before the first report, and keep the delegate")
        }
        let completion = Completion(
            queue: desk.delegateQueue ?? Self.queue, what: "the completion of the report of \(call.text)",
            body: completion)
        let (number, push) = lock.withLock {
            lastNumber += 1
            reports[lastNumber] = Report(completion: completion, call: call, isNew: owners[call] == nil)
            owners[call] = owners[call] ?? desk
            return (lastNumber, owed.report(for: AppDoor.push, at: ProcessInfo.processInfo.systemUptime))
        }
        let report = CallReport(number, of: call, update.value, push: push)
        if !door.say(.report(report)) { reported(number, 0) }
    }

    /// More is said of a call.
    func update(_ uuid: UUID, _ update: CXCallUpdate) { _ = door.say(.update(CallUUID(uuid), update.value)) }

    /// A call is over.
    func end(_ uuid: UUID, at date: Date?, _ reason: CXCallEndedReason) {
        let call = CallUUID(uuid)
        lock.withLock { owners[call] = nil }
        let reason = CallEndedReason(rawValue: Int64(reason.rawValue)) ?? .failed
        _ = door.say(.end(call, reason, at: date.flatMap { WallTime(unixSeconds: $0.timeIntervalSince1970) }))
    }

    /// An outgoing call is so far.
    func report(_ uuid: UUID, _ step: OutgoingStep, at date: Date?) {
        let date = date.flatMap { WallTime(unixSeconds: $0.timeIntervalSince1970) }
        _ = door.say(.outgoing(CallUUID(uuid), step, at: date))
    }

    private func reported(_ number: Int64, _ error: Int64?) {
        let report = lock.withLock {
            guard let report = reports.removeValue(forKey: number) else { return Report?.none }
            if error != nil, report.isNew { owners[report.call] = nil }
            return report
        }
        guard let report else { return }
        let code = error.map { CXErrorCodeIncomingCallError.Code(rawValue: Int($0)) ?? .unknown }
        answer(report.completion, code.map { CXErrorCodeIncomingCallError($0) })
    }

    private func answer(_ completion: Completion, _ error: (any Error)?) {
        door.call(on: completion.queue, completion.what) { completion.body(error) }
    }

    // MARK: Transactions

    /// The app asks for a transaction.
    func request(
        _ transaction: CXTransaction, queue: DispatchQueue?, _ completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        let uuid = CallUUID(transaction.uuid)
        // Of more than may be open at once, as many as have the transaction refused.
        let actions = transaction.actions.prefix(CallLimits.openActionsMax + 1).map { CallAction($0) }
        if let desk = lock.withLock({ desk }), !desk.hasDelegate {
            door.warn(
                .delegateLate,
                "the transaction \(uuid.text) was requested, and the provider has no delegate to perform it: on iOS "
                    + "it times out. Call setDelegate before, and keep the delegate")
        }
        let request = Request(
            completion: Completion(
                queue: queue ?? Self.queue, what: "the completion of the request of \(uuid.text)", body: completion),
            transaction: uuid, actions: actions)
        let number = lock.withLock {
            lastNumber += 1
            requests[lastNumber] = request
            return lastNumber
        }
        door.connect()
        if !door.say(.request(number, transaction: uuid, actions)) { requested(number, 2) }
    }

    private func requested(_ number: Int64, _ error: Int64?) {
        let request = lock.withLock {
            guard let request = requests.removeValue(forKey: number) else { return Request?.none }
            if error == nil { accepted[request.transaction] = request.actions }
            return request
        }
        guard let request else { return }
        let code = error.map { CXErrorCodeRequestTransactionError.Code(rawValue: Int($0)) ?? .unknown }
        answer(request.completion, code.map { CXErrorCodeRequestTransactionError($0) })
    }

    /// The transactions that are not complete, as copies.
    func pendingTransactions(of desk: DelegateDesk) -> [CXTransaction] {
        let pending = lock.withLock { transactions.values.filter { $0.desk === desk } }
        return pending.sorted { $0.number < $1.number }.map(\.transaction).filter { !$0.isComplete }
            .compactMap { $0.copy() as? CXTransaction }
    }

    private func perform(_ action: CallAction, of transaction: CallUUID, timeout: TimeSpan) {
        let step: (OrderedTransaction, ActionOrder)? = lock.withLock {
            guard let call = action.call, let desk = owners[call] ?? desk else { return nil }
            owners[call] = desk
            let ordered: OrderedTransaction
            if let known = transactions[transaction] {
                ordered = known
            } else {
                lastNumber += 1
                ordered = OrderedTransaction(transaction, number: lastNumber, for: desk)
                transactions[transaction] = ordered
                for other in accepted.removeValue(forKey: transaction) ?? [] {
                    if let call = other.call { ordered.add(order(other, of: call, timeout)) }
                }
            }
            let known = ordered.orders.first { $0.action == action.uuid }
            let order = known ?? order(action, of: call, timeout)
            if known == nil { ordered.add(order) }
            return (ordered, order)
        }
        guard let (ordered, order) = step else { return }
        ordered.perform(order, by: door)
    }

    private func order(_ action: CallAction, of call: CallUUID, _ timeout: TimeSpan) -> ActionOrder {
        ActionOrder(action, call: call, timeout: timeout) { [weak self] order, isFulfilled, date in
            self?.settled(order, isFulfilled, date)
        }
    }

    private func settled(_ order: ActionOrder, _ isFulfilled: Bool, _ date: WallTime?) {
        if isFulfilled, order.beginsTalk { door.audio.took(order.call.text) }
        forget(order, endsCall: order.endsCall(isFulfilled: isFulfilled))
        // A second one, and one that comes late, too: they are judged there.
        _ = door.say(.outcome(order.action, isFulfilled: isFulfilled, at: date))
    }

    private func timedOut(_ action: CallUUID) {
        let found = lock.withLock {
            transactions.values.lazy.compactMap { ordered in
                ordered.orders.first { $0.action == action }.map { (ordered, $0) }
            }.first
        }
        guard let (ordered, order) = found, order.timeOut(), let object = order.object else { return }
        forget(order, endsCall: order.endsCall(isFulfilled: false))
        if ordered.isTaken {
            door.warn(
                .executeSwallowed,
                "provider(_:execute:) returned true for the transaction with \(order.words), which has no outcome: iOS "
                    + "fails it. Return false, or fulfil each action of the transaction there")
        }
        ordered.desk.pay(
            .init(what: "provider(_:timedOutPerforming:) of \(order.words)", matters: true) {
                $1.provider($0, timedOutPerforming: object)
            })
    }

    /// An action has its end: forgets its transaction, if that has, and its call, if that ends with it.
    private func forget(_ order: ActionOrder, endsCall: Bool) {
        lock.withLock {
            if endsCall { owners[order.call] = nil }
            transactions = transactions.filter { !$0.value.orders.allSatisfy(\.isComplete) }
        }
    }

    // MARK: What `belfry-calls` says

    func heard(_ word: AppWord) {
        switch word {
        case .welcome:
            if let desk = lock.withLock({ desk }) { begin(desk) }
        case .reported(let number, let error): reported(number, error)
        case .requested(let number, let error): requested(number, error)
        case .perform(let action, let transaction, let timeout): perform(action, of: transaction, timeout: timeout)
        case .timedOut(let action): timedOut(action)
        case .audio(let isActive): activate(isActive)
        case .reset: reset()
        case .calls(let calls):
            end(calls.filter(\.hasEnded).map(\.uuid))
            observation.take(calls)
        case .push(let number, _, _):
            lock.withLock { owed.came(number, at: ProcessInfo.processInfo.systemUptime) }
        case .refused, .token, .tokenInvalid, .directory, .stop: break
        }
    }

    /// Calls are over: what their delegate has not performed is void.
    private func end(_ calls: [CallUUID]) {
        let orders = lock.withLock {
            for call in calls { owners[call] = nil }
            return transactions.values.flatMap(\.orders).filter { calls.contains($0.call) }
        }
        for order in orders { order.void() }
        lock.withLock { transactions = transactions.filter { !$0.value.orders.allSatisfy(\.isComplete) } }
    }

    private func activate(_ isActive: Bool) {
        let session = AVAudioSession.sharedInstance()
        if isActive { door.audio.activated(misfit: session.misfit) } else { door.audio.deactivated() }
        guard let desk = lock.withLock({ desk }) else { return }
        if isActive {
            desk.pay(
                .init(what: "provider(_:didActivate:)", matters: true) { $1.provider($0, didActivate: session) })
        } else {
            desk.pay(
                .init(what: "provider(_:didDeactivate:)", matters: true) { $1.provider($0, didDeactivate: session) })
        }
    }

    private func reset() {
        forgetCalls()
        lock.withLock { desk }?.pay(.init(what: "providerDidReset(_:)", matters: false) { $1.providerDidReset($0) })
    }

    private func forgetCalls() {
        let (desk, orders) = lock.withLock {
            let orders = transactions.values.flatMap(\.orders)
            (transactions, accepted, owners) = ([:], [:], [:])
            return (self.desk, orders)
        }
        for order in orders { order.void() }
        door.audio.reset()
        observation.take([])
        desk?.forgetWaiting()
    }

    func lost(wasWelcome: Bool) {
        let (reports, requests) = lock.withLock {
            owed.centreLost()
            return (self.reports.keys.sorted(), self.requests.keys.sorted())
        }
        for number in reports { reported(number, 0) }
        for number in requests { requested(number, 2) }
        if wasWelcome { reset() }
    }

    func left() {
        forgetCalls()
        let dropped = lock.withLock {
            isDeskLeft = desk != nil
            owed = OwedPushes()
            defer { (reports, requests) = ([:], [:]) }
            return (reports, requests)
        }
        // Released outside the lock. Nothing of it is called: its process would be gone.
        _ = dropped
    }
}
