import BelfryEventLoop
import BelfrySyscalls
import CBelfryLinux
import Glibc

/// The events' way to the client, which never blocks the loop: a client that leaves or does not read loses events.
final class EventOutput {
    /// Bytes that may wait for a client; then it counts as gone (S5).
    static let unreadBytesMax = 64 * 1024
    /// Bytes that may wait before ticks are left out.
    static let unreadBytesBeforeTicksAreDropped = 32 * 1024
    /// Bytes written at a time where only poll(2) says that a write will not block.
    static let politeWriteBytesMax = 512

    private struct Pending {
        let bytes: [UInt8]
        let isDroppable: Bool
    }

    private enum Kind {
        /// A socket, written with MSG_DONTWAIT.
        case socket
        /// A pipe or terminal opened anew, so that its flags are ours alone.
        case nonBlocking
        /// A pipe or terminal that cannot be opened anew: asked with poll(2) before each short write.
        case polled
        /// A regular file or /dev/null: never makes anybody wait.
        case immediate
    }

    private let loop: Loop
    private let number: Int32
    /// The pipe or terminal opened anew; else nil.
    private let own: OwnedDescriptor?
    private let kind: Kind
    private var pending: [Pending] = []
    private var pendingBytes = 0
    private var sentOfFirst = 0
    private var writable: DescriptorSource?
    private var drained: (() -> Void)?
    /// Whether the client can no longer be reached.
    private(set) var isGone = false

    init(loop: Loop, descriptor: Int32) {
        self.loop = loop
        let file = fileKind(of: descriptor)
        let isShared = file == S_IFIFO || file == S_IFCHR
        let opened = isShared ? Self.openAnew(descriptor) : -1
        own = opened >= 0 ? OwnedDescriptor(owning: opened) : nil
        number = opened >= 0 ? opened : descriptor
        kind = file == S_IFSOCK ? .socket : opened >= 0 ? .nonBlocking : isShared ? .polled : .immediate
    }

    /// Sends `line`, now or when the client reads; one that may be dropped is, once much is unread.
    func write(_ line: [UInt8], isDroppable: Bool) {
        guard !isGone else { return }
        if isDroppable, pendingBytes + line.count > Self.unreadBytesBeforeTicksAreDropped { return }
        if pendingBytes + line.count > Self.unreadBytesMax { dropDroppable() }
        guard pendingBytes + line.count <= Self.unreadBytesMax else { return clientIsGone() }
        pending.append(Pending(bytes: line, isDroppable: isDroppable))
        pendingBytes += line.count
        if writable == nil { flush() }
    }

    /// Calls `action` once all is written, or the client gone.
    func whenDrained(_ action: @escaping () -> Void) {
        guard !pending.isEmpty else { return action() }
        drained = action
    }

    /// Gives up on what is unread.
    func clientIsGone() {
        isGone = true
        pending = []
        pendingBytes = 0
        finishDraining()
    }

    private func flush() {
        while let first = pending.first {
            let count = send(first.bytes[sentOfFirst...])
            guard count >= 0 else {
                if errno == EINTR { continue }
                return errno == EAGAIN ? waitUntilWritable() : clientIsGone()
            }
            sentOfFirst += count
            pendingBytes -= count
            guard sentOfFirst == first.bytes.count else { continue }
            sentOfFirst = 0
            pending.removeFirst()
        }
        finishDraining()
    }

    private func finishDraining() {
        writable?.cancel()
        writable = nil
        let action = drained
        drained = nil
        action?()
    }

    private func waitUntilWritable() {
        guard writable == nil else { return }
        writable = try? loop.watch(descriptor: number, events: .writable, description: "client writable") {
            [weak self] _ in self?.flush()
        }
        if writable == nil { clientIsGone() }
    }

    private func send(_ bytes: ArraySlice<UInt8>) -> Int {
        unsafe bytes.withUnsafeBytes { buffer in
            switch kind {
            case .socket:
                return unsafe Glibc.send(
                    number, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
            case .nonBlocking, .immediate: return unsafe Glibc.write(number, buffer.baseAddress, buffer.count)
            case .polled:
                guard isReady(number, POLLOUT) else {
                    errno = EAGAIN
                    return -1
                }
                return unsafe Glibc.write(number, buffer.baseAddress, min(buffer.count, Self.politeWriteBytesMax))
            }
        }
    }

    /// Ticks that nobody has read yet give way to what matters more; a line that was begun is finished.
    private func dropDroppable() {
        let begun = sentOfFirst > 0 ? 1 : 0
        let kept = pending.prefix(begun) + pending.dropFirst(begun).filter { !$0.isDroppable }
        pending = Array(kept)
        pendingBytes = pending.reduce(-sentOfFirst) { $0 + $1.bytes.count }
    }

    private static func openAnew(_ descriptor: Int32) -> Int32 {
        unsafe open("/proc/self/fd/\(descriptor)", O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
    }
}

/// What a descriptor is: S_IFSOCK, S_IFIFO, …; 0 where it is not open.
func fileKind(of descriptor: Int32) -> mode_t {
    var status = stat()
    return unsafe fstat(descriptor, &status) == 0 ? status.st_mode & S_IFMT : 0
}

/// Whether `descriptor` is ready for `event` at this moment.
func isReady(_ descriptor: Int32, _ event: Int32) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(event), revents: 0)
    return unsafe poll(&entry, 1, 0) > 0
}
