import CallKit
import PushKit

/// The file in which the app tells a test what it does, a line each.
let toldPath = Bundle.main.bundlePath + "/../told"

/// Tells a test what is done.
func tell(_ line: String) {
    guard let file = fopen(toldPath, "a") else { return }
    fputs(line + "\n", file)
    fclose(file)
}

/// Calls whose actions have the outcomes that the payloads of their pushes say.
final class Calls: NSObject, CXProviderDelegate, @unchecked Sendable {
    private let provider = CXProvider(configuration: configuration)
    private let controller = CXCallController(queue: .main)
    private lazy var asking = Asking(provider)
    private let lock = NSLock()
    private var ways: [UUID: String] = [:]
    /// Plays what `Plays` of its `Info.plist` names from the first activation on, whatever follows.
    private var player: AVAudioPlayer?

    private static var configuration: CXProviderConfiguration {
        let configuration = CXProviderConfiguration()
        configuration.ringtoneSound = Bundle.main.object(forInfoDictionaryKey: "Ringtone") as? String
        return configuration
    }

    func begin() {
        provider.setDelegate(self, queue: nil)
        try? AVAudioSession.sharedInstance().setCategory(.playAndRecord, mode: .voiceChat)
    }

    func stopPlaying() {
        player?.stop()
        tell("stopped")
    }

    func report(_ payload: PKPushPayload) {
        let uuid = Self.uuid(payload) ?? UUID()
        lock.withLock { ways[uuid] = payload.dictionaryPayload["action"] as? String }
        let update = CXCallUpdate()
        let number = payload.dictionaryPayload["number"] as? String
        // Whose number it is the system is to say.
        if number == nil { update.localizedCallerName = "Jane" }
        update.remoteHandle =
            number.map { CXHandle(type: .phoneNumber, value: $0) }
            ?? CXHandle(type: .generic, value: "jane")
        provider.reportNewIncomingCall(with: uuid, update: update) { error in
            tell("reported" + Self.code(error))
        }
    }

    /// The caller's side has ended the call.
    func end(_ payload: PKPushPayload) {
        if let uuid = Self.uuid(payload) { provider.reportCall(with: uuid, endedAt: nil, reason: .remoteEnded) }
    }

    /// Asks for what the push says.
    func ask(_ payload: PKPushPayload) { asking.ask(payload) }

    /// Asks for nothing, for what it has no call of, for the end of its call, and without its provider.
    func request(_ payload: PKPushPayload) {
        guard let uuid = Self.uuid(payload) else { return }
        request("empty", CXTransaction())
        request("unknown", CXTransaction(action: CXEndCallAction(call: UUID())))
        request("hold", CXTransaction(action: CXSetHeldCallAction(call: uuid, onHold: true)))
        provider.invalidate()
        request("gone", CXTransaction(action: CXEndCallAction(call: uuid)))
    }

    private func request(_ name: String, _ transaction: CXTransaction) {
        controller.request(transaction) { error in tell(name + Self.code(error)) }
    }

    private static func uuid(_ payload: PKPushPayload) -> UUID? {
        (payload.dictionaryPayload["uuid"] as? String).flatMap { UUID(uuidString: $0) }
    }

    private static var sound: String? { Bundle.main.object(forInfoDictionaryKey: "Plays") as? String }

    private static func code(_ error: (any Error)?) -> String { error.map { " \(($0 as NSError).code)" } ?? "" }

    func providerDidReset(_ provider: CXProvider) { tell("reset") }

    func provider(_ provider: CXProvider, perform action: CXAnswerCallAction) {
        if Self.sound != nil {
            do { try AVAudioSession.sharedInstance().setActive(true) } catch { tell("early" + Self.code(error)) }
        }
        perform(action, "answer")
    }

    func provider(_ provider: CXProvider, perform action: CXEndCallAction) { perform(action, "end") }

    func provider(_ provider: CXProvider, perform action: CXStartCallAction) { perform(action, "start") }

    func provider(_ provider: CXProvider, perform action: CXSetHeldCallAction) {
        perform(action, action.isOnHold ? "hold" : "resume")
    }

    func provider(_ provider: CXProvider, perform action: CXSetMutedCallAction) {
        perform(action, action.isMuted ? "mute" : "unmute")
    }

    func provider(_ provider: CXProvider, perform action: CXSetGroupCallAction) {
        perform(action, action.callUUIDToGroupWith == nil ? "ungroup" : "group")
    }

    func provider(_ provider: CXProvider, perform action: CXPlayDTMFCallAction) {
        perform(action, "digits \(action.digits)")
    }

    func provider(_ provider: CXProvider, timedOutPerforming action: CXAction) { tell("timed out") }

    func provider(_ provider: CXProvider, didActivate audioSession: AVAudioSession) {
        if let sound = Self.sound, player == nil {
            player = try? AVAudioPlayer(contentsOf: URL(fileURLWithPath: sound))
            player?.numberOfLoops = -1
            player?.play()
        }
        tell("active")
    }

    func provider(_ provider: CXProvider, didDeactivate audioSession: AVAudioSession) { tell("inactive") }

    private func perform(_ action: CXCallAction, _ kind: String) {
        tell("perform \(kind)")
        switch lock.withLock({ ways[action.callUUID] }) {
        case "thread": Thread { action.fulfill() }.start()
        case "thread fails": Thread { action.fail() }.start()
        case "fails": action.fail()
        case "late":
            DispatchQueue.main.asyncAfter(deadline: .now() + 1.5) {
                action.fulfill()
                tell("late")
            }
        case "twice":
            action.fulfill()
            action.fulfill()
        case "never": break
        default: action.fulfill()
        }
    }
}
