import CBelfryLinux
import Glibc
import PictureFetch
import Testing

/// What a confined process cannot do any more, each tried in a process of its own.
@Suite struct ConfinementTests {
    @Test func aForbiddenCallKills() async {
        await #expect(processExitsWith: .signal(SIGSYS)) {
            try ProcessConfinement.beHumble()
            var filter = SystemCallFilter()
            filter.add([Int(SYS_getppid)], .kill)
            try filter.install(otherwise: .allow)
            _ = getppid()
        }
    }

    @Test func aFailingCallTellsItsErrno() async {
        await #expect(processExitsWith: .exitCode(7)) {
            try ProcessConfinement.beHumble()
            var filter = SystemCallFilter()
            filter.add(
                Int(SYS_socket), .allow, inCases: [[.argument(0, is: UInt32(AF_INET))]], otherwise: .fail(EAFNOSUPPORT))
            try filter.install(otherwise: .allow)
            let isRefused = socket(AF_UNIX, 1, 0) == -1 && errno == EAFNOSUPPORT
            _exit(isRefused && socket(AF_INET, 1, 0) >= 0 ? 7 : 1)
        }
    }

    @Test func landlockLeavesReadingBelowItsPathsWhereTheKernelHasIt() async {
        await #expect(processExitsWith: .exitCode(7)) {
            guard Landlock.version > 0 else { _exit(7) }
            try ProcessConfinement.beHumble()
            try Landlock.confine(readable: ["/etc/hosts", "/usr/lib", "/not/there"], ports: [80])
            let canRead = failureToOpen("/etc/hosts", O_RDONLY) == 0 && failureToOpen("/usr/lib", O_RDONLY) == 0
            let cannotRead = failureToOpen("/etc/passwd", O_RDONLY) == EACCES
            let cannotWrite = failureToOpen("/tmp/belfry-landlock", O_WRONLY | O_CREAT) == EACCES
            _exit(canRead && cannotRead && cannotWrite ? 7 : 1)
        }
    }

    @Test func landlockLeavesConnectingToItsPortsWhereTheKernelHasIt() async {
        await #expect(processExitsWith: .exitCode(7)) {
            guard Landlock.version >= 4 else { _exit(7) }
            try ProcessConfinement.beHumble()
            try Landlock.confine(readable: [], ports: [9])
            // Nobody listens on either; one may ask, the other may not.
            let mayAsk = connectToLoopback(port: 9) == ECONNREFUSED
            _exit(mayAsk && connectToLoopback(port: 10) == EACCES ? 7 : 1)
        }
    }

    @Test func limitsOnlyGoDown() async {
        await #expect(processExitsWith: .exitCode(7)) {
            try ResourceLimit.descriptors.lower(to: 20)
            try ResourceLimit.descriptors.lower(to: 30)
            var limit = rlimit()
            _ = unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            _exit(limit.rlim_cur == 20 && limit.rlim_max == 20 ? 7 : 1)
        }
    }

    @Test func aProcessEndsItselfInTime() async {
        await #expect(processExitsWith: .signal(SIGALRM)) {
            try ProcessConfinement.endAfter(milliseconds: 20)
            while true { pause() }
        }
    }

    @Test func descriptorsAboveAreClosed() async {
        await #expect(processExitsWith: .exitCode(7)) {
            let low = dup(0)
            let high = dup2(0, 200)
            try ProcessConfinement.closeDescriptors(from: 150)
            _exit(fcntl(low, F_GETFD) != -1 && fcntl(high, F_GETFD) == -1 ? 7 : 1)
        }
    }
}

/// The errno of opening a file; 0 where it opens.
private func failureToOpen(_ path: String, _ flags: Int32) -> Int32 {
    unsafe open(path, flags, 0o600) >= 0 ? 0 : errno
}

/// The errno of connecting to this machine; 0 where somebody answers.
private func connectToLoopback(port: UInt16) -> Int32 {
    let number = socket(AF_INET, 1, 0)
    defer { close(number) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let result = unsafe withUnsafePointer(to: &address) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            unsafe connect(number, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
    }
    return result == 0 ? 0 : errno
}
