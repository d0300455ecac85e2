public import BelfryEventLoop
import BelfrySyscalls
public import BelfryTerms
import CBelfryNATS
public import Fleet

/// A line to a broker, over TLS: one connection, which begins as the line is made and never comes back once it is gone.
///
/// Its call backs come on the loop, none before the next iteration, and none once ``end()`` was called or ``onDown``
/// was. Nothing is kept for a broker that is not there: what cannot be sent now is refused.
public final class BrokerLine {
    /// It is up; the broker's identity, which is another one each time that it starts.
    public var onUp: (String) -> Void = { _ in }
    /// A message came. Those of one subscription come in their order.
    public var onMessage: (LineMessage) -> Void = { _ in }
    /// The broker does not let this credential listen or speak where it wanted to; in its words.
    public var onRefused: (String) -> Void = { _ in }
    /// It is gone, or never was, and this is the last that is heard of it.
    public var onDown: (LineEnd) -> Void = { _ in }

    /// How many bytes may wait for a slow broker: two seconds of what a gateway has at its fastest.
    public static let waitingBytesMax = 1 << 20

    private let loop: Loop
    private let pings: TimeSpan
    private var attempt: LineAttempt?
    private var connection: LineConnection?
    private var watch: DescriptorSource?
    private var silence: (any ScheduledTimer)?
    private var lastHeard: Instant
    private var refusal = ""
    private var hasEnded = false

    /// Connects to `broker` by `credential`, and asks it every `pings` whether it is there.
    public init(to broker: BrokerAddress, credential: LineCredential, pings: TimeSpan, on loop: Loop) {
        loop.assertOnLoop()
        self.loop = loop
        self.pings = pings
        lastHeard = loop.now
        do throws(SystemError) {
            attempt = try LineAttempt(to: broker, credential: credential, pings: pings, poster: loop.poster) {
                [weak self] outcome in self?.arrived(outcome)
            }
        } catch {
            loop.afterThis(description: "line") { [weak self] in self?.down(.unreachable("\(error)")) }
        }
    }

    deinit { end() }

    /// Listens to each of `subjects`; false, and nothing happens, unless it is up.
    @discardableResult
    public func subscribe(_ subjects: [String]) -> Bool {
        loop.assertOnLoop()
        guard let connection else { return false }
        return subjects.allSatisfy { connection.subscribe($0) }
    }

    /// Sends `bytes` to `subject`, and has an answer go to `reply`. False, and nothing is sent now or later, unless it
    /// is up, has room, and the broker takes as much.
    public func publish(
        _ subject: String, reply: String? = nil, headers: [(name: String, value: String)] = [], _ bytes: [UInt8]
    ) -> Bool {
        loop.assertOnLoop()
        guard let connection, connection.waitingBytes + bytes.count <= Self.waitingBytesMax else { return false }
        return connection.publish(subject, reply: reply, headers: headers, bytes)
    }

    /// Ends it, without a word of its own: nothing is called back from now on. What the kernel takes at once of what
    /// was published is sent still.
    public func end() {
        loop.assertOnLoop()
        hasEnded = true
        attempt?.abandon()
        attempt = nil
        watch?.cancel()
        watch = nil
        silence?.cancel()
        silence = nil
        connection = nil
        (onUp, onMessage, onRefused, onDown) = ({ _ in }, { _ in }, { _ in }, { _ in })
    }

    private func down(_ why: LineEnd) {
        guard !hasEnded else { return }
        let told = onDown
        end()
        told(why)
    }

    private func arrived(_ outcome: Result<LineConnection, LineEnd>) {
        attempt = nil
        switch outcome {
        case .failure(let why): down(why)
        case .success(let connection):
            do throws(SystemError) {
                watch = try loop.watch(descriptor: connection.descriptor, events: .readable, description: "line") {
                    [weak self] _ in self?.heed()
                }
            } catch { return down(.unreachable("\(error)")) }
            self.connection = connection
            lastHeard = loop.now
            awaitWord()
            onUp(connection.serverID)
        }
    }

    /// The broker answers each ping. One that missed two, and had half as long again for the second, is gone.
    private var patience: TimeSpan { TimeSpan(microseconds: pings.microseconds / 2 * 5) }

    private func awaitWord() {
        silence = loop.schedule(at: lastHeard + patience, description: "line's silence") { [weak self] in
            guard let self else { return }
            // One that is not read because this process was held up has not been silent.
            heed()
            guard connection != nil else { return }
            if loop.now >= lastHeard + patience { down(.silent) } else { awaitWord() }
        }
    }

    private func heed() {
        guard let connection else { return }
        if connection.heed() { lastHeard = loop.now }
        for message in connection.takeMessages() {
            onMessage(message.read())
            // What came besides is of no use to a line that its owner has ended meanwhile.
            if hasEnded { return }
        }
        guard !hasEnded else { return }
        let (status, text) = connection.lastError
        if status == NATS_NOT_PERMITTED, text != refusal {
            refusal = text
            onRefused(text)
        }
        if !hasEnded, connection.isClosed { down(LineEnd.isDenial(text) ? .denied(text) : .closed(text)) }
    }
}
