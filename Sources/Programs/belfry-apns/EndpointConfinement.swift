import BelfryConfinement
import BelfrySyscalls
import Glibc

/// The rights that the endpoint gives up before it reads a stranger's first byte: it has its listeners, its state and
/// the push socket, and needs nothing else.
///
/// As in the fetcher, protections that the kernel lacks are left out.
enum EndpointConfinement {
    /// Gives up binding, sockets of the internet, starting programs, and all files except those below `statePath`,
    /// those that libraries read, the folder of the push socket, where it looks whether the socket exists, and the
    /// runtime directory, where it looks for those who follow pushes.
    static func confine(statePath: String, runtimePath: String, pushSocketPath: String) {
        // First: the kernel demands it of an unprivileged process before Landlock and filters.
        try? ProcessConfinement.forbidPrivileges()
        let folder = pushSocketPath.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        let readable = [
            "/usr/lib", "/usr/lib64", "/lib", "/lib64", "/etc/ld.so.cache", "/etc/ssl/openssl.cnf", "/etc/localtime",
            "/usr/share/zoneinfo", "/proc/self", folder.joined(separator: "/"), runtimePath,
        ]
        try? Landlock.confine(readable: readable, writable: [statePath], ports: [])
        try? SystemCallFilter.service(sockets: [AF_UNIX]).install(otherwise: .allow)
    }
}
