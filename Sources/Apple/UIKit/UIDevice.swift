import BelfryAppleGround
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

/// The device: the telephone that Belfry stands for. Source: Apple, `UIDevice`.
open class UIDevice: NSObject, @unchecked Sendable {
    /// The device.
    public static let current = UIDevice()

    /// The kind of device.
    public let model = "iPhone"
    /// The kind of device, in the person's language.
    public let localizedModel = "iPhone"
    /// What it is called, which iOS has not told since its version 16.
    public let name = "iPhone"
    /// The system whose rules count.
    public let systemName = "iOS"
    /// The version of the system whose names these modules have.
    public let systemVersion = "26.1"
    /// What the interface is made for.
    public let userInterfaceIdiom = UIUserInterfaceIdiom.phone

    /// A number that stays the same on this machine for all programs whose bundle identifiers begin alike; nil where
    /// the machine has none itself (machine-id(5)).
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

    /// How many pixels are a point.
    public let scale: CGFloat = 3
    /// Its size in points.
    public let bounds = CGRect(x: 0, y: 0, width: 393, height: 852)
}

/// Seconds since the system was started, without those in which it slept; QuartzCore's, which UIKit brings along.
public func CACurrentMediaTime() -> CFTimeInterval { ProcessInfo.processInfo.systemUptime }
