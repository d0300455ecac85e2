public import BelfryDevices
public import PushAPI

/// Takes the pushes that an endpoint has found to be in order.
public protocol PushTaker: AnyObject {
    /// What is known of `token` now.
    func standing(of token: DeviceToken) -> TokenStanding

    /// Keeps `push`, and calls `answer` once: with nil when it is kept, otherwise with the reason.
    func take(_ push: EndpointPush, for registration: Registration, _ answer: @escaping (EndpointReason?) -> Void)

    /// Notes a request that was refused.
    func note(refusal: Refusal, of request: RefusedRequest)

    /// Notes a request that was answered as a tester wants it.
    func note(fault: AnswerFault, of apnsID: String)
}
