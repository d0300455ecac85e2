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
            case is CXStartCallAction: .other("CXStartCallAction")
            case is CXSetHeldCallAction: .other("CXSetHeldCallAction")
            case is CXSetMutedCallAction: .other("CXSetMutedCallAction")
            case is CXSetGroupCallAction: .other("CXSetGroupCallAction")
            case is CXPlayDTMFCallAction: .other("CXPlayDTMFCallAction")
            case is CXSetTranslatingCallAction: .other("CXSetTranslatingCallAction")
            case is CXCallAction: .other("CXCallAction")
            default: .other("CXAction")
            }
        self.init(kind, of: call, uuid: CallUUID(action.uuid))
    }
}
