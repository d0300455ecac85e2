/// What became of a push: the words of the log.
public enum PushStep: String, Hashable, Sendable, CaseIterable {
    /// It was answered 200: from here on it is not lost.
    case accepted
    /// It was refused; `code` is the reason that the server was told.
    case refused
    /// A tester wanted it answered so, and nothing else became of it; `detail` is the reason that the server was told.
    case injected
    /// It came before within ten minutes, was answered 200 and is not delivered once more.
    case duplicate
    /// It was answered 200, and nobody here receives its kind.
    case recorded
    /// It is handed to a worker.
    case handedOver = "handed-over"
    /// The worker took it.
    case received
    /// The worker rejected it; `code` is the reason.
    case rejected
    /// Nobody took it; `code` says why.
    case offline
    /// It is kept for when the device can be reached.
    case stored
    /// A later one of its topic took its place.
    case replaced
    /// It is past its expiration, or may not be kept, and nobody took it.
    case expired
    /// Its token was removed before anybody took it.
    case unregistered
    /// It was in a file that was damaged.
    case lost
    /// The worker told of it; `event` says what, `code` how or why.
    case event
}

/// Why nobody took a push.
public enum OfflineReason: String, Hashable, Sendable, CaseIterable {
    /// There is no push socket, or nobody listens at it.
    case noSocket = "no-socket"
    /// As many calls ring as may.
    case busy
    /// The worker ended, or the connection broke, before it was taken, or it did not come within the worker's time.
    case workerDied = "worker-died"
    /// Nobody knows the device's token, which was not removed: the registry was damaged.
    case unknownToken = "unknown-token"
    /// It cannot be read from the disk now.
    case unreadable
}
