/// How much the cache may hold, and what goes when it holds more.
public struct CacheBudget: Hashable, Sendable {
    /// A file of the cache's folder.
    public struct File: Hashable, Sendable {
        /// Its name.
        public let name: String
        /// Its size in bytes.
        public let bytes: Int64
        /// The Unix second of its last change.
        public let changedAt: Int64

        /// A file.
        public init(name: String, bytes: Int64, changedAt: Int64) {
            self.name = name
            self.bytes = bytes
            self.changedAt = changedAt
        }
    }

    /// Bytes of all entries together, at most.
    public let bytesMax: Int64
    /// Entries, at most.
    public let entriesMax: Int
    /// Seconds after which an entry goes in any case.
    public let ageSecondsMax: Int64

    /// A budget; by default 32 MiB, 512 entries and a day.
    public init(bytesMax: Int64 = 32 << 20, entriesMax: Int = 512, ageSecondsMax: Int64 = 86_400) {
        self.bytesMax = bytesMax
        self.entriesMax = entriesMax
        self.ageSecondsMax = ageSecondsMax
    }

    /// The names that must go at the Unix second `now`: the old, those from the future, and of the rest the oldest
    /// until the budget is kept. Names that are no entry's are never among them.
    public func expelled(from files: [File], at now: Int64) -> [String] {
        var expelled: [String] = []
        var kept: [File] = []
        for file in files where CacheKey.isFileName(file.name) {
            let (age, overflows) = now.subtractingReportingOverflow(file.changedAt)
            let isKept = !overflows && age < ageSecondsMax && age >= -CacheEntry.clockErrorSecondsMax
            if isKept { kept.append(file) } else { expelled.append(file.name) }
        }
        // Newest first; by name where a second is not enough, so that all workers expel the same.
        kept.sort { ($0.changedAt, $0.name) > ($1.changedAt, $1.name) }
        var bytesLeft = bytesMax
        for (index, file) in kept.enumerated() {
            // Once one does not fit, no older one stays in its place.
            bytesLeft = index < entriesMax && file.bytes >= 0 && file.bytes <= bytesLeft ? bytesLeft - file.bytes : -1
            if bytesLeft < 0 { expelled.append(file.name) }
        }
        return expelled
    }
}
