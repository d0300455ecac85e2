@testable import BelfryConfinement
import BelfryPictures
import BelfrySyscalls
import BelfryTerms
import CBelfryLinux
import Glibc
@testable import PictureFetch
import Support
import Testing

/// What a hostile picture tries once it has taken the fetcher over, each in a process of its own, on a kernel 6.1: its
/// Landlock (version 2) scopes neither signals nor ports, so the filter has to hold alone.
@Suite struct TakenOverFetcherTests {
    @Test("it has nobody killed who reads its answer", arguments: FetcherStage.allCases)
    func signals(_ stage: FetcherStage) async {
        await #expect(processExitsWith: .exitCode(7)) { [stage] in
            let answers = try DescriptorPair.pipe()
            // A full pipe that is read from sends the signal of O_ASYNC: with one page, each write fills it.
            let page = clinux_set_pipe_size(answers.writing.number, 4_096)
            let reader = getpid()
            let child = try checked("fork") { fork() }
            if child == 0 {
                let number = dup2(answers.writing.number, STDOUT_FILENO)
                try ProcessConfinement.beHumble()
                stage.enterOnOldKernel()
                let setSignal = Int32(10)
                let setOwner = Int32(8)
                let results = [
                    fcntl(number, setSignal, SIGKILL), fcntl(number, setOwner, reader),
                    fcntl(number, F_SETFL, asynchronous),
                ]
                let bytes = [UInt8](repeating: 0, count: Int(page))
                for _ in 0..<4 { _ = unsafe write(number, bytes, bytes.count) }
                // What libcurl and its resolver ask of descriptors.
                let flags = fcntl(number, F_GETFL)
                let isUsable = flags == O_WRONLY && fcntl(number, F_SETFL, flags | O_NONBLOCK) == 0
                _exit(results == [-1, -1, -1] && isUsable ? 7 : 1)
            }
            answers.writing.close()
            var bytes = [UInt8](repeating: 0, count: Int(page))
            while unsafe read(answers.reading.number, &bytes, bytes.count) > 0 {}
            var status: Int32 = 0
            try checked("waitpid") { unsafe waitpid(child, &status, 0) }
            _exit(status >> 8)
        }
    }

    @Test("it does not put off the moment at which it ends", arguments: FetcherStage.allCases)
    func end(_ stage: FetcherStage) async {
        await #expect(processExitsWith: .signal(SIGALRM)) { [stage] in
            try endLikeAlone {
                try ProcessConfinement.beHumble()
                try ProcessConfinement.endAfter(milliseconds: 200)
                stage.enterOnOldKernel()
                alarm(0)
                let end = bootTimeMicroseconds() + 10_000_000
                while bootTimeMicroseconds() < end {}
            }
        }
    }

    @Test("it has no socket that reaches a program of this machine") func sockets() async {
        await #expect(processExitsWith: .exitCode(7)) {
            try endLikeAlone {
                try ProcessConfinement.beHumble()
                FetcherStage.network.enterOnOldKernel()
                let stream = Int32(1)
                let isStreamAllowed = failureToPair(AF_UNIX, stream | Int32(SOCK_CLOEXEC.rawValue)) == 0
                // Datagrams could be sent to any path; a raw socket is one of datagrams.
                let areOthersRefused = [2, 3, 4, 5].allSatisfy { failureToPair(AF_UNIX, $0) == EAFNOSUPPORT }
                _exit(isStreamAllowed && areOthersRefused ? 7 : 1)
            }
        }
    }

    @Test("of the internet it speaks TCP and UDP, and nothing that Landlock's ports do not know") func protocols()
        async
    {
        await #expect(processExitsWith: .exitCode(7)) {
            try endLikeAlone {
                try ProcessConfinement.beHumble()
                FetcherStage.network.enterOnOldKernel()
                let udp = Int32(17)
                let multipath = Int32(262)
                let refused: [(Int32, Int32)] = [(1, multipath), (1, 132), (2, 136), (2, 1), (2, 58), (1, udp), (2, 6)]
                for family in [AF_INET, AF_INET6] {
                    for (type, number) in [(1, 0), (1, 6), (2, 0), (2, udp)] as [(Int32, Int32)]
                    where socket(family, type, number) < 0 && errno == EAFNOSUPPORT {
                        _exit(1)
                    }
                    for (type, number) in refused
                    where socket(family, type, number) >= 0 || errno != EAFNOSUPPORT {
                        _exit(2)
                    }
                }
                _exit(7)
            }
        }
    }

    @Test("it connects by connect(2) alone, which Landlock sees", arguments: FastOpen.allCases)
    func fastOpen(_ call: FastOpen) async {
        await #expect(processExitsWith: .signal(SIGSYS)) { [call] in
            try endLikeAlone {
                try ProcessConfinement.beHumble()
                FetcherStage.network.enterOnOldKernel()
                call.make(on: socket(AF_INET, 1, 0))
            }
        }
    }

    @Test("what it wrote never becomes code", arguments: FetcherStage.allCases)
    func writtenCode(_ stage: FetcherStage) async {
        await #expect(processExitsWith: .signal(SIGSYS)) { [stage] in
            try endLikeAlone {
                let memory = unsafe mapPage(PROT_READ | PROT_WRITE)
                try ProcessConfinement.beHumble()
                stage.enterOnOldKernel()
                unsafe memory?.storeBytes(of: 0xC3, as: UInt8.self)
                _ = unsafe mprotect(memory, 4_096, PROT_READ | PROT_EXEC)
            }
        }
    }

    @Test("nothing that a stranger has a say in is left to be mapped as code: the request is closed once it is read")
    func request() async {
        await #expect(processExitsWith: .exitCode(7)) {
            try endLikeAlone {
                // Bare numbers: the run closes all that it does not need.
                var numbers: [Int32] = [-1, -1]
                try checked("pipe") { unsafe pipe(&numbers) }
                let line = FetchRequest(url: "file:///etc/passwd").line
                _ = unsafe write(numbers[1], line, line.count)
                dup2(numbers[0], STDIN_FILENO)
                let answer = try FetchRun.answerStandardInput()
                guard case .skipped(let skip) = answer.outcome, skip.reason == .badScheme else { _exit(2) }
                _exit(fileKind(of: STDIN_FILENO) == S_IFCHR ? 7 : 1)
            }
        }
    }

    @Test("while it decodes no code is mapped at all") func mappedCode() async {
        await #expect(processExitsWith: .signal(SIGSYS)) {
            try endLikeAlone {
                try ProcessConfinement.beHumble()
                FetcherStage.decoding.enterOnOldKernel()
                _ = unsafe mapPage(PROT_READ | PROT_EXEC)
            }
        }
    }
}

