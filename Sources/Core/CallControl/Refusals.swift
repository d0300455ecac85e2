import BelfryTerms
import CallChannel

/// Why a report is refused: codes of `CXErrorCodeIncomingCallError`.
///
/// Source: CallKit/CXError.h of the iPhoneOS SDK.
enum ReportRefusal: Int64 {
    /// It cannot be carried out: too many calls, a UUID that nobody made, no provider, or no ring to be had.
    case unknown = 0
    /// A call of this app or another one has the UUID.
    case uuidExists = 2
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
    /// An action that cannot be carried out.
    case invalidAction = 6
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
    func refusal(of report: CallReport, by app: String) -> ReportRefusal? {
        if calls.contains(where: { $0.uuid == report.uuid }) { return .uuidExists }
        // A ring whose call is over before its worker came is none yet.
        let coming = pushes.count { $0.app == app && $0.isOwn && !$0.hadWorker && $0.ring.isFinal }
        let isPastLimit = calls.count { $0.app == app } + coming >= CallLimits.liveCallsMax
        return isPastLimit || report.uuid.isNil || apps[app]?.provider == nil ? .unknown : nil
    }

    /// Why a transaction is refused, as a whole (C8): the first violation, in Apple's order; nil if it is accepted.
    func refusal(of request: AppRequest, by app: String) -> TransactionRefusal? {
        if request.actions.isEmpty { return .empty }
        guard apps[app]?.provider != nil else { return .unknownProvider }
        for action in request.actions {
            if let refusal = refusal(of: action, by: app) { return refusal }
        }
        let own = actions.count { $0.app == app }
        let asked = calls.reduce(0) { $0 + ($1.app == app ? $1.asked.count : 0) }
        let isPastLimit = own + asked + request.actions.count > CallLimits.openActionsMax
        return isPastLimit ? .unknown : nil
    }

    private func refusal(of action: CallAction, by app: String) -> TransactionRefusal? {
        // An action that begins a call names one that is not there yet.
        if case .other(let name) = action.kind, action.call == nil || name == Self.startAction { return .invalidAction }
        guard let call = calls.first(where: { $0.uuid == action.call && $0.app == app }), !call.isOfEarlierProvider
        else { return .unknownCall }
        let isTaken = isOpen(action.uuid, of: app) || call.asked.contains { $0.action.uuid == action.uuid }
        switch action.kind {
        case .other: return .invalidAction
        case .end: return isTaken ? .invalidAction : nil
        case .answer:
            let isAsked = call.asked.contains { $0.action.kind == .answer }
            return isTaken || isAsked || !call.isBeforeAnswer ? .invalidAction : nil
        }
    }

    /// The class whose action begins a call.
    static let startAction = "CXStartCallAction"
}
