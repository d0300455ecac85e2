import BelfryJSON
// A trigger is made with a region; code gets that type by importing this module only.
@_exported public import CoreLocation

/// A trigger that waits for the device to be in a region. It is kept, with a warning, and never fires: nothing here
/// knows where the device is, as on iOS for an app without that permission.
open class UNLocationNotificationTrigger: UNNotificationTrigger {
    /// The region.
    public let region: CLRegion

    /// A trigger that fires in `region`.
    public init(region: CLRegion, repeats: Bool) {
        self.region = region
        super.init(repeats: repeats)
    }

    /// A trigger in an archive; nil if it holds none.
    public required init?(coder: NSCoder) {
        guard let text = coder.decodeObject(of: NSString.self, forKey: "region"),
            let object = try? JSONValue.parse(Array((text as String).utf8)).objectValue,
            let region = StoredRegion(object)
        else { return nil }
        self.region = region.region
        super.init(coder: coder)
    }

    /// Writes the trigger into an archive.
    open override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        let text = String(decoding: StoredRegion(region).json.serialized(), as: UTF8.self)
        coder.encode(text as NSString, forKey: "region")
    }
}

/// A stored region.
struct StoredRegion: Sendable {
    let identifier: String
    let notifiesOnEntry: Bool
    let notifiesOnExit: Bool
    /// Latitude, longitude and radius of a circle.
    let circle: [Double]

    init(_ region: CLRegion) {
        identifier = region.identifier
        notifiesOnEntry = region.notifyOnEntry
        notifiesOnExit = region.notifyOnExit
        let round = region as? CLCircularRegion
        circle = round.map { [$0.center.latitude, $0.center.longitude, $0.radius] } ?? []
    }

    /// A stored region; nil if it is broken.
    init?(_ object: JSONObject) {
        guard let identifier = object["region"]?.stringValue else { return nil }
        self.identifier = identifier
        notifiesOnEntry = object["entry"]?.boolValue ?? true
        notifiesOnExit = object["exit"]?.boolValue ?? true
        circle = (object["circle"]?.arrayValue ?? []).compactMap(\.numberValue)
    }

    var json: JSONObject {
        [
            "region": .string(identifier), "entry": .bool(notifiesOnEntry), "exit": .bool(notifiesOnExit),
            "circle": .array(circle.map { .real($0) }),
        ]
    }

    var region: CLRegion {
        let region =
            circle.count == 3
            ? CLCircularRegion(
                center: CLLocationCoordinate2D(latitude: circle[0], longitude: circle[1]), radius: circle[2],
                identifier: identifier) : CLRegion(identifier: identifier)
        region.notifyOnEntry = notifiesOnEntry
        region.notifyOnExit = notifiesOnExit
        return region
    }
}
