/// The memory of this process as iOS would count it: its own, not pages that can be read from files again.
package enum AccountedMemory {
    /// The memory of an extension on iOS, unless the keeper says otherwise. Source: observed on devices.
    static let extensionBytesMax: Int64 = 24_000_000

    /// How many bytes are left; 0 if there are too many.
    package static var bytesLeft: Int64 { max(KeeperDoor.memoryBytesMax - KeeperDoor.memoryBytes, 0) }

    /// How many bytes there are: anonymous pages, from /proc (proc_pid_status(5)); 0 if it does not say.
    static var bytes: Int64 {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix("RssAnon:") }),
            let kibibytes = line.split(whereSeparator: { !$0.isNumber }).first.flatMap({ Int64($0) })
        else { return 0 }
        return kibibytes * 1_024
    }
}

/// A source that reports when memory runs short.
public protocol DispatchSourceMemoryPressure: AnyObject {
    /// The last event.
    var data: DispatchSource.MemoryPressureEvent { get }
    /// The events that it waits for.
    var mask: DispatchSource.MemoryPressureEvent { get }
    /// Whether it has ended.
    var isCancelled: Bool { get }
    /// Sets what is called when it happens.
    func setEventHandler(handler: (@Sendable () -> Void)?)
    /// Sets what is called when it ends.
    func setCancelHandler(handler: (@Sendable () -> Void)?)
    /// Begins.
    func activate()
    /// Begins.
    func resume()
    /// Ends.
    func cancel()
}

extension DispatchSource {
    /// How short memory is.
    public struct MemoryPressureEvent: OptionSet, Sendable {
        /// The events' bits.
        public let rawValue: UInt

        /// The events of these bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Not any more.
        public static let normal = MemoryPressureEvent(rawValue: 1)
        /// Soon: four fifths of what the process may have.
        public static let warning = MemoryPressureEvent(rawValue: 2)
        /// Now: nearly all of it.
        public static let critical = MemoryPressureEvent(rawValue: 4)
        /// Each of them.
        public static let all: MemoryPressureEvent = [.normal, .warning, .critical]
    }

    /// A source that fires on `queue` as the process nears its limit. It looks ten times a second, since the kernel
    /// reports nothing about a limit that is not its own.
    public class func makeMemoryPressureSource(
        eventMask: MemoryPressureEvent, queue: DispatchQueue? = nil
    ) -> any DispatchSourceMemoryPressure {
        MemoryPressureSource(mask: eventMask, queue: queue ?? .global())
    }
}

private final class MemoryPressureSource: DispatchSourceMemoryPressure, @unchecked Sendable {
    private static let interval = DispatchTimeInterval.milliseconds(100)

    let mask: DispatchSource.MemoryPressureEvent
    private let lock = NSLock()
    private let timer: any DispatchSourceTimer
    private var handler: (@Sendable () -> Void)?
    private var level = DispatchSource.MemoryPressureEvent.normal

    init(mask: DispatchSource.MemoryPressureEvent, queue: DispatchQueue) {
        self.mask = mask
        timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now(), repeating: Self.interval)
        let door = KeeperDoor.current
        timer.setEventHandler { [weak self] in door.run { self?.look() } }
    }

    deinit {
        timer.cancel()
        // libdispatch crashes if a source is released that was never activated.
        timer.activate()
    }

    var data: DispatchSource.MemoryPressureEvent { lock.withLock { level } }

    /// Sets what is called when memory runs short.
    public func setEventHandler(handler: (@Sendable () -> Void)?) { lock.withLock { self.handler = handler } }

    /// Begins.
    public func activate() { timer.activate() }

    /// Begins.
    public func resume() { timer.activate() }

    /// Ends.
    public func cancel() { timer.cancel() }

    /// Whether it has ended.
    public var isCancelled: Bool { timer.isCancelled }

    /// Sets what is called when it ends.
    public func setCancelHandler(handler: (@Sendable () -> Void)?) { timer.setCancelHandler(handler: handler) }

    private func look() {
        let (bytes, limit) = (KeeperDoor.memoryBytes, KeeperDoor.memoryBytesMax)
        let found: DispatchSource.MemoryPressureEvent =
            bytes >= limit / 20 * 19 ? .critical : bytes >= limit / 5 * 4 ? .warning : .normal
        let fired = lock.withLock {
            guard found != level else { return nil as (@Sendable () -> Void)? }
            level = found
            return mask.contains(found) ? handler : nil
        }
        fired?()
    }
}
