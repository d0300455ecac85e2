import BelfryDevices
import BelfryTerms
import DeviceRegistry

/// The group that a new device's notifications go to, and which apps it is the group of already: what one of their
/// servers sends can end, replace and precede what another one's sent.
struct GroupSharing {
    /// How many apps are named.
    private static let namesMax = 5

    /// The name of the group.
    let group: String
    private let deviceCounts: [String: Int]

    /// The group `name`, or the one that is `configured` if it is nil, which belongs to some of `devices`.
    init(_ name: GroupName?, configured: String, among devices: [VirtualDevice]) {
        let group = name?.text ?? configured
        self.group = group
        deviceCounts = devices.reduce(into: [:]) { counts, device in
            guard device.removedAt == nil, device.appGroup?.text ?? configured == group else { return }
            counts[device.bundleID, default: 0] += 1
        }
    }

    /// The bundle identifiers of the apps in it, in order.
    var apps: [String] { deviceCounts.keys.sorted() }

    /// Who is in it, for people; nil if the group is the device's own.
    var with: String? { told(apps) }

    /// Who is in it besides the app `bundleID`, for people; nil if there is none.
    func others(than bundleID: String) -> String? { told(apps.filter { $0 != bundleID }) }

    /// `group  NAME`, and with whom it is shared.
    var sentence: String { "group  \(group)\(with.map { ", shared with \($0)" } ?? "")" }

    private func told(_ apps: [String]) -> String? {
        guard !apps.isEmpty else { return nil }
        let names = apps.prefix(Self.namesMax).map { app in
            let count = deviceCounts[app] ?? 1
            return count == 1 ? app : "\(app) (\(count) devices)"
        }
        let rest = apps.count - names.count
        return names.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
    }
}
