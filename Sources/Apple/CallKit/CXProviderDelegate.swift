public import AVFAudio
public import Foundation

/// What a provider's delegate hears, on the queue of ``CXProvider/setDelegate(_:queue:)``. Source: Apple,
/// `CXProviderDelegate`.
///
/// All but ``providerDidReset(_:)`` may be left out. On Linux a method counts only if the class that declares the
/// conformance, or an extension of it, has it: one that a subclass adds is not called.
public protocol CXProviderDelegate: NSObjectProtocol {
    /// All calls are gone: their media are to be torn down, and nothing is to be asked for.
    func providerDidReset(_ provider: CXProvider)
    /// The provider is known to the system.
    func providerDidBegin(_ provider: CXProvider)
    /// Asks whether the delegate carries the whole transaction out: then it is called for none of its actions.
    func provider(_ provider: CXProvider, execute transaction: CXTransaction) -> Bool
    /// Somebody is to be called.
    func provider(_ provider: CXProvider, perform action: CXStartCallAction)
    /// A call is to be answered.
    func provider(_ provider: CXProvider, perform action: CXAnswerCallAction)
    /// A call is to be ended.
    func provider(_ provider: CXProvider, perform action: CXEndCallAction)
    /// A call is to be held, or to go on.
    func provider(_ provider: CXProvider, perform action: CXSetHeldCallAction)
    /// A call is to be muted, or to be heard.
    func provider(_ provider: CXProvider, perform action: CXSetMutedCallAction)
    /// A call is to join a group, or to leave it.
    func provider(_ provider: CXProvider, perform action: CXSetGroupCallAction)
    /// Tones are to be played.
    func provider(_ provider: CXProvider, perform action: CXPlayDTMFCallAction)
    /// A call is to be translated, or no longer.
    func provider(_ provider: CXProvider, perform action: CXSetTranslatingCallAction)
    /// The time of an action is over: it has failed.
    func provider(_ provider: CXProvider, timedOutPerforming action: CXAction)
    /// The audio session is active: media may start.
    func provider(_ provider: CXProvider, didActivate audioSession: AVAudioSession)
    /// The audio session is active no longer: media have to stop.
    func provider(_ provider: CXProvider, didDeactivate audioSession: AVAudioSession)
}

// What a delegate leaves out. For an action that is noted on the action itself, which then waits for its time-out.
extension CXProviderDelegate {
    /// Does nothing.
    public func providerDidBegin(_ provider: CXProvider) {}
    /// False.
    public func provider(_ provider: CXProvider, execute transaction: CXTransaction) -> Bool { false }
    /// Not there.
    public func provider(_ provider: CXProvider, perform action: CXStartCallAction) { action.isImplemented = false }
    /// Not there.
    public func provider(_ provider: CXProvider, perform action: CXAnswerCallAction) { action.isImplemented = false }
    /// Not there.
    public func provider(_ provider: CXProvider, perform action: CXEndCallAction) { action.isImplemented = false }
    /// Not there.
    public func provider(_ provider: CXProvider, perform action: CXSetHeldCallAction) { action.isImplemented = false }
    /// Not there.
    public func provider(_ provider: CXProvider, perform action: CXSetMutedCallAction) { action.isImplemented = false }
    /// Not there.
    public func provider(_ provider: CXProvider, perform action: CXSetGroupCallAction) { action.isImplemented = false }
    /// Not there.
    public func provider(_ provider: CXProvider, perform action: CXPlayDTMFCallAction) { action.isImplemented = false }
    /// Not there.
    public func provider(_ provider: CXProvider, perform action: CXSetTranslatingCallAction) {
        action.isImplemented = false
    }
    /// Does nothing.
    public func provider(_ provider: CXProvider, timedOutPerforming action: CXAction) {}
    /// Does nothing.
    public func provider(_ provider: CXProvider, didActivate audioSession: AVAudioSession) {}
    /// Does nothing.
    public func provider(_ provider: CXProvider, didDeactivate audioSession: AVAudioSession) {}
}
