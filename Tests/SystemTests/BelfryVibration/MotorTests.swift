import BelfryTerms
import CBelfryLinux
import Glibc
import Support
import Synchronization
import Testing

@testable import BelfryVibration

/// A stand-in for hardware that nobody here has: writes down every call, and answers as the kernel would.
final class PlayedEvdev: EvdevPort {
    /// What `capabilities/ff` says of each device, and the error with which opening it fails, 0 for none.
    var devices: [String: (effects: String, openError: Int32)] = [:]
    /// What was called, in words.
    var calls: [String] = []
    /// The error with which the next upload fails; 0 for none.
    var uploadError: Int32 = 0
    /// The number that the next upload gives an effect.
    var effectNumber: UInt8 = 3
    /// Whether the device was unplugged.
    var isGone = false

    func names() -> [String] { Array(devices.keys) }

    func effects(of name: String) -> String? { devices[name]?.effects }

    func open(_ name: String) -> Int32 {
        calls.append("open \(name)")
        errno = devices[name]?.openError ?? ENOENT
        return errno == 0 ? 7 : -1
    }

    func control(_ device: Int32, _ request: UInt, _ argument: inout [UInt8]) -> Int32 {
        // _IOW('E', 0x80, struct ff_effect) of 48 bytes, by linux/input.h on a machine of 64 bits.
        #expect(device == 7 && request == 0x4030_4580 && argument.count == 48)
        let bytes = argument
        let word = { (offset: Int) in Int(bytes[offset]) | Int(bytes[offset + 1]) << 8 }
        calls.append("upload \(Int16(truncatingIfNeeded: word(2))) for \(word(10)) ms at \(word(16)), \(word(18))")
        #expect(word(0) == 0x50 && word(12) == 0)
        guard uploadError == 0, !isGone else {
            errno = isGone ? ENODEV : uploadError
            return -1
        }
        argument[2] = effectNumber
        argument[3] = 0
        return 0
    }

    func write(_ device: Int32, _ bytes: [UInt8]) -> Int {
        #expect(device == 7 && bytes.count == 24 && bytes[16] == 0x15 && bytes[18] == effectNumber)
        calls.append("play \(bytes[20])")
        guard !isGone else {
            errno = ENODEV
            return -1
        }
        return bytes.count
    }

    func close(_ device: Int32) { calls.append("close") }
}

@Suite("A motor, by the kernel's force feedback") struct MotorTests {
    private let port = PlayedEvdev()
    private let loop = HandLoop()
    /// Of a gamepad: rumble, periodic, three waves, gain.
    private static let rumbling = "107030000 0"
    private static let pattern = [TimeSpan.milliseconds(400), .milliseconds(600)]

    private func motor() -> Motor { Motor(timers: loop, port: port) }

    @Test("pushes and rests by the pattern, over and over, until it is stopped") func pattern() throws {
        port.devices = ["event3": (Self.rumbling, 0)]
        let motor = motor()
        #expect(try motor.start(Self.pattern) == "event3")
        #expect(port.calls == ["open event3", "upload -1 for 400 ms at 32768, 32768", "play 1"])
        port.calls = []
        loop.advance(by: .milliseconds(399))
        #expect(port.calls.isEmpty)
        loop.advance(by: .milliseconds(1))
        #expect(port.calls == ["play 0"])
        loop.advance(by: .milliseconds(600))
        #expect(port.calls == ["play 0", "upload 3 for 400 ms at 32768, 32768", "play 1"])
        port.calls = []
        loop.advance(by: .milliseconds(10))
        motor.stop()
        #expect(port.calls == ["play 0", "close"])
        #expect(!motor.isOn)
        loop.advance(by: .seconds(10))
        #expect(port.calls == ["play 0", "close"])
    }

    @Test("a pattern of three parts rests where it pushed the round before") func oddPattern() throws {
        port.devices = ["event0": (Self.rumbling, 0)]
        let motor = motor()
        _ = try motor.start([.milliseconds(10), .milliseconds(20), .milliseconds(30)])
        loop.advance(by: .milliseconds(60))
        #expect(port.calls.filter { $0.hasPrefix("play") } == ["play 1", "play 0", "play 1", "play 0"])
        #expect(port.calls.contains("upload 3 for 30 ms at 32768, 32768"))
        motor.stop()
    }

    @Test("one push, and it is over") func once() throws {
        port.devices = ["event0": (Self.rumbling, 0)]
        let motor = motor()
        _ = try motor.start(Self.pattern, repeats: false)
        loop.advance(by: .milliseconds(400))
        #expect(port.calls.suffix(2) == ["play 0", "close"])
        #expect(!motor.isOn)
    }

    @Test("the first effect of a device, whose number is 0, is stopped as any other") func firstEffect() throws {
        port.devices = ["event0": (Self.rumbling, 0)]
        port.effectNumber = 0
        let motor = motor()
        _ = try motor.start(Self.pattern)
        motor.stop()
        #expect(port.calls.suffix(2) == ["play 0", "close"])
    }

    @Test("each start is a new effect: the one before went with its device") func again() throws {
        port.devices = ["event0": (Self.rumbling, 0)]
        let motor = motor()
        for _ in 0..<2 {
            _ = try motor.start(Self.pattern)
            motor.stop()
        }
        let uploads = port.calls.filter { $0.hasPrefix("upload") }.map { $0.prefix(9) }
        #expect(uploads == ["upload -1", "upload -1"])
    }

