public import BelfryDevices
public import PushAPI

/// What takes the pushes that an endpoint has found in order.
public protocol PushTaker: AnyObject {
    /// What there is to know of `token` now.
    func standing(of token: DeviceToken) -> TokenStanding

    /// Keeps `push`, and calls `answer` once: with nil when it is kept, with why not otherwise.
    func take(_ push: EndpointPush, for registration: Registration, _ answer: @escaping (EndpointReason?) -> Void)

    /// Tells of a request that was refused.
    func note(refusal: Refusal, of apnsID: String)

    /// Tells of a request that was answered as a tester wants it.
    func note(fault: AnswerFault, of apnsID: String)
}
