/// How far off a place may be, in metres.
public typealias CLLocationAccuracy = Double
/// A speed in metres a second.
public typealias CLLocationSpeed = Double
/// A direction in degrees from north.
public typealias CLLocationDirection = Double

/// As near as can be, with all that a car has.
public let kCLLocationAccuracyBestForNavigation: CLLocationAccuracy = -2
/// As near as can be.
public let kCLLocationAccuracyBest: CLLocationAccuracy = -1
/// Within ten metres.
public let kCLLocationAccuracyNearestTenMeters: CLLocationAccuracy = 10
/// Within a hundred metres.
public let kCLLocationAccuracyHundredMeters: CLLocationAccuracy = 100
/// Within a kilometre.
public let kCLLocationAccuracyKilometer: CLLocationAccuracy = 1_000
/// Within three kilometres.
public let kCLLocationAccuracyThreeKilometers: CLLocationAccuracy = 3_000
/// As far off as the app may know.
public let kCLLocationAccuracyReduced: CLLocationAccuracy = 3_000
/// Each movement counts.
public let kCLDistanceFilterNone: CLLocationDistance = -1

/// A place at a time, as a value. Source: Apple, `CLLocation`.
open class CLLocation: NSObject, @unchecked Sendable {
    /// Where it is.
    public let coordinate: CLLocationCoordinate2D
    /// How high it is, in metres.
    public let altitude: CLLocationDistance
    /// How far off it may be; below 0 if it is not valid.
    public let horizontalAccuracy: CLLocationAccuracy
    /// How far off its height may be; below 0 if that is not valid.
    public let verticalAccuracy: CLLocationAccuracy
    /// When it was so.
    public let timestamp: Date
    /// How fast it moved; below 0 if that is not known.
    public let speed: CLLocationSpeed = -1
    /// Where it moved to; below 0 if that is not known.
    public let course: CLLocationDirection = -1

    /// The mean radius of the earth, in metres.
    private static let radius = 6_371_008.8

    /// A place at this time.
    public convenience init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
        self.init(
            coordinate: CLLocationCoordinate2D(latitude: latitude, longitude: longitude), altitude: 0,
            horizontalAccuracy: 0, verticalAccuracy: -1, timestamp: Date())
    }

    /// A place at `timestamp`.
    public init(
        coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance, horizontalAccuracy: CLLocationAccuracy,
        verticalAccuracy: CLLocationAccuracy, timestamp: Date
    ) {
        self.coordinate = coordinate
        self.altitude = altitude
        self.horizontalAccuracy = horizontalAccuracy
        self.verticalAccuracy = verticalAccuracy
        self.timestamp = timestamp
        super.init()
    }

    /// How far `location` is away along the ground, in metres.
    open func distance(from location: CLLocation) -> CLLocationDistance {
        func radians(_ degrees: Double) -> Double { degrees * .pi / 180 }
        let (here, there) = (coordinate, location.coordinate)
        let north = sin(radians(there.latitude - here.latitude) / 2)
        let east = sin(radians(there.longitude - here.longitude) / 2)
        let part = north * north + cos(radians(here.latitude)) * cos(radians(there.latitude)) * east * east
        return 2 * Self.radius * asin(min(1, part.squareRoot()))
    }
}