    @Test("where this process stood still the pattern goes on from then") func late() throws {
        port.devices = ["event0": (Self.rumbling, 0)]
        let motor = motor()
        _ = try motor.start(Self.pattern)
        port.calls = []
        loop.stall(for: .seconds(5))
        loop.runUntilIdle()
        #expect(port.calls == ["play 0"])
        loop.advance(by: .milliseconds(599))
        #expect(port.calls == ["play 0"])
        loop.advance(by: .milliseconds(1))
        #expect(port.calls.last == "play 1")
        motor.stop()
    }

    @Test("whoever drops it stops it") func dropped() throws {
        port.devices = ["event0": (Self.rumbling, 0)]
        var motor: Motor? = motor()
        _ = try motor?.start(Self.pattern)
        motor = nil
        #expect(port.calls.suffix(2) == ["play 0", "close"])
        loop.advance(by: .seconds(1))
        #expect(port.calls.last == "close")
    }

    @Test("of several, the first by number that can be opened; what does not rumble is never opened")
    func search() {
        port.devices = [
            "event10": (Self.rumbling, 0), "event9": (Self.rumbling, EACCES), "event1": ("0", 0),
            "event2": ("20000 0", 0),
        ]
        #expect(motor().search() == .found("event10"))
        #expect(port.calls == ["open event9", "open event10", "close"])
    }

    @Test("says what it lacks") func lacks() {
        #expect(motor().search() == .nothing)
        #expect(throws: MotorProblem(description: "nothing here vibrates")) { try motor().start(Self.pattern) }
        port.devices = ["event9": (Self.rumbling, EACCES)]
        #expect(motor().search() == .denied("event9", "Permission denied"))
        let problem = MotorProblem(description: "/dev/input/event9: Permission denied")
        #expect(throws: problem) { try motor().start(Self.pattern) }
    }

    @Test("a device that takes no effect is closed again") func refused() {
        port.devices = ["event0": (Self.rumbling, 0)]
        port.uploadError = ENOSPC
        let problem = MotorProblem(description: "EVIOCSFF: No space left on device")
        #expect(throws: problem) { try motor().start(Self.pattern) }
        #expect(port.calls.last == "close")
    }

    @Test("a device that is unplugged is told once") func unplugged() throws {
        port.devices = ["event0": (Self.rumbling, 0)]
        let motor = motor()
        var problems: [MotorProblem] = []
        _ = try motor.start(Self.pattern) { problems.append($0) }
        port.isGone = true
        loop.advance(by: .seconds(5))
        #expect(problems == [MotorProblem(description: "write: No such device")])
        #expect(!motor.isOn && port.calls.last == "close")
    }

    @Test(
        "what the kernel writes of effects",
        arguments: [
            ("107030000 0", true), ("10000 0", true), ("0", false), ("", false), ("20000 0", false),
            ("10000", false), ("zz 0", false), ("1 107030000 0", true), ("10000 0 0", false), ("1 10000 0\n", true),
            ("fffffffffffffffff 0", false),
        ])
    func effects(text: String, rumbles: Bool) {
        #expect(Motor.rumbles(text) == rumbles)
    }

    @Test("this machine is asked without a trap, and no device of it is opened that does not rumble")
    func kernel() {
        let kernel = KernelEvdev()
        for name in kernel.names() { #expect(kernel.effects(of: name) != nil, "\(name)") }
        #expect(kernel.effects(of: "event99999") == nil)
        #expect(kernel.open("event99999") == -1)
    }

    @Test(
        "a motor is found, and opened for reading and writing without waiting",
        .enabled(if: geteuid() == 0, "whoever is not root may take no other folder for the root"))
    func kernelsMotor() throws {
        // A folder that one thread alone takes for the root, in place of a motor, which nobody here has.
        let folder = TemporaryFolder()
        folder.makeFolder("dev/input")
        folder.write([], to: "dev/input/event3")
        folder.makeFolder("sys/class/input/event3/device/capabilities")
        folder.write(Array("\(Self.rumbling)\n".utf8), to: "sys/class/input/event3/device/capabilities/ff")
        let root = folder.path
        let found = Mutex<(names: [String], effects: String?, flags: Int32)?>(nil)
        PosixThread {
            // unshare(CLONE_FS), which Swift's Glibc leaves out.
            guard let unshare = unsafe dlsym(nil, "unshare"),
                unsafe unsafeBitCast(unshare, to: (@convention(c) (Int32) -> Int32).self)(0x200) == 0,
                unsafe chroot(root) == 0
            else {
                Issue.record("no other folder could be taken for the root: \(errno)")
                return
            }
            let kernel = KernelEvdev()
            let device = kernel.open("event3")
            let flags = fcntl(device, F_GETFL)
            kernel.close(device)
            found.withLock { $0 = (kernel.names(), kernel.effects(of: "event3"), flags) }
        }.join()
        let motor = try #require(found.withLock { $0 })
        #expect(motor.names == ["event3"] && motor.effects == "\(Self.rumbling)\n")
        #expect(motor.flags & (O_ACCMODE | O_NONBLOCK) == O_RDWR | O_NONBLOCK)
    }
}
