public import BelfryAppleGround
import BelfryTerms

/// What the app may know of where the device is. Source: Apple, `CLAuthorizationStatus`.
public enum CLAuthorizationStatus: Int32, Sendable {
    /// The person was not asked.
    case notDetermined
    /// Nothing, and the person cannot change that.
    case restricted
    /// Nothing.
    case denied
    /// All.
    case authorizedAlways
    /// All, while it is used.
    case authorizedWhenInUse
}

/// How exactly it may know that. Source: Apple, `CLAccuracyAuthorization`.
public enum CLAccuracyAuthorization: Int, Sendable {
    /// As exactly as the device does.
    case fullAccuracy
    /// Roughly.
    case reducedAccuracy
}

/// The domain of ``CLError``.
public let kCLErrorDomain = "kCLErrorDomain"

/// Why a place cannot be had. Source: Apple, `CLError`.
public struct CLError: CodedError, Hashable, Sendable {
    /// Why.
    public enum Code: Int, Sendable {
        /// It is not known now.
        case locationUnknown
        /// The app may not know it.
        case denied
        /// The network failed.
        case network
    }

    /// Why.
    public let code: Code

    /// An error.
    public init(_ code: Code) { self.code = code }

    /// ``kCLErrorDomain``.
    public static var errorDomain: String { kCLErrorDomain }

    /// It is not known now.
    public static var locationUnknown: Code { .locationUnknown }
    /// The app may not know it.
    public static var denied: Code { .denied }
    /// The network failed.
    public static var network: Code { .network }
}

/// Says where the device is on iOS; here it refuses, as for an app without permission. Source: Apple,
/// `CLLocationManager`.
open class CLLocationManager: NSObject, @unchecked Sendable {
    /// Gets the refusals, on the main queue.
    open weak var delegate: (any CLLocationManagerDelegate)? {
        didSet {
            tell { manager, delegate in
                delegate.locationManagerDidChangeAuthorization(manager)
                delegate.locationManager(manager, didChangeAuthorization: .denied)
            }
        }
    }
    /// Kept.
    open var desiredAccuracy = kCLLocationAccuracyBest
    /// Kept.
    open var distanceFilter = kCLDistanceFilterNone
    /// Kept.
    open var allowsBackgroundLocationUpdates = false
    /// Kept.
    open var pausesLocationUpdatesAutomatically = true
    /// Nil: nothing here knows where the device is.
    open var location: CLLocation? { nil }
    /// Denied.
    open var authorizationStatus: CLAuthorizationStatus { .denied }
    /// Roughly.
    open var accuracyAuthorization: CLAccuracyAuthorization { .reducedAccuracy }

    private let door = KeeperDoor.current

    /// A manager, to be asked by its delegate.
    public override init() { super.init() }

    /// Denied.
    open class func authorizationStatus() -> CLAuthorizationStatus { .denied }

    /// True: it is the app that may not.
    open class func locationServicesEnabled() -> Bool { true }

    /// Does nothing: nobody is asked twice.
    open func requestWhenInUseAuthorization() {}

    /// Does nothing: nobody is asked twice.
    open func requestAlwaysAuthorization() {}

    /// Refused with a warning.
    open func requestLocation() { refuse("requestLocation()") }

    /// Refused with a warning.
    open func startUpdatingLocation() { refuse("startUpdatingLocation()") }

    /// Refused with a warning.
    open func startMonitoringSignificantLocationChanges() { refuse("startMonitoringSignificantLocationChanges()") }

    /// Does nothing, since nothing was begun.
    open func stopUpdatingLocation() {}

    /// Does nothing, since nothing was begun.
    open func stopMonitoringSignificantLocationChanges() {}

    private func refuse(_ what: String) {
        KeeperDoor.warn(.unsupported, "CLLocationManager.\(what)")
        tell { manager, delegate in delegate.locationManager(manager, didFailWithError: CLError(.denied)) }
    }

    private func tell(
        _ word: @escaping @Sendable (CLLocationManager, any CLLocationManagerDelegate) -> Void
    ) {
        door.run(on: .main) { [weak self] in
            if let self, let delegate = self.delegate { word(self, delegate) }
        }
    }
}

/// Learns of places, and of refusals. Source: Apple, `CLLocationManagerDelegate`.
public protocol CLLocationManagerDelegate: AnyObject {
    /// There are places: never here.
    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation])
    /// There is none.
    func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error)
    /// What the app may know has changed.
    func locationManager(_ manager: CLLocationManager, didChangeAuthorization status: CLAuthorizationStatus)
    /// What the app may know has changed, or the manager was made.
    func locationManagerDidChangeAuthorization(_ manager: CLLocationManager)
}

extension CLLocationManagerDelegate {
    /// Does nothing.
    public func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {}
    /// Does nothing.
    public func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {}
    /// Does nothing.
    public func locationManager(_ manager: CLLocationManager, didChangeAuthorization status: CLAuthorizationStatus) {}
    /// Does nothing.
    public func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {}
}
