import PropertyList

/// A process, named so that a later one with the same number is never taken for it.
public struct Owner: Hashable, Sendable {
    /// The boot in which it runs: `/proc/sys/kernel/random/boot_id`.
    public let bootID: String
    /// Its process id.
    public let pid: Int64
    /// When it started, in clock ticks since boot: field 22 of `/proc/PID/stat`.
    public let start: Int64

    /// The process `pid` that started at `start`.
    public init(bootID: String, pid: Int64, start: Int64) {
        self.bootID = bootID
        self.pid = pid
        self.start = start
    }

    /// The owner that `entry` names; nil where a part is missing or of a wrong type.
    init?(in entry: PropertyListDictionary) {
        guard case .string(let bootID)? = entry["bootId"], case .integer(let pid)? = entry["pid"],
            case .integer(let start)? = entry["pidStart"]
        else { return nil }
        self.init(bootID: bootID, pid: pid, start: start)
    }

    /// Names `owner` in `entry`, or nobody.
    static func write(_ owner: Owner?, to entry: inout PropertyListDictionary) {
        entry["bootId"] = owner.map { .string($0.bootID) }
        entry["pid"] = owner.map { .integer($0.pid) }
        entry["pidStart"] = owner.map { .integer($0.start) }
    }
}
