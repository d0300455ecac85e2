public import BelfrySyscalls
import CBelfryLinux
import CBelfrySystemd
import Glibc

/// A signal that arrived, with its details.
public struct ReceivedSignal: Hashable, Sendable {
    /// Its number.
    public let number: Int32
    /// The descriptor that it is about, if fcntl(2) asked for such a signal (F_SETSIG); 0 for all others.
    public let descriptor: Int32
    /// Whether the kernel itself sent it, as a terminal does to the whole foreground group.
    public let isOfKernel: Bool
}

extension Loop {
    /// Calls `action` on the loop for each `number` that arrives, until it is cancelled. One source a signal.
    ///
    /// Blocks the signal in this thread and leaves it blocked, also after the end: other threads must have it blocked
    /// too, or it may reach them instead. So do this before any thread is made. Standard signals that arrive together
    /// arrive as one, real-time signals each.
    @discardableResult
    public func onSignal(
        _ number: Int32,
        description: String,
        _ action: @escaping (ReceivedSignal) -> Void
    ) throws(SystemError) -> LoopSource {
        assertOnLoop()
        let source = SignalSource(number, description: description, thread: thread, action: action)
        try blockSignal(number)
        if isPrepared { try unsafe source.attach(to: prepared()) } else { try keep(source) }
        return source
    }

    /// A signal that arrives meanwhile is pending until the loop is prepared.
    private func keep(_ source: SignalSource) throws(SystemError) {
        guard !signalsToCome.contains(where: { $0.number == source.number && $0.isActive }) else {
            throw SystemError(errno: EBUSY, call: "sd_event_add_signal", subject: source.description)
        }
        signalsToCome.append(source)
    }
}

/// A signal that a loop listens to, or is going to.
final class SignalSource: LoopSource {
    let number: Int32
    private var action: ((ReceivedSignal) -> Void)?

    init(_ number: Int32, description: String, thread: LoopThread, action: @escaping (ReceivedSignal) -> Void) {
        self.number = number
        self.action = action
        super.init(description: description, thread: thread)
    }

    /// Whether it may still call back, be it once the loop is prepared.
    override var isActive: Bool { action != nil }

    func attach(to event: OpaquePointer) throws(SystemError) {
        try unsafe attach("sd_event_add_signal") { source, userdata in
            unsafe systemd.event_add_signal(event, &source, number, signalArrived, userdata)
        }
    }

    override func cancelled() { action = nil }

    func fire(_ signal: ReceivedSignal) { action?(signal) }
}

private func signalArrived(
    _ source: OpaquePointer?,
    _ information: UnsafePointer<signalfd_siginfo>?,
    _ userdata: UnsafeMutableRawPointer?
) -> Int32 {
    guard let information = unsafe information?.pointee else { return 0 }
    unsafe loopSource(userdata, as: SignalSource.self).fire(
        ReceivedSignal(
            number: Int32(truncatingIfNeeded: information.ssi_signo),
            descriptor: information.ssi_fd,
            isOfKernel: information.ssi_code == SI_KERNEL
        )
    )
    return 0
}
