import BelfryDevices
import DeviceRegistry
import Fleet

// A machine's device, as the registry and as the bucket have it.
extension VirtualDevice {
    /// What the bucket has of it.
    var entry: DeviceEntry {
        DeviceEntry(
            bundleID: bundleID, appGroup: appGroup, environment: environment, callPayload: callPayload,
            alertToken: alertToken, voipToken: voipToken, addedAt: addedAt, removedAt: removedAt, isOffline: isOffline)
    }

    /// The device that the bucket has at `key`.
    init(_ key: DeviceKey, _ entry: DeviceEntry) {
        self.init(
            id: key.device, bundleID: entry.bundleID, appGroup: entry.appGroup, environment: entry.environment,
            callPayload: entry.callPayload, alertToken: entry.alertToken, voipToken: entry.voipToken,
            machine: key.machine, addedAt: entry.addedAt, removedAt: entry.removedAt, isOffline: entry.isOffline)
    }
}
