public import BelfryDevices
public import BelfryTerms
public import Fleet

/// One push with all that is known of its receiver.
public struct HandOver: Sendable {
    /// The push, with its payload as it came.
    public let push: EndpointPush
    /// Whose its token is.
    public let registration: Registration
    /// Whether it was kept, since its device or machine was offline.
    public let isKept: Bool
    /// The latest that it can have been accepted, where the clocks of several gateways say when; nil where one does.
    public let acceptedUntil: WallTime?

    /// The push `push` for `registration`.
    public init(
        push: EndpointPush, registration: Registration, isKept: Bool = false, acceptedUntil: WallTime? = nil
    ) {
        self.acceptedUntil = acceptedUntil
        self.push = push
        self.registration = registration
        self.isKept = isKept
    }
}

/// What a carrier reports of a push: how the hand-over ended, once, and then what became of it.
public enum CarrierNews: Hashable, Sendable {
    /// The device took it: it is settled.
    case received
    /// The device will never take it: it is settled as well. `reason` is a word of the device, `detail` for people.
    case rejected(reason: String, detail: String)
    /// The device took a later one of its topic while this one was kept: it is settled as well.
    case replaced
    /// No device was there to take it now; `detail` is for people.
    case offline(OfflineReason, detail: String)
    /// After ``received``: what became of it, as the device calls it, and a code word of the device if there is one.
    case event(String, code: String?)
    /// Before its end: the machine was asked once more to take it, and why.
    case askedAgain(AskedAgain)
    /// After ``received``: its machine is no more, and nothing else is heard of it.
    case gone
    /// After ``received``: nothing else is reported of it.
    case over
}

/// Takes pushes to devices: over the push socket of this machine, or wherever else devices may be.
///
/// It belongs to its queue's loop.
public protocol Carrier: AnyObject {
    /// Called by the carrier as soon as devices that it found offline may be there again: those of the machine, or of
    /// this one where it is nil.
    var onReturn: (FleetName?) -> Void { get set }

    /// Begins to hand over `handOver`, and calls `news` with all that becomes of it, perhaps before this returns.
    func carry(_ handOver: HandOver, _ news: @escaping (CarrierNews) -> Void)
}
