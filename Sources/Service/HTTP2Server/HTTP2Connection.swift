import BelfryEventLoop
import BelfrySyscalls
import BelfryTLS
import BelfryTerms
import CBelfryLinux
import CBelfryNGHTTP2
import Glibc
import PushAPI

/// One connection: its socket, TLS, HTTP/2, and how long each of them may take.
///
/// nghttp2 calls it back while it is fed or asked for bytes, and must not be freed then: a callback that ends the
/// connection has it ended afterwards.
@safe
final class HTTP2Connection {
    enum State {
        case handshake
        case open
        /// What is queued is sent, and nothing more is read.
        case ending
        /// All is sent; what the client still sends is passed over, since an unread byte would turn the close into a
        /// reset, which overtakes what was sent.
        case lingering
        case closed
    }

    /// Its number among its listener's connections.
    let number: UInt64
    unowned let listener: HTTP2Listener
    // Kept here: asking the listener for them with each request costs more than the answer.
    let loop: Loop
    let limits: HTTP2Limits
    let socket: OwnedDescriptor
    let tls: TLSConnection
    var source: DescriptorSource?
    var session: OpaquePointer?
    var handler: (any HTTP2Handler)?
    var state = State.handshake
    var exchanges: [Int32: HTTP2Exchange] = [:]
    /// The exchange that was looked up last: the parts of a request come together.
    var lastExchange: HTTP2Exchange?
    /// Requests in the order in which they began; those that are complete are passed over.
    var begun: [(stream: Int32, at: Instant)] = []
    /// What TLS did not take yet.
    var pending: ArraySlice<UInt8> = []
    private var resets: Allowance
    private var keyUpdates: Allowance
    private var keyUpdatesSeen = 0
    var isFirstFrameHere = false
    private var isRaised = false
    private var isSendingSoon = false
    var mustClose = false
    /// Whether its end is none of those that are told: it has sent a request, or was told before.
    var isEndTold = false
    /// Whether a block of headers is so long that nothing more is read.
    private var isTooLong = false
    var isInLibrary = false
    var lingeredBytes = 0
    /// What is held of requests that are not complete, and by answers that are not sent.
    var heldBytes = 0
    /// How much of it the listener has counted.
    var countedBytes = 0
    /// What the listener has counted for a stranger, TLS included.
    var strangerBytes = 0
    /// Beside what TLS and requests hold: HTTP/2's own tables and ours.
    private static let ownBytes = 8 << 10

    let openedAt: Instant
    var lastReadAt: Instant
    var stalledAt: Instant?
    /// What its client hears with the GOAWAY that names the last stream, and when at the latest.
    var asksForAnswer = false
    var farewell: (debugData: [UInt8], due: Instant, isSaid: Bool)?
    var endAt: Instant?
    var timer: (any ScheduledTimer)?
    var timerDue: Instant?

    init?(_ socket: consuming OwnedDescriptor, number: UInt64, of listener: HTTP2Listener) {
        let descriptor = socket.number
        self.number = number
        self.listener = listener
        loop = listener.loop
        limits = listener.limits
        self.socket = socket
        openedAt = loop.now
        lastReadAt = openedAt
        resets = Allowance(HTTP2Limits.resetsMax, perSecond: HTTP2Limits.resetsPerSecond, at: openedAt)
        keyUpdates = Allowance(HTTP2Limits.keyUpdatesMax, perSecond: HTTP2Limits.keyUpdatesPerSecond, at: openedAt)
        guard let tls = try? TLSConnection(listener.tls, socket: descriptor) else { return nil }
        self.tls = tls
        source = try? loop.watch(descriptor: descriptor, events: .readable, description: "client") {
            [unowned self] _ in
            ready()
        }
        guard source != nil else { return nil }
        armTimer()
    }

    deinit {
        if let session = unsafe session { unsafe nghttp2_session_del(session) }
    }

    /// The good credential that its client has shown.
    private(set) var credential: String?
    /// Whether there is one.
    var isTrusted: Bool { credential != nil }

