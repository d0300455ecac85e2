import BelfryPropertyList
public import BelfryTerms

/// Whether the app is in front.
public enum Foreground: Hashable, Sendable {
    /// The app is not in front.
    case background
    /// The app is in front, and a living process owns the flag that says so.
    case owned
    /// A flag without an owning process says that the app is in front. It is believed until reboot, or for twelve
    /// hours.
    case unowned
}

extension Ledger {
    /// How long a flag without an owning process is believed.
    public static let unownedForegroundMax = TimeSpan.seconds(12 * 3600)

    /// How far ahead a stamp may lie: a reader may have taken the time just before the stamp was written.
    private static let stampAheadMax = TimeSpan.seconds(1)

    /// Whether the app is in front at this moment (R5, R7).
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

    /// The latest instant at which a flag without a stamp can have been set: every Belfry program that writes the file
    /// stamps the flag, so another program wrote it last.
    private var bareFlagSeen: Instant { min(moment.fileModified ?? moment.now, moment.now) }

    /// Sets the flag that the app is in front: for as long as `owner` lives or, without an owner, until reboot or for
    /// 12 hours.
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

    /// Clears the flag that the app is in front.
    public mutating func enterBackground() {
        root[Key.foreground] = .bool(false)
        root[Key.foregroundOwner] = nil
    }

    /// Stamps a flag that has no stamp and therefore no age, or clears a flag that is no longer believed. Every
    /// transaction does this as it opens the ledger.
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

    /// The flag and its stamp as they stand in the file.
    var foregroundKeys: PropertyListDictionary {
        get {
            var keys = PropertyListDictionary()
            keys[Key.foreground] = root[Key.foreground]
            keys[Key.foregroundOwner] = root[Key.foregroundOwner]
            return keys
        }
        set {
            root[Key.foreground] = newValue[Key.foreground]
            root[Key.foregroundOwner] = newValue[Key.foregroundOwner]
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
