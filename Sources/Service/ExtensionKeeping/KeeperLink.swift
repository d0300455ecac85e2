public import BelfryEventLoop
import BelfryLines
import BelfryProtocol
public import BelfrySyscalls
import BelfryTerms
import KeeperChannel

/// A worker's connection to the keeper that keeps the extension's process.
public final class KeeperLink {
    /// How long a keeper may take to say that a notification has its place in the queue.
    private static let patience = TimeSpan.seconds(5)
    /// How many bytes of orders may wait for a keeper, and how many of its sounds may wait to be played.
    private static let limits = LineConnection.Limits(unsentBytesMax: 4 << 20, filesMax: 16)

    private let loop: Loop
    private let connection: LineConnection
    private var answer: (any ScheduledTimer)?
    private var heard: ((KeeperNews, PassedFile?) -> Void)?

    /// A connection to the keeper that listens at `path`; the first connection makes a service manager start it.
    public init(to path: String, on loop: Loop) throws(SystemError) {
        self.loop = loop
        let socket = try connectStream(to: path, waits: false)
        connection = LineConnection(socket, Self.limits, on: loop, description: "extension host")
    }

    /// Has the extension receive the notification when it is its turn. `heard` takes all news of it, the last of which
    /// is `over`, even if the keeper is gone before.
    func receive(
        _ identifier: String, _ content: NotificationContent, heard: @escaping (KeeperNews, PassedFile?) -> Void
    ) {
        self.heard = heard
        do throws(SystemError) {
            try connection.listen { [unowned self] in take($0) }
        } catch { return lost("\(error)") }
        answer = loop.schedule(at: loop.now + Self.patience, description: "extension host") { [weak self] in
            self?.lost("it does not answer")
        }
        connection.send(KeeperOrder.receive(identifier: identifier, content: content).line)
    }

    /// Informs the keeper that what was asked for with `token` is over.
    func finished(_ token: Int64) { if heard != nil { connection.send(KeeperOrder.finished(token).line) } }

    /// Withdraws the notification at the keeper, and listens on: the extension may still reply.
    func withdraw() { connection.endSending() }

    /// Leaves the keeper.
    func close() {
        answer?.cancel()
        heard = nil
        connection.close()
    }

    private func take(_ news: LineConnection.News) {
        switch news {
        case .line(let line): take(line)
        case .taken: break
        case .ended(.left): lost("it has left")
        case .ended(.lineTooLong): lost(ChannelError.lineTooLong.detail)
        case .lost: lost("it takes nothing")
        }
    }

    private func take(_ line: [UInt8]) {
        do throws(ChannelError) {
            guard let news = try KeeperNews(line: line) else { return }
            answer?.cancel()
            heard?(news, takesFile(news) ? connection.takeFile() : nil)
        } catch {
            lost(error.detail)
        }
    }

    private func takesFile(_ news: KeeperNews) -> Bool {
        guard case .said(.sound(let found)) = news else { return false }
        return found.problem == nil
    }

    /// The keeper is gone: has the original delivered, if nothing was.
    private func lost(_ why: String) {
        guard let heard else { return }
        close()
        let detail = "the extension's host is gone (\(why)), and its process with it"
        heard(.said(.warning(0, CodeWord(.keeperGone), detail: detail)), nil)
        heard(.original(by: .crash), nil)
        heard(.over, nil)
    }
}
