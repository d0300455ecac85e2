import BelfryEventLoop
import BelfrySyscalls
import HostChannel

/// What a worker is told, as fast as it takes it: a reply may be longer than what a socket holds.
final class NewsOutput {
    /// A worker that lets more wait reads nothing any more. The longest line has a quarter of it.
    private static let waitingBytesMax = 4 << 20

    /// Called as soon as nothing waits any more: true if the worker has taken all of it, false if it never will.
    var onEmpty: (Bool) -> Void = { _ in }

    let socket: OwnedDescriptor
    private let loop: Loop
    private var waiting: [(line: ArraySlice<UInt8>, file: PassedFile?)] = []
    /// The socket once more while anything waits, since a loop watches a number once.
    private var watched: OwnedDescriptor?
    private var writable: DescriptorSource?

    /// Tells a worker at the stream socket `socket`.
    init(_ socket: consuming OwnedDescriptor, on loop: Loop) {
        self.socket = socket
        self.loop = loop
    }

    deinit { writable?.cancel() }

    /// Sends `news`, after what waits, and with it `file`.
    func send(_ news: HostNews, _ file: PassedFile?) {
        waiting.append((news.line[...], file))
        if writable == nil { flush() }
    }

    private func flush() {
        while let (line, file) = waiting.first {
            switch sendSome(line, passing: file?.descriptor.number, to: socket.number) {
            case .wrote(line.count): waiting.removeFirst()
            case .wrote(let count): waiting[0] = (line.dropFirst(count), nil)
            case .full: return waitForRoom()
            case .failed: return end(false)
            }
        }
        end(true)
    }

    private func waitForRoom() {
        guard waiting.reduce(0, { $0 + $1.line.count }) <= Self.waitingBytesMax else { return end(false) }
        guard writable == nil else { return }
        do throws(SystemError) {
            let watched = try socket.duplicate()
            writable = try loop.watch(
                descriptor: watched.number, events: .writable, description: "extension guest writable"
            ) { [unowned self] _ in flush() }
            self.watched = consume watched
        } catch {
            end(false)
        }
    }

    private func end(_ isTaken: Bool) {
        waiting = []
        writable?.cancel()
        writable = nil
        watched = nil
        onEmpty(isTaken)
    }
}
