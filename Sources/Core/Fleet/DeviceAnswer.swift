import BelfryJSON

/// Why a gateway does not write what a machine asks for, or does not take from the bucket what it finds there.
public enum DeviceRefusal: String, Hashable, Sendable, CaseIterable {
    /// The machine has as many devices as one may have.
    case machineFull = "machine-full"
    /// The fleet has as many devices as it may have.
    case fleetFull = "fleet-full"
    /// Another machine's device has the token, or the name, since before.
    case claimed
    /// The machine has no device of that name in use.
    case unknownDevice = "unknown-device"
    /// It makes no sense to this gateway.
    case malformed
    /// It cannot be written now: another gateway, or this one later, may.
    case unavailable
}

/// What a gateway answers to a machine's ``DeviceQuestion``.
public enum DeviceAnswer: Hashable, Sendable {
    /// What is not as it was asked for.
    public struct Exception: Hashable, Sendable {
        /// The device's name.
        public let id: String
        /// Why it is not.
        public let reason: DeviceRefusal

        /// The device called `id`; nil if that is no UUID in lower case.
        public init?(_ id: String, _ reason: DeviceRefusal) {
            guard DeviceKey.isDevice(id) else { return nil }
            (self.id, self.reason) = (id, reason)
        }

        fileprivate init(_ fields: JSONFields) throws(JSONFieldError) {
            (id, reason) = (try NamedDevice.deviceID("id", fields), try DeviceAnswer.reason(fields))
        }
    }

    /// The device that was added, as a majority of brokers has it, or those that were asked for: more of them are to be
    /// asked for unless `isAll`.
    case devices([NamedDevice], isAll: Bool)
    /// A majority of brokers has what was asked for, but for these of the devices that were announced.
    case done(except: [Exception])
    /// Nothing was written, for that reason; what it came by, for people.
    case refused(DeviceRefusal, detail: String)

    /// As a message.
    public var bytes: [UInt8] {
        switch self {
        case .devices(let devices, let isAll):
            FleetMessage.written(["answer": "devices", "devices": NamedDevice.written(devices), "all": .bool(isAll)])
        case .done(let exceptions):
            FleetMessage.written([
                "answer": "done",
                "except": .array(
                    exceptions.map { .object(["id": .string($0.id), "reason": .string($0.reason.rawValue)]) }),
            ])
        case .refused(let reason, let detail):
            FleetMessage.written([
                "answer": "refused", "reason": .string(reason.rawValue), "detail": .string(detail),
            ])
        }
    }

    /// Reads ``bytes``; nil for a word that a later version has added.
    public static func read(_ bytes: [UInt8]) throws(FleetMessageError) -> DeviceAnswer? {
        try FleetMessage.read(bytes) { (fields) throws(JSONFieldError) in
            switch try fields.string("answer") {
            case "devices": .devices(try NamedDevice.read("devices", fields), isAll: try fields.bool("all"))
            case "done": .done(except: try NamedDevice.each("except", fields, Exception.init(_:)))
            case "refused": .refused(try reason(fields), detail: try detail(fields))
            default: nil
            }
        }
    }

    /// What a later version has added is no answer for good.
    fileprivate static func reason(_ fields: JSONFields) throws(JSONFieldError) -> DeviceRefusal {
        DeviceRefusal(rawValue: try fields.string("reason")) ?? .unavailable
    }

    /// More than any detail of ours has, which is shown to people.
    private static let detailMax = 1_024

    private static func detail(_ fields: JSONFields) throws(JSONFieldError) -> String {
        try fields.word(
            "detail", { $0.utf8.count <= detailMax ? $0 : nil }, expected: "\(detailMax) bytes at most")
    }
}