/// A call that sends a connection's first bytes along with the request to connect (TCP Fast Open).
enum FastOpen: String, Codable, Sendable, CaseIterable {
    case sendto
    case sendmsg
    case sendmmsg

    func make(on socket: Int32) {
        let fastOpen = Int32(0x2000_0000)
        switch self {
        case .sendto: _ = unsafe Glibc.sendto(socket, "x", 1, fastOpen, nil, 0)
        case .sendmsg:
            var message = unsafe msghdr()
            _ = unsafe Glibc.sendmsg(socket, &message, fastOpen)
        case .sendmmsg:
            // Behind _GNU_SOURCE in glibc's headers.
            typealias SendMessages = @convention(c) (Int32, UnsafeRawPointer?, UInt32, Int32) -> Int32
            guard let symbol = unsafe dlsym(nil, "sendmmsg") else { return }
            let sendMessages = unsafe unsafeBitCast(symbol, to: SendMessages.self)
            _ = sendMessages(socket, nil, 0, fastOpen)
        }
    }
}

extension FetcherStage {
    /// Enters this stage as on a kernel 6.1.
    func enterOnOldKernel() { enter(landlockVersion: min(2, Landlock.version)) }
}

private let asynchronous: Int32 = 0x2000

private func mapPage(_ protection: Int32) -> UnsafeMutableRawPointer? {
    unsafe mmap(nil, 4_096, protection, MAP_PRIVATE | 0x20 /* MAP_ANONYMOUS */, -1, 0)
}

/// The errno of making a pair of sockets; 0 if it is made.
private func failureToPair(_ family: Int32, _ type: Int32) -> Int32 {
    var numbers: [Int32] = [-1, -1]
    return unsafe socketpair(family, type, 0, &numbers) == 0 ? 0 : errno
}
