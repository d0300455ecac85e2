import BelfryPropertyList
public import BelfryTerms

/// Whether the app is in front.
public enum Foreground: Hashable, Sendable {
    /// It is not.
    case background
    /// It is, and a process that lives owns the word.
    case owned
    /// Somebody said so and left nobody to ask: believed until reboot, or for twelve hours.
    case unowned
}

extension Ledger {
    /// How long a flag that no process owns is believed.
    public static let unownedForegroundMax = TimeSpan.seconds(12 * 3600)

    /// How far a stamp may seem to lie ahead for a reader that took the time before it read.
    private static let stampAheadMax = TimeSpan.seconds(1)

    /// Whether the app is in front at this moment.
    public var foreground: Foreground {
        guard isForegroundFlagSet else { return .background }
        guard let stamp = foregroundStamp else { return unownedForeground(since: bareFlagSeen) }
        if let owner = Owner(in: stamp) { return moment.isAlive(owner) ? .owned : .background }
        guard case .string(moment.bootID)? = stamp["bootId"], case .integer(let since)? = stamp["since"] else {
            return .background
        }
        return unownedForeground(since: Instant(microseconds: since))
    }

    private func unownedForeground(since: Instant) -> Foreground {
        let age = moment.now - since
        let isBelieved = since >= Instant(microseconds: 0) && age >= .zero - Self.stampAheadMax
        return isBelieved && age < Self.unownedForegroundMax ? .unowned : .background
    }

    private var foregroundStamp: PropertyListDictionary? {
        guard case .dictionary(let stamp)? = root[Key.foregroundOwner] else { return nil }
        return stamp
    }

    /// Since when at the latest a flag without a stamp is set: every Belfry program that writes the file stamps it.
    private var bareFlagSeen: Instant { min(moment.fileModified ?? moment.now, moment.now) }

    /// Says that the app is in front: as long as `owner` lives, or, without one, until reboot or for twelve hours.
    public mutating func enterForeground(owner: Owner?) {
        guard let owner else { return enterForeground(since: moment.now) }
        root[Key.foreground] = .bool(true)
        var stamp = PropertyListDictionary()
        Owner.write(owner, to: &stamp)
        root[Key.foregroundOwner] = .dictionary(stamp)
    }

    private mutating func enterForeground(since: Instant) {
        root[Key.foreground] = .bool(true)
        var stamp = PropertyListDictionary()
        stamp["bootId"] = .string(moment.bootID)
        stamp["since"] = .integer(since.microseconds)
        root[Key.foregroundOwner] = .dictionary(stamp)
    }

    /// Says that the app is no longer in front.
    public mutating func enterBackground() {
        root[Key.foreground] = .bool(false)
        root[Key.foregroundOwner] = nil
    }

    /// A bare flag says nothing of its age: whoever changes the file first stamps it, or drops what is over.
    mutating func stampForeground() {
        guard isForegroundFlagSet else {
            root[Key.foregroundOwner] = nil
            return
        }
        if foreground == .background {
            enterBackground()
        } else if foregroundStamp == nil {
            enterForeground(since: bareFlagSeen)
        }
    }

    private var isForegroundFlagSet: Bool {
        switch root[Key.foreground] {
        case .bool(let flag)?: flag
        case .integer(let number)?: number != 0
        default: false
        }
    }
}
