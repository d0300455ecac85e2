public import BelfryJSON
public import BelfryTerms

/// Which lines of the log are wanted: of one push, since a time, the last ones.
public struct PushLogPart: Hashable, Sendable {
    /// `apns-id`, in either case; nil for all.
    public let id: String?
    /// The time of the first line; nil for all.
    public let since: WallTime?

    /// A part.
    public init(id: String?, since: WallTime? = nil) {
        self.id = id
        self.since = since
    }

    /// What `line` says, if it is wanted; nil if it is not, or is no line of the log.
    public func object(in line: [UInt8]) -> JSONObject? {
        guard case .object(let object)? = try? JSONValue.parse(line), object["step"]?.stringValue != nil,
            id == nil || id?.lowercased() == object["id"]?.stringValue?.lowercased()
        else { return nil }
        guard let since else { return object }
        return (object["at"]?.numberValue ?? 0) >= since.unixSeconds ? object : nil
    }

    /// The last `count` of `lines` that are wanted, in their order.
    public func last(_ count: Int, of lines: [[UInt8]]) -> [[UInt8]] {
        var found: [[UInt8]] = []
        for line in lines.reversed() where object(in: line) != nil {
            if found.count == count { break }
            found.append(line)
        }
        return found.reversed()
    }
}
