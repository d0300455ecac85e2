public import BelfryProtocol
public import BelfryTerms
public import CallChannel
public import CallDirectory

/// One worker's connection: a number that its driver gives it, never twice.
public struct WorkerNumber: Hashable, Sendable {
    /// The number.
    public let value: Int64

    /// A number.
    public init(_ value: Int64) { self.value = value }
}

/// What ``CallStateMachine`` hears, in the order in which it happens.
public enum CallInput: Hashable, Sendable {
    /// A worker hands a voip push over.
    case push(WorkerNumber, VoIPPush)
    /// An event of a worker that handed one over.
    case worker(WorkerNumber, Event.Body)
    /// The connection of a worker is gone.
    case workerGone(WorkerNumber)
    /// An app's process has connected, and has said who it is. Only one of each is let in.
    case appConnected(AppHello)
    /// The connection of the app is gone.
    case appGone(String)
    /// The app could not be started, or left before it connected; why, for people.
    case appFailed(String, why: String)
    /// The app says something; with what is known of the number that it names, as the driver has looked it up.
    case app(String, AppMessage, number: NumberVerdict = NumberVerdict())
    /// The person wants something done with a call that goes on, named by its key or its UUID, or with the active one
    /// if that is nil. Who asks is known by the number, and is answered by ``CallEffect/answer(_:_:)``; nil if nobody
    /// waits for that.
    case command(CallCommand, call: String?, from: Int64?)
    /// A ring that was asked for by ``CallEffect/ring(_:)`` has no worker: the push could not be sent.
    case ringFailed(String)
}

/// What ``CallStateMachine`` wants done, in that order.
public enum CallEffect: Hashable, Sendable {
    /// Say this to a worker.
    case worker(WorkerNumber, WorkerOrder)
    /// Say this to an app.
    case app(String, AppWord)
    /// Start the app, unless it is being started.
    case start(String)
    /// Push this into the push socket: a call that no push brought.
    case ring(OwnRing)
    /// The app has the action that answers a call: take the answer out of the group's `pendingAccept`.
    case collectAnswer(GroupName, call: String)
    /// The command of whoever has that number was carried out, or was not.
    case answer(Int64, CommandOutcome)
    /// The call goes on as this says: it is shown, and the group's file says that it is on unless it is held. The group
    /// is that of its ring; nil for its app's.
    case goesOn(OngoingCall, in: GroupName?)
    /// The call goes on no longer.
    case goesOnNoLonger(OngoingCall)
    /// Tell those who watch and the journal, and with the worker's number the push's connection: a warning goes there
    /// as ``WorkerOrder/warning(_:detail:)`` while it is open.
    case tell(Event.Body, id: String, about: WorkerNumber?)
}

/// A call that an app reported and no push brought: its own push, `{"pushType": "voip", …}`.
public struct OwnRing: Hashable, Sendable {
    /// The push's id, by which its worker is known.
    public let id: String
    /// The app that reported it.
    public let app: String
    /// The call's key: its UUID in capitals.
    public let call: String
    /// Who calls.
    public let caller: ReportedCaller
    /// How long it may ring; nil for as long as any.
    public let left: TimeSpan?
    /// The group in whose ledger it rings; nil for `[AppGroup] Name=`. One that is rung anew keeps its group.
    public var group: GroupName?

    /// A ring.
    public init(id: String, app: String, call: String, caller: ReportedCaller, left: TimeSpan? = nil) {
        (self.id, self.app, self.call, self.caller, self.left) = (id, app, call, caller, left)
    }
}

/// What became of a person's command.
public enum CommandOutcome: Hashable, Sendable {
    /// The app has done it.
    case done
    /// There is no such call, and why, for people.
    case noCall(String)
    /// It cannot be done, or the app has failed it; why, for people.
    case refused(String)
}

/// What an operator sets of apps' calls.
public struct CallControlSettings: Hashable, Sendable {
    /// How long a push waits for its app's report, the app's launch included: `[Calls] AppPatience=`.
    public var appPatience = TimeSpan.seconds(5)
    /// How long an action may take: `[Calls] ActionTimeout=`.
    public var actionTimeout = TimeSpan.seconds(5)
    /// How long an answer may take: `[Calls] AnswerTimeout=`.
    public var answerTimeout = TimeSpan.seconds(60)
    /// How long the start of an outgoing call may take: `[Calls] StartTimeout=`.
    public var startTimeout = TimeSpan.seconds(600)

    /// The defaults.
    public init() {}
}
