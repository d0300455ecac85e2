public import BelfrySyscalls
public import BelfryTerms
import Glibc

/// Where Belfry keeps its state: `$BELFRY_STATE_DIRECTORY`, else `$XDG_STATE_HOME/belfry`, else
/// `~/.local/state/belfry`.
public struct StateDirectory: Hashable, Sendable {
    /// Its path.
    public let path: String

    /// The directory at `path`.
    public init(path: String) { self.path = path }

    /// The directory that `environment` names; nil if not even HOME is set.
    ///
    /// An empty variable counts as absent, and so does a relative `$XDG_STATE_HOME`, as its specification demands.
    public init?(environment: Environment) {
        func value(_ name: String) -> String? {
            guard let value = environment[name], !value.utf8.isEmpty else { return nil }
            return value
        }
        if let configured = value("BELFRY_STATE_DIRECTORY") {
            path = configured
        } else if let state = value("XDG_STATE_HOME"), state.utf8.first == UInt8(ascii: "/") {
            path = "\(state)/belfry"
        } else if let home = value("HOME") {
            path = "\(home)/.local/state/belfry"
        } else {
            return nil
        }
    }
}

extension StateDirectory {
    /// The most groups that are listed.
    static let groupsMax = 100_000

    /// The groups that have a container here, in the order of their names; none if there is no state yet.
    public func groups() throws(SystemError) -> [GroupName] {
        do throws(SystemError) {
            let groups = try Directory.open(path: path, makes: false).openDirectory("groups", makes: false)
            return try groups.names(max: Self.groupsMax).sorted().compactMap(GroupName.init)
        } catch  where error.errno == ENOENT {
            return []
        }
    }
}

extension StateDirectory {
    /// Makes the container of `group` if it is missing, and returns its path.
    public func makeContainer(of group: GroupName) throws(SystemError) -> String {
        let groups = try Directory.open(path: path, makes: true).openDirectory("groups", makes: true)
        return try groups.openDirectory(group.text, makes: true).path
    }
}
