import BelfryDevices

/// The rules of topics: a bundle identifier, followed by a suffix for some kinds of push.
enum TopicRules {
    /// How long a topic may be.
    static let topicBytesMax = 255
    /// The prefix of topics for device management.
    private static let managementPrefix = "com.apple.mgmt."

    /// The suffix of topics for a watch's complication.
    static let complicationSuffix = ".complication"

    /// The suffix of each kind that has a topic of its own.
    static let suffixes: [(suffix: String, type: APNsPushType)] = [
        (Registration.voipSuffix, .voip), (complicationSuffix, .complication),
        (".pushkit.fileprovider", .fileprovider), (".location-query", .location),
        (".push-type.liveactivity", .liveactivity), (".voip-ptt", .pushtotalk), (".push-type.widgets", .widgets),
        (".push-type.controls", .controls),
    ]

    /// Whether `topic` can be one: letters, digits, dots and hyphens.
    static func isWellFormed(_ topic: String) -> Bool {
        let bytes = topic.utf8
        return !bytes.isEmpty && bytes.count <= topicBytesMax
            && bytes.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }

    /// The kind that `topic` seems to be for; nil if it has no kind's suffix, and so is an app's own topic.
    static func type(bySuffixOf topic: String) -> APNsPushType? {
        for index in suffixes.indices where topic.hasSuffix(suffixes[index].suffix) { return suffixes[index].type }
        return nil
    }

    /// The kind that has a topic of its own and whose topic `topic` is for the app `bundleID`; nil for the app's own
    /// topic, and for every other.
    static func type(of topic: String, ofApp bundleID: String) -> APNsPushType? {
        // A quick way out: nearly always it is the app's own topic.
        guard topic.utf8.count > bundleID.utf8.count else { return nil }
        return suffixes.first { topic == bundleID + $0.suffix }?.type
    }

    /// Whether a token that was issued as `registration` takes pushes to `topic`: a VoIP token those to its own, an
    /// alert token those to the app's and to what the app has besides calls.
    static func isTaken(_ topic: String, by registration: Registration) -> Bool {
        if topic == registration.topic { return true }
        guard registration.kind == .alert, let type = type(of: topic, ofApp: registration.bundleID) else {
            return false
        }
        return type != .voip
    }

    /// Whether a push of `type` may go to `topic`, which a token of the app `bundleID` takes.
    static func isPossible(_ type: APNsPushType, to topic: String, ofApp bundleID: String) -> Bool {
        if let own = Self.type(of: topic, ofApp: bundleID) { return type == own }
        switch type {
        case .alert, .background: return true
        case .mdm: return isManagement(bundleID)
        case .voip, .complication, .fileprovider, .location, .liveactivity, .pushtotalk, .widgets, .controls:
            return false
        }
    }

    /// Whether `bundleID` stands for the management of devices.
    static func isManagement(_ bundleID: String) -> Bool { bundleID.hasPrefix(managementPrefix) }

    /// Whether a certificate may be used for the kind that `topic` seems to be for; some kinds need a token.
    static func isForCertificates(_ topic: String) -> Bool {
        switch type(bySuffixOf: topic) {
        case .location, .liveactivity, .pushtotalk, .widgets, .controls: false
        case .alert, .background, .voip, .complication, .fileprovider, .mdm, nil: true
        }
    }

    /// Whether a push of `type` may have `priority`.
    static func isPossible(_ priority: APNsPriority, for type: APNsPushType) -> Bool {
        switch type {
        // With 10, which Apple's documentation forbids and no refusal was seen of, the log says so.
        case .background, .location, .liveactivity: priority != .low
        case .pushtotalk: priority == .immediate
        case .alert, .voip, .complication, .fileprovider, .widgets, .controls, .mdm: true
        }
    }
}
