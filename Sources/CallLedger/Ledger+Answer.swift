import BootTime
import PropertyList

extension Ledger {
    /// How many answers wait for the app at most; the oldest go first.
    static let pendingAcceptMax = 50

    /// The call that rings loud: the oldest ring.
    public var loudest: Call? { rings.first }

    /// Answers `key` for the person at the endpoint, and leaves word for the app; nil where it does not ring.
    public mutating func answer(_ key: CallKey) -> Call? {
        guard let call = end(key, as: .answered) else { return nil }
        var accept = PropertyListDictionary()
        accept["callId"] = .string(key.text)
        if !call.name.isEmpty { accept["name"] = .string(call.name) }
        if !call.handle.isEmpty { accept["handle"] = .string(call.handle) }
        accept["video"] = .bool(call.hasVideo)
        accept["answered"] = .integer(moment.wall.wholeUnixSeconds)
        var pending: [PropertyListValue] = []
        if case .array(let known)? = root[Key.pendingAccept] { pending = known.suffix(Self.pendingAcceptMax - 1) }
        mustOutlivePowerCut = true
        root[Key.pendingAccept] = .array(pending + [.dictionary(accept)])
        return call
    }

    /// Declines `key` for the person at the endpoint; nil where it does not ring.
    public mutating func decline(_ key: CallKey) -> Call? {
        end(key, as: .declined)
    }

    private mutating func end(_ key: CallKey, as state: CallState) -> Call? {
        guard let ring = call(key), isRinging(ring) else { return nil }
        let call = record(ring, as: state)
        write(call)
        return call
    }
}
