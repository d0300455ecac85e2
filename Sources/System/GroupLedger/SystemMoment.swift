public import BelfryAppGroup
public import BelfrySyscalls
import BelfryTerms
public import CallLedger

extension Ledger {
    /// The ledger in `snapshot`, as of now, with `notes` merged in; empty if the file was missing or could not be read.
    public init(reading snapshot: GroupSnapshot, with notes: [LedgerNote] = []) {
        self.init(reading: snapshot.root, with: notes, at: .now(reading: snapshot))
    }
}

extension Moment {
    /// This moment on this machine, for the group file as `snapshot` found it.
    static func now(reading snapshot: GroupSnapshot) -> Moment {
        Moment(
            now: Instant(microseconds: bootTimeMicroseconds()), wall: WallTime(microseconds: wallTimeMicroseconds()),
            bootID: BelfrySyscalls.bootID(), fileModified: snapshot.modifiedAt
        ) { owner in
            ProcessIdentity(owner)?.isAlive ?? false
        }
    }
}

extension Owner {
    /// The process `identity` of this boot.
    public init(_ identity: ProcessIdentity) {
        self.init(
            bootID: BelfrySyscalls.bootID(), pid: Int64(identity.pid), start: Int64(clamping: identity.startTicks))
    }

    /// Whether the owner's process still runs.
    public var isAlive: Bool { bootID == BelfrySyscalls.bootID() && ProcessIdentity(self)?.isAlive ?? false }
}

extension ProcessIdentity {
    /// The process that `owner` names; nil if no process can have its numbers.
    init?(_ owner: Owner) {
        guard let pid = Int32(exactly: owner.pid), let start = UInt64(exactly: owner.start) else { return nil }
        self.init(pid: pid, startTicks: start)
    }
}
