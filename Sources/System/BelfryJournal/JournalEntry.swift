/// One entry of the journal, as journald keeps it: fields of bytes.
public struct JournalEntry: Hashable, Sendable {
    /// How much an entry matters: syslog's levels, of which Belfry uses these.
    public enum Priority: Int, Hashable, Sendable {
        /// A defect, or a call that was lost.
        case error = 3
        /// Something did not work as it should; the call went on.
        case warning = 4
        /// What a person will want to have noticed.
        case notice = 5
        /// The story of a notification.
        case info = 6
    }

    /// One field.
    public struct Field: Hashable, Sendable {
        /// Its name: 1-64 of `A-Z 0-9 _`, not starting with `_` or a digit, else journald drops it.
        public let name: String
        /// Its value; may hold any byte.
        public let value: [UInt8]

        /// A field; a value longer than ``JournalEntry/valueBytesMax`` is cut at a character and ends in `…`.
        public init(_ name: String, _ value: String) {
            precondition(Self.isName(name), "\(name) is no name of a journal field")
            self.name = name
            self.value = Self.cut(value)
        }

        static func isName(_ name: String) -> Bool {
            guard let first = name.utf8.first, name.utf8.count <= 64 else { return false }
            return (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(first)
                && name.utf8.allSatisfy { byte in
                    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
                        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "_")
                }
        }

        private static func cut(_ value: String) -> [UInt8] {
            guard value.utf8.count > valueBytesMax else { return Array(value.utf8) }
            let ellipsis = "…"
            var bytes: [UInt8] = []
            for scalar in value.unicodeScalars {
                guard bytes.count + UTF8.width(scalar) + ellipsis.utf8.count <= valueBytesMax else { break }
                bytes.append(contentsOf: String(scalar).utf8)
            }
            return bytes + Array(ellipsis.utf8)
        }
    }

    /// The longest value in bytes; whole entries then always fit into one datagram.
    public static let valueBytesMax = 2_048
    /// How many fields an entry has at most.
    public static let fieldsMax = 32

    /// What happened, for people: one line, control characters escaped.
    public let message: String
    /// How much it matters.
    public let priority: Priority
    /// Everything else, in order.
    public let fields: [Field]

    /// An entry.
    public init(message: String, priority: Priority, fields: [Field]) {
        precondition(fields.count <= Self.fieldsMax, "\(fields.count) fields in one journal entry")
        self.message = message
        self.priority = priority
        self.fields = fields
    }

    /// The entry as one datagram of the journal's native protocol (systemd.io/JOURNAL_NATIVE_PROTOCOL): `NAME=value`
    /// and a newline; a value with a newline in it is written after `NAME`, a newline and its length as 64 bits, little
    /// endian.
    ///
    /// `lost` entries before this one did not get through, which it says for them.
    func datagram(identifier: String, lost: Int) -> [UInt8] {
        var all = [
            Field("MESSAGE", lost == 0 ? message : "\(message) (\(lost) entries before this were lost)"),
            Field("PRIORITY", "\(priority.rawValue)"),
            Field("SYSLOG_IDENTIFIER", identifier),
        ]
        all += fields
        if lost > 0 { all.append(Field("BELFRY_LOST", "\(lost)")) }
        var bytes: [UInt8] = []
        for field in all {
            bytes += field.name.utf8
            if field.value.contains(UInt8(ascii: "\n")) {
                bytes.append(UInt8(ascii: "\n"))
                let length = UInt64(field.value.count)
                for shift in stride(from: 0, to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: length >> shift)) }
            } else {
                bytes.append(UInt8(ascii: "="))
            }
            bytes += field.value
            bytes.append(UInt8(ascii: "\n"))
        }
        return bytes
    }
}

/// The fixed id of each kind of entry, by which `journalctl MESSAGE_ID=…` and message catalogs find it.
///
/// They never change: people write them into their filters. `tick` and `asked` have none, since they have no
/// entry.
public enum MessageID: String, Hashable, Sendable, CaseIterable {
    /// `received`
    case received = "e0688f901c994fd885328c0a2c1b5028"
    /// `ringing`
    case ringing = "60e6a2c449584f6084793ce031cbb833"
    /// `silent`
    case silent = "e41478cc7d8d402b8ed89bb76d487d24"
    /// `sound`
    case sound = "08cf5e028e40425195d639f5a347cbb1"
    /// `notification`
    case notification = "5d7a2c1e9b0f4b6f8c35e1a24d90c7be"
    /// `vibration`
    case vibration = "b1c84f0d26e94a3ba7f05d3c9e6812fa"
    /// `attachment`
    case attachment = "8e897070a82d4c03b8367ba95d4b428a"
    /// `delivered`
    case delivered = "abe8f1a54e514cf6b6f69f88adc17862"
    /// `ended`
    case ended = "f87178349245485a87ae2545a3a447c9"
    /// `missed`
    case missed = "748c4c9ab10c4fe4945f80050f052db8"
    /// `warning`
    case warning = "2644c7b3312a401e9aa3f2c415c6a341"
    /// `extension`
    case `extension` = "ff58aeb2a3724d3d8058af1658748273"
    /// `caller`
    case caller = "509b2abc26a34951be43b66a9e90fd3f"
    /// `app`
    case app = "c871a573c2a64b81a72fd8b52daa16bd"
    /// `call`
    case call = "d41523af5c3745e28cd1cbd041cc6fab"
    /// `action`
    case action = "ea1e205c7bae448d8e30c38df2e6a663"
    /// `rejected`
    case rejected = "8a96d87bf01f418199e0a5c21b009200"
}
