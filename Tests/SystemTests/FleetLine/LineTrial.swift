import BelfryEventLoop
import BelfrySyscalls
import BelfryTerms
import Fleet
import FleetLine
import Glibc
import Support
import Testing

/// A line on a loop of its own, and what it says.
final class LineTrial {
    let loop: Loop
    // The tests of keys have a bare one of that name.
    let line: FleetLine.BrokerLine
    private(set) var serverID: String?
    private(set) var messages: [LineMessage] = []
    private(set) var refusals: [String] = []
    private(set) var end: LineEnd?
    private(set) var heardAfterEnd = false

    init(
        to port: UInt16, host: String = "127.0.0.1", as user: (jwt: String, key: [UInt8]), trusting authority: [UInt8],
        pings: TimeSpan = .seconds(60), on loop: Loop
    ) {
        ignoreBrokenPipes()
        self.loop = loop
        line = FleetLine.BrokerLine(
            to: BrokerAddress(host: host, port: port)!,
            credential: LineCredential(jwt: user.jwt, key: user.key, authority: authority), pings: pings,
            enteringMax: .seconds(3), on: loop)
        line.onUp = { [unowned self] in
            #expect(end == nil)
            serverID = $0
        }
        line.onMessage = { [unowned self] in
            heardAfterEnd = heardAfterEnd || end != nil
            messages.append($0)
        }
        line.onRefused = { [unowned self] in refusals.append($0) }
        line.onDown = { [unowned self] in
            #expect(end == nil)
            end = $0
        }
    }

    var texts: [String] { messages.map { String(decoding: $0.bytes, as: UTF8.self) } }
}

/// How many descriptors and threads this process has.
func ownDescriptorCount() -> Int { entryCount(of: "/proc/self/fd") }
func ownThreadCount() -> Int { entryCount(of: "/proc/self/task") }

private func entryCount(of path: String) -> Int {
    guard let directory = unsafe opendir(path) else { preconditionFailure("no \(path)") }
    defer { unsafe closedir(directory) }
    var count = 0
    while unsafe readdir(directory) != nil { count += 1 }
    return count
}
