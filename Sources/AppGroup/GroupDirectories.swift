internal import CLinux
internal import Syscalls

/// The open directories of a group's container, ours and nobody else's all the way down from the state directory.
struct GroupDirectories: ~Copyable {
    /// Holds the file and its lock, and is watched.
    let preferences: Directory
    private let container: Directory

    /// The path of the file's directory below the state directory.
    static func path(of group: GroupName) -> String { "groups/\(group.text)/Library/Preferences" }

    /// Opens them; nil where they are missing and not to be made.
    static func open(state: StateDirectory, group: GroupName, makes: Bool) throws(SystemError) -> GroupDirectories? {
        do throws(SystemError) {
            let root = try Directory.open(path: state.path, makes: makes)
            let groups = try root.openDirectory("groups", makes: makes)
            let container = try groups.openDirectory(group.text, makes: makes)
            let library = try container.openDirectory("Library", makes: makes)
            let preferences = try library.openDirectory("Preferences", makes: makes)
            return GroupDirectories(preferences: preferences, container: container)
        } catch  where error.errno == ENOENT && !makes {
            return nil
        }
    }

    /// The directory that holds what is being written, apart from what is watched: so a change wakes the waiting once,
    /// when it is there. On iOS too a container has its `tmp`.
    func openTemporaries() throws(SystemError) -> Directory {
        try container.openDirectory("tmp", makes: true)
    }
}
