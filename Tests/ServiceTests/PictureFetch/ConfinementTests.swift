@testable import BelfryConfinement
import BelfrySyscalls
import CBelfryLinux
import Glibc
@testable import PictureFetch
import Support
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

    @Test func landlockLeavesWritingBelowItsFoldersWhereTheKernelHasIt() async {
        await #expect(processExitsWith: .exitCode(7)) {
            guard Landlock.version > 0 else { _exit(7) }
            let folder = TemporaryFolder()
            let program = folder.write(Array("#!/bin/true".utf8), to: "program")
            unsafe chmod(program, 0o700)
            try ProcessConfinement.beHumble()
            try Landlock.confine(readable: [], writable: [folder.path], ports: [])
            let canWrite = failureToOpen("\(folder.path)/new", O_RDWR | O_CREAT) == 0
            let cannotWrite = failureToOpen("/tmp/belfry-landlock", O_WRONLY | O_CREAT) == EACCES
            let cannotRun = unsafe execv(program, [nil]) == -1 && errno == EACCES
            _exit(canWrite && cannotWrite && cannotRun ? 7 : 1)
        }
    }

    @Test func landlockLeavesConnectingToItsPortsWhereTheKernelHasIt() async {
        await #expect(processExitsWith: .exitCode(7)) {
            guard Landlock.version >= 4 else { _exit(7) }
            try ProcessConfinement.beHumble()
            try Landlock.confine(readable: [], ports: [9])
            // Nobody listens on either; one may ask, the other may not.
            let mayAsk = failureToConnect(port: 9) == ECONNREFUSED
            _exit(mayAsk && failureToConnect(port: 10) == EACCES ? 7 : 1)
        }
    }

    @Test(arguments: [
        (1, 0x1FFF, 0, 0, 8), (2, 0x3FFF, 0, 0, 8), (3, 0x7FFF, 0, 0, 8), (4, 0x7FFF, 3, 0, 16), (5, 0xFFFF, 3, 0, 16),
        (6, 0xFFFF, 3, 3, 24), (7, 0xFFFF, 3, 3, 24),
    ])
    func aVersionOfLandlockIsAskedForWhatItKnows(
        version: Int, files: UInt64, ports: UInt64, scopes: UInt64, size: Int
    ) {
        let (rights, known) = Landlock.ruleset(of: version, limitsPorts: true)
        #expect(rights.handled_access_fs == files && rights.scoped == scopes && known == size)
        #expect(rights.handled_access_net == ports)
        #expect(Landlock.ruleset(of: version, limitsPorts: false).rights.handled_access_net == ports & 1)
    }

    @Test func ruledPathsAreReadAndNeverRun() {
        #expect(Landlock.readingRights(inFolder: false) == 4 && Landlock.readingRights(inFolder: true) == 12)
    }

    @Test func aHumbleProcessGainsNothingLeavesNothingAndDiesWithItsParent() async {
        await #expect(processExitsWith: .exitCode(7)) {
            try ProcessConfinement.beHumble()
            var signal: Int32 = 0
            var core = rlimit()
            _ = unsafe withUnsafeMutablePointer(to: &signal) {
                clinux_prctl(PR_GET_PDEATHSIG, UInt(bitPattern: $0))
            }
            _ = unsafe getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &core)
            let isHumble = clinux_prctl(PR_GET_NO_NEW_PRIVS, 0) == 1 && clinux_prctl(PR_GET_DUMPABLE, 0) == 0
            _exit(isHumble && signal == SIGKILL && core.rlim_cur == 0 && core.rlim_max == 0 ? 7 : 1)
        }
    }

    @Test func aVolunteerIsTheFirstToBeKilledForMemory() async {
        await #expect(processExitsWith: .exitCode(7)) {
            ProcessConfinement.volunteerForMemoryShortage()
            let file = unsafe open("/proc/self/oom_score_adj", O_RDONLY)
            var text = [UInt8](repeating: 0, count: 16)
            let count = unsafe read(file, &text, text.count)
            _exit(Array(text[..<max(0, count)]) == Array("1000\n".utf8) ? 7 : 1)
        }
    }

    @Test func aVolunteerThatMayNotIsNone() {
        withForbiddenFiles { ProcessConfinement.volunteerForMemoryShortage() }
    }

    @Test func aThreadOpensNoArenaOfItsOwn() async {
        await #expect(processExitsWith: .exitCode(7)) {
            ProcessConfinement.useOneArena()
            let before = addressSpacePages()
            PosixThread { unsafe free(malloc(100)) }.join()
            // A thread's stack, and much less than the 64 MiB of an arena.
            _exit(addressSpacePages() - before < (48 << 20) / sysconf(Int32(_SC_PAGESIZE)) ? 7 : 1)
        }
    }

    @Test func aFilterThatTheKernelRefusesIsTold() async {
        await #expect(processExitsWith: .exitCode(7)) {
            try ProcessConfinement.beHumble()
            var filter = SystemCallFilter()
            filter.add([Int(SYS_seccomp)], .fail(EPERM))
            try filter.install(otherwise: .allow)
            do throws(SystemError) {
                try filter.install(otherwise: .allow)
                _exit(1)
            } catch {
                _exit(error.errno == EPERM ? 7 : 2)
            }
        }
    }

    @Test func theTimeOfAProcessIsSetToTheMillisecond() async {
        await #expect(processExitsWith: .exitCode(7)) {
            try ProcessConfinement.endAfter(milliseconds: 999_999)
            var left = itimerval()
            _ = unsafe getitimer(__itimer_which_t(ITIMER_REAL.rawValue), &left)
            _exit(left.it_value.tv_sec == 999 && (500_000...999_001).contains(left.it_value.tv_usec) ? 7 : 1)
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

    @Test(arguments: [(10, 30, 30), (30, 20, 30), (10, 100, 50), (0, -1, 0)])
    func aSoftLimitGoesUpToTheHardOneAndNeverDown(soft: Int, wanted: Int, raised: Int) async {
        await #expect(processExitsWith: .exitCode(7)) { [soft, wanted, raised] in
            var limit = rlimit(rlim_cur: rlim_t(soft), rlim_max: 50)
            _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            try ResourceLimit.fileBytes.raise(to: wanted)
            _ = unsafe getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            _exit(limit.rlim_cur == raised && limit.rlim_max == 50 ? 7 : 1)
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

/// What a fetcher cannot do once a hostile picture has taken it over, each tried in a process of its own.
@Suite struct FetcherConfinementTests {
    @Test func everybodyElseRunsFirst() async {
        await #expect(processExitsWith: .exitCode(7)) {
            try endLikeAlone {
                try FetcherConfinement.confineProcess()
                _exit(getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0) == 19 ? 7 : 1)
            }
        }
    }

    @Test func onTheNetworkItReadsLittleAndWritesNothing() async {
        await #expect(processExitsWith: .exitCode(7)) {
            try endLikeAlone {
                try ProcessConfinement.beHumble()
                FetcherConfinement.confineToNetwork(ports: [80, 443])
                let canRead = failureToOpen("/etc/hosts", O_RDONLY) == 0
                let cannotWrite =
                    failureToOpen("/tmp/belfry-confinement", O_WRONLY | O_CREAT) == EACCES
                    && failureToOpen("/etc/hosts", O_RDWR) == EACCES && failureToOpen("/etc/hosts", O_TRUNC) == EACCES
                let cannotReadHome = Landlock.version == 0 || failureToOpen("/etc/passwd", O_RDONLY) == EACCES
                _exit(canRead && cannotWrite && cannotReadHome ? 7 : 1)
            }
        }
    }

    @Test func onTheNetworkItHasNoSocketsButOfTheInternet() async {
        await #expect(processExitsWith: .exitCode(7)) {
            try endLikeAlone {
                try ProcessConfinement.beHumble()
                FetcherConfinement.confineToNetwork(ports: [80, 443])
                let hasInternet = socket(AF_INET, 1, 0) >= 0 && socket(AF_INET6, 2, 0) >= 0
                let hasNoBus = socket(AF_UNIX, 1, 0) == -1 && errno == EAFNOSUPPORT
                let hasNoRaw = socket(AF_INET, 3, 1) == -1 && errno == EAFNOSUPPORT
                let cannotListen = listen(socket(AF_INET, 1, 0), 1) == -1 && errno == ENOSYS
                _exit(hasInternet && hasNoBus && hasNoRaw && cannotListen ? 7 : 1)
            }
        }
    }

    @Test func onTheNetworkItConnectsToItsPortsOnlyWhereTheKernelHasIt() async {
        await #expect(processExitsWith: .exitCode(7)) {
            try endLikeAlone {
                guard Landlock.version >= 4 else { _exit(7) }
                try ProcessConfinement.beHumble()
                FetcherConfinement.confineToNetwork(ports: [9])
                _exit(failureToConnect(port: 9) == ECONNREFUSED && failureToConnect(port: 10) == EACCES ? 7 : 1)
            }
        }
    }

    @Test(arguments: [FetcherStage.network, .decoding])
    func itNeverStartsAProgram(_ stage: FetcherStage) async {
        await #expect(processExitsWith: .signal(SIGSYS)) { [stage] in
            try endLikeAlone {
                try ProcessConfinement.beHumble()
                stage.enter()
                startProgram()
                _exit(1)
            }
        }
    }

    @Test(arguments: [FetcherStage.network, .decoding])
    func itNeverWritesCode(_ stage: FetcherStage) async {
        await #expect(processExitsWith: .signal(SIGSYS)) { [stage] in
            try endLikeAlone {
                try ProcessConfinement.beHumble()
                stage.enter()
                mapWritableCode()
                _exit(1)
            }
        }
    }

    @Test func decodingItConnectsNowhere() async {
        await #expect(processExitsWith: .signal(SIGSYS)) {
            try endLikeAlone {
                try ProcessConfinement.beHumble()
                FetcherConfinement.confineToDecoding()
                _ = socket(AF_INET, 1, 0)
                _exit(1)
            }
        }
    }

    @Test func decodingItOpensNothing() async {
        await #expect(processExitsWith: .exitCode(7)) {
            try endLikeAlone {
                try ProcessConfinement.beHumble()
                FetcherConfinement.confineToNetwork(ports: nil)
                FetcherConfinement.confineToDecoding()
                let isClosed = failureToOpen("/etc/hosts", O_RDONLY) != 0 && failureToOpen("/", O_RDONLY) != 0
                _exit(isClosed ? 7 : 1)
            }
        }
    }
}

/// A stage of the fetcher's confinement.
enum FetcherStage: String, Codable, Sendable, CaseIterable {
    case network
    case decoding

    func enter(landlockVersion: Int = Landlock.version) {
        switch self {
        case .network: FetcherConfinement.confineToNetwork(ports: nil, landlockVersion: landlockVersion)
        case .decoding: FetcherConfinement.confineToDecoding(landlockVersion: landlockVersion)
        }
    }
}

private func startProgram() {
    var arguments: [UnsafeMutablePointer<CChar>?] = unsafe [nil]
    _ = unsafe execv("/bin/true", &arguments)
}

private func mapWritableCode() {
    _ = unsafe mmap(nil, 4_096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | 0x20 /* MAP_ANONYMOUS */, -1, 0)
}

/// The errno of connecting to this machine; 0 if somebody answers.
private func failureToConnect(port: UInt16) -> Int32 {
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

/// How many pages of address space this process has.
private func addressSpacePages() -> Int {
    let file = unsafe open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
    defer { close(file) }
    var text = [UInt8](repeating: 0, count: 128)
    let count = unsafe read(file, &text, text.count)
    return Int(String(decoding: text[..<max(0, count)].prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self)) ?? 0
}
