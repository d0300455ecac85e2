public import Syscalls

/// Where Belfry keeps its state: `$BELFRY_STATE_DIRECTORY`, else `$XDG_STATE_HOME/belfry`, else
/// `~/.local/state/belfry`.
public struct StateDirectory: Hashable, Sendable {
    /// Its path.
    public let path: String

    /// The directory at `path`.
    public init(path: String) { self.path = path }

    /// The directory that `environment` names; nil where not even HOME is set.
    ///
    /// An empty variable counts as absent, and so does a relative `$XDG_STATE_HOME`, as its specification demands.
    public init?(environment: Environment) {
        func value(_ name: String) -> String? {
            guard let value = environment[name], !value.utf8.isEmpty else { return nil }
            return value
        }
        if let own = value("BELFRY_STATE_DIRECTORY") {
            path = own
        } else if let state = value("XDG_STATE_HOME"), state.utf8.first == UInt8(ascii: "/") {
            path = "\(state)/belfry"
        } else if let home = value("HOME") {
            path = "\(home)/.local/state/belfry"
        } else {
            return nil
        }
    }
}
