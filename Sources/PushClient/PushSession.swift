import EventLoopExecutor
public import JSON
public import PushPayload
import Syscalls

/// Pushes notifications from async code, and follows each: for integration tests of apps and push servers.
///
/// ```swift
/// let session = try PushSession(PushSocket(environment: environment))
/// let call = session.push(Array(json.utf8))
/// let events = try await call.events { if case .delivered = $0.body { true } else { false } }
/// ```
///
/// A session has one thread of its own with one event loop, however many notifications it follows; it ends when
/// neither the session nor one of its notifications is held any more. On a loop of your own use ``PushConnection``.
public final class PushSession: Sendable {
    private let socket: PushSocket
    private let follower: PushFollower

    /// Makes a session; nothing is connected before the first push. Fails where threads or descriptors have run out.
    public init(_ socket: PushSocket) throws(PushError) {
        self.socket = socket
        do throws(SystemError) {
            follower = PushFollower(try LoopExecutor.onOwnThread())
        } catch {
            throw PushError(.connectionFailed, "no thread with a loop can be made", cause: error)
        }
    }

    /// Pushes `notification`, a payload or an envelope in JSON, as it is.
    ///
    /// What goes wrong is thrown by the notification's events. Leaving them unread costs memory, not the ring.
    public func push(_ notification: [UInt8]) -> PushedNotification {
        let (stream, continuation) = AsyncThrowingStream<PushConnection.Line, any Error>.makeStream(
            bufferingPolicy: .bufferingOldest(PushedNotification.linesMax))
        let token = PushFollower.Token()
        continuation.onTermination = { [follower] reason in
            if case .cancelled = reason { follower.leave(token) }
        }
        follower.push(notification, to: socket, token, continuation)
        return PushedNotification(lines: stream, session: self)
    }

    /// Pushes a payload in an envelope; see ``push(_:)``.
    public func push(payload: JSONObject, in envelope: Envelope = Envelope()) -> PushedNotification {
        push(JSONValue.object(envelope.enclosing(payload)).serialized())
    }

    /// Pushes a call request; see ``push(_:)``.
    public func push(_ request: CallRequest, in envelope: Envelope = Envelope()) -> PushedNotification {
        push(payload: request.payload(), in: envelope)
    }

    /// Pushes a hangup; see ``push(_:)``.
    public func push(_ hangup: Hangup, in envelope: Envelope = Envelope()) -> PushedNotification {
        push(payload: hangup.payload(), in: envelope)
    }
}
