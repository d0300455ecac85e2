import BelfryConfinement
import BelfrySyscalls
import CBelfryLinux
import Glibc
import Support
import Testing
@testable import belfry_apns

/// What the endpoint cannot do any more once it serves strangers, each tried in a process of its own.
@Suite struct EndpointConfinementTests {
    /// What kills a process that was taken over.
    enum Attempt: String, Codable, Sendable, CaseIterable {
        case program, childProcess, signalToOthers, codeFromData, writableCode

        func make() {
            switch self {
            case .program: _ = unsafe execv("/bin/true", [nil])
            case .childProcess: _ = fork()
            case .signalToOthers: kill(getppid(), 0)
            case .codeFromData:
                let page = unsafe mmap(nil, 4_096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                _ = unsafe mprotect(page, 4_096, PROT_READ | PROT_EXEC)
            case .writableCode:
                let protection = PROT_READ | PROT_WRITE | PROT_EXEC
                _ = unsafe mmap(nil, 4_096, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
            }
        }
    }

    @Test("it starts nothing, signals nobody and runs no code of strangers", arguments: Attempt.allCases)
    func kills(attempt: Attempt) async {
        await #expect(processExitsWith: .signal(SIGSYS)) { [attempt] in
            try endLikeAlone {
                EndpointConfinement.confine(
                    statePath: "/nowhere", runtimePath: "/nowhere", pushSocketPath: "/nowhere/push.socket")
                attempt.make()
            }
        }
    }

    @Test("it neither listens anew nor connects to the internet, and gains nothing by programs") func sockets() async {
        await #expect(processExitsWith: .exitCode(7)) {
            try endLikeAlone {
                let local = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
                EndpointConfinement.confine(
                    statePath: "/nowhere", runtimePath: "/nowhere", pushSocketPath: "/nowhere/push.socket")
                let connects = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0) >= 0
                let isLocal = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0) == -1 && errno == EAFNOSUPPORT
                var address = sockaddr_un()
                address.sun_family = sa_family_t(AF_UNIX)
                let binds = unsafe withUnsafePointer(to: &address) { pointer in
                    unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        unsafe bind(local, $0, socklen_t(MemoryLayout<sa_family_t>.size))
                    }
                }
                let isDeaf = binds == -1 && errno == EACCES && listen(local, 1) == -1 && errno == EACCES
                let isHumble = text(of: "/proc/self/status").contains("NoNewPrivs:\t1")
                _exit(connects && isLocal && isDeaf && isHumble ? 7 : 1)
            }
        }
    }

    @Test("it writes below its state alone, and reads little else") func files() async {
        await #expect(processExitsWith: .exitCode(7)) {
            try endLikeAlone {
                guard Landlock.version > 0 else { _exit(7) }
                let folder = TemporaryFolder()
                let state = folder.makeFolder("state")
                folder.makeFolder("run")
                let socket = folder.write([], to: "run/push.socket")
                let runtime = folder.makeFolder("runtime")
                EndpointConfinement.confine(statePath: state, runtimePath: runtime, pushSocketPath: socket)
                let writes = failureToOpen("\(state)/queue.db", O_RDWR | O_CREAT) == 0
                let looks =
                    failureToOpen(socket, O_RDONLY) == 0 && failureToOpen(runtime, O_RDONLY) == 0
                    && failureToOpen("/etc/localtime", O_RDONLY) != EACCES
                let isAlone = failureToOpen(socket, O_WRONLY) == EACCES
                let isKept = isAlone && failureToOpen("/etc/passwd", O_RDONLY) == EACCES
                _exit(writes && looks && isKept ? 7 : 1)
            }
        }
    }
}

/// What the file at `path` says.
private func text(of path: String) -> String {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    defer { close(descriptor) }
    return descriptor < 0 ? "" : String(decoding: ScriptedWorker.readAll(descriptor), as: UTF8.self)
}
