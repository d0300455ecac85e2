import BelfrySyscalls
import Glibc

/// Debian's nats-server, unpacked and not installed, which serves the folder that a set-up made.
public final class SetUpBroker {
    /// Where it listens to clients.
    public let port: UInt16
    /// What it serves.
    public let folder: String
    private let run: ProgramRun

    /// Starts it with `folder` and on `port`; on one that the system gives if there is none.
    public init(folder: String, port: UInt16? = nil) throws {
        self.folder = folder
        let number = port.map(String.init) ?? "-1"
        run = try ProgramRun(
            "/bin/sh", ["-c", "cd '\(folder)' && exec \"$@\"", "sh", Broker.program, "-c", "nats.conf", "-p", number])
        var found: UInt16?
        var log: [String] = []
        while let line = run.complaint() {
            log.append(line)
            if line.contains("Listening for client connections on ") {
                found = line.split(separator: ":").last.flatMap { UInt16($0) }
            }
            if line.contains("Server is ready") { break }
        }
        guard let found else {
            throw Broker.Missing(description: "\(Broker.program): \(log.joined(separator: "\n"))")
        }
        self.port = found
    }

    /// What it logs next that has `text`; nil if it ends.
    public func logged(_ text: String) -> String? {
        while let line = run.complaint() { if line.contains(text) { return line } }
        return nil
    }

    /// Ends it, and waits until it is gone.
    public func stop() throws {
        try run.child.signal(SIGTERM)
        _ = run.complaints()
        _ = try run.child.waitUntilExit()
    }

    deinit { try? run.child.signal(SIGKILL) }

    /// Ports that nothing had a moment ago, and that the system gives to nobody who does not ask for them: below those
    /// that it hands out.
    public static func freePorts(_ count: Int) -> [UInt16] {
        var ports: Set<UInt16> = []
        while ports.count < count {
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(descriptor) }
            let port = UInt16.random(in: 20_000..<32_000)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            let isFree = unsafe withUnsafePointer(to: &address) { address in
                unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    unsafe bind(descriptor, address, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                }
            }
            if isFree { ports.insert(port) }
        }
        return Array(ports)
    }
}
