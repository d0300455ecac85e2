import BelfryDevices
import BelfryJSON
import BelfryTerms
import DeviceRegistry
import Fleet

/// A device as it is printed, whoever has written it down.
struct AddedDevice {
    private let bundleID: String
    private let appGroup: GroupName?
    private let environment: APNsEnvironment
    private let callPayload: CallPayload?
    /// What it is called.
    let id: String
    /// That of everything but calls, and that of calls.
    let alertToken, voipToken: DeviceToken
    /// How it stands.
    let state: String
    /// The machine of the fleet that has it; nil for this one.
    let machine: FleetName?

    /// One of the registry.
    init(_ device: VirtualDevice) {
        id = device.id
        bundleID = device.bundleID
        appGroup = device.appGroup
        environment = device.environment
        callPayload = device.callPayload
        alertToken = device.alertToken
        voipToken = device.voipToken
        machine = device.machine
        state = device.removedAt != nil ? "removed" : device.isOffline ? "offline" : "online"
    }

    /// One that a gateway has written down.
    init(_ device: NamedDevice) {
        let entry = device.entry
        id = device.id
        bundleID = entry.bundleID
        appGroup = entry.appGroup
        environment = entry.environment
        callPayload = entry.callPayload
        alertToken = entry.alertToken
        voipToken = entry.voipToken
        machine = nil
        state = entry.removedAt != nil ? "removed" : entry.isOffline ? "offline" : "online"
    }

    /// Its tokens, that of alerts first.
    var tokens: String { "\(alertToken.hex) \(voipToken.hex)" }

    /// As JSON has it.
    var object: JSONObject {
        var object: JSONObject = [
            "id": .string(id), "bundleId": .string(bundleID), "environment": .string(environment.rawValue),
            "state": .string(state), "alertToken": .string(alertToken.hex), "voipToken": .string(voipToken.hex),
        ]
        if let machine { object["machine"] = .string(machine.text) }
        if let appGroup { object["appGroup"] = .string(appGroup.text) }
        if let callPayload { object["payload"] = .string(callPayload.rawValue) }
        return object
    }
}
