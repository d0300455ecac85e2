public import BelfryEventLoop
import BelfryLines
public import BelfryProtocol
public import BelfrySyscalls
public import CallChannel

/// A worker's connection to `belfry-calls`: it hands over a voip push, and then says the worker's events, as to its
/// client.
public final class CallLink: AppCalls {
    /// The longest line that it sends is a push, beside which as much may wait as at the other end.
    private static let limits = LineConnection.Limits(
        lineBytesMax: CallLimits.lineBytesMax, unsentBytesMax: CallLimits.lineBytesMax + CallLimits.unsentBytesMax,
        filesMax: 1)

    /// How long its first order is waited for before the loop is ready to wait for more, in milliseconds: a
    /// `belfry-calls` that runs takes a few tenths, and where no app takes the push no loop is needed before the ring.
    private static let firstOrderMilliseconds: Int32 = 2

    private let connection: LineConnection
    private var heard: ((WorkerOrder?) -> Void)?
    /// Whether a warning is being reported that comes from there.
    private var isWarning = false

    /// A connection to the socket at `path`; nil if nothing listens there. The first makes a service manager start
    /// `belfry-calls`.
    public init?(to path: String, on loop: any EventLoop) {
        do throws(SystemError) {
            let socket = try connectStream(to: path, waits: false)
            connection = LineConnection(socket, Self.limits, on: loop, description: "calls")
        } catch {
            return nil
        }
    }

    /// Hands `push` over, and listens from then on.
    public func handOver(_ push: VoIPPush, heard: @escaping (WorkerOrder?) -> Void) {
        self.heard = heard
        do throws(SystemError) {
            try connection.ask(WorkerMessage.push(push).line, within: Self.firstOrderMilliseconds) {
                [weak self] news in self?.take(news)
            }
        } catch {
            lost()
        }
    }

    /// The file beside the order that is being heard.
    public func takeFile() -> PassedFile? { connection.takeFile() }

    /// Leaves, at the other end too.
    public func close() {
        heard = nil
        connection.close()
    }

    /// Says that `event` happened, once the push was handed over. A ring's ticks are of no use there, and neither is
    /// what was said there.
    public func write(_ event: Event) {
        guard heard != nil, !isWarning, !event.isFrequent else { return }
        connection.send(WorkerMessage.event(event).line)
    }

    private func take(_ news: LineConnection.News) {
        switch news {
        case .line(let line): take(line)
        case .taken: break
        case .ended, .lost: lost()
        }
    }

    private func take(_ line: [UInt8]) {
        do throws(CallChannelError) {
            guard let order = try WorkerOrder.read(line) else { return }
            if case .warning = order { isWarning = true }
            heard?(order)
            isWarning = false
        } catch {
            lost()
        }
    }

    private func lost() {
        guard let heard else { return }
        close()
        heard(nil)
    }
}