    // What the socket says.

    private func ready() {
        switch state {
        case .handshake: shakeHands()
        case .open:
            if !pending.isEmpty { sendNow() } else { read() }
        case .ending: sendNow()
        case .lingering: passOver()
        case .closed: break
        }
        recount()
    }

    /// Has the listener count what it holds; the listener may end it for that.
    private func recount() {
        guard state != .closed else { return }
        let bytes = isTrusted ? 0 : Self.ownBytes + tls.heldBytes + heldBytes
        let change = bytes - strangerBytes
        guard change != 0 else { return }
        strangerBytes = bytes
        listener.chargeStrangers(change)
    }

    /// Takes note of a good credential, once.
    private func noteCredential() {
        guard credential == nil, let shown = handler?.goodCredential else { return }
        credential = shown
        listener.trust(self, for: shown)
    }

    private func shakeHands() {
        switch tls.handshake() {
        case .done: open()
        case .wantsToRead: source?.setEvents(.readable)
        case .wantsToWrite: source?.setEvents(.writable)
        case .ended, .failed:
            tellHandshakeFailure()
            linger()
        }
    }

    private func open() {
        state = .open
        source?.setEvents(.readable)
        let client = HTTP2Client(serverName: tls.serverName, certificate: tls.peerCertificate)
        guard let session = unsafe listener.library.makeSession(for: self), let service = listener.service else {
            return close()
        }
        unsafe self.session = session
        switch service.admit(client) {
        case .served(let handler):
            self.handler = handler
            noteCredential()
            isRaised = isTrusted || limits.firstStreams >= HTTP2Limits.streamsMax
            submitSettings(streams: isRaised ? HTTP2Limits.streamsMax : limits.firstStreams, isFirst: true)
            sendNow()
            // What came with the end of the handshake is in memory: the socket does not become readable for it.
            if state == .open { read() }
        case .sentAway(let debugData):
            // Its service knows.
            isEndTold = true
            submitSettings(streams: 0, isFirst: true)
            submitGoAway(debugData, lastStream: 0)
            end()
        }
    }

