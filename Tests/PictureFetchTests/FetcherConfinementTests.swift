import CBelfryLinux
import Glibc
import Testing
@testable import PictureFetch

/// What a fetcher that a stranger's bytes have taken over cannot do, each tried in a process of its own.
@Suite struct FetcherConfinementTests {
    @Test func onTheNetworkItReadsLittleAndWritesNothing() async {
        await #expect(processExitsWith: .exitCode(7)) {
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

    @Test func onTheNetworkItHasNoSocketsButOfTheInternet() async {
        await #expect(processExitsWith: .exitCode(7)) {
            try ProcessConfinement.beHumble()
            FetcherConfinement.confineToNetwork(ports: [80, 443])
            let hasInternet = socket(AF_INET, 1, 0) >= 0 && socket(AF_INET6, 2, 0) >= 0
            let hasNoBus = socket(AF_UNIX, 1, 0) == -1 && errno == EAFNOSUPPORT
            let hasNoRaw = socket(AF_INET, 3, 1) == -1 && errno == EAFNOSUPPORT
            let cannotListen = listen(socket(AF_INET, 1, 0), 1) == -1 && errno == ENOSYS
            _exit(hasInternet && hasNoBus && hasNoRaw && cannotListen ? 7 : 1)
        }
    }

    @Test func onTheNetworkItConnectsToItsPortsOnlyWhereTheKernelHasIt() async {
        await #expect(processExitsWith: .exitCode(7)) {
            guard Landlock.version >= 4 else { _exit(7) }
            try ProcessConfinement.beHumble()
            FetcherConfinement.confineToNetwork(ports: [9])
            _exit(failureToConnect(port: 9) == ECONNREFUSED && failureToConnect(port: 10) == EACCES ? 7 : 1)
        }
    }

    @Test(arguments: [FetcherStage.network, .decoding])
    func itNeverStartsAProgram(_ stage: FetcherStage) async {
        await #expect(processExitsWith: .signal(SIGSYS)) { [stage] in
            try ProcessConfinement.beHumble()
            stage.enter()
            startProgram()
            _exit(1)
        }
    }

    @Test(arguments: [FetcherStage.network, .decoding])
    func itNeverWritesCode(_ stage: FetcherStage) async {
        await #expect(processExitsWith: .signal(SIGSYS)) { [stage] in
            try ProcessConfinement.beHumble()
            stage.enter()
            mapWritableCode()
            _exit(1)
        }
    }

    @Test func decodingItConnectsNowhere() async {
        await #expect(processExitsWith: .signal(SIGSYS)) {
            try ProcessConfinement.beHumble()
            FetcherConfinement.confineToDecoding()
            _ = socket(AF_INET, 1, 0)
            _exit(1)
        }
    }

    @Test func decodingItOpensNothing() async {
        await #expect(processExitsWith: .exitCode(7)) {
            try ProcessConfinement.beHumble()
            FetcherConfinement.confineToNetwork(ports: nil)
            FetcherConfinement.confineToDecoding()
            let isClosed = failureToOpen("/etc/hosts", O_RDONLY) != 0 && failureToOpen("/", O_RDONLY) != 0
            _exit(isClosed ? 7 : 1)
        }
    }
}

/// A stage of the fetcher's confinement.
enum FetcherStage: String, Codable, Sendable, CaseIterable {
    case network
    case decoding

    func enter() {
        switch self {
        case .network: FetcherConfinement.confineToNetwork(ports: nil)
        case .decoding: FetcherConfinement.confineToDecoding()
        }
    }
}

/// The errno of opening a file; 0 where it opens.
private func failureToOpen(_ path: String, _ flags: Int32) -> Int32 {
    unsafe open(path, flags, 0o600) >= 0 ? 0 : errno
}

private func startProgram() {
    var arguments: [UnsafeMutablePointer<CChar>?] = unsafe [nil]
    _ = unsafe execv("/bin/true", &arguments)
}

private func mapWritableCode() {
    _ = unsafe mmap(nil, 4_096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | 0x20 /* MAP_ANONYMOUS */, -1, 0)
}

/// The errno of connecting to this machine; 0 where somebody answers.
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
