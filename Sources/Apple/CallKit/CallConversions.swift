import CallChannel
import Foundation

extension CallUUID {
    /// The UUID as the channel has it.
    init(_ uuid: UUID) {
        guard let read = CallUUID(uuid.uuidString) else { preconditionFailure("\(uuid.uuidString) is no UUID") }
        self = read
    }
}

extension CallAction {
    /// The action as the channel has it. A subclass of the code's own is what it descends from.
    init(_ action: CXAction) {
        let call = (action as? CXCallAction).map { CallUUID($0.callUUID) }
        let kind: Kind =
            switch action {
            case is CXAnswerCallAction: .answer
            case is CXEndCallAction: .end
            case let action as CXStartCallAction: .start(CallStart(action))
            case let action as CXSetHeldCallAction: .hold(action.isOnHold)
            case let action as CXSetMutedCallAction: .mute(action.isMuted)
            case let action as CXSetGroupCallAction: .group(with: action.callUUIDToGroupWith.map { CallUUID($0) })
            case let action as CXPlayDTMFCallAction: .dtmf(CallDigits(action))
            case is CXSetTranslatingCallAction: .other("CXSetTranslatingCallAction")
            case is CXCallAction: .other("CXCallAction")
            default: .other("CXAction")
            }
        self.init(kind, of: call, uuid: CallUUID(action.uuid))
    }
}

extension CallStart {
    /// The call as the channel has it.
    fileprivate init(_ action: CXStartCallAction) {
        self.init(CallHandle(action.handle))
        hasVideo = action.isVideo
        contact = action.contactIdentifier
    }
}

extension CallDigits {
    /// The digits as the channel has them. Of more than there may be, as many as have them refused.
    fileprivate init(_ action: CXPlayDTMFCallAction) {
        let digits = String(String.UnicodeScalarView(action.digits.unicodeScalars.prefix(CallLimits.digitsMax + 1)))
        self.init(digits, type: Int64(action.type.rawValue))
    }
}
