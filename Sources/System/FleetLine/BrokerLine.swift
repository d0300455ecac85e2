import BelfryCrypto
public import BelfryEventLoop
import BelfrySyscalls
import BelfryTLS
public import BelfryTerms
public import Fleet

/// A line to a broker, over TLS: one connection, which begins as the line is made and never comes back once it is gone.
///
/// Its call backs come on the loop, none before the next iteration, and none once ``end()`` was called or ``onDown``
/// was. Nothing is kept for a broker that is not there: what cannot be sent now is refused. The process must ignore
/// SIGPIPE.
public final class BrokerLine {
    /// It is up; the broker's identity, which is another one each time that it starts.
    public var onUp: (String) -> Void = { _ in }
    /// A message came. Those of one subscription come in their order.
    public var onMessage: (LineMessage) -> Void = { _ in }
    /// The broker does not let this credential listen or speak where it wanted to; in its words, which are told once
    /// however often they come one after another.
    public var onRefused: (String) -> Void = { _ in }
    /// It is gone, or never was, and this is the last that is heard of it.
    public var onDown: (LineEnd) -> Void = { _ in }

    /// How many bytes may wait for a slow broker: two seconds of what a gateway has at its fastest.
    public static let waitingBytesMax = 1 << 20
    /// How long it may take until the broker says who it is.
    public static let connectingMax = TimeSpan.seconds(5)
    /// How many pieces are read before others have their turns.
    private static let piecesPerTurn = 8

    private enum Phase {
        /// The addresses of the broker's host are looked up.
        case naming
        /// One of them is connected to.
        case connecting
        /// The broker says who it is, in plain text.
        case greeting
        case handshake
        /// It has the credential.
        case entering
        case up
        case over
    }

    private let loop: Loop
    private let broker: BrokerAddress
    private let pings: TimeSpan
    private let enteringMax: TimeSpan
    /// Until the broker has it.
    private var credential: LineCredential?
    private var phase = Phase.naming
    private let due: Instant
    private var lookup: AddressLookup?
    private var addresses: ArraySlice<SocketAddress> = []
    private var stream: LineStream?
    private var reader = BrokerWordReader()
    private var info: BrokerInfo?
    private var subscriptionsCount = 0
    private var timer: (any ScheduledTimer)?
    private var lastHeard: Instant
    private var nextPing: Instant
    private var refusal = ""
    /// What the broker complained of last, for which it may end the line.
    private var complaint: String?

    /// Connects to `broker` by `credential`, and asks it every `pings` whether it is there. Once it has said who it is,
    /// the line has `enteringMax` to be up: where a broker has died, thousands come to the others at once, and whoever
    /// gives up early begins anew.
    public init(
        to broker: BrokerAddress, credential: LineCredential, pings: TimeSpan, enteringMax: TimeSpan = .seconds(30),
        on loop: Loop
    ) {
        loop.assertOnLoop()
        self.enteringMax = enteringMax
        (self.loop, self.broker, self.credential, self.pings) = (loop, broker, credential, pings)
        let now = loop.now
        (lastHeard, nextPing, due) = (now, now, now + Self.connectingMax)
        wait(until: due)
        guard !broker.isNumeric else {
            loop.afterThis(description: "line") { [weak self] in self?.arrived(AddressLookup.addresses(of: broker)) }
            return
        }
        do throws(SystemError) {
            lookup = try AddressLookup(of: broker, poster: loop.poster) { [weak self] in self?.arrived($0) }
        } catch {
            loop.afterThis(description: "line") { [weak self] in self?.down(.unreachable("\(error)")) }
        }
    }

    deinit { end() }

    /// Listens to each of `subjects`; false unless it is up, and has room, and each is a subject.
    @discardableResult
    public func subscribe(_ subjects: [String]) -> Bool {
        loop.assertOnLoop()
        guard phase == .up, let stream else { return false }
        return subjects.allSatisfy { subject in
            guard stream.waitingBytes <= Self.waitingBytesMax else { return false }
            subscriptionsCount += 1
            return stream.say { LineWords.subscribe(subject, number: subscriptionsCount, to: &$0) }
        }
    }

    /// Sends `bytes` to `subject`, and has an answer go to `reply`. False, and nothing is sent now or later, unless it
    /// is up, has room, and the broker takes as much, and subjects and headers are such.
    public func publish(
        _ subject: String, reply: String? = nil, headers: [(name: String, value: String)] = [], _ bytes: [UInt8]
    ) -> Bool {
        loop.assertOnLoop()
        guard phase == .up, let stream, let info, stream.waitingBytes + bytes.count <= Self.waitingBytesMax else {
            return false
        }
        return stream.say {
            LineWords.publish(
                subject, reply: reply, headers: headers, bytes, bytesMax: info.messageBytesMax, to: &$0)
        }
    }

    /// Until when the broker's certificate is valid; nil unless it is up.
    public var certificateEnd: WallTime? { phase == .up ? stream?.certificateEnd : nil }

    /// Ends it, without a word of its own: nothing is called back from now on. What the kernel takes at once of what
    /// was published is sent still.
    public func end() {
        loop.assertOnLoop()
        phase = .over
        lookup?.abandon()
        lookup = nil
        timer?.cancel()
        timer = nil
        stream?.close()
        stream = nil
        credential = nil
        (onUp, onMessage, onRefused, onDown) = ({ _ in }, { _ in }, { _ in }, { _ in })
    }

    private func down(_ why: LineEnd) {
        guard phase != .over else { return }
        let told = onDown
        end()
        told(why)
    }

    // How it comes up.

