internal import Glibc
public import Syscalls

extension StateDirectory {
    /// How many groups are looked at.
    static let groupsMax = 100_000

    /// The groups that have a container here, in the order of their names; none where there is no state yet.
    public func groups() throws(SystemError) -> [GroupName] {
        do throws(SystemError) {
            let groups = try Directory.open(path: path, makes: false).openDirectory("groups", makes: false)
            return try groups.names(max: Self.groupsMax).sorted().compactMap(GroupName.init)
        } catch  where error.errno == ENOENT {
            return []
        }
    }
}
