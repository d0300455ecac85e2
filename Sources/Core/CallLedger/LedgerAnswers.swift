import BelfryPropertyList
public import BelfryTerms

/// An answer that waits for the app in `pendingAccept` of the group file.
public struct PendingAnswer: Hashable, Sendable {
    /// The call's key.
    public let key: CallKey
    /// The caller's name; empty if the push did not say.
    public let name: String
    /// The caller's number or address; empty if the push did not say.
    public let handle: String
    /// Whether it is a video call.
    public let hasVideo: Bool
    /// When it was answered, in Unix seconds.
    public let answered: Int64
    /// The file of the caller's picture; nil if there was none yet.
    public let picture: String?
    /// Until when it waits; nil if another program left it, which states no end.
    public let until: Instant?

    /// What the file has as `entry`; nil if that makes no sense.
    init?(_ entry: PropertyListValue) {
        guard let entry = entry.dictionaryValue, let id = entry["callId"]?.stringValue else { return nil }
        key = CallKey(id)
        name = entry["name"]?.stringValue ?? ""
        handle = entry["handle"]?.stringValue ?? ""
        hasVideo = entry["video"]?.boolValue ?? false
        if case .integer(let answered)? = entry["answered"] { self.answered = answered } else { answered = 0 }
        picture = entry["picture"]?.stringValue
        if case .integer(let until)? = entry["until"] { self.until = Instant(microseconds: until) } else { until = nil }
    }
}

extension Ledger {
    /// How long an answer waits for the app, unless the operator sets another time.
    public static let answerLifetime = TimeSpan.seconds(120)

    /// The longest time that an operator may set: an answer that claims to wait longer comes from another boot's clock.
    public static let answerLifetimeMax = TimeSpan.seconds(3600)

    /// How many answers wait for the app at most; the oldest are dropped first.
    static let pendingAcceptMax = 20

    /// Answers `key` for the person at the endpoint, and leaves the answer for the app; nil if the call does not ring.
    /// The call is active as long as `holder` lives, if that is given.
    public mutating func answer(_ key: CallKey, heldBy holder: Owner? = nil) -> Call? {
        guard let ring = call(key), isRinging(ring) else { return nil }
        return leaveAnswer(to: ring, heldBy: holder)
    }

    /// Records `ring` as answered, and held by `holder` if that is given, and leaves the answer for the app.
    @discardableResult
    mutating func leaveAnswer(to ring: Call, heldBy holder: Owner?) -> Call {
        var call = record(ring, as: .answered)
        call.answeredAt = moment.now
        if let holder { call.holders = [holder] }
        write(call)
        if ring.isListed { unlist(ring) }
        var accept = PropertyListDictionary()
        accept["callId"] = .string(call.key.text)
        if !call.name.isEmpty { accept["name"] = .string(call.name) }
        if !call.handle.isEmpty { accept["handle"] = .string(call.handle) }
        accept["video"] = .bool(call.hasVideo)
        accept["answered"] = .integer(moment.wall.unixSecond)
        accept["picture"] = call.picture.map { .string($0) }
        accept["until"] = .integer((moment.now + answersWait).microseconds)
        accept["bootId"] = .string(moment.bootID)
        isDurable = true
        addAnswer(.dictionary(accept))
        return call
    }

    /// The answers that wait for the app, the latest last.
    public var answers: [PendingAnswer] { pendingAnswers.filter { !isOver($0) }.compactMap { PendingAnswer($0) } }

    /// Takes out the answers that wait for the app, or the oldest to the call `key` if that is given: each is handed
    /// over once, no matter which process asks.
    ///
    /// The caller hands them over once this change of the ledger is made.
    public mutating func collectAnswers(_ key: CallKey? = nil) -> [PendingAnswer] {
        let key = key.map(self.key)
        let waiting = pendingAnswers.filter { entry in
            !isOver(entry) && PendingAnswer(entry).map { key == nil || $0.key == key } ?? false
        }
        let collected = key == nil ? waiting : Array(waiting.prefix(1))
        removeAnswers(collected)
        return collected.compactMap { PendingAnswer($0) }
    }

    /// The answers in the file, including entries that make no sense.
    var pendingAnswers: [PropertyListValue] { root[Key.pendingAccept]?.arrayValue ?? [] }

    /// Leaves `answer` for the app.
    mutating func addAnswer(_ answer: PropertyListValue) {
        root[Key.pendingAccept] = .array(pendingAnswers.suffix(Self.pendingAcceptMax - 1) + [answer])
    }

    /// Removes answers that were not collected in time.
    mutating func dropOldAnswers() { removeAnswers(pendingAnswers.filter(isOver)) }

    /// Removes `answers`, which may be gone already.
    mutating func removeAnswers(_ answers: [PropertyListValue]) {
        guard !answers.isEmpty else { return }
        let kept = pendingAnswers.filter { !answers.contains($0) }
        guard kept.count < pendingAnswers.count else { return }
        root[Key.pendingAccept] = kept.isEmpty ? nil : .array(kept)
    }

    /// Whether the time of `answer` is up, or its boot is over, which ended its call too. An answer that states neither
    /// keeps waiting.
    func isOver(_ answer: PropertyListValue) -> Bool {
        guard let answer = answer.dictionaryValue else { return false }
        if case .string(let boot)? = answer["bootId"], boot != moment.bootID { return true }
        guard case .integer(let microseconds)? = answer["until"] else { return false }
        let until = Instant(microseconds: microseconds)
        return until <= moment.now || until - moment.now > Self.answerLifetimeMax
    }
}
