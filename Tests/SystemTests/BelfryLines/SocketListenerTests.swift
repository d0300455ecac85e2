import BelfryEventLoop
import BelfryLines
import BelfrySyscalls
import BelfryTerms
import CBelfryLinux
import Glibc
import Support
import Testing

/// Who is accepted at a socket, and when not.
@Suite final class SocketListenerTests {
    private let loop = PolledLoop()
    private let folder = TemporaryFolder()
    private let socket: OwnedDescriptor

    init() throws {
        socket = try listenPrivately(at: "\(folder.path)/socket", backlog: 32)
    }

    private func connect() throws -> PassedFile {
        PassedFile(try connectStream(to: "\(folder.path)/socket", waits: true))
    }

    /// Whose connections were accepted, which stay open.
    private final class Guests {
        var all: [PassedFile] = []
    }

    private func listener(_ guests: Guests, max: Int = 100, keepsSpare: Bool = false) throws -> SocketListener {
        try SocketListener(
            at: socket.number, keepsSpare: keepsSpare, hasRoom: { guests.all.count < max }, on: loop,
            description: "guests"
        ) { guests.all.append(PassedFile($0)) }
    }

    @Test("who connects is accepted, also before the loop had a look, and all who wait") func accepted() throws {
        let early = try connect()
        let guests = Guests()
        let listener = try listener(guests)
        let others = try (0..<3).map { _ in try connect() }
        loop.settle()
        #expect(guests.all.count == 4)
        #expect(guests.all.allSatisfy { fcntl($0.descriptor.number, F_GETFL) & O_NONBLOCK != 0 })
        #expect(guests.all.allSatisfy { fcntl($0.descriptor.number, F_GETFD) & FD_CLOEXEC != 0 })
        withExtendedLifetime((early, others, listener)) {}
    }

    @Test("a socket that waits makes nobody wait") func waiting() throws {
        _ = fcntl(socket.number, F_SETFL, 0)
        #expect(try acceptOurs(at: socket.number) == nil)
        #expect(try acceptAnyone(at: socket.number) == nil)
    }

    @Test("those beyond the limit wait in the socket until one has left") func limit() throws {
        let guests = Guests()
        let listener = try listener(guests, max: 2)
        let clients = try (0..<3).map { _ in try connect() }
        loop.settle()
        #expect(guests.all.count == 2 && loop.watchedCount == 0 && loop.pending.isEmpty)
        guests.all.removeFirst()
        loop.settle()
        #expect(guests.all.count == 1)
        listener.resume()
        loop.settle()
        #expect(guests.all.count == 2)
        withExtendedLifetime(clients) {}
    }

    @Test("without a descriptor for who waits it looks again a tenth of a second later, and not in between")
    func noDescriptor() throws {
        let guests = Guests()
        let listener = try listener(guests)
        let client = try connect()
        // A loop that is called again and again traps.
        withoutAccepting { loop.settle() }
        #expect(loop.watchedCount == 0 && loop.pending == ["guests"])
        loop.advance(by: .milliseconds(99))
        #expect(guests.all.isEmpty)
        loop.advance(by: .milliseconds(1))
        #expect(guests.all.count == 1 && loop.pending.isEmpty)
        withExtendedLifetime((client, listener)) {}
    }

    @Test("a rest that is cut short is over") func resumed() throws {
        let guests = Guests()
        let listener = try listener(guests)
        let client = try connect()
        withoutAccepting { loop.settle() }
        listener.resume()
        listener.resume()
        loop.settle()
        #expect(guests.all.count == 1 && loop.pending.isEmpty && loop.watchedCount == 1)
        withExtendedLifetime(client) {}
    }

    @Test("one that is paused accepts nobody, not after its rest either, and neither does one that is gone")
    func paused() throws {
        let guests = Guests()
        var listener: SocketListener? = try listener(guests)
        let client = try connect()
        withoutAccepting { loop.settle() }
        listener?.pause()
        loop.advance(by: .seconds(1))
        #expect(guests.all.isEmpty && loop.pending.isEmpty && loop.watchedCount == 0)
        listener?.resume()
        listener = nil
        loop.settle()
        #expect(guests.all.isEmpty && loop.watchedCount == 0)
        withExtendedLifetime(client) {}
    }

    @Test("where one is set aside, there is a descriptor for one more") func spare() async {
        await #expect(processExitsWith: .success) {
            let test = try SocketListenerTests()
            let guests = Guests()
            let listener = try test.listener(guests, keepsSpare: true)
            let clients = try (0..<2).map { _ in try test.connect() }
            let last = try #require(clients.last).descriptor.number
            var limit = rlimit()
            let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
            _ = unsafe getrlimit(kind, &limit)
            var none = limit
            // The spare one has the number after the last client's, or an earlier one.
            none.rlim_cur = rlim_t(last) + 1
            _ = unsafe setrlimit(kind, &none)
            while fcntl(last, F_DUPFD_CLOEXEC, 0) >= 0 {}
            test.loop.settle()
            #expect(guests.all.count == 1 && test.loop.pending == ["guests"])
            withExtendedLifetime(listener) {}
        }
    }

    @Test("another user is refused, and the next one is not", .enabled(if: geteuid() == 0)) func foreign() throws {
        let guests = Guests()
        let listener = try listener(guests)
        let path = "\(folder.path)/socket"
        _ = unsafe chmod(folder.path, 0o777)
        _ = unsafe chmod(path, 0o777)
        let stranger = asNobody { try? connectStream(to: path, waits: true).release() }
        let number = try #require(stranger)
        loop.settle()
        #expect(guests.all.isEmpty)
        var byte: UInt8 = 0
        #expect(unsafe recv(number, &byte, 1, Int32(MSG_DONTWAIT)) == 0, "it is sent away")
        close(number)
        let client = try connect()
        loop.settle()
        #expect(guests.all.count == 1)
        withExtendedLifetime((client, listener)) {}
    }

    @Test("a listener for everybody refuses nobody, and gives connections that wait", .enabled(if: geteuid() == 0))
    func everybody() throws {
        let guests = Guests()
        let listener = try SocketListener(at: socket.number, for: .everybody, on: loop, description: "guests") {
            guests.all.append(PassedFile($0))
        }
        let path = "\(folder.path)/socket"
        _ = unsafe chmod(folder.path, 0o777)
        _ = unsafe chmod(path, 0o777)
        let number = try #require(asNobody { try? connectStream(to: path, waits: true).release() })
        loop.settle()
        #expect(guests.all.map { fcntl($0.descriptor.number, F_GETFL) & O_NONBLOCK } == [0])
        close(number)
        withExtendedLifetime(listener) {}
    }

    /// Runs `body` on a thread of another user: to the kernel each thread has one of its own.
    private func asNobody(_ body: @escaping @Sendable () -> Int32?) -> Int32? {
        typealias SystemCall = @convention(c) (Int, Int, Int, Int) -> Int
        guard let symbol = unsafe dlsym(nil, "syscall") else { preconditionFailure("no syscall") }
        let call = unsafe unsafeBitCast(symbol, to: SystemCall.self)
        let result = LockedValue<Int32?>(nil)
        let thread = PosixThread {
            precondition(call(Int(SYS_setresuid), 65_534, 65_534, 65_534) == 0, "errno \(errno)")
            let value = body()
            result.withLock { $0 = value }
        }
        thread.join()
        return result.withLock { $0 }
    }
}
