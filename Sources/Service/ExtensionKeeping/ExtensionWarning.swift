import BelfryTerms

/// The warnings about a foreign extension's code, for people.
enum ExtensionWarning {
    /// What `code` means, where it is always the same.
    static func detail(of code: WarningCode) -> String {
        switch code {
        case .neverReplied: "the extension never called its content handler"
        case .blocked: "didReceive runs on past serviceExtensionTimeWillExpire, which iOS does not wait for"
        case .killedAtBudget: "the extension's process ran at the end of its budget: iOS kills it there"
        case .handlerCalledAgain: "the content handler counts once, and in time"
        case .hangupCouldNotStop: "the extension rings before it replies: until then iOS keeps a hangup waiting"
        default: ""
        }
    }
}

/// Whether code rings before it replies: whether it asks for sound or vibration, and again a second later or more.
struct RingBeforeReply {
    /// How long a single signal may take.
    private static let signalMax = TimeSpan.seconds(1)

    /// The notification that was handed over last, until its reply.
    private var number: Int64?
    private var firstAsked: Instant?

    /// A notification was handed over.
    mutating func handedOver(_ number: Int64) { (self.number, firstAsked) = (number, nil) }

    /// A notification has its reply.
    mutating func replied(_ number: Int64) { if self.number == number { self.number = nil } }

    /// The code asked for something. Returns whether that makes it a ring, which is true once for each notification.
    mutating func asked(_ what: CodeWord<AskedKind>, by number: Int64, at now: Instant) -> Bool {
        guard self.number == number, [.sound, .alert, .vibration].contains(what.known) else { return false }
        guard let first = firstAsked else {
            firstAsked = now
            return false
        }
        guard now - first >= Self.signalMax else { return false }
        self.number = nil
        return true
    }
}