    private func arrived(_ outcome: AddressLookup.Outcome) {
        guard phase == .naming else { return }
        lookup = nil
        switch outcome {
        case .failure(let failure): down(.unreachable("\(failure)"))
        case .success(let found):
            addresses = found[...]
            connect(since: nil)
        }
    }

    /// Connects to the next address, the one before having failed with `fault`.
    private func connect(since fault: SystemError?) {
        phase = .connecting
        stream?.close()
        stream = nil
        guard let address = addresses.popFirst() else {
            return down(.unreachable("\(broker): \(fault?.reason ?? "no address")"))
        }
        do throws(SystemError) {
            stream = try LineStream(to: address, on: loop) { [weak self] in self?.ready() }
        } catch { return connect(since: error) }
        // One that does not answer leaves the others their share of the time.
        let now = loop.now
        wait(until: now + TimeSpan(microseconds: (due - now).microseconds / Int64(addresses.count + 1)))
    }

    private func wait(until instant: Instant) {
        timer?.cancel()
        timer = loop.schedule(at: instant, description: "line") { [weak self] in self?.timeIsUp() }
    }

    private func timeIsUp() {
        switch phase {
        case .connecting where !addresses.isEmpty: connect(since: nil)
        case .naming: down(.unreachable("\(broker.host) is not found in time"))
        case .connecting, .greeting, .handshake, .entering: down(.unreachable("no answer in time"))
        case .up: beat()
        case .over: break
        }
    }

    private func ready() {
        switch phase {
        case .connecting: connected()
        case .handshake: shakeHands()
        case .greeting, .entering, .up:
            hear()
            // What was answered to it, too.
            if let stream, stream.waitingBytes > 0 { stream.send() }
        case .naming, .over: break
        }
    }

    private func connected() {
        do throws(SystemError) { try stream?.finishConnecting() } catch { return connect(since: error) }
        phase = .greeting
        wait(until: due)
    }

    /// TLS begins, with a broker that has said who it is.
    private func secure(_ info: BrokerInfo) {
        guard let stream, let credential else { return }
        guard reader.isAtEnd else { return down(.untrusted("it says more than who it is before TLS")) }
        guard info.wantsTLS else { return down(.untrusted("no TLS")) }
        self.info = info
        do throws(TLSFailure) {
            try stream.startTLS(to: broker.host, trusting: credential.authority)
        } catch { return down(.untrusted("\(error)")) }
        phase = .handshake
        wait(until: loop.now + enteringMax)
        shakeHands()
    }

    private func shakeHands() {
        do throws(LineEnd) {
            if let stream, try stream.handshake() { enter() }
        } catch { down(error) }
    }

    private func enter() {
        guard let stream, let credential, let info else { return }
        var signature: [UInt8]?
        do throws(CryptoFailure) {
            if let nonce = info.nonce { signature = try curve25519Signature(Array(nonce.utf8), key: credential.key) }
        } catch { return down(.unreachable("the broker's nonce cannot be signed")) }
        phase = .entering
        self.credential = nil
        stream.say { text in
            text += LineWords.connect(jwt: credential.jwt, signature: signature) + LineWords.ping
            return true
        }
        stream.send()
    }

    private func cameUp() {
        guard let info else { return }
        phase = .up
        nextPing = loop.now + pings
        waitForBeat()
        onUp(info.serverID)
    }

    // While it is up.

    /// The broker answers each ping. One that missed two, and had half as long again for the second, is gone.
    private var patience: TimeSpan { TimeSpan(microseconds: pings.microseconds / 2 * 5) }

    private func waitForBeat() { wait(until: min(nextPing, lastHeard + patience)) }

    private func beat() {
        // One that is not read because this process was held up has not been silent.
        hear()
        guard phase == .up, let stream else { return }
        let now = loop.now
        if now >= lastHeard + patience { return down(.silent) }
        if now >= nextPing {
            nextPing = now + pings
            if stream.waitingBytes <= Self.waitingBytesMax { say(LineWords.ping) }
        }
        waitForBeat()
    }

    private func say(_ words: [UInt8]) {
        stream?.say { text in
            text += words
            return true
        }
    }

    private func hear() {
        for _ in 0..<Self.piecesPerTurn {
            guard let stream, phase == .greeting || phase == .entering || phase == .up else { return }
            switch stream.read() {
            case .nothing: return
            case .end(let why): return ended(why)
            case .bytes(let bytes):
                lastHeard = loop.now
                reader.hear(bytes)
                do throws(BrokerWordError) {
                    while phase != .over, let word = try reader.next() { heed(word) }
                } catch { return down(phase == .up ? .closed(error.detail) : .untrusted(error.detail)) }
            }
        }
    }

    private func heed(_ word: BrokerWord) {
        switch word {
        case .info(let info):
            // Later ones tell of other brokers, which are not asked for.
            if phase == .greeting { secure(info) }
        case .complaint(let words): heed(complaint: words)
        case .message(let message): if phase == .up { onMessage(message) }
        // Whoever takes nothing is not sent more.
        case .ping: if let stream, stream.waitingBytes <= Self.waitingBytesMax { say(LineWords.pong) }
        case .pong: if phase == .entering { cameUp() }
        case .okay: break
        }
    }

    private func heed(complaint words: String) {
        guard phase == .up else {
            return down(LineEnd.isDenial(words) ? .denied(words) : .unreachable(words))
        }
        guard words.lowercased().hasPrefix("permissions violation") else {
            complaint = words
            return
        }
        guard words != refusal else { return }
        refusal = words
        onRefused(words)
    }

    private func ended(_ why: String) {
        guard phase == .up else { return down(.unreachable(why)) }
        guard let complaint else { return down(.closed(why)) }
        down(LineEnd.isDenial(complaint) ? .denied(complaint) : .closed(complaint))
    }
}
