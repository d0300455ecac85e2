import BelfryEventLoop
import BelfrySyscalls
import BelfryTLS
import BelfryTerms
import CBelfryNGHTTP2
import Glibc
import PushAPI

/// How a connection ends: by a farewell, at a deadline, or at once.
extension HTTP2Connection {
    /// Has the client open no more streams, answers those that are there, and closes.
    ///
    /// The client is given notice, and asked to answer a PING: what it sent before it read the notice is here once it
    /// has answered, and only then the last stream is named (RFC 9113 section 6.8). If `isHard`, that is done at once.
    func sendAway(_ debugData: [UInt8], isHard: Bool = false) {
        isEndTold = true
        guard state == .open else { return close() }
        guard farewell == nil else {
            if isHard { sayFarewell() }
            return
        }
        farewell = (debugData, loop.now + limits.noticeTime, false)
        endAt = loop.now + limits.endTime
        asksForAnswer = !isHard
        unsafe nghttp2_submit_shutdown_notice(session)
        sendNow()
        guard state == .open else { return }
        armTimer()
        // After this turn, what came with the notice's way out is here.
        if isHard { loop.afterThis(description: "go away") { [self] in sayFarewell() } }
    }

    /// The notice is on its way. A PING that had been queued with it would have overtaken it.
    func noticeSent() {
        guard asksForAnswer else { return }
        asksForAnswer = false
        unsafe nghttp2_submit_ping(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), nil)
    }

    /// Its client has answered a PING, which is sent with a notice alone.
    func pingAnswered() { nameLastStream() }

    private func sayFarewell() {
        nameLastStream()
        sendNow()
    }

    private func nameLastStream() {
        guard state == .open, let debugData = farewell?.debugData, farewell?.isSaid == false else { return }
        farewell?.isSaid = true
        submitGoAway(debugData, lastStream: unsafe nghttp2_session_get_last_proc_stream_id(session))
    }

    /// Says why, and leaves its place to another.
    func giveWay(_ debugData: [UInt8]) {
        tellEnd(.crowded)
        if state == .open {
            submitGoAway(debugData, lastStream: unsafe nghttp2_session_get_last_proc_stream_id(session))
            sendNow()
        }
        close()
    }

    func submitGoAway(_ debugData: [UInt8], lastStream: Int32) {
        unsafe nghttp2_submit_goaway(
            session, UInt8(NGHTTP2_FLAG_NONE.rawValue), lastStream, NGHTTP2_NO_ERROR.rawValue, debugData,
            debugData.count)
    }

    /// Leaves its place, or what it holds, to others.
    func makeRoom() {
        tellEnd(.crowded)
        close()
    }

    // What its service is told.

    /// Tells why it ends, if it ends before its first request; once.
    func tellEnd(_ why: ConnectionEnd, _ words: String? = nil) {
        guard !isEndTold else { return }
        isEndTold = true
        let shown = (tls.refusedCertificate ?? tls.peerCertificate).map { certificate in
            EarlyEnd.ShownCertificate(
                fingerprint: Hexadecimal.text(of: certificate.fingerprint), beginsAt: certificate.beginsAt,
                expiresAt: certificate.expiresAt)
        }
        let now = WallTime(microseconds: wallTimeMicroseconds())
        listener.service?.ended(EarlyEnd(why, certificate: shown, at: now, words: words))
    }

    func tellHandshakeFailure() {
        switch tls.failure {
        case .noTLS: tellEnd(.noTLS)
        case .noHTTP2: tellEnd(.noHTTP2)
        case .certificate(.expired): tellEnd(.certificateExpired)
        case .certificate(.notYet): tellEnd(.certificateNotYet)
        case .certificate(.revoked): tellEnd(.certificateRevoked)
        case .untrusted: tellEnd(.untrusted)
        case .left, nil: tellEnd(.left)
        case .other(let words): tellEnd(.handshake, words)
        }
    }

    // Its end.

    /// Sends what is queued, and no more.
    func end() {
        guard state == .open else { return }
        state = .ending
        endAt = loop.now + limits.endTime
        sendNow()
        armTimer()
    }

    /// Says that nothing more comes, and waits for the client to leave.
    func linger() {
        guard state != .closed, state != .lingering else { return }
        state = .lingering
        tls.close()
        _ = shutdown(socket.number, Int32(SHUT_WR))
        source?.setEvents(.readable)
        endAt = loop.now + Self.lingerTime
        armTimer()
        passOver()
    }

    private static let lingerTime = TimeSpan.seconds(2)
    private static let lingerBytesMax = 1 << 20

    func passOver() {
        while state == .lingering {
            let room = unsafe listener.buffers.input
            let count = unsafe recv(socket.number, room.baseAddress, room.count, Int32(MSG_DONTWAIT))
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN { return }
            lingeredBytes += max(count, 0)
            if count <= 0 || lingeredBytes > Self.lingerBytesMax { close() }
        }
    }

    /// Closes it, or has it closed after the callback that is running.
    func closeSoon() {
        if isInLibrary { mustClose = true } else { close() }
    }

    /// Closes it now.
    func close() {
        guard state != .closed else { return }
        precondition(!isInLibrary, "a session would be freed in its own call back")
        state = .closed
        timer?.cancel()
        source?.cancel()
        listener.release(countedBytes)
        listener.chargeStrangers(-strangerBytes)
        (heldBytes, countedBytes, strangerBytes) = (0, 0, 0)
        for exchange in exchanges.values { exchange.connection = nil }
        exchanges = [:]
        lastExchange = nil
        begun = []
        pending = []
        handler = nil
        if let session = unsafe session { unsafe nghttp2_session_del(session) }
        unsafe session = nil
        // The descriptor is closed with this object, which our caller may still be using.
        listener.forget(self)
    }

    // Its deadlines: one timer, for the first of them.

    func armTimer() {
        // The step before may have closed the connection, and then nothing would cancel the timer.
        guard state != .closed else { return }
        let due = nextDeadline()
        // An earlier timer finds nothing due, and is set again then.
        if let timerDue, timerDue <= due { return }
        timer?.cancel()
        timerDue = due
        // Cancelled with the connection.
        timer = loop.schedule(at: due, description: "client's time") { [unowned self] in passDeadline() }
    }

    private func passDeadline() {
        timerDue = nil
        checkDeadlines()
        if state != .closed { armTimer() }
    }

    private func nextDeadline() -> Instant {
        var first = lastReadAt + limits.idleTime
        if let endAt { first = min(first, endAt) }
        if let farewell, !farewell.isSaid { first = min(first, farewell.due) }
        if let stalledAt { first = min(first, stalledAt + limits.stallTime) }
        if state == .handshake || !isFirstFrameHere { first = min(first, openedAt + limits.handshakeTime) }
        if let oldest = begun.first { first = min(first, oldest.at + limits.requestTime) }
        return first
    }

    private func checkDeadlines() {
        let now = loop.now
        if let endAt, endAt <= now { return close() }
        if let stalledAt, stalledAt + limits.stallTime <= now { return close() }
        if let farewell, farewell.due <= now { nameLastStream() }
        if !isFirstFrameHere, openedAt + limits.handshakeTime <= now {
            tellEnd(.timeout)
            return close()
        }
        let late = begun.prefix { $0.at + limits.requestTime <= now }
        begun.removeFirst(late.count)
        for (stream, _) in late where exchanges[stream]?.isHandedOver == false { reset(stream, NGHTTP2_CANCEL) }
        if lastReadAt + limits.idleTime <= now {
            lastReadAt = now
            tellEnd(.timeout)
            return sendAway(EndpointAnswer.body(reason: EndpointReason.idleTimeout.rawValue))
        }
        if state == .open { sendNow() }
    }
}
