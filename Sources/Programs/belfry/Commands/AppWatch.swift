import BelfryCommandLine
import BelfryEventLoop
import BelfryJSON
import BelfryLines
import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import CallChannel

/// What apps do, as `belfry-calls` tells it: for `belfry watch`, where `belfry-calls` listens.
final class AppWatch {
    private let context: Context
    private let loop: Loop
    private let told: (Event) -> Void
    private var connection: LineConnection?

    /// Calls `told` with each event from now on.
    init(_ context: Context, _ loop: Loop, told: @escaping (Event) -> Void) {
        (self.context, self.loop, self.told) = (context, loop, told)
        look()
    }

    /// Connects, if it is not connected: where nobody listens, or whoever did has left.
    func look() {
        guard connection == nil, let connection = try? CentreQuestion.connect(context, on: loop),
            (try? connection.listen { [unowned self] in heard($0) }) != nil
        else { return }
        self.connection = connection
        connection.send(ClientMessage.watch.line)
    }

    private func heard(_ news: LineConnection.News) {
        switch news {
        case .line(let line): if let event = try? Event(line: line) { told(event) }
        case .taken: break
        case .ended, .lost:
            connection?.close()
            connection = nil
        }
    }
}
