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
        let opened = Self.open(process)
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

    private static func open(_ process: Owner) -> Int32 {
        guard let pid = Int32(exactly: process.pid), let start = UInt64(exactly: process.start),
            let descriptor = try? ProcessIdentity(pid: pid, startTicks: start).openDescriptor()
        else { return -1 }
        return descriptor.release()
    }

    func cancel() {
        source?.cancel()
        source = nil
        soon?.cancel()
        soon = nil
    }
}
