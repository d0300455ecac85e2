public import BelfryDevices
import BelfryTerms

/// Which device of which machine: the key by which the bucket of a fleet has it.
public struct DeviceKey: Hashable, Sendable, Comparable {
    /// The machine that has it.
    public let machine: FleetName
    // The bits of the device's name rather than its text: there may be many.
    let high: UInt64
    let low: UInt64

    /// A UUID in lower case.
    public var device: String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(36)
        for place in 0..<32 {
            if [8, 12, 16, 20].contains(place) { text.append(UInt8(ascii: "-")) }
            let word = place < 16 ? high : low
            text.append(digits[Int(word >> UInt64(60 - 4 * (place & 15)) & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The device called `device`; nil if that is no UUID in lower case, which has one spelling alone.
    public init?(_ machine: FleetName, _ device: some StringProtocol) {
        let device = String(device)
        guard Self.isDevice(device) else { return nil }
        var (high, low): (UInt64, UInt64) = (0, 0)
        for digit in device.utf8 where digit != UInt8(ascii: "-") {
            let value = UInt64(digit < UInt8(ascii: "a") ? digit - UInt8(ascii: "0") : digit - UInt8(ascii: "a") + 10)
            (high, low) = (high << 4 | low >> 60, low << 4 | value)
        }
        self.init(machine, high, low)
    }

    init(_ machine: FleetName, _ high: UInt64, _ low: UInt64) {
        (self.machine, self.high, self.low) = (machine, high, low)
    }

    /// As the bucket has it.
    public var text: String { "\(machine.text).\(device)" }

    /// In the order of their texts.
    public static func < (left: Self, right: Self) -> Bool {
        (left.machine, left.high, left.low) < (right.machine, right.high, right.low)
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
