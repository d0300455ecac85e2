public import BelfryDevices
import BelfryTerms

/// Which device of which machine: the key by which the bucket of a fleet has it.
public struct DeviceKey: Hashable, Sendable, Comparable {
    /// The machine that has it.
    public let machine: FleetName
    /// A UUID in lower case.
    public let device: String

    /// The device called `device`; nil if that is no UUID in lower case, which has one spelling alone.
    public init?(_ machine: FleetName, _ device: some StringProtocol) {
        let device = String(device)
        guard Self.isDevice(device) else { return nil }
        (self.machine, self.device) = (machine, device)
    }

    /// As the bucket has it.
    public var text: String { "\(machine.text).\(device)" }

    /// In the order of their texts.
    public static func < (left: Self, right: Self) -> Bool {
        (left.machine, left.device) < (right.machine, right.device)
    }

    /// Whether `text` is what devices are called.
    static func isDevice(_ text: String) -> Bool {
        isUUID(text) && !text.utf8.contains { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
    }
}

/// A key of the bucket.
public enum BucketKey: Hashable, Sendable {
    /// A machine's device.
    case device(DeviceKey)
    /// What a gateway writes to learn how far the bucket is. No machine is called so.
    case fence(FleetName)

    private static let fence = "_fence"

    /// As the bucket has it.
    public var text: String {
        switch self {
        case .device(let key): key.text
        case .fence(let gateway): "\(Self.fence).\(gateway.text)"
        }
    }

    /// The key `text`; nil if it is none of these.
    public init?(_ text: String) {
        let words = text.split(separator: ".", omittingEmptySubsequences: false)
        guard words.count == 2 else { return nil }
        if words[0] == Self.fence, let gateway = FleetName(words[1]) {
            self = .fence(gateway)
        } else if let machine = FleetName(words[0]), let key = DeviceKey(machine, words[1]) {
            self = .device(key)
        } else {
            return nil
        }
    }
}
