import BelfryJSON

/// What a broker says to a client, by NATS' protocol of text.
public enum BrokerWord: Hashable, Sendable {
    /// Who it is: its first word, before TLS, and said again whenever something of it has changed.
    case info(BrokerInfo)
    /// A message of a subscription.
    case message(LineMessage)
    /// It wants a PONG.
    case ping
    /// Its answer to a PING, after its answers to all that was said before.
    case pong
    /// It did what it was told, which it says only to those who ask for that.
    case okay
    /// What it does not do or not like; its words.
    case complaint(String)
}

/// What a broker says of itself. Its first one is in plain text, and as true as the network is honest.
public struct BrokerInfo: Hashable, Sendable {
    /// Its identity, which is another one each time that it starts.
    public let serverID: String
    /// What a client has to sign; nil if it need not.
    public let nonce: String?
    /// How long a message may be, headers included.
    public let messageBytesMax: Int
    /// Whether it speaks TLS, and wants it now.
    public let wantsTLS: Bool

    init(_ fields: JSONFields) throws(JSONFieldError) {
        serverID = try fields.string("server_id")
        nonce = try fields.ifPresent("nonce", fields.string)
        messageBytesMax = Int(try fields.integer("max_payload", in: 1...Int64(Int32.max)))
        wantsTLS = try fields.ifPresent("tls_required", fields.bool) ?? false
    }
}

/// Why what came is nothing that a broker says.
public struct BrokerWordError: Error, Hashable, Sendable {
    /// What was found and what was expected, for people; never what a message holds.
    public let detail: String

    init(_ detail: String) { self.detail = detail }
}
