import BelfrySyscalls
import BelfryTerms

/// Finds the process that listens at a TCP port of this machine.
enum PortOwner {
    private static let tables = ["/proc/net/tcp", "/proc/net/tcp6"]
    private static let tableBytesMax = 16 << 20
    private static let namesMax = 1 << 16

    /// The process that listens at `port`, by name and number, if it belongs to this user; else "another user's
    /// program"; nil if the port is free.
    static func of(_ port: UInt16) -> String? {
        let sockets = Set(tables.flatMap { listeners(at: port, in: text(of: $0)) }.map { "socket:[\($0)]" })
        guard !sockets.isEmpty else { return nil }
        for process in names(in: "/proc") where process.utf8.allSatisfy(\.isASCIIDigit) {
            for descriptor in names(in: "/proc/\(process)/fd") {
                guard let target = linkTarget("/proc/\(process)/fd/\(descriptor)"), sockets.contains(target) else {
                    continue
                }
                return "\(text(of: "/proc/\(process)/comm").prefix { $0 != "\n" }), process \(process)"
            }
        }
        return "another user's program"
    }

    /// The inodes of the sockets that listen at `port`, from a table that the kernel prints (proc_net_tcp).
    static func listeners(at port: UInt16, in table: String) -> [String] {
        table.split(separator: "\n").dropFirst().compactMap { line in
            let fields = line.split(separator: " ")
            guard fields.count > 9, fields[3] == "0A", let local = fields[1].split(separator: ":").last,
                UInt16(local, radix: 16) == port
            else { return nil }
            return String(fields[9])
        }
    }

    private static func text(of path: String) -> String {
        String(decoding: readKernelFile(path, bytesMax: tableBytesMax) ?? [], as: UTF8.self)
    }

    private static func names(in path: String) -> [String] {
        (try? Directory.names(at: path, max: namesMax)) ?? []
    }
}
