import BelfrySyscalls
import CBelfryLinux
import Glibc

/// The calls to an input device that vibrates: those of the kernel, except in tests. Names are those of `/dev/input`,
/// such as `event3`; a call that fails returns -1 and sets errno, as in C.
public protocol EvdevPort: AnyObject {
    /// The input devices that there are, in no order.
    func names() -> [String]
    /// What the kernel says of the effects that `name` can play: words in hexadecimal, the highest first; nil if there
    /// is no such device.
    func effects(of name: String) -> String?
    /// Opens `name` for reading and writing.
    func open(_ name: String) -> Int32
    /// ioctl(2): the kernel reads and changes `argument`.
    func control(_ device: Int32, _ request: UInt, _ argument: inout [UInt8]) -> Int32
    /// write(2).
    func write(_ device: Int32, _ bytes: [UInt8]) -> Int
    /// close(2), upon which the kernel stops what this device plays for us.
    func close(_ device: Int32)
}

/// The kernel's input devices.
///
/// Which of them vibrate is read in `/sys`, so that no keyboard is ever opened.
public final class KernelEvdev: EvdevPort {
    private static let classPath = "/sys/class/input"
    private static let devicesPath = "/dev/input"
    private static let namesMax = 1_024
    private static let effectsBytesMax = 4_096

    /// Those of this machine.
    public init() {}

    /// The names in `/sys/class/input` that begin with `event`.
    public func names() -> [String] {
        let names = try? Directory.names(at: Self.classPath, max: Self.namesMax)
        return names?.filter { $0.hasPrefix("event") } ?? []
    }

    /// What `capabilities/ff` of the device says.
    public func effects(of name: String) -> String? {
        let path = "\(Self.classPath)/\(name)/device/capabilities/ff"
        return readKernelFile(path, bytesMax: Self.effectsBytesMax).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Opens it without waiting.
    public func open(_ name: String) -> Int32 {
        unsafe Glibc.open("\(Self.devicesPath)/\(name)", O_RDWR | O_NONBLOCK | O_CLOEXEC)
    }

    /// ioctl(2).
    public func control(_ device: Int32, _ request: UInt, _ argument: inout [UInt8]) -> Int32 {
        unsafe argument.withUnsafeMutableBytes { unsafe clinux_control(device, request, $0.baseAddress) }
    }

    /// write(2).
    public func write(_ device: Int32, _ bytes: [UInt8]) -> Int {
        unsafe bytes.withUnsafeBytes { unsafe Glibc.write(device, $0.baseAddress, $0.count) }
    }

    /// close(2).
    public func close(_ device: Int32) { _ = Glibc.close(device) }
}
