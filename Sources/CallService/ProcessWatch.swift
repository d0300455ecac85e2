import CallLedger
import EventLoop
import Syscalls

/// Waits for a process that is not a child to be gone.
final class ProcessWatch {
    private let descriptor: OwnedDescriptor?
    private var source: DescriptorSource?
    private var soon: (any ScheduledTimer)?

    /// Calls `died` once `process` is gone; where that is so already, or cannot be watched, in the next iteration.
    init(loop: Loop, process: Owner, died: @escaping () -> Void) {
        var opened: Int32 = -1
        if let pid = Int32(exactly: process.pid), let start = UInt64(exactly: process.start) {
            let identity = ProcessIdentity(pid: pid, startTicks: start)
            opened = (try? identity.openDescriptor().map { $0.release() } ?? nil) ?? -1
        }
        descriptor = opened >= 0 ? OwnedDescriptor(owning: opened) : nil
        if opened >= 0 {
            source = try? loop.watch(descriptor: opened, events: .readable, description: "elder") { [weak self] _ in
                self?.cancel()
                died()
            }
        }
        if source == nil { soon = loop.afterThis(description: "elder gone", died) }
    }

    deinit { cancel() }

    func cancel() {
        source?.cancel()
        source = nil
        soon?.cancel()
        soon = nil
    }
}
