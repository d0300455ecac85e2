import BelfryConfinement
import Glibc

/// The rights that a relay or an agent gives up before it reads a broker's first byte: it has its listener, its state,
/// the push socket and the brokers, and needs nothing else.
///
/// As in the fetcher, protections that the kernel lacks are left out.
enum FleetConfinement {
    /// Gives up listening, starting programs, other ports than the brokers', and all files except those below
    /// `statePath`, those that libraries and glibc's resolver read, and the folder of the push socket, where an agent
    /// looks whether the socket exists.
    static func confine(statePath: String, pushSocketPath: String, ports: [UInt16]) {
        // First: the kernel demands it of an unprivileged process before Landlock and filters.
        try? ProcessConfinement.forbidPrivileges()
        let folder = pushSocketPath.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        let readable = [
            "/usr/lib", "/usr/lib64", "/lib", "/lib64", "/etc/ld.so.cache", "/etc/ssl/openssl.cnf", "/etc/localtime",
            "/usr/share/zoneinfo", "/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/gai.conf",
            "/etc/host.conf", "/run/systemd/resolve", "/proc/self", folder.joined(separator: "/"),
        ]
        // 53 for a resolver whose answer does not fit a datagram.
        try? Landlock.confine(readable: readable, writable: [statePath], ports: ports + [53])
        // The resolver asks the kernel which addresses there are (AF_NETLINK).
        let families = [AF_UNIX, AF_INET, AF_INET6, AF_NETLINK]
        try? SystemCallFilter.service(sockets: families).install(otherwise: .allow)
    }
}
