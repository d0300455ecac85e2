public import BelfryJSON
public import BelfryProtocol
public import BelfryTerms

// What a test names beside a bell. Under these names, since a module under test may have an `Event` of its own.
extension Belfry {
    /// One event of a notification's life.
    public typealias Event = BelfryProtocol.Event
    /// A call that wants to ring.
    public typealias CallRequest = BelfryProtocol.CallRequest
    /// The end of a call as the caller's side reports it.
    public typealias Hangup = BelfryProtocol.Hangup
    /// What stands around a payload, as APNs' headers do.
    public typealias Envelope = BelfryProtocol.Envelope
    /// What is delivered.
    public typealias Content = BelfryProtocol.NotificationContent
    /// An object in JSON, such as a payload.
    public typealias JSONObject = BelfryJSON.JSONObject
    /// A value in JSON.
    public typealias JSONValue = BelfryJSON.JSONValue
    /// What a foreign server's fields of a call are called.
    public typealias CallNames = BelfryTerms.CallNames
    /// A request to an APNs endpoint, and its answer.
    public typealias Request = PushRecord.Request
}
