/// The steps of a push: the words of the log.
public enum PushStep: String, Hashable, Sendable, CaseIterable {
    /// It was answered 200: from here on it is not lost.
    case accepted
    /// It was refused; `code` is the reason in the answer to the server.
    case refused
    /// A connection ended before its first request; `code` says why.
    case disconnected
    /// A tester asked for this answer, and nothing else happened to it; `detail` is the reason in the answer to the
    /// server.
    case injected
    /// It came before within ten minutes, was answered 200 and is not delivered once more.
    case duplicate
    /// It was answered 200, but no worker takes pushes of its kind.
    case recorded
    /// It is handed to a worker.
    case handedOver = "handed-over"
    /// Its machine, another one, was asked once more to take it; `code` says why.
    case askedAgain = "asked-again"
    /// The worker took it.
    case received
    /// The worker rejected it; `code` is the reason.
    case rejected
    /// No worker took it; `code` says why.
    case offline
    /// It is kept for when the device can be reached.
    case stored
    /// A later one of its topic took its place.
    case replaced
    /// It is past its expiration, or may not be kept, and no worker took it.
    case expired
    /// Its token was removed before a worker took it.
    case unregistered
    /// It was in a file that was damaged.
    case lost
    /// The worker reported an event about it; `event` says which, `code` how or why.
    case event
    /// The machine that took it is no more, and nothing else is heard of it.
    case gone
}

/// Why no worker took a push.
public enum OfflineReason: String, Hashable, Sendable, CaseIterable {
    /// There is no push socket, or no manager listens at it.
    case noSocket = "no-socket"
    /// The most calls that may ring at once ring already.
    case busy
    /// The worker ended, or the connection broke, before it was taken, or it did not come within the worker's time.
    case workerDied = "worker-died"
    /// The device's token is unknown although it was not removed: the registry was damaged.
    case unknownToken = "unknown-token"
    /// It cannot be read from the disk now.
    case unreadable
    /// No broker knows the machine that has the device.
    case noMachine = "no-machine"
    /// The machine that has the device says nothing.
    case silent
    /// Too much waits on the machine that has the device.
    case overloaded
}
