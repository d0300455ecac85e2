import BelfryPropertyList

extension Ledger {
    /// Bytes kept free for what a transaction may add after the size was checked: 16 KiB.
    private static let reserveBytes = 16 * 1024

    /// This many calls fit whatever their texts are, so that their bytes need not be counted: an id, a name, a handle,
    /// a label and its source of 128 bytes each, of which every `&` is spelled with five, and fewer than 800 bytes of
    /// keys and numbers.
    static let callsAlwaysFit = 120

    /// Drops records if the file would grow beyond what programs read: first those that need no report, the oldest
    /// first, then the rest. Rings stay, and so does what another program put among the calls.
    mutating func dropOldestRecords() {
        let known = entries
        // Every opening comes here: with few calls their bytes are not counted, with few entries the calls are not even
        // parsed.
        guard known.count > Self.callsAlwaysFit / (1 + Call.earlierMax) else { return }
        guard calls.reduce(0, { $0 + 1 + $1.earlier.count }) > Self.callsAlwaysFit else { return }
        let room = callsBytesMax
        var bytes = Self.xmlBytes(of: .dictionary(known))
        guard bytes > room else { return }
        let records = calls.filter { !isRinging($0) && !isSettling($0) && !isActive($0) }
        let oldest = records.sorted { ($0.isToBeReported ? 1 : 0, $0.until) < ($1.isToBeReported ? 1 : 0, $1.until) }
        var dropped: Set<CallKey> = []
        for call in oldest where bytes > room {
            bytes -= Self.xmlBytes(ofMember: call.key.text, .dictionary(call.entry))
            dropped.insert(call.key)
        }
        drop(dropped)
    }

    /// How many bytes `calls` may take.
    private var callsBytesMax: Int {
        var others = root
        others[Key.calls] = nil
        return PropertyListLimits.bytesMax - Self.reserveBytes - Self.xmlBytes(of: .dictionary(others))
    }

    private static func xmlBytes(ofMember key: String, _ value: PropertyListValue) -> Int {
        12 + escapedBytes(key) + xmlBytes(of: value)
    }

    /// How many bytes `value` takes in the file, or a few more.
    private static func xmlBytes(of value: PropertyListValue) -> Int {
        switch value {
        case .bool: 8
        case .integer, .unsigned, .real, .date: 40
        case .uid: 70
        case .string(let text): 17 + escapedBytes(text)
        case .data(let bytes): 17 + bytes.count / 3 * 4
        case .array(let elements): elements.reduce(17) { $0 + 1 + xmlBytes(of: $1) }
        case .dictionary(let members): members.members.reduce(15) { $0 + xmlBytes(ofMember: $1.key, $1.value) }
        }
    }

    private static func escapedBytes(_ text: String) -> Int {
        text.utf8.reduce(0) { sum, byte in
            switch byte {
            case UInt8(ascii: "&"), 0x0D: sum + 5
            case UInt8(ascii: "<"), UInt8(ascii: ">"): sum + 4
            case 0..<0x20: sum + 3
            default: sum + 1
            }
        }
    }
}
