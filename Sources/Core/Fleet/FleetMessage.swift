import BelfryJSON

/// Why a message says nothing that can be taken.
public struct FleetMessageError: Error, Hashable, Sendable {
    /// What was found and what was expected, for people; never what a push holds.
    public let detail: String

    init(_ detail: String) { self.detail = detail }
}

/// What all messages of a fleet have in common: each is a JSON object that names the version it was written by, and
/// fields that a reader does not know are passed over.
enum FleetMessage {
    /// What this version writes. A later one may add fields and words; a reader takes what it understands.
    static let version: Int64 = 1
    /// Brokers take no more (`max_payload`).
    static let bytesMax = 64 << 10

    /// The message that `bytes` are, by `read`.
    static func read<Message>(
        _ bytes: [UInt8], _ read: (JSONFields) throws(JSONFieldError) -> Message
    ) throws(FleetMessageError) -> Message {
        guard bytes.count <= bytesMax else { throw FleetMessageError("found \(bytes.count) bytes") }
        guard let fields = JSONFields(line: bytes) else { throw FleetMessageError("found no JSON object") }
        do throws(JSONFieldError) {
            _ = try fields.integer("version", in: 1...Int64.max)
            return try read(fields)
        } catch {
            throw FleetMessageError("\(error)")
        }
    }

    /// The bytes of a message with these fields.
    static func written(_ fields: JSONObject) -> [UInt8] {
        var object: JSONObject = ["version": .integer(version)]
        for member in fields.members { object[member.key] = member.value }
        return object.serialized()
    }
}
