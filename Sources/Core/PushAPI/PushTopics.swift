import BelfryDevices

/// What Apple's extensions of a certificate say: their numbers, and the topics in them.
///
/// Their bytes come from outside and may be hostile.
public enum PushTopics {
    /// For the development environment; its value is NULL.
    public static let developmentNumber = "1.2.840.113635.100.6.3.1"
    /// For production; its value is NULL.
    public static let productionNumber = "1.2.840.113635.100.6.3.2"
    /// For calls.
    public static let voipNumber = "1.2.840.113635.100.6.3.4"
    /// All topics.
    public static let topicsNumber = "1.2.840.113635.100.6.3.6"

    /// How many topics a certificate may have.
    static let topicsMax = 400

    /// The topics in the value of an extension, DER of a sequence of pairs: a topic, and a sequence of words for what
    /// it is. nil if it is anything else, or contains a name that is no topic.
    public static func topics(inDER bytes: [UInt8]) -> [String]? {
        var outer = DERReader(bytes[...])
        guard var pairs = outer.sequence(), outer.isAtEnd else { return nil }
        var topics: [String] = []
        while !pairs.isAtEnd {
            guard topics.count < topicsMax, let topic = pairs.text(), TopicRules.isWellFormed(topic),
                var kinds = pairs.sequence()
            else { return nil }
            while !kinds.isAtEnd { guard kinds.text() != nil else { return nil } }
            topics.append(topic)
        }
        return topics
    }

    /// Every topic that belongs to the app `bundleID`: its own, and those of the kinds of push that have one.
    public static func all(ofApp bundleID: String) -> [String] {
        [bundleID] + TopicRules.suffixes.map { bundleID + $0.suffix }
    }

    /// Whether `topic` can be one that a certificate is for.
    public static func isUsable(_ topic: String) -> Bool {
        TopicRules.isWellFormed(topic) && TopicRules.isForCertificates(topic)
    }

    /// The DER of such a value, for the topics of an app in Apple's shape: its own, its calls', its complication's.
    public static func der(forApp bundleID: String) -> [UInt8] {
        let pairs = [
            (bundleID, "app"), (bundleID + Registration.voipSuffix, "voip"),
            (bundleID + TopicRules.complicationSuffix, "complication"),
        ]
        let content = pairs.flatMap { topic, kind in
            DERReader.written(DERReader.textTag, Array(topic.utf8))
                + DERReader.written(
                    DERReader.sequenceTag, DERReader.written(DERReader.textTag, Array(kind.utf8)))
        }
        return DERReader.written(DERReader.sequenceTag, content)
    }

    /// All topics that a certificate lists, of its extensions' values and its subject's topic; none if it has neither
    /// extension, and so is for its subject's topic alone. nil if an extension is not as Apple's.
    public static func listed(topicsValue: [UInt8]?, voipValue: [UInt8]?, subjectTopic: String) -> [String]? {
        var listed: [String] = []
        if let topicsValue {
            guard let topics = topics(inDER: topicsValue) else { return nil }
            listed = topics
        }
        guard let voipValue else { return listed }
        // Certificates of before 2014 have NULL here, and mean their subject's calls.
        let isNull = voipValue == [5, 0]
        let ofSubject =
            subjectTopic.hasSuffix(Registration.voipSuffix)
            ? [subjectTopic] : [subjectTopic, subjectTopic + Registration.voipSuffix]
        guard let calls = isNull ? ofSubject : topics(inDER: voipValue) else { return nil }
        return listed + calls.filter { !listed.contains($0) }
    }
}

/// Reads the little of DER (X.690) that such values are made of.
struct DERReader {
    /// SEQUENCE.
    static let sequenceTag: UInt8 = 0x30
    /// UTF8String.
    static let textTag: UInt8 = 0x0C

    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    var isAtEnd: Bool { rest.isEmpty }

    /// Goes past a sequence, and into it.
    mutating func sequence() -> DERReader? { content(tag: Self.sequenceTag).map(DERReader.init) }

    /// Goes past a text of UTF-8.
    mutating func text() -> String? {
        content(tag: Self.textTag).flatMap { String(validating: $0, as: UTF8.self) }
    }

    private mutating func content(tag: UInt8) -> ArraySlice<UInt8>? {
        guard rest.popFirst() == tag, let first = rest.popFirst() else { return nil }
        var length = Int(first)
        if first >= 0x80 {
            // No certificate is longer than two bytes of length can say.
            let count = Int(first & 0x7F)
            guard count == 1 || count == 2, rest.count >= count else { return nil }
            length = rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(count)
        }
        guard length <= rest.count else { return nil }
        let content = rest.prefix(length)
        rest = rest.dropFirst(length)
        return content
    }

    /// An element with `tag` around `content`.
    static func written(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        let count = content.count
        let low = UInt8(truncatingIfNeeded: count)
        let length: [UInt8] =
            count < 0x80 ? [low] : count < 0x100 ? [0x81, low] : [0x82, UInt8(truncatingIfNeeded: count >> 8), low]
        return [tag] + length + content
    }
}
