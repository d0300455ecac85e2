public import BelfrySyscalls
import Glibc

/// Where the push socket is.
public struct PushSocket: Hashable, Sendable {
    /// The longest path that a socket address holds, in bytes (`sun_path` of unix(7), less its final NUL).
    public static let pathBytesMax = 107

    /// The socket's path.
    public let path: String

    /// The socket at `path`.
    public init(path: String) throws(PushError) {
        guard path.utf8.count <= Self.pathBytesMax, !path.utf8.contains(0) else {
            throw PushError(.pathTooLong, "the socket's path is longer than \(Self.pathBytesMax) bytes, or holds a NUL")
        }
        self.path = path
    }

    /// The socket that `environment` names: `BELFRY_SOCKET`, else `belfry/push.sock` in `XDG_RUNTIME_DIR`.
    public init(environment: [String: String]) throws(PushError) {
        if let path = environment["BELFRY_SOCKET"], !path.isEmpty {
            try self.init(path: path)
        } else if let folder = environment["XDG_RUNTIME_DIR"], folder.hasPrefix("/") {
            try self.init(path: "\(folder)/belfry/push.sock")
        } else {
            throw PushError(.noPath, "there is no telling where the push socket is")
        }
    }

    /// Where a service looks for it: as above, else in the folder that a manager makes for this user (user@.service(5)).
    public static func path(_ environment: Environment) -> String {
        if let path = environment["BELFRY_SOCKET"], !path.isEmpty { return path }
        return "\(environment["XDG_RUNTIME_DIR"] ?? "/run/user/\(getuid())")/belfry/push.sock"
    }
}