    private func submitSettings(streams: UInt32, isFirst: Bool) {
        var entries = [
            nghttp2_settings_entry(
                settings_id: Int32(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS.rawValue), value: streams)
        ]
        if isFirst {
            entries += [
                nghttp2_settings_entry(
                    settings_id: Int32(NGHTTP2_SETTINGS_HEADER_TABLE_SIZE.rawValue), value: 4_096),
                nghttp2_settings_entry(
                    settings_id: Int32(NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE.rawValue),
                    value: UInt32(HTTP2Limits.headerBytesMax)),
            ]
        }
        unsafe nghttp2_submit_settings(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), entries, entries.count)
    }

    /// How many records are read before others have their turn.
    private static let readsPerTurn = 8

    private func read() {
        for _ in 0..<Self.readsPerTurn {
            guard state == .open, pending.isEmpty else { return }
            let outcome = unsafe tls.read(into: listener.buffers.input)
            while keyUpdatesSeen < tls.keyUpdatesCount {
                keyUpdatesSeen += 1
                guard keyUpdates.take(at: loop.now) else {
                    tellEnd(.badHTTP2, "it has its keys changed too often")
                    return close()
                }
            }
            switch outcome {
            case .done(let count): unsafe feed(UnsafeRawBufferPointer(rebasing: listener.buffers.input[..<count]))
            case .wantsToRead: return sendNow()
            case .wantsToWrite:
                source?.setEvents([.readable, .writable])
                return sendNow()
            case .ended, .failed:
                tellEnd(.left)
                return close()
            }
        }
        sendNow()
        guard state == .open, tls.hasPending else { return }
        loop.afterThis(description: "read on") { [self] in
            guard state == .open else { return }
            read()
            recount()
        }
    }

    private func feed(_ bytes: UnsafeRawBufferPointer) {
        lastReadAt = loop.now
        isInLibrary = true
        let used = unsafe nghttp2_session_mem_recv(
            session, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
        isInLibrary = false
        if mustClose { return close() }
        // Fatal, for example if the client speaks another protocol: send what is queued, a GOAWAY, before the close.
        guard used < 0 else { return }
        tellEnd(.badHTTP2, unsafe String(cString: nghttp2_strerror(Int32(used))))
        if isTooLong || used == NGHTTP2_ERR_TOO_MANY_CONTINUATIONS.rawValue {
            unsafe nghttp2_session_terminate_session(session, NGHTTP2_ENHANCE_YOUR_CALM.rawValue)
        }
        end()
    }

    /// Sends what there is, as much as the client takes.
    func sendNow() {
        isSendingSoon = false
        while state == .open || state == .ending {
            let outcome: TLSConnection.Outcome
            if pending.isEmpty {
                let output = unsafe UnsafeRawBufferPointer(rebasing: listener.buffers.output[..<fillOutput()])
                guard unsafe !output.isEmpty else { break }
                outcome = unsafe tls.write(output)
                switch outcome {
                case .done(let count): if count < output.count { pending = unsafe Array(output[count...])[...] }
                case .wantsToWrite, .wantsToRead: pending = unsafe Array(output)[...]
                case .ended, .failed: break
                }
            } else {
                outcome = unsafe pending.withUnsafeBytes { unsafe tls.write($0) }
                if case .done(let count) = outcome { pending = pending.dropFirst(count) }
            }
            switch outcome {
            case .done: stalledAt = nil
            case .wantsToWrite, .wantsToRead:
                if stalledAt == nil { stalledAt = loop.now }
                source?.setEvents(.writable)
                return armTimer()
            case .ended, .failed:
                tellEnd(.left)
                return close()
            }
        }
        guard state == .open || state == .ending else { return }
        source?.setEvents(.readable)
        let isDone = unsafe nghttp2_session_want_read(session) == 0 && nghttp2_session_want_write(session) == 0
        if isDone { tellEnd(.badHTTP2) }
        if state == .ending || isDone { linger() }
    }

    /// Takes the frames that are queued into the room for output; how many bytes they are.
    private func fillOutput() -> Int {
        let room = unsafe listener.buffers.output
        // A frame is taken whole or not at all.
        let frameBytesMax = 17 << 10
        var count = 0
        isInLibrary = true
        while count + frameBytesMax <= room.count {
            var frame: UnsafePointer<UInt8>?
            let frameBytes = unsafe nghttp2_session_mem_send(session, &frame)
            guard frameBytes > 0, let frame = unsafe frame else {
                if frameBytes < 0 { mustClose = true }
                break
            }
            unsafe (room.baseAddress! + count).copyMemory(from: frame, byteCount: frameBytes)
            count += frameBytes
        }
        isInLibrary = false
        if mustClose {
            close()
            return 0
        }
        return count
    }

    // What the library calls back.

    func began(_ stream: Int32) {
        isEndTold = true
        let exchange = HTTP2Exchange(stream: stream, connection: self)
        exchanges[stream] = exchange
        lastExchange = exchange
        // Only deadlines take entries out: drop those that are complete before they pile up.
        if begun.count > 2 * exchanges.count + 64 {
            begun.removeAll { exchanges[$0.stream]?.isHandedOver ?? true }
        }
        begun.append((stream, lastReadAt))
        hold(HTTP2Limits.exchangeBytes)
        armTimer()
    }

    private func exchange(_ stream: Int32) -> HTTP2Exchange? {
        if let lastExchange, lastExchange.stream == stream { return lastExchange }
        lastExchange = exchanges[stream]
        return lastExchange
    }

    /// False if the rest of the block is not even to be decoded.
    func header(_ name: Span<UInt8>, _ value: Span<UInt8>, of stream: Int32, isTrailer: Bool) -> Bool {
        guard let exchange = exchange(stream) else { return true }
        exchange.decodedBytes += name.count + value.count + HTTP2Limits.headerOverhead
        isTooLong = exchange.decodedBytes > HTTP2Limits.decodedBytesMax
        guard !isTooLong else { return false }
        guard !exchange.isRefused, !exchange.isHandedOver else { return true }
        guard let valueCount = RequestHead.countWithoutBlanks(of: value) else {
            exchange.isRefused = true
            reset(stream, NGHTTP2_PROTOCOL_ERROR)
            return true
        }
        guard exchange.head.add(name, value.extracting(..<valueCount), isTrailer: isTrailer) else {
            // The header was not added, so it is held neither here nor until the stream is closed.
            exchange.isRefused = true
            reset(stream, NGHTTP2_ENHANCE_YOUR_CALM)
            return true
        }
        hold(name.count + valueCount)
        return true
    }

    func body(_ bytes: Span<UInt8>, of stream: Int32) {
        guard let exchange = exchange(stream), !exchange.isRefused, !exchange.isHandedOver else { return }
        let before = exchange.body.bytes.count
        exchange.body.append(bytes)
        exchange.bodyBytes += bytes.count
        hold(exchange.body.bytes.count - before)
        if exchange.bodyBytes > HTTP2Limits.bodyBytesMax { handOver(exchange) }
    }

    func ended(_ stream: Int32) {
        isFirstFrameHere = true
        guard let exchange = exchange(stream), !exchange.isRefused else { return }
        exchange.isEnded = true
        handOver(exchange)
    }

    func frameCame() { isFirstFrameHere = true }

    /// Its client says goodbye.
    func goodbyeCame() { tellEnd(.left) }

    /// Its answer is sent: a client that has not ended its request may stop.
    func answered(_ stream: Int32) {
        guard let exchange = exchanges[stream], !exchange.isEnded else { return }
        reset(stream, NGHTTP2_NO_ERROR)
    }

    func countReset() {
        guard !resets.take(at: loop.now) else { return }
        unsafe nghttp2_session_terminate_session(session, NGHTTP2_ENHANCE_YOUR_CALM.rawValue)
    }

    func closed(_ stream: Int32) {
        guard let exchange = exchanges.removeValue(forKey: stream) else { return }
        if lastExchange === exchange { lastExchange = nil }
        exchange.connection = nil
        hold(-exchange.receivedBytes - exchange.echoedBytes - HTTP2Limits.exchangeBytes)
    }

    private func handOver(_ exchange: HTTP2Exchange) {
        guard !exchange.isHandedOver else { return }
        hold(-exchange.receivedBytes)
        exchange.isHandedOver = true
        let (request, body) = exchange.take()
        handler?.handle(request, body, exchange)
        noteCredential()
        // This request has shown the first good credential: its client may have all streams.
        if !isRaised, isTrusted {
            isRaised = true
            submitSettings(streams: HTTP2Limits.streamsMax, isFirst: false)
        }
    }

    func reset(_ stream: Int32, _ code: nghttp2_error_code) {
        unsafe nghttp2_submit_rst_stream(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), stream, code.rawValue)
    }

    /// Holds so many bytes more, or less.
    private func hold(_ bytes: Int) {
        heldBytes += bytes
        // The listener need not know of what comes and goes at once.
        guard abs(heldBytes - countedBytes) >= Self.uncountedBytesMax else { return }
        let change = heldBytes - countedBytes
        countedBytes = heldBytes
        listener.hold(change, by: self)
    }

    private static let uncountedBytesMax = 4_096

    // What is to be sent.

    func send(_ answer: EndpointAnswer, to exchange: HTTP2Exchange) {
        // An exchange whose stream was closed has no connection any more.
        guard state == .open, let session = unsafe session else { return }
        _ = unsafe HTTP2Answer.submit(answer, to: exchange, of: session)
        sendSoon()
        // Last of all, since it may end the connection.
        exchange.echoedBytes += answer.apnsID.utf8.count
        hold(answer.apnsID.utf8.count)
    }

    private func sendSoon() {
        guard !isSendingSoon else { return }
        isSendingSoon = true
        listener.sendSoon(self)
    }
}
