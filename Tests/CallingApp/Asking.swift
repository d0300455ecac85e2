import CallKit
import PushKit

/// What the app asks for by itself, as its own screen would: the words of a push that is no call.
///
/// `ask` is a list of transactions, parted by `;`, each a list of actions, parted by `,`: a word, the call's UUID, and
/// what else there is. `connecting`, `connected`, `over`, `observe` and wrong dates are no actions; `often` is a
/// thousand holds and lifts. `reload` and `enabled` are about the call directory extension that they name.
final class Asking: NSObject, CXCallObserverDelegate, @unchecked Sendable {
    private let provider: CXProvider
    private let controller = CXCallController(queue: .main)
    private var observer: CXCallObserver?

    init(_ provider: CXProvider) { self.provider = provider }

    func ask(_ payload: PKPushPayload) {
        for words in (payload.dictionaryPayload["ask"] as? String ?? "").components(separatedBy: "; ") { obey(words) }
    }

    private func obey(_ words: String) {
        let parts = words.components(separatedBy: " ")
        let uuid = parts.dropFirst().first.flatMap { UUID(uuidString: $0) } ?? UUID()
        switch parts[0] {
        case "connecting": provider.reportOutgoingCall(with: uuid, startedConnectingAt: nil)
        case "connected": provider.reportOutgoingCall(with: uuid, connectedAt: nil)
        case "long-ago":
            provider.reportOutgoingCall(with: uuid, startedConnectingAt: Date(timeIntervalSince1970: -1e12))
        case "far-ahead": provider.reportOutgoingCall(with: uuid, connectedAt: Date(timeIntervalSince1970: 1e300))
        case "often":
            for number in 0..<1_000 {
                let action = CXSetHeldCallAction(call: uuid, onHold: number % 2 == 0)
                controller.request(CXTransaction(action: action)) { _ in }
            }
        case "reload":
            CXCallDirectoryManager.sharedInstance.reloadExtension(withIdentifier: parts[1]) { error in
                tell("reloaded \(error.map { "\(($0 as NSError).code)" } ?? "well")")
            }
        case "enabled":
            CXCallDirectoryManager.sharedInstance.getEnabledStatusForExtension(withIdentifier: parts[1]) {
                tell("enabled \($0.rawValue)\($1.map { " \(($0 as NSError).code)" } ?? "")")
            }
        case "over": provider.reportCall(with: uuid, endedAt: nil, reason: .remoteEnded)
        case "observe":
            let observer = CXCallObserver()
            observer.setDelegate(self, queue: .main)
            self.observer = observer
        default:
            let actions = words.components(separatedBy: ", ").compactMap(Self.action)
            controller.request(CXTransaction(actions: actions)) { error in
                let code = error.map { " \(($0 as NSError).code)" } ?? ""
                tell("asked \(parts[0])\(code)")
            }
        }
    }

    private static func action(_ words: String) -> CXAction? {
        let parts = words.components(separatedBy: " ")
        guard parts.count > 1, let uuid = UUID(uuidString: parts[1]) else { return nil }
        switch parts[0] {
        case "start": return CXStartCallAction(call: uuid, handle: CXHandle(type: .generic, value: "jane"))
        case "answer": return CXAnswerCallAction(call: uuid)
        case "end": return CXEndCallAction(call: uuid)
        case "hold": return CXSetHeldCallAction(call: uuid, onHold: true)
        case "resume": return CXSetHeldCallAction(call: uuid, onHold: false)
        case "mute": return CXSetMutedCallAction(call: uuid, muted: true)
        case "group": return CXSetGroupCallAction(call: uuid, callUUIDToGroupWith: UUID(uuidString: parts[2]))
        case "ungroup": return CXSetGroupCallAction(call: uuid, callUUIDToGroupWith: nil)
        case "dtmf": return CXPlayDTMFCallAction(call: uuid, digits: parts[2], type: .singleTone)
        default: return nil
        }
    }

    func callObserver(_ callObserver: CXCallObserver, callChanged call: CXCall) {
        var words = ["saw", "\(call.uuid.uuidString.suffix(1))", call.isOutgoing ? "outgoing" : "incoming"]
        if call.hasConnected { words.append("connected") }
        if call.isOnHold { words.append("held") }
        if call.hasEnded { words.append("ended") }
        tell(words.joined(separator: " "))
    }
}
