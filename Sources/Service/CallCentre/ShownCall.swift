import BelfryEventLoop
import BelfryLines
import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import DesktopChannel

/// One call that goes on, at the desktop: a connection that says whole what is known of it, again whenever that
/// changes, and brings back what the person chooses there.
///
/// The call goes on without it: a desktop that is missing, or restarts, is tried again each second.
final class ShownCall {
    private static let interval = TimeSpan.seconds(1)
    /// A desktop that reads nothing is left: what it shows then is old.
    private static let unsentBytesMax = 64 << 10

    private let path: String
    private let loop: any EventLoop
    private let choose: (CallCommand) -> Void
    private var hello: DesktopHello
    private var connection: LineConnection?
    private var again: (any ScheduledTimer)?

    /// Shows the call of `hello` at the desktop's socket at `path`; `choose` gets what the person wants done.
    init(_ hello: DesktopHello, at path: String, on loop: any EventLoop, choose: @escaping (CallCommand) -> Void) {
        (self.hello, self.path, self.loop, self.choose) = (hello, path, loop, choose)
        connect()
    }

    /// What is known of the call now.
    func show(_ hello: DesktopHello) {
        self.hello = hello
        connection?.send(hello.line)
    }

    /// The call is over.
    func close() {
        again?.cancel()
        again = nil
        connection?.close()
        connection = nil
    }

    private func connect() {
        do throws(SystemError) {
            let limits = LineConnection.Limits(unsentBytesMax: Self.unsentBytesMax)
            let connection = LineConnection(
                try connectStream(to: path, waits: false), limits, on: loop, description: "desktop")
            try connection.listen { [weak self] in self?.heard($0) }
            self.connection = connection
            connection.send(hello.line)
        } catch {
            tryAgain()
        }
    }

    private func heard(_ news: LineConnection.News) {
        switch news {
        case .line(let line): if case .chosen(let command)? = DesktopReport(line: line) { choose(command) }
        case .taken: break
        case .ended, .lost: tryAgain()
        }
    }

    private func tryAgain() {
        close()
        again = loop.schedule(at: loop.now + Self.interval, description: "desktop") { [weak self] in self?.connect() }
    }
}
