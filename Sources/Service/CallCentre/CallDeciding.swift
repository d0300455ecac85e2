import BelfryProtocol
import BelfryTerms
import CallChannel
import CallControl

/// Who decides about apps' calls: ``CallStateMachine``, and in tests of the driver a stand-in.
protocol CallDeciding {
    /// Hears `input`; what is to be done, in that order.
    mutating func take(_ input: CallInput, at now: Instant) -> [CallEffect]
    /// The next instant at which something is due; nil if nothing is.
    var deadline: Instant? { get }
    /// What is due at `now`.
    mutating func timePassed(at now: Instant) -> [CallEffect]
    /// How many calls live.
    var liveCalls: Int { get }
    /// The calls that go on, the oldest first.
    var ongoing: [OngoingCall] { get }
    /// The app whose push a worker has; nil if it has none.
    func app(of worker: WorkerNumber) -> String?
    /// What is known of the apps.
    var listed: [ListedApp] { get }
}

extension CallStateMachine: CallDeciding {}
