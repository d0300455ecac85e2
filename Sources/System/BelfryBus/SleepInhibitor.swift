public import BelfryEventLoop
import BelfrySyscalls

/// Keeps the machine from sleeping and from counting as idle, by a lock of logind's that is gone with this process
/// (org.freedesktop.login1(5), `Inhibit`). Nothing waits for it, and where there is no logind nothing is held.
public final class SleepInhibitor {
    /// What logind is asked to hold off.
    public static let what = "sleep:idle"

    private let loop: Loop
    private var bus: SessionBus?
    /// The lock: it is held as long as a descriptor is open.
    private var lock: BusValue?
    private var isHeld = false
    private var isRefused = false

    /// Called with why there is no lock, or nil once there is one.
    public var onAnswer: (BusFailure?) -> Void = { _ in }

    /// An inhibitor that holds nothing yet.
    public init(on loop: Loop) { self.loop = loop }

    /// Asks for the lock, in the loop's next iteration, and holds it until ``release()``. A refusal is the last word.
    public func hold() {
        guard !isHeld, !isRefused else { return }
        isHeld = true
        loop.afterThis(description: "inhibitor") { [weak self] in self?.ask() }
    }

    /// Gives the lock back, or does not take it.
    public func release() {
        isHeld = false
        lock = nil
        bus?.close()
        bus = nil
    }

    private func ask() {
        guard isHeld, bus == nil else { return }
        let bus: SessionBus
        do throws(SystemError) { bus = try SessionBus(on: loop, isSystem: true) } catch {
            return refused(BusFailure(name: "org.freedesktop.DBus.Error.NoServer", text: "\(error)"))
        }
        self.bus = bus
        bus.onLost = { [weak self] in self?.bus = nil }
        let name = "org.freedesktop.login1"
        bus.call(
            name, "/org/freedesktop/login1", "\(name).Manager", "Inhibit",
            [.string(Self.what), .string("Belfry"), .string("a call rings"), .string("block")]
        ) { [weak self] answer in
            switch answer {
            case .success(let values): self?.took(values.first)
            case .failure(let failure): self?.refused(failure)
            }
        }
    }

    private func took(_ value: BusValue?) {
        guard isHeld else { return }
        guard case .descriptor? = value else {
            return refused(BusFailure(name: "org.freedesktop.DBus.Error.InvalidSignature", text: "no lock came"))
        }
        lock = value
        onAnswer(nil)
    }

    private func refused(_ failure: BusFailure) {
        guard isHeld else { return }
        release()
        isRefused = true
        onAnswer(failure)
    }
}
