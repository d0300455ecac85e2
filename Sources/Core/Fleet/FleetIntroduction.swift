import BelfryJSON

/// What a relay or agent says of itself for people to see.
public struct FleetIntroduction: Hashable, Sendable {
    /// How many brokers it names at most, and how long each word may be.
    private static let (brokersMax, wordBytesMax) = (4, 300)

    /// Its version of Belfry; empty where an earlier one does not say.
    public let version: String
    /// The brokers that it has lines to, as they are configured.
    public let brokers: [String]

    /// A program of that version, with lines to `brokers`. What is too long is left out.
    public init(version: String, brokers: [String]) {
        self.version = version.utf8.count <= Self.wordBytesMax ? version : ""
        self.brokers = Array(brokers.filter { $0.utf8.count <= Self.wordBytesMax }.prefix(Self.brokersMax))
    }

    /// Nothing is known of it.
    public static let none = FleetIntroduction(version: "", brokers: [])

    /// Its fields, as part of a message; none that say nothing.
    var fields: JSONObject {
        var fields: JSONObject = [:]
        if !version.isEmpty { fields["belfry"] = .string(version) }
        if !brokers.isEmpty { fields["brokers"] = .array(brokers.map { .string($0) }) }
        return fields
    }

    /// The one that ``fields`` describe.
    init(_ fields: JSONFields) throws(JSONFieldError) {
        self.init(
            version: try fields.ifPresent("belfry", fields.string) ?? "",
            brokers: try fields.ifPresent("brokers", fields.strings) ?? [])
    }
}
