import BelfrySyscalls
import BelfryTerms

/// Finds the process that listens at a TCP port of this machine.
enum PortOwner {
    private static let tables = ["/proc/net/tcp", "/proc/net/tcp6"]
    private static let tableBytesMax = 16 << 20

    /// The process that listens at `port`, by name and number, if it belongs to this user; else "another user's
    /// program"; nil if the port is free.
    static func of(_ port: UInt16) -> String? {
        let sockets = tables.flatMap { listeners(at: port, in: text(of: $0)) }
        guard !sockets.isEmpty else { return nil }
        if let holder = SocketHolder.first(of: sockets) { return "\(holder.name), process \(holder.process)" }
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
}
