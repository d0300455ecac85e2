@_exported public import Foundation

/// An angle on the globe, in degrees.
public typealias CLLocationDegrees = Double
/// A distance, in metres.
public typealias CLLocationDistance = Double

/// A place on the globe. Source: Apple, `CLLocationCoordinate2D`.
public struct CLLocationCoordinate2D: Hashable, Sendable {
    /// Degrees north of the equator.
    public var latitude: CLLocationDegrees
    /// Degrees east of Greenwich.
    public var longitude: CLLocationDegrees

    /// A place.
    public init(latitude: CLLocationDegrees = 0, longitude: CLLocationDegrees = 0) {
        self.latitude = latitude
        self.longitude = longitude
    }
}

/// A region, as a value: nothing here knows where the device is. Source: Apple, `CLRegion`.
open class CLRegion: NSObject {
    /// Its identifier.
    public let identifier: String
    /// Whether a device that enters it counts.
    open var notifyOnEntry = true
    /// Whether a device that leaves it counts.
    open var notifyOnExit = true

    package init(identifier: String) {
        self.identifier = identifier
        super.init()
    }
}

/// A circle on the globe. Source: Apple, `CLCircularRegion`.
open class CLCircularRegion: CLRegion {
    /// Its middle.
    public let center: CLLocationCoordinate2D
    /// Its radius, in metres.
    public let radius: CLLocationDistance

    /// A circle.
    public init(center: CLLocationCoordinate2D, radius: CLLocationDistance, identifier: String) {
        self.center = center
        self.radius = radius
        super.init(identifier: identifier)
    }
}
