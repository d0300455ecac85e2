import BelfryTerms
import CallChannel
import CallDirectory

/// Why a report is refused: codes of `CXErrorCodeIncomingCallError`.
///
/// Source: CallKit/CXError.h of the iPhoneOS SDK.
enum ReportRefusal: Int64 {
    /// It cannot be carried out: too many calls, a UUID that nobody made, no provider, or no ring to be had.
    case unknown = 0
    /// A call of this app or another one has the UUID.
    case uuidExists = 2
    /// The person has blocked the caller (R24).
    case filteredByBlockList = 4
}

/// Why a transaction is refused: codes of `CXErrorCodeRequestTransactionError`.
///
/// Source: CallKit/CXError.h of the iPhoneOS SDK.
enum TransactionRefusal: Int64 {
    /// Too many actions wait for their outcomes.
    case unknown = 0
    /// The app has no provider, or has invalidated it.
    case unknownProvider = 2
    /// It has no action.
    case empty = 3
    /// No call of the app has the UUID.
    case unknownCall = 4
    /// A call that is to begin has the UUID of one that lives, of any app.
    case uuidExists = 5
    /// An action that cannot be carried out.
    case invalidAction = 6
    /// The app has as many groups of calls, or a group as many calls, as its provider's configuration allows.
    case maximumGroups = 7
}

/// A transaction that an app asks for.
struct AppRequest {
    /// The number that the app gave it.
    let number: Int64
    /// The transaction's UUID.
    let transaction: CallUUID
    /// Its actions, in order.
    let actions: [CallAction]
}

extension CallStateMachine {
    /// Why a report is refused, in Apple's order (C7); nil if it is accepted.
    func refusal(of report: CallReport, _ number: NumberVerdict, by app: String) -> ReportRefusal? {
        if calls.contains(where: { $0.uuid == report.uuid }) { return .uuidExists }
        // A ring whose call is over before its worker came is none yet.
        let coming = pushes.count { $0.app == app && $0.isOwn && !$0.hadWorker && $0.ring.isFinal }
        let isPastLimit = calls.count { $0.app == app } + coming >= CallLimits.liveCallsMax
        if isPastLimit || report.uuid.isNil || apps[app]?.provider == nil { return .unknown }
        return number.isBlocked ? .filteredByBlockList : nil
    }

    /// Why a transaction is refused, as a whole (C8): the first violation, in Apple's order; nil if it is accepted.
    func refusal(of request: AppRequest, by app: String) -> TransactionRefusal? {
        if request.actions.isEmpty { return .empty }
        guard apps[app]?.provider != nil else { return .unknownProvider }
        var begun: Set<CallUUID> = []
        var ended: Set<CallUUID> = []
        var known: Set<CallUUID> = []
        for action in request.actions {
            if !known.insert(action.uuid).inserted { return .invalidAction }
            if action.kind == .end, let call = action.call, !ended.insert(call).inserted { return .unknownCall }
            if case .start = action.kind {
                if let refusal = refusal(ofStart: action, by: app, after: begun) { return refusal }
                if let call = action.call { begun.insert(call) }
            } else if let refusal = refusal(of: action, by: app) {
                return refusal
            }
        }
        // While a call rings one answer and one end of it may be asked for: calls are limited by themselves.
        let isPastLimit = actions.count { $0.app == app } + request.actions.count > CallLimits.openActionsMax
        return isPastLimit ? .unknown : nil
    }

    /// Why a call does not begin, `begun` being those that the transaction begins before it.
    private func refusal(
        ofStart action: CallAction, by app: String, after begun: Set<CallUUID>
    ) -> TransactionRefusal? {
        guard let uuid = action.call, !uuid.isNil, !isOpen(action.uuid, of: app) else { return .invalidAction }
        if begun.contains(uuid) || calls.contains(where: { $0.uuid == uuid }) { return .uuidExists }
        let groups = ongoingGroups(of: app) + begun.count
        if Int64(groups) >= apps[app]?.provider?.maximumCallGroups ?? 0 { return .maximumGroups }
        return calls.count { $0.app == app } + begun.count >= CallLimits.liveCallsMax ? .unknown : nil
    }

    private func refusal(of action: CallAction, by app: String) -> TransactionRefusal? {
        guard action.call != nil else { return .invalidAction }
        if case .group(let other?) = action.kind, known(other, by: app) == nil { return .unknownCall }
        guard let call = known(action.call, by: app) else { return .unknownCall }
        if action.kind == .end, isEnding(call) { return .unknownCall }
        let isTaken = isOpen(action.uuid, of: app) || call.asked.contains { $0.action.uuid == action.uuid }
        let isPossible =
            switch action.kind {
            case .start, .other: false
            case .end: true
            case .answer: call.isBeforeAnswer && !call.asked.contains { $0.action.kind == .answer }
            case .hold(let isOn): call.state == .ongoing && !(isOn && call.update.supportsHolding == false)
            case .mute: call.state == .ongoing
            case .dtmf(let digits):
                call.state == .ongoing && digits.areKeys && call.update.supportsDTMF != false
            case .group(let other): call.state == .ongoing && canGroup(call, with: other, by: app)
            }
        guard isPossible, !isTaken else { return .invalidAction }
        if case .group(let other?) = action.kind { return isFull(other, for: call, by: app) ? .maximumGroups : nil }
        return nil
    }

    /// Whether the call's end was asked for: there is one action for it.
    private func isEnding(_ call: LiveCall) -> Bool {
        call.state == .ending || call.asked.contains { $0.action.kind == .end }
    }

    /// The call of the app's provider that has the UUID; nil if there is none.
    private func known(_ uuid: CallUUID?, by app: String) -> LiveCall? {
        calls.first { $0.uuid == uuid && $0.app == app && !$0.isOfEarlierProvider }
    }

    func canGroup(_ call: LiveCall, with uuid: CallUUID?, by app: String) -> Bool {
        guard let uuid else { return call.group != nil && call.update.supportsUngrouping != false }
        guard let other = known(uuid, by: app), other.uuid != call.uuid, other.state == .ongoing else { return false }
        return call.update.supportsGrouping != false && other.update.supportsGrouping != false
    }

    /// Whether the group of a call has no place for another.
    func isFull(_ uuid: CallUUID, for call: LiveCall, by app: String) -> Bool {
        guard let other = known(uuid, by: app) else { return true }
        let members = other.group.map { group in calls.filter { $0.app == app && $0.group == group } } ?? [other]
        let isMember = members.contains { $0.uuid == call.uuid }
        return Int64(members.count + (isMember ? 0 : 1)) > apps[app]?.provider?.maximumCallsPerCallGroup ?? 0
    }
}
