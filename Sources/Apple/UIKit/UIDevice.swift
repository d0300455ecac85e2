import BelfryAppleGround
import BelfrySyscalls
import BelfryTerms

/// The kind of device that an interface is made for.
public enum UIUserInterfaceIdiom: Int, Sendable {
    /// None.
    case unspecified = -1
    /// A telephone.
    case phone
    /// A tablet.
    case pad
}

/// How a device is held. Source: Apple, `UIDeviceOrientation`.
public enum UIDeviceOrientation: Int, Sendable {
    /// It is not known.
    case unknown
    /// Upright.
    case portrait
    /// Upside down.
    case portraitUpsideDown
    /// On its right side.
    case landscapeLeft
    /// On its left side.
    case landscapeRight
    /// On its back.
    case faceUp
    /// On its face.
    case faceDown

    /// Whether it stands.
    public var isPortrait: Bool { self == .portrait || self == .portraitUpsideDown }
    /// Whether it lies on a side.
    public var isLandscape: Bool { self == .landscapeLeft || self == .landscapeRight }
    /// Whether it lies on its back or face.
    public var isFlat: Bool { self == .faceUp || self == .faceDown }
    /// Whether an interface can be held so.
    public var isValidInterfaceOrientation: Bool { isPortrait || isLandscape }
}

/// The device: the telephone that Belfry stands for. Source: Apple, `UIDevice`.
open class UIDevice: NSObject, @unchecked Sendable {
    /// The device.
    public static let current = UIDevice()

    /// The kind of device.
    public let model = "iPhone"
    /// The kind of device, in the person's language.
    public let localizedModel = "iPhone"
    /// The kind of device instead of its name, which iOS keeps secret since its version 16.
    public let name = "iPhone"
    /// The system whose rules apply.
    public let systemName = "iOS"
    /// The version of iOS whose declarations these modules have.
    public let systemVersion = "26.1"
    /// The kind of device that the interface is made for.
    public let userInterfaceIdiom = UIUserInterfaceIdiom.phone

    /// False, whatever is set, as on a device without such a sensor.
    open var isProximityMonitoringEnabled: Bool {
        get { false }
        set {}
    }
    /// False: nothing is near.
    open var proximityState: Bool { false }
    /// Upright, as a telephone that is held to an ear: nothing turns.
    open var orientation: UIDeviceOrientation { .portrait }
    /// False: nothing watches the orientation.
    open var isGeneratingDeviceOrientationNotifications: Bool { false }
    /// Does nothing: nothing turns.
    open func beginGeneratingDeviceOrientationNotifications() {}
    /// Does nothing.
    open func endGeneratingDeviceOrientationNotifications() {}
    /// Kept.
    open var isBatteryMonitoringEnabled: Bool {
        get { monitorsBattery.withLock { $0 } }
        set { monitorsBattery.withLock { $0 = newValue } }
    }
    /// Unknown, and so below 0.
    open var batteryLevel: Float { -1 }
    /// Unknown.
    open var batteryState: BatteryState { .unknown }
    private let monitorsBattery = LockedValue(false)

    /// What the battery does. Source: Apple, `UIDevice.BatteryState`.
    public enum BatteryState: Int, Sendable {
        /// It is not known.
        case unknown
        /// It gives.
        case unplugged
        /// It takes.
        case charging
        /// It is full.
        case full
    }

    /// The device was turned: never posted.
    public static let orientationDidChangeNotification = Notification.Name("UIDeviceOrientationDidChangeNotification")
    /// Something came near, or went: never posted.
    public static let proximityStateDidChangeNotification = Notification.Name(
        "UIDeviceProximityStateDidChangeNotification")
    /// The battery does something else: never posted.
    public static let batteryStateDidChangeNotification = Notification.Name("UIDeviceBatteryStateDidChangeNotification")

    /// An identifier that is the same for all programs of this machine whose bundle identifiers have the same first two
    /// parts; nil if the machine has none (machine-id(5)).
    open var identifierForVendor: UUID? {
        guard let machine = FileManager.default.contents(atPath: "/etc/machine-id"), !machine.isEmpty else {
            return nil
        }
        let vendor = (KeeperDoor.bundle.bundleIdentifier ?? "").split(separator: ".").prefix(2).joined(separator: ".")
        let bytes = [UInt8](machine) + Array(vendor.utf8)
        let digits = Array(Fingerprint.of(bytes) + Fingerprint.of(bytes.reversed()))
        let groups = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }
        return UUID(uuidString: groups.joined(separator: "-"))
    }
}

/// The screen: there is one, as a value. Source: Apple, `UIScreen`.
open class UIScreen: NSObject, @unchecked Sendable {
    /// The screen.
    public static let main = UIScreen()

    /// The pixels of a point.
    public let scale: CGFloat = 3
    /// Its size in points.
    public let bounds = CGRect(x: 0, y: 0, width: 393, height: 852)
}

/// Seconds since the system was started, without sleep. It belongs to QuartzCore, which UIKit exports.
public func CACurrentMediaTime() -> CFTimeInterval { ProcessInfo.processInfo.systemUptime }
