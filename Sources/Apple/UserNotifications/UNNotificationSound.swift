import BelfryProtocol

/// The name of a sound file.
public struct UNNotificationSoundName: RawRepresentable, Hashable, Sendable {
    /// The file's name with its extension.
    public let rawValue: String

    /// The name `rawValue`.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// The name `rawValue`.
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// The sound of a notification. Source: Apple, `UNNotificationSound`.
public class UNNotificationSound: NSObject, NSCopying, NSSecureCoding {
    private static let defaultName = "default"
    let value: NotificationSound

    required init(_ value: NotificationSound) {
        self.value = value
        super.init()
    }

    /// The system's sound.
    public class var `default`: UNNotificationSound { UNNotificationSound(NotificationSound(name: defaultName)) }

    /// The user's ringtone, which rings for 30 s.
    public class var defaultRingtone: UNNotificationSound {
        UNNotificationSound(NotificationSound(name: defaultName, isRingtone: true))
    }

    /// The system's sound, through the mute switch.
    public class var defaultCritical: UNNotificationSound {
        UNNotificationSound(NotificationSound(name: defaultName, isCritical: true))
    }

    /// The system's sound, through the mute switch; `volume` from 0 to 1.
    public class func defaultCriticalSound(withAudioVolume volume: Float) -> Self {
        self.init(NotificationSound(name: defaultName, isCritical: true, volume: Double(volume)))
    }

    /// The sound file called `name`.
    public convenience init(named name: UNNotificationSoundName) {
        self.init(NotificationSound(name: name.rawValue))
    }

    /// The sound file called `name`, repeated for 30 s.
    public class func ringtoneSoundNamed(_ name: UNNotificationSoundName) -> Self {
        self.init(NotificationSound(name: name.rawValue, isRingtone: true))
    }

    /// The sound file called `name`, through the mute switch.
    public class func criticalSoundNamed(_ name: UNNotificationSoundName) -> Self {
        self.init(NotificationSound(name: name.rawValue, isCritical: true))
    }

    /// The sound file called `name`, through the mute switch; `volume` from 0 to 1.
    public class func criticalSoundNamed(_ name: UNNotificationSoundName, withAudioVolume volume: Float) -> Self {
        self.init(NotificationSound(name: name.rawValue, isCritical: true, volume: Double(volume)))
    }

    /// Itself: a sound does not change.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// True.
    public class var supportsSecureCoding: Bool { true }

    /// A sound in an archive; nil if it holds none.
    public required init?(coder: NSCoder) {
        guard let name = coder.decodeObject(of: NSString.self, forKey: "name") else { return nil }
        value = NotificationSound(
            name: name as String, isCritical: coder.decodeBool(forKey: "critical"),
            volume: coder.decodeDouble(forKey: "volume"), isRingtone: coder.decodeBool(forKey: "ringtone"))
        super.init()
    }

    /// Writes the sound into an archive.
    public func encode(with coder: NSCoder) {
        coder.encode(value.name as NSString, forKey: "name")
        coder.encode(value.isCritical, forKey: "critical")
        coder.encode(value.volume, forKey: "volume")
        coder.encode(value.isRingtone, forKey: "ringtone")
    }

    /// Whether `object` is the same sound.
    public override func isEqual(_ object: Any?) -> Bool { (object as? UNNotificationSound)?.value == value }

    /// The same for sounds that are equal.
    public override var hash: Int { value.hashValue }
}
