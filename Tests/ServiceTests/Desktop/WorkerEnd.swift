import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import DesktopChannel
import Glibc
import Support

/// The socket of a desktop, and a worker that is connected to it.
struct WorkerEnd {
    static let group = GroupName("group.a") ?? { preconditionFailure("no group") }()

    let folder = TemporaryFolder()
    private let ends: Ends

    /// Both, since a struct of descriptors could not be copied.
    private final class Ends {
        let listener: OwnedDescriptor
        let worker: OwnedDescriptor

        static func makeSocket() throws -> OwnedDescriptor {
            let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
            return OwnedDescriptor(owning: try checked("socket") { socket(AF_UNIX, kind, 0) })
        }

        init(_ path: String) throws {
            listener = try Self.makeSocket()
            worker = try Self.makeSocket()
            try bindUnixSocket(listener.number, to: path)
            try BelfrySyscalls.listen(at: listener.number, backlog: 4)
            try connectUnixSocket(worker.number, to: path)
        }
    }

    /// A worker that has said whose events follow, or who says what call goes on.
    init(_ ongoing: OngoingCall? = nil) throws {
        ends = try Ends("\(folder.path)/desktop.sock")
        say(ongoing)
    }

    /// Says a first line, or of a call that goes on another.
    func say(_ ongoing: OngoingCall?) {
        var hello = DesktopHello(group: Self.group)
        hello.ongoing = ongoing
        say(hello.line)
    }

    /// Another connection to the same desktop, over which nothing was said yet.
    func another() throws -> OwnedDescriptor {
        let socket = try Ends.makeSocket()
        try connectUnixSocket(socket.number, to: "\(folder.path)/desktop.sock")
        return socket
    }

    /// Ends the connection, as a process does that is killed.
    func leave() { shutdown(number, Int32(SHUT_RDWR)) }

    /// A call that is on.
    static var call: OngoingCall {
        var call = OngoingCall(call: "A", uuid: "6F9619FF", app: "org.belfry.phone")
        (call.name, call.state, call.canHold) = ("Ada", .active, true)
        return call
    }

    var listener: Int32 { ends.listener.number }
    var number: Int32 { ends.worker.number }

    func say(_ line: [UInt8]) { ScriptedWorker.write(line, to: number) }

    func tell(_ body: Event.Body) { say(Event(at: 0, boot: 1, id: "i", body: body).line) }

    /// What it was told since it asked last.
    func reports() -> [DesktopReport] {
        var bytes: [UInt8] = []
        while isReady(number, for: POLLIN) {
            var chunk = [UInt8](repeating: 0, count: 4_096)
            let count = unsafe chunk.withUnsafeMutableBytes { unsafe read(number, $0.baseAddress, $0.count) }
            guard count > 0 else { break }
            bytes += chunk[..<count]
        }
        return bytes.split(separator: UInt8(ascii: "\n")).compactMap { DesktopReport(line: Array($0)) }
    }
}
