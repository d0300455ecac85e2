/// When a notification appears. Source: Apple, `UNNotificationTrigger`.
open class UNNotificationTrigger: NSObject, NSCopying, NSSecureCoding {
    /// Whether the notification appears again and again.
    public let repeats: Bool

    init(repeats: Bool) {
        self.repeats = repeats
        super.init()
    }

    /// Itself: a trigger does not change.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// True.
    open class var supportsSecureCoding: Bool { true }

    /// A trigger in an archive.
    public required init?(coder: NSCoder) {
        repeats = coder.decodeBool(forKey: "repeats")
        super.init()
    }

    /// Writes the trigger into an archive.
    open func encode(with coder: NSCoder) { coder.encode(repeats, forKey: "repeats") }

    /// The next date after `now` at which a notification requested at `start` appears; nil if there is none.
    func nextDate(after now: Date, askedAt start: Date) -> Date? { nil }
}

/// The trigger of a notification that was pushed.
open class UNPushNotificationTrigger: UNNotificationTrigger {
    /// The trigger of notifications that the keeper hands over.
    package init() { super.init(repeats: false) }

    /// A trigger in an archive.
    public required init?(coder: NSCoder) { super.init(coder: coder) }
}

/// A trigger that waits for a length of time.
open class UNTimeIntervalNotificationTrigger: UNNotificationTrigger {
    /// The shortest interval that may repeat, as iOS demands.
    private static let repeatedIntervalMin: TimeInterval = 60

    /// How long it waits, in seconds.
    public let timeInterval: TimeInterval

    /// A trigger that fires after `timeInterval` seconds, which must be above 0, and at least 60 if it repeats: iOS
    /// raises an exception otherwise.
    public init(timeInterval: TimeInterval, repeats: Bool) {
        precondition(timeInterval > 0, "time interval must be greater than 0")
        precondition(
            !repeats || timeInterval >= Self.repeatedIntervalMin, "time interval must be at least 60 if repeating")
        self.timeInterval = timeInterval
        super.init(repeats: repeats)
    }

    /// When it would fire if it were requested now.
    open func nextTriggerDate() -> Date? { Date(timeIntervalSinceNow: timeInterval) }

    /// A trigger in an archive; nil if it holds none.
    public required init?(coder: NSCoder) {
        timeInterval = coder.decodeDouble(forKey: "timeInterval")
        super.init(coder: coder)
        guard timeInterval > 0, !repeats || timeInterval >= Self.repeatedIntervalMin else { return nil }
    }

    /// Writes the trigger into an archive.
    open override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        coder.encode(timeInterval, forKey: "timeInterval")
    }

    override func nextDate(after now: Date, askedAt start: Date) -> Date? {
        let first = start.addingTimeInterval(timeInterval)
        guard now >= first else { return first }
        guard repeats else { return nil }
        let passed = (now.timeIntervalSince(start) / timeInterval).rounded(.down)
        return start.addingTimeInterval((passed + 1) * timeInterval)
    }
}

/// A trigger that waits for a date.
open class UNCalendarNotificationTrigger: UNNotificationTrigger {
    /// The parts of the date that must match.
    public let dateComponents: DateComponents

    /// A trigger that fires when the date matches.
    public init(dateMatching dateComponents: DateComponents, repeats: Bool) {
        self.dateComponents = dateComponents
        super.init(repeats: repeats)
    }

    /// When it would fire if it were requested now.
    open func nextTriggerDate() -> Date? { match(after: Date()) }

    /// A trigger in an archive; nil if it holds none.
    public required init?(coder: NSCoder) {
        guard let data = coder.decodeObject(of: NSData.self, forKey: "dateComponents"),
            let components = try? JSONDecoder().decode(DateComponents.self, from: data as Data)
        else { return nil }
        dateComponents = components
        super.init(coder: coder)
    }

    /// Writes the trigger into an archive.
    open override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        let data = (try? JSONEncoder().encode(dateComponents)) ?? Data()
        coder.encode(NSData(data: data), forKey: "dateComponents")
    }

    override func nextDate(after now: Date, askedAt start: Date) -> Date? {
        guard let first = match(after: start) else { return nil }
        guard now >= first else { return first }
        return repeats ? match(after: now) : nil
    }

    private func match(after date: Date) -> Date? {
        (dateComponents.calendar ?? .current).nextDate(
            after: date, matching: dateComponents, matchingPolicy: .nextTime)
    }
}
