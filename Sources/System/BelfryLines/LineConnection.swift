package import BelfryEventLoop
import BelfryProtocol
package import BelfrySyscalls
import Glibc

/// A stream socket over which two processes of ours send each other lines, and files beside them, without ever blocking
/// the loop.
package final class LineConnection {
    /// What the peer does.
    package enum News {
        /// It sent a line; the newline is removed.
        case line([UInt8])
        /// It has taken all that was sent.
        case taken
        /// It sends nothing more. It may still read.
        case ended(End)
        /// It takes nothing any more: it has left, or too much waits for it. What waited is dropped.
        case lost
    }

    /// Why a peer sends nothing more.
    package enum End: Hashable, Sendable {
        /// It has stopped sending or is gone, in the middle of this line unless that is empty.
        case left(unfinished: [UInt8])
        /// Its line was too long: nothing more is read from it.
        case lineTooLong
    }

    /// What a peer may ask of this process.
    package struct Limits {
        /// How long a line from it may be, in bytes.
        package let lineBytesMax: Int
        /// How many bytes may wait for it.
        package let unsentBytesMax: Int
        /// How many files that it passed may wait to be taken; beyond that the oldest are closed.
        package let filesMax: Int

        /// Limits, by default without files.
        package init(lineBytesMax: Int = LineFraming.lineBytesMax, unsentBytesMax: Int, filesMax: Int = 0) {
            self.lineBytesMax = lineBytesMax
            self.unsentBytesMax = unsentBytesMax
            self.filesMax = filesMax
        }
    }

    /// How much is read at once, before others have their turns.
    private static let readBytesMax = 64 << 10

    private let socket: OwnedDescriptor
    private let limits: Limits
    private let loop: any EventLoop
    private let description: String
    private var framing: LineFraming
    private var files: [PassedFile] = []
    private var unsent: [(rest: ArraySlice<UInt8>, file: PassedFile?)] = []
    private var unsentBytes = 0
    private var heard: ((News) -> Void)?
    private var source: (any LoopWatch)?
    private var watched: Readiness = []
    private var hasEnded = false
    private var isLost = false
    /// Whether the loop is not to be asked yet.
    private var isAsking = false

    /// A connection over `socket`, which is not read before ``listen(_:)``.
    package init(_ socket: consuming OwnedDescriptor, _ limits: Limits, on loop: any EventLoop, description: String) {
        self.socket = socket
        self.limits = limits
        self.loop = loop
        self.description = description
        framing = LineFraming(lineBytesMax: limits.lineBytesMax)
    }

    deinit { source?.cancel() }

    /// Calls `heard` with what the peer does, until ``close()``. News about a ``send(_:passing:)`` may come before that
    /// call returns.
    package func listen(_ heard: @escaping (News) -> Void) throws(SystemError) {
        self.heard = heard
        try watch()
    }

    /// Sends `line`, and listens as ``listen(_:)`` does, but reads first what the peer says at once, for which it waits
    /// so many milliseconds: for a process whose loop is not ready to wait, since making it so takes longer than a peer
    /// that runs takes to answer.
    package func ask(
        _ line: [UInt8], within milliseconds: Int32, _ heard: @escaping (News) -> Void
    ) throws(SystemError) {
        self.heard = heard
        isAsking = true
        send(line)
        if !isLost, unsent.isEmpty, isReady(socket.number, for: POLLIN, within: milliseconds) { ready(.readable) }
        isAsking = false
        try watch()
    }

    /// Sends `line`, its newline included, and with it `file`: as much as the peer takes now, the rest when it does.
    package func send(_ line: [UInt8], passing file: PassedFile? = nil) {
        guard heard != nil, !isLost else { return }
        unsent.append((line[...], file))
        unsentBytes += line.count
        if unsent.count == 1 { sendWhatWaits() }
        if unsentBytes > limits.unsentBytesMax { lose() }
    }

    /// The oldest file that waits. A file has arrived by the time the line beside it has.
    package func takeFile() -> PassedFile? { files.isEmpty ? nil : files.removeFirst() }

    /// Sends nothing more, and keeps reading (`shutdown`).
    package func endSending() { shutdown(socket.number, Int32(SHUT_WR)) }

    /// Closes the connection. The peer keeps what it took so far.
    package func close() {
        heard = nil
        source?.cancel()
        source = nil
        (unsent, unsentBytes) = ([], 0)
        endConnection(socket.number)
    }

    /// One watch for both ways: a loop watches a number once.
    private func watch() throws(SystemError) {
        var events: Readiness = hasEnded ? [] : .readable
        if !unsent.isEmpty { events.insert(.writable) }
        guard heard != nil, !isAsking, events != watched else { return }
        source?.cancel()
        (source, watched) = (nil, [])
        guard !events.isEmpty else { return }
        source = try loop.watch(descriptor: socket.number, events: events, description: description) {
            [weak self] readiness in self?.ready(readiness)
        }
        watched = events
    }

    private func watchOn() {
        do throws(SystemError) {
            try watch()
        } catch {
            // Without a watch there would be no more news of the peer.
            lose()
            if !hasEnded { end(.left(unfinished: [])) }
        }
    }

    private func ready(_ readiness: Readiness) {
        if !unsent.isEmpty { sendWhatWaits() }
        // The news of what was sent may have closed the connection. A hangup or an error is read too: that is how the
        // end shows.
        if heard != nil, !hasEnded, readiness != .writable { read() }
    }

    private func read() {
        let (bytes, passed) = receiveSome(from: socket.number, bytesMax: Self.readBytesMax)
        files = (files + passed).suffix(limits.filesMax)
        guard !bytes.isEmpty else { return end(.left(unfinished: framing.finish() ?? [])) }
        do throws(LineTooLong) {
            for line in try framing.take(bytes) { heard?(.line(line)) }
        } catch {
            end(.lineTooLong)
        }
    }

    private func end(_ end: End) {
        hasEnded = true
        watchOn()
        heard?(.ended(end))
    }

    private func sendWhatWaits() {
        while let (rest, file) = unsent.first {
            switch sendSome(rest, passing: file?.descriptor.number, to: socket.number) {
            case .wrote(let count):
                unsentBytes -= count
                if count == rest.count { unsent.removeFirst() } else { unsent[0] = (rest.dropFirst(count), nil) }
            case .full: return watchOn()
            case .failed: return lose()
            }
        }
        watchOn()
        heard?(.taken)
    }

    private func lose() {
        guard !isLost else { return }
        isLost = true
        (unsent, unsentBytes) = ([], 0)
        watchOn()
        heard?(.lost)
    }
}
