import BelfryBus
import BelfryEventLoop
import BelfrySyscalls
import BelfryTerms

/// The session bus, connected again with back-off whenever it is lost.
final class BusConnection {
    private static let backOffFirst = TimeSpan.milliseconds(100)
    private static let backOffLongest = TimeSpan.seconds(5)

    private let loop: Loop
    private var backOff = BusConnection.backOffFirst
    private var retry: (any ScheduledTimer)?
    private let senders = SignalSenders()
    /// The connection; nil while there is none.
    private(set) var bus: SessionBus?

    /// Called with each new connection, on which nothing was said yet.
    var onConnected: (SessionBus) -> Void = { _ in }
    /// Called when there is no connection, with the reason, for people.
    var onLost: (String) -> Void = { _ in }
    /// Gets each call and each signal that is believed (S6), and says whether it was for us.
    var onMessage: (BusMessage) -> Bool = { _ in false }

    init(on loop: Loop) { self.loop = loop }

    /// Connects, now and again as long as it fails.
    func connect() {
        retry = nil
        do throws(SystemError) {
            let bus = try SessionBus(on: loop)
            bus.onMessage = { [unowned self] in senders.believes($0) && onMessage($0) }
            bus.onLost = { [weak self] in self?.lost("the session bus has closed the connection") }
            self.bus = bus
            senders.connected(to: bus)
            onConnected(bus)
        } catch {
            lost("no session bus: \(error.reason)")
        }
    }

    /// The bus answered: the next loss is tried to be mended soon.
    func isWell() { backOff = Self.backOffFirst }

    private func lost(_ why: String) {
        bus?.close()
        bus = nil
        onLost(why)
        retry = loop.schedule(at: loop.now + backOff, description: "bus") { [weak self] in self?.connect() }
        backOff = min(backOff + backOff, Self.backOffLongest)
    }
}
