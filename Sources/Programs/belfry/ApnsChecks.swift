import BelfryCommandLine
import BelfrySyscalls
import BelfryTerms
import Glibc

/// Whether push servers can reach the APNs endpoint, and who else can.
enum ApnsChecks {
    private static let unit = "belfry-apns.socket"

    /// What there is to say of the endpoint's socket; nothing where it is not in use.
    static func run(_ context: Context) -> [Finding] {
        switch Systemctl.property("ActiveState", of: unit) {
        case "active": return listeners(addresses())
        case "failed":
            let owners = ports(addresses()).compactMap { port in
                PortOwner.of(port).map { "port \(port) is taken by \($0)" }
            }
            let owner = owners.isEmpty ? "see journalctl --user -u \(unit)" : owners.joined(separator: ", ")
            let mend = "another port: systemctl --user edit \(unit), then systemctl --user restart \(unit)"
            return [Finding(.warn, "apns", "\(unit) has failed: \(owner)", mend: mend)]
        default: return []
        }
    }

    private static func addresses() -> String { Systemctl.property("Listen", of: unit, joined: true) ?? "" }

    /// The TCP ports of `addresses`, as systemctl prints them, each once.
    static func ports(_ addresses: String) -> [UInt16] {
        var ports: [UInt16] = []
        for address in internet(addresses) {
            guard let port = address.split(separator: ":").last.flatMap({ UInt16($0) }) else { continue }
            if !ports.contains(port) { ports.append(port) }
        }
        return ports
    }

    private static func internet(_ addresses: String) -> [String] {
        let words = addresses.split { $0 == " " || $0 == "\n" }.map(String.init)
        return words.filter { $0.contains(":") && !$0.hasPrefix("/") }
    }

    /// What to say of a socket that listens at `addresses`, as systemctl prints them.
    static func listeners(_ addresses: String) -> [Finding] {
        let internet = internet(addresses)
        let foreign = internet.filter { !isLocal($0) }
        guard foreign.isEmpty else {
            let detail = "push servers reach \(unit) from outside: \(foreign.joined(separator: ", "))"
            return [
                Finding(.warn, "apns", detail, mend: "if that is not wanted: systemctl --user revert \(unit)")
            ]
        }
        return [Finding(.ok, "apns", "push servers of this machine reach \(internet.joined(separator: ", "))")]
    }

    private static func isLocal(_ address: String) -> Bool {
        address.hasPrefix("127.") || address.hasPrefix("[::1]:") || address.hasPrefix("localhost:")
    }
}

/// Who listens at a TCP port of this machine.
enum PortOwner {
    private static let tables = ["/proc/net/tcp", "/proc/net/tcp6"]
    private static let tableBytesMax = 16 << 20
    private static let namesMax = 1 << 16

    /// The process that listens at `port`, by name and number, if it is one of this user's; "another user's program" if
    /// it is not; nil if nobody listens.
    static func of(_ port: UInt16) -> String? {
        let inodes = Set(tables.flatMap { listeners(at: port, in: text(of: $0)) })
        guard !inodes.isEmpty else { return nil }
        for process in names(in: "/proc") where process.utf8.allSatisfy(\.isASCIIDigit) {
            for descriptor in names(in: "/proc/\(process)/fd") {
                guard let target = link("/proc/\(process)/fd/\(descriptor)"),
                    inodes.contains(where: { target == "socket:[\($0)]" })
                else { continue }
                let name = text(of: "/proc/\(process)/comm").split(separator: "\n").first.map(String.init) ?? "?"
                return "\(name), process \(process)"
            }
        }
        return "another user's program"
    }

    /// The inodes of the sockets that listen at `port`, of a table as the kernel prints it (proc_net_tcp).
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
        let number = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard number >= 0 else { return "" }
        let file = OwnedDescriptor(owning: number)
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while bytes.count < tableBytesMax {
            let count = unsafe read(file.number, &chunk, chunk.count)
            guard count > 0 else { break }
            bytes += chunk.prefix(count)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func names(in path: String) -> [String] {
        guard let folder = unsafe opendir(path) else { return [] }
        defer { unsafe closedir(folder) }
        var names: [String] = []
        while names.count < namesMax, let entry = unsafe readdir(folder) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names
    }

    private static func link(_ path: String) -> String? {
        var target = [UInt8](repeating: 0, count: 64)
        let count = unsafe target.withUnsafeMutableBytes {
            unsafe readlink(path, $0.baseAddress!.assumingMemoryBound(to: CChar.self), $0.count)
        }
        return count > 0 ? String(decoding: target.prefix(count), as: UTF8.self) : nil
    }
}
