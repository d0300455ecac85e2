import BelfryJSON
public import CallDirectory

/// What the process of a call directory's extension says of its load. Each but ``whole``, ``returned`` and ``done`` is
/// answered before the next one comes.
public enum DirectoryWord: Hashable, Sendable {
    /// Entries of a kind are added: so many, in a file that is passed beside the message (``DirectoryBatch``).
    case add(EntryKind, count: Int64)
    /// Entries of a kind are removed: so many, likewise.
    case remove(EntryKind, count: Int64)
    /// All entries of a kind are removed.
    case removeAll(EntryKind)
    /// All that is there is replaced, though the load may be a difference: the code has not asked if it is one.
    case whole
    /// The load is complete.
    case complete
    /// The code has cancelled the load, by an error.
    case cancel(domain: String, code: Int64, text: String)
    /// `beginRequest` has returned.
    case returned
    /// The code has nothing more to do: the load is over, and `beginRequest` has returned.
    case done
}

extension DirectoryWord {
    var json: JSONObject {
        switch self {
        case .add(let kind, let count):
            ["say": "add", "kind": .string(kind.rawValue), "count": .integer(count)]
        case .remove(let kind, let count):
            ["say": "remove", "kind": .string(kind.rawValue), "count": .integer(count)]
        case .removeAll(let kind): ["say": "removeAll", "kind": .string(kind.rawValue)]
        case .whole: ["say": "whole"]
        case .complete: ["say": "complete"]
        case .cancel(let domain, let code, let text):
            ["say": "cancel", "domain": .string(domain), "code": .integer(code), "text": .string(text)]
        case .returned: ["say": "beginReturned"]
        case .done: ["say": "done"]
        }
    }

    /// Reads a line; nil for a word of another kind.
    init?(_ word: String, _ said: JSONFields) throws(JSONFieldError) {
        switch word {
        case "add": self = .add(try said.entryKind(), count: try said.entriesCount())
        case "remove": self = .remove(try said.entryKind(), count: try said.entriesCount())
        case "removeAll": self = .removeAll(try said.entryKind())
        case "whole": self = .whole
        case "complete": self = .complete
        case "cancel":
            self = .cancel(
                domain: try said.string("domain"), code: try said.integer("code"), text: try said.string("text"))
        case "beginReturned": self = .returned
        case "done": self = .done
        default: return nil
        }
    }
}

extension JSONFields {
    fileprivate func entryKind() throws(JSONFieldError) -> EntryKind {
        try word("kind", { EntryKind(rawValue: $0) }, expected: "blocking or identification")
    }

    fileprivate func entriesCount() throws(JSONFieldError) -> Int64 {
        try integer("count", in: 1...Int64(DirectoryBatch.entriesMax))
    }
}

/// Entries as they lie in the file beside a message: their numbers, of eight bytes with the lowest first; then, if they
/// have labels, the length of each in two bytes, and then the labels.
public struct DirectoryBatch: Hashable, Sendable {
    /// How many entries are sent at once, as on iOS.
    public static let entriesMax = 10_000
    /// How many bytes a label may have in it.
    public static let labelBytesMax = NumberEntry.labelBytesMax

    private static let numberBytes = 8
    private static let lengthBytes = 2

    /// Their numbers.
    public let numbers: [Int64]
    /// Their labels, as many; none if they have none.
    public let labels: [ArraySlice<UInt8>]

    /// How many bytes `count` entries have at most.
    public static func bytesMax(count: Int64, hasLabels: Bool) -> Int {
        Int(count) * (numberBytes + (hasLabels ? lengthBytes + labelBytesMax : 0))
    }

    /// The `count` entries in `bytes`, which have nothing else.
    public init(_ bytes: [UInt8], count: Int64, hasLabels: Bool) throws(ChannelError) {
        let count = Int(count)
        let lengths = count * Self.numberBytes
        let texts = lengths + (hasLabels ? count * Self.lengthBytes : 0)
        guard bytes.count >= texts, hasLabels || bytes.count == texts else {
            throw ChannelError(detail: "a batch of \(count) entries has \(bytes.count) bytes")
        }
        numbers = (0..<count).map { Int64(bitPattern: Self.word(bytes, at: $0 * Self.numberBytes)) }
        guard hasLabels else {
            labels = []
            return
        }
        var labels: [ArraySlice<UInt8>] = []
        labels.reserveCapacity(count)
        var place = texts
        for index in 0..<count {
            let at = lengths + index * Self.lengthBytes
            let length = Int(bytes[at]) | Int(bytes[at + 1]) << 8
            guard place + length <= bytes.count else {
                throw ChannelError(detail: "label \(index + 1) of \(count) goes beyond its batch")
            }
            labels.append(bytes[place..<place + length])
            place += length
        }
        guard place == bytes.count else {
            throw ChannelError(detail: "a batch of \(count) labels has \(bytes.count - place) bytes too many")
        }
        self.labels = labels
    }

    private static func word(_ bytes: [UInt8], at place: Int) -> UInt64 {
        var word: UInt64 = 0
        for index in 0..<numberBytes { word |= UInt64(bytes[place + index]) << UInt64(8 * index) }
        return word
    }
}
