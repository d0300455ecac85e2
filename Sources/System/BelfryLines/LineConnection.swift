package import BelfryEventLoop
import BelfryProtocol
package import BelfrySyscalls
import Glibc

/// A stream socket over which two processes of ours say lines to each other, with files beside them, without ever
/// blocking the loop.
package final class LineConnection {
    /// What comes of the peer.
    package enum News {
        /// It says a line, which is without its newline.
        case line([UInt8])
        /// It has taken all that was sent.
        case taken
        /// It says nothing more. It may only have stopped to do so, and listen on.
        case ended(End)
        /// It takes nothing any more: it has left, or more would wait for it than may. What waited is dropped.
        case lost
    }

    /// Why a peer says nothing more.
    package enum End: Hashable, Sendable {
        /// It has stopped to, in the midst of this line unless that is empty; or it is gone.
        case left(unfinished: [UInt8])
        /// Its line was too long: nothing more of it is read.
        case lineTooLong
    }

    /// What a peer may ask of this process.
    package struct Limits {
        /// How long a line of it may be, in bytes.
        package let lineBytesMax: Int
        /// How many bytes may wait for it.
        package let unsentBytesMax: Int
        /// How many files it passed may wait to be taken; the oldest ones beyond are closed.
        package let filesMax: Int

        /// Limits, by default without files.
        package init(lineBytesMax: Int = LineFraming.lineBytesMax, unsentBytesMax: Int, filesMax: Int = 0) {
            self.lineBytesMax = lineBytesMax
            self.unsentBytesMax = unsentBytesMax
            self.filesMax = filesMax
        }
    }

    /// How much is read before others have their turns.
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

    /// A connection over `socket`, which is not read before ``listen(_:)``.
    package init(_ socket: consuming OwnedDescriptor, _ limits: Limits, on loop: any EventLoop, description: String) {
        self.socket = socket
        self.limits = limits
        self.loop = loop
        self.description = description
        framing = LineFraming(lineBytesMax: limits.lineBytesMax)
    }

    deinit { source?.cancel() }

    /// Tells `heard` what comes of the peer, until ``close()``. What there is to be told of a ``send(_:passing:)`` may
    /// be told before that returns.
    package func listen(_ heard: @escaping (News) -> Void) throws(SystemError) {
        self.heard = heard
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

    /// The file that was passed first of those that wait, which has come by the time the line beside it has.
    package func takeFile() -> PassedFile? { files.isEmpty ? nil : files.removeFirst() }

    /// Says nothing more, and listens on (`shutdown`).
    package func endSending() { shutdown(socket.number, Int32(SHUT_WR)) }

    /// Leaves the peer, which has what it took so far.
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
        guard heard != nil, events != watched else { return }
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
            // Nothing would be heard of it any more.
            lose()
            if !hasEnded { end(.left(unfinished: [])) }
        }
    }

    private func ready(_ readiness: Readiness) {
        if !unsent.isEmpty { sendWhatWaits() }
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
