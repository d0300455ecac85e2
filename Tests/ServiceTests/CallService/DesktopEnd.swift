import BelfrySyscalls
import BelfryTerms
import DesktopChannel
import Glibc
import Support

/// The desktop's end of its socket, by hand.
final class DesktopEnd {
    static let group = GroupName("group.a") ?? { preconditionFailure("no group") }()
    static let hello = DesktopHello(group: group, name: "Ann", handle: "tel:1")

    private let folder = TemporaryFolder()
    private let listener: OwnedDescriptor
    private var visitor: OwnedDescriptor?

    init() throws {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        listener = OwnedDescriptor(owning: try checked("socket") { socket(AF_UNIX, kind, 0) })
        try bindUnixSocket(listener.number, to: path)
        try listen(at: listener.number, backlog: 4)
    }

    var path: String { "\(folder.path)/desktop.sock" }

    /// Lets in the next that has come, if there is one, and forgets the one before.
    func letIn() throws -> Bool {
        visitor = try acceptOurs(at: listener.number)
        return visitor != nil
    }

    func say(_ text: String) { ScriptedWorker.write(text, to: visitor?.number ?? -1) }

    func say(_ line: [UInt8], passing file: PassedFile) {
        _ = sendAll(line, passing: file.descriptor.number, to: visitor?.number ?? -1)
    }

    func report(_ report: DesktopReport) { ScriptedWorker.write(report.line, to: visitor?.number ?? -1) }

    func hangUp() {
        // At once, whoever else has the socket: a child that another test starts just now, until it is its program.
        endConnection(visitor?.number ?? -1)
        visitor = nil
    }

    /// All that was said to it since it asked last.
    func heard() -> [UInt8] {
        var bytes: [UInt8] = []
        while let some = receive(), !some.isEmpty { bytes += some }
        return bytes
    }

    /// Waits until the visitor has gone, after all that it said was heard, and nobody else has its socket either.
    func waitUntilLeft() {
        while receive() != [] { sched_yield() }
    }

    /// What there is; empty at the end, also of one that left with words unread; nil if there is nothing yet.
    private func receive() -> [UInt8]? {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        let number = visitor?.number ?? -1
        let count = unsafe chunk.withUnsafeMutableBytes {
            unsafe recv(number, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT))
        }
        return count < 0 && errno == EAGAIN ? nil : Array(chunk[..<max(count, 0)])
    }
}
