import BelfryCommandLine

/// Whether push servers can reach the APNs endpoint, and from where.
enum ApnsChecks {
    private static let unit = "belfry-apns.socket"

    /// The findings about the endpoint's socket; none if it is not in use.
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

    /// The findings for a socket that listens at `addresses`, as systemctl prints them.
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
