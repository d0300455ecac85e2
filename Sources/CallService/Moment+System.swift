public import AppGroup
import BootTime
public import CallLedger
public import Syscalls

extension Moment {
    /// This moment of this machine, for the group file as `snapshot` found it.
    public static func now(reading snapshot: GroupSnapshot) -> Moment {
        Moment(
            now: Instant(microseconds: bootTimeMicroseconds()), wall: WallTime(microseconds: wallTimeMicroseconds()),
            bootID: bootIDOfThisBoot, fileModified: snapshot.modifiedAt
        ) { owner in
            ProcessIdentity(owner)?.isAlive ?? false
        }
    }
}

extension Owner {
    /// The process `identity` of this boot.
    public init(_ identity: ProcessIdentity) {
        self.init(bootID: bootIDOfThisBoot, pid: Int64(identity.pid), start: Int64(clamping: identity.startTicks))
    }
}

extension ProcessIdentity {
    /// The process that `owner` names; nil where the numbers are none that a process can have.
    init?(_ owner: Owner) {
        guard let pid = Int32(exactly: owner.pid), let start = UInt64(exactly: owner.start) else { return nil }
        self.init(pid: pid, startTicks: start)
    }
}

private let bootIDOfThisBoot = bootID()
