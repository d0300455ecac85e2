public import BelfryDevices
import BelfryJSON
public import BelfryTerms

/// What a machine asks any gateway to write into the bucket, or to tell it, about its own devices. Whose they are, the
/// subject says.
///
/// Each may be asked again, which does nothing more: a device is called by its machine, its tokens are the gateway's.
public enum DeviceQuestion: Hashable, Sendable {
    /// What is to be added.
    public struct Addition: Hashable, Sendable {
        /// What the machine calls it: a UUID in lower case that no other device has.
        public let id: String
        /// The app's bundle identifier.
        public let bundleID: String
        /// Where its notifications go; nil is the group that the machine's configuration names.
        public let appGroup: GroupName?
        /// Its environment.
        public let environment: APNsEnvironment
        /// The known names by which its server describes calls; nil for those that the machine's configuration names.
        public let callPayload: CallPayload?
        /// Whether its machine's name is shared: then it goes with its agent's last word.
        public var isShared = false

        /// A device called `id`; nil if that is no UUID in lower case, or `bundleID` no bundle identifier.
        public init?(
            id: String, bundleID: String, appGroup: GroupName?, environment: APNsEnvironment,
            callPayload: CallPayload? = nil
        ) {
            guard DeviceKey.isDevice(id), Registration.isBundleID(bundleID) else { return nil }
            self.init(
                checkedID: id, bundleID: bundleID, appGroup: appGroup, environment: environment,
                callPayload: callPayload)
        }

        fileprivate init(
            checkedID id: String, bundleID: String, appGroup: GroupName?, environment: APNsEnvironment,
            callPayload: CallPayload?
        ) {
            self.id = id
            self.bundleID = bundleID
            self.appGroup = appGroup
            self.environment = environment
            self.callPayload = callPayload
        }
    }

    /// The longest one, or answer to it: what brokers take.
    public static let bytesMax = FleetMessage.bytesMax

    /// Add a device, with new tokens: answered with it, or with the one that it has become when it was asked before.
    case add(Addition)
    /// Remove the device of that name.
    case remove(String)
    /// Switch the device of that name on.
    case online(String)
    /// Switch the device of that name off.
    case offline(String)
    /// These the machine has had since before it joined, or as the bucket lost them: add them with their tokens. Of
    /// many, each message has ``NamedDevice/perMessageMax`` at most.
    case announce([NamedDevice])
    /// Which devices of this machine the bucket has, those after the one of that name.
    case list(after: String?)

    /// As a message.
    public var bytes: [UInt8] {
        var fields: JSONObject = [:]
        switch self {
        case .add(let device):
            fields = ["ask": "add", "id": .string(device.id), "bundle": .string(device.bundleID)]
            fields["group"] = device.appGroup.map { .string($0.text) }
            fields["environment"] = .string(device.environment.rawValue)
            fields["payload"] = device.callPayload.map { .string($0.rawValue) }
            if device.isShared { fields["shared"] = true }
        case .remove(let id): fields = ["ask": "remove", "id": .string(id)]
        case .online(let id): fields = ["ask": "online", "id": .string(id)]
        case .offline(let id): fields = ["ask": "offline", "id": .string(id)]
        case .announce(let devices): fields = ["ask": "announce", "devices": NamedDevice.written(devices)]
        case .list(let after):
            fields = ["ask": "list"]
            fields["after"] = after.map { .string($0) }
        }
        return FleetMessage.written(fields)
    }

    /// Reads ``bytes``; nil for a word that a later version has added.
    public static func read(_ bytes: [UInt8]) throws(FleetMessageError) -> DeviceQuestion? {
        try FleetMessage.read(bytes) { (fields) throws(JSONFieldError) in
            switch try fields.string("ask") {
            case "add": .add(try Addition(fields))
            case "remove": .remove(try NamedDevice.deviceID("id", fields))
            case "online": .online(try NamedDevice.deviceID("id", fields))
            case "offline": .offline(try NamedDevice.deviceID("id", fields))
            case "announce": .announce(try NamedDevice.read("devices", fields))
            case "list":
                .list(
                    after: try fields.ifPresent("after") { (key) throws(JSONFieldError) in
                        try NamedDevice.deviceID(key, fields)
                    })
            default: nil
            }
        }
    }
}

extension DeviceQuestion.Addition {
    fileprivate init(_ fields: JSONFields) throws(JSONFieldError) {
        self.init(
            checkedID: try NamedDevice.deviceID("id", fields),
            bundleID: try DeviceEntry.bundleID(fields), appGroup: try DeviceEntry.appGroup(fields),
            environment: try DeviceEntry.environment(fields), callPayload: try DeviceEntry.callPayload(fields))
        isShared = try fields.ifPresent("shared", fields.bool) ?? false
    }
}
