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

/// Where something is to happen, as a value: nothing here knows where the device is. Source: Apple, `CLRegion`.
open class CLRegion: NSObject {
    /// What tells it from others.
    public let identifier: String
    /// Whether it happens as the device comes in.
    open var notifyOnEntry = true
    /// Whether it happens as the device leaves.
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
    /// How far it reaches, in metres.
    public let radius: CLLocationDistance

    /// A circle.
    public init(center: CLLocationCoordinate2D, radius: CLLocationDistance, identifier: String) {
        self.center = center
        self.radius = radius
        super.init(identifier: identifier)
    }
}
