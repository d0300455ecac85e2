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
            guard let pid = Int32(exactly: owner.pid), let start = UInt64(exactly: owner.start) else { return false }
            return ProcessIdentity(pid: pid, startTicks: start).isAlive
        }
    }
}

extension Owner {
    /// The process `identity` of this boot.
    public init(_ identity: ProcessIdentity) {
        self.init(bootID: bootIDOfThisBoot, pid: Int64(identity.pid), start: Int64(clamping: identity.startTicks))
    }
}

private let bootIDOfThisBoot = bootID()
