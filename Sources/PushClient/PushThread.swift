import CLinux
import EventLoop
import Glibc
import Syscalls

/// The thread of a session, which runs its loop.
enum PushThread {
    /// Names one notification of a session.
    final class Token: Sendable {}

    /// Where the lines of one notification go.
    typealias Continuation = AsyncThrowingStream<PushConnection.Line, any Error>.Continuation

    /// What a session asks of its thread.
    enum Command: Sendable {
        /// Push the bytes to the socket, and tell the continuation what comes.
        case push(Token, PushSocket, [UInt8], Continuation)
        /// Nobody reads this notification any more.
        case leave(Token)
        /// End the thread, and leave every notification.
        case stop
    }

    /// Starts a thread and answers how to command it.
    static func start() async throws(PushError) -> Inbox<Command> {
        let result = await withCheckedContinuation { (started: Started) in
            let start = Start(started)
            do throws(SystemError) { try makeThread(start) } catch { start.failed(error) }
        }
        switch result {
        case .success(let commands): return commands
        case .failure(let error):
            throw PushError(.connectionFailed, "no thread with a loop can be made: \(error)", cause: error)
        }
    }

    private typealias Started = CheckedContinuation<Result<Inbox<Command>, SystemError>, Never>

    /// What the thread begins with, and what it does.
    private final class Start {
        private let started: Started

        init(_ started: Started) { self.started = started }

        func failed(_ error: SystemError) { started.resume(returning: .failure(error)) }

        func run() {
            do throws(SystemError) {
                let loop = try Loop()
                let connections = Connections(loop)
                let inbox = loop.makeInbox(of: Command.self) { command in connections.perform(command) }
                started.resume(returning: .success(inbox))
                loop.run()
                inbox.close()
                connections.leaveAll()
            } catch {
                failed(error)
            }
        }
    }

    private static func makeThread(_ start: Start) throws(SystemError) {
        var attributes = pthread_attr_t()
        unsafe pthread_attr_init(&attributes)
        defer { unsafe pthread_attr_destroy(&attributes) }
        unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        // The thread inherits the mask: the program's signals are the program's.
        var all = sigset_t()
        var before = sigset_t()
        unsafe sigfillset(&all)
        unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }

        let retained = unsafe Unmanaged.passRetained(start)
        var thread = pthread_t()
        let failure = unsafe pthread_create(
            &thread, &attributes,
            { argument in
                guard let argument = unsafe argument else { return nil }
                // A method: with a static function here the compiler of Swift 6.3.1 crashes.
                unsafe Unmanaged<Start>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, retained.toOpaque())
        guard failure == 0 else {
            unsafe retained.release()
            throw SystemError(errno: failure, call: "pthread_create")
        }
    }

    /// The notifications that are followed, on the loop.
    private final class Connections {
        private let loop: Loop
        private var open: [ObjectIdentifier: (connection: PushConnection, continuation: Continuation)] = [:]

        init(_ loop: Loop) { self.loop = loop }

        func perform(_ command: Command) {
            switch command {
            case .push(let token, let socket, let bytes, let continuation):
                push(token, socket, bytes, continuation)
            case .leave(let token): open.removeValue(forKey: ObjectIdentifier(token))?.connection.cancel()
            case .stop: loop.stop()
            }
        }

        func leaveAll() {
            for (connection, continuation) in open.values {
                connection.cancel()
                continuation.finish(throwing: PushError(.endedEarly, "the session ended"))
            }
            open = [:]
        }

        private func push(
            _ token: Token, _ socket: PushSocket, _ bytes: [UInt8],
            _ continuation: Continuation
        ) {
            do throws(PushError) {
                let connection = try PushConnection(
                    to: socket, sending: bytes, on: loop,
                    onLine: { line in
                        guard case .dropped = continuation.yield(line) else { return }
                        let detail = "more than \(PushedNotification.linesMax) events wait to be read"
                        continuation.finish(throwing: PushError(.endedEarly, detail))
                    },
                    onEnd: { [self] error in
                        open[ObjectIdentifier(token)] = nil
                        // The token lives until here, so that no other takes its place in the table.
                        withExtendedLifetime(token) { continuation.finish(throwing: error) }
                    })
                open[ObjectIdentifier(token)] = (connection, continuation)
            } catch {
                continuation.finish(throwing: error)
            }
        }
    }
}
