public import BelfryEventLoop
import BelfrySyscalls
public import BelfryTerms
import CBelfryLinux
import Glibc

/// What vibrates on this machine, as far as the kernel shows it.
public enum MotorSearch: Hashable, Sendable {
    /// This device can be used.
    case found(String)
    /// This device is there, but not ours to use; why, for people.
    case denied(String, String)
    /// Nothing that vibrates.
    case nothing
}

/// Why nothing vibrates.
public struct MotorProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// For people.
    public let description: String
}

/// A motor of this machine, in a phone or a gamepad, by the kernel's force feedback (Documentation/input/ff.rst).
///
/// An effect belongs to the descriptor that uploaded it: the motor stops when this process dies, and if this process is
/// stopped, a push is no longer than its part of the pattern.
public final class Motor {
    /// How strong it is, of 65,535: what feedbackd asks for.
    static let magnitude: Int32 = 0x8000
    /// An effect is no longer, in milliseconds.
    static let effectMillisecondsMax: Int64 = 65_535
    /// The bits of a word that the kernel writes.
    private static let wordBits = UInt.bitWidth

    private let port: any EvdevPort
    private let timers: any TimerSource
    private var device: Int32?
    /// The effect's number; -1 before there is one.
    private var effect: Int32 = -1
    private var timer: (any ScheduledTimer)?
    private var failed: (MotorProblem) -> Void = { _ in }

    /// A motor that does not move.
    public init(timers: any TimerSource, port: any EvdevPort = KernelEvdev()) {
        self.timers = timers
        self.port = port
    }

    deinit { stop() }

    /// Whether it moves, or rests between two pushes.
    public var isOn: Bool { device != nil }

    /// Which device it would be: the first that vibrates and can be opened.
    public func search() -> MotorSearch {
        guard case .success(let name, let device) = open() else { return openFailure }
        port.close(device)
        return .found(name)
    }

    /// Vibrates by `pattern`, pushes and rests in turn, each 65 s at most, over and over until ``stop()``; only for its
    /// first push, unless it `repeats`. Returns the device's name.
    ///
    /// - Parameter failed: called once if it cannot go on.
    public func start(
        _ pattern: [TimeSpan], repeats: Bool = true, failed: @escaping (MotorProblem) -> Void = { _ in }
    ) throws(MotorProblem) -> String {
        stop()
        guard case .success(let name, let device) = open() else { throw MotorProblem(openFailure) }
        self.device = device
        self.failed = failed
        do throws(MotorProblem) {
            try step(0, of: pattern, repeats: repeats, at: timers.now)
        } catch {
            stop()
            throw error
        }
        return name
    }

    /// Vibrates no more.
    public func stop() {
        timer?.cancel()
        timer = nil
        failed = { _ in }
        guard let device else { return }
        self.device = nil
        if effect >= 0 { _ = play(0, on: device) }
        effect = -1
        port.close(device)
    }

    // MARK: The pattern

    private func step(_ index: Int, of pattern: [TimeSpan], repeats: Bool, at due: Instant) throws(MotorProblem) {
        let part = pattern[index % pattern.count]
        // Stop the motor although an effect ends by itself: it does not do so to the millisecond.
        if index.isMultiple(of: 2) { try push(for: part) } else { try rest() }
        let next = due + part
        timer = timers.schedule(at: next, description: "vibration") { [weak self] in
            guard let self else { return }
            guard repeats else { return stop() }
            do throws(MotorProblem) {
                // If this process was stopped meanwhile, the pattern goes on from now.
                try step(index + 1, of: pattern, repeats: true, at: max(next, timers.now))
            } catch {
                let failed = failed
                stop()
                failed(error)
            }
        }
    }

    private func push(for length: TimeSpan) throws(MotorProblem) {
        guard let device else { return }
        let milliseconds = min(max(length.microseconds / 1_000, 1), Self.effectMillisecondsMax)
        var description = [UInt8](repeating: 0, count: Int(CLINUX_EFFECT_BYTES))
        unsafe description.withUnsafeMutableBytes {
            unsafe clinux_describe_rumble($0.baseAddress, effect, Int32(milliseconds), Self.magnitude)
        }
        guard port.control(device, clinux_upload_effect_request(), &description) >= 0 else {
            throw MotorProblem("EVIOCSFF", errno)
        }
        effect = unsafe description.withUnsafeBytes { unsafe clinux_effect_number($0.baseAddress) }
        guard play(1, on: device) else { throw MotorProblem("write", errno) }
    }

    private func rest() throws(MotorProblem) {
        guard let device else { return }
        guard play(0, on: device) else { throw MotorProblem("write", errno) }
    }

    private func play(_ count: Int32, on device: Int32) -> Bool {
        var event = [UInt8](repeating: 0, count: Int(CLINUX_INPUT_EVENT_BYTES))
        unsafe event.withUnsafeMutableBytes { unsafe clinux_describe_play($0.baseAddress, effect, count) }
        return port.write(device, event) == event.count
    }

    // MARK: The device

    private enum Opened {
        case success(String, Int32)
        case failure
    }

    /// Why ``open()`` failed last.
    private var openFailure = MotorSearch.nothing

    private func open() -> Opened {
        openFailure = .nothing
        let names = port.names().filter { port.effects(of: $0).map(Self.rumbles) ?? false }
        for name in names.sorted(by: Self.comesBefore) {
            let device = port.open(name)
            if device >= 0 { return .success(name, device) }
            if case .nothing = openFailure {
                openFailure = .denied(name, SystemError(errno: errno, call: "open", subject: name).reason)
            }
        }
        return .failure
    }

    /// Whether `effects`, as the kernel writes them, have a rumble among them.
    static func rumbles(_ effects: String) -> Bool {
        let words = effects.split { !$0.isASCII || !$0.isHexDigit }.map { UInt($0, radix: 16) ?? 0 }
        let bit = Int(CLINUX_FF_RUMBLE)
        guard let word = words.reversed().dropFirst(bit / wordBits).first else { return false }
        return word >> UInt(bit % wordBits) & 1 == 1
    }

    /// By their numbers: `event9` before `event10`.
    private static func comesBefore(_ one: String, _ other: String) -> Bool {
        (one.utf8.count, one) < (other.utf8.count, other)
    }
}

extension MotorProblem {
    fileprivate init(_ call: String, _ number: Int32) {
        description = SystemError(errno: number, call: call).description
    }

    fileprivate init(_ search: MotorSearch) {
        switch search {
        case .denied(let name, let why): description = "/dev/input/\(name): \(why)"
        case .found, .nothing: description = "nothing here vibrates"
        }
    }
}
