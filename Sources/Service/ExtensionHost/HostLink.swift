public import BelfryEventLoop
import BelfryProtocol
public import BelfrySyscalls
import BelfryTerms
import CBelfryLinux
import Glibc
import HostChannel

/// A worker's connection to the host that keeps the extension's process.
public final class HostLink {
    /// How long a host may take to say that a notification has its place in the queue.
    private static let patience = TimeSpan.seconds(5)
    private static let readBytesMax = 64 << 10
    private static let filesMax = 16

    private let loop: Loop
    private let socket: OwnedDescriptor
    private var lines = HostLines()
    private var files: [PassedFile] = []
    private var source: DescriptorSource?
    private var answer: (any ScheduledTimer)?
    private var heard: ((HostNews, PassedFile?) -> Void)?

    /// A connection to the host that listens at `path`; the first one makes a service manager start it.
    public init(to path: String, on loop: Loop) throws(SystemError) {
        self.loop = loop
        socket = try Self.connect(to: path)
    }

    private static func connect(to path: String) throws(SystemError) -> OwnedDescriptor {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let socket = OwnedDescriptor(owning: try checked("socket") { Glibc.socket(AF_UNIX, kind, 0) })
        try connectUnixSocket(socket.number, to: path)
        return socket
    }

    /// Has the extension receive the notification when it is its turn. `heard` takes what comes of it, up to `over`,
    /// also if the host is gone before.
    func receive(
        _ identifier: String, _ content: NotificationContent, heard: @escaping (HostNews, PassedFile?) -> Void
    ) {
        self.heard = heard
        do throws(SystemError) {
            source = try loop.watch(descriptor: socket.number, events: .readable, description: "extension host") {
                [unowned self] _ in read()
            }
        } catch { return lost("\(error)") }
        answer = loop.schedule(at: loop.now + Self.patience, description: "extension host") { [weak self] in
            self?.lost("it does not answer")
        }
        say(.receive(identifier: identifier, content: content))
    }

    /// What was asked for with `token` is over.
    func finished(_ token: Int64) { if heard != nil { say(.finished(token)) } }

    /// Tells the host that nobody waits for the notification any more, and listens on: the extension may reply yet.
    func withdraw() { shutdown(socket.number, Int32(SHUT_WR)) }

    /// Leaves the host.
    func close() {
        source?.cancel()
        answer?.cancel()
        heard = nil
        endConnection(socket.number)
    }

    private func say(_ order: HostOrder) {
        let line = order.line
        if NonBlockingOutput(socket.number).write(line[...]) != .wrote(line.count) { lost("it takes nothing") }
    }

    private func read() {
        let (bytes, passed) = receiveSome(from: socket.number, bytesMax: Self.readBytesMax)
        guard !bytes.isEmpty else { return lost("it has left") }
        files = (files + passed).suffix(Self.filesMax)
        do throws(ChannelError) {
            for news in try lines.news(in: bytes) {
                answer?.cancel()
                heard?(news, takesFile(news) && !files.isEmpty ? files.removeFirst() : nil)
            }
        } catch { lost(error.detail) }
    }

    private func takesFile(_ news: HostNews) -> Bool {
        guard case .said(.sound(let found)) = news else { return false }
        return found.problem == nil
    }

    /// The original is delivered, if nothing was.
    private func lost(_ why: String) {
        guard let heard else { return }
        close()
        let detail = "the extension's host is gone (\(why)), and its process with it"
        heard(.said(.warning(0, CodeWord(.hostGone), detail: detail)), nil)
        heard(.original(by: .crash), nil)
        heard(.over, nil)
    }
}
