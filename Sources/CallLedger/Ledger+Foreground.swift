public import BootTime
import PropertyList

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

    /// Whether the app is in front at this moment.
    public var foreground: Foreground {
        guard isForegroundFlagSet else { return .background }
        guard case .dictionary(let stamp)? = root[Key.foregroundOwner] else {
            return moment.fileModified.map { $0 < Instant(microseconds: 0) } ?? false ? .background : .unowned
        }
        if let owner = Owner(in: stamp) { return moment.isAlive(owner) ? .owned : .background }
        guard case .string(moment.bootID)? = stamp["bootId"], case .integer(let since)? = stamp["since"] else {
            return .background
        }
        let age = moment.now - Instant(microseconds: since)
        return age < Self.unownedForegroundMax ? .unowned : .background
    }

    /// Says that the app is in front: as long as `owner` lives, or, without one, until reboot or for twelve hours.
    public mutating func enterForeground(owner: Owner?) {
        root[Key.foreground] = .bool(true)
        var stamp = PropertyListDictionary()
        if let owner {
            Owner.write(owner, to: &stamp)
        } else {
            stamp["bootId"] = .string(moment.bootID)
            stamp["since"] = .integer(moment.now.microseconds)
        }
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
        } else if root[Key.foregroundOwner] == nil {
            enterForeground(owner: nil)
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
