internal import CLinux
internal import Glibc
public import Syscalls

/// Landlock: gives up files, ports and sockets for good (landlock(7)); as much of it as the running kernel knows.
public enum Landlock {
    /// The version of the running kernel's Landlock; 0 where it has none, or it is turned off.
    public static var version: Int { max(0, Int(clinux_landlock_version())) }

    /// Leaves this thread, and those it makes from now on, only reading below `readable`, and of TCP only connecting to
    /// `ports`; nil leaves connecting to any port.
    ///
    /// From version 4 on no TCP port is bound, from version 6 on no abstract socket and no process outside is reached.
    /// Descriptors that are open already work as before. Paths that do not exist are left out. Needs no-new-privileges.
    public static func confine(readable: [String], ports: [UInt16]?) throws(SystemError) {
        let version = self.version
        guard version > 0 else { throw SystemError(errno: ENOSYS, call: "landlock_create_ruleset") }
        var ruleset = clinux_landlock_ruleset()
        ruleset.handled_access_fs = fileRights(version)
        if version >= 4 { ruleset.handled_access_net = bindRight | (ports == nil ? 0 : connectRight) }
        if version >= 6 { ruleset.scoped = 3 }
        let size = version >= 6 ? 24 : version >= 4 ? 16 : 8
        let rules = OwnedDescriptor(
            owning: try checked("landlock_create_ruleset") { unsafe clinux_landlock_create(&ruleset, size) })
        let number = rules.number
        for path in readable { try allow(path, in: number) }
        if version >= 4 {
            for port in ports ?? [] {
                try checked("landlock_add_rule", on: "port \(port)") {
                    clinux_landlock_allow_port(number, UInt64(port), connectRight)
                }
            }
        }
        try checked("landlock_restrict_self") { clinux_landlock_restrict(number) }
    }

    private static func allow(_ path: String, in rules: Int32) throws(SystemError) {
        let opened = unsafe clinux_open_path(path)
        guard opened >= 0 else { return }
        let descriptor = OwnedDescriptor(owning: opened)
        let number = descriptor.number
        var status = stat()
        try checked("fstat", on: path) { unsafe fstat(number, &status) }
        let isFolder = status.st_mode & Glibc.S_IFMT == Glibc.S_IFDIR
        let rights = readFileRight | (isFolder ? readFolderRight : 0)
        try checked("landlock_add_rule", on: path) { clinux_landlock_allow_path(rules, number, rights) }
    }

    /// All rights over files that a version knows: whatever is not allowed by a rule is refused.
    private static func fileRights(_ version: Int) -> UInt64 {
        // Version 1 has 13, 2 adds REFER, 3 TRUNCATE, 5 IOCTL_DEV.
        let count: UInt64 = version >= 5 ? 16 : version >= 3 ? 15 : version >= 2 ? 14 : 13
        return (1 << count) - 1
    }

    private static let readFileRight: UInt64 = 1 << 2
    private static let readFolderRight: UInt64 = 1 << 3
    private static let bindRight: UInt64 = 1 << 0
    private static let connectRight: UInt64 = 1 << 1
}
