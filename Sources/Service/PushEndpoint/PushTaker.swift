public import BelfryDevices
public import PushAPI

/// Takes the pushes that an endpoint has found to be in order.
public protocol PushTaker: AnyObject {
    /// What is known of `token` now.
    func standing(of token: DeviceToken) -> TokenStanding

    /// Finds out whether a token that is not known may be one that another gateway of the fleet was given: calls
    /// `answer` with true once all that the fleet knows is known here, with false if that cannot be said now. Returns
    /// false, and does not call it, if this endpoint belongs to no fleet: what it does not know, nobody does.
    func makeCertain(_ answer: @escaping (Bool) -> Void) -> Bool

    /// Keeps `push`, and calls `answer` once: with nil when it is kept, otherwise with the reason.
    func take(_ push: EndpointPush, for registration: Registration, _ answer: @escaping (EndpointReason?) -> Void)

    /// Notes a request that was refused.
    func note(refusal: Refusal, of request: RefusedRequest)

    /// Notes a connection that ended before its first request.
    func note(end: EarlyEnd)

    /// Notes that there were `count` more strangers of this kind than were noted.
    func note(more count: Int, of kind: RefusalTally.Kind)

    /// Notes a request that was answered as a tester wants it.
    func note(fault: AnswerFault, of apnsID: String)
}
