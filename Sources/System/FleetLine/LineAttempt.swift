import BelfryEventLoop
import BelfrySyscalls
import BelfryTerms
import CBelfryLinux
import CBelfryNATS
import Fleet
import Glibc

/// One try to reach a broker, on a thread of its own: libnats blocks while it looks up a name, connects, and waits for
/// the first answers.
final class LineAttempt: @unchecked Sendable {
    // Unchecked: `arrived` belongs to the loop's thread, all else never changes.

    /// How long the broker may take until its first word. A busy one has thousands to greet.
    static let greetingMilliseconds: Int64 = 4_000
    /// How long all may take.
    static let totalMilliseconds: Int64 = 8_000
    /// Enough for resolvers and TLS, where the usual 8 MiB would count against limits on address space.
    static let stackBytes = 256 << 10

    private let broker: BrokerAddress
    private let credential: LineCredential
    private let pings: TimeSpan
    private let door: LineDoor
    private let library: LineLibrary
    private let poster: LoopPoster
    private var arrived: ((Result<LineConnection, LineEnd>) -> Void)?

    /// Begins; `arrived` is called once on the loop of `poster`, unless the attempt is abandoned before.
    init(
        to broker: BrokerAddress, credential: LineCredential, pings: TimeSpan, poster: LoopPoster,
        arrived: @escaping (Result<LineConnection, LineEnd>) -> Void
    ) throws(SystemError) {
        library = try LineLibrary.opened.get()
        door = try LineDoor(of: library, to: broker, credential: credential)
        (self.broker, self.credential, self.pings, self.poster) = (broker, credential, pings, poster)
        self.arrived = arrived
        let argument = unsafe Unmanaged.passRetained(self)
        let result = withSignalsBlocked {
            unsafe clinux_start_thread(
                Self.stackBytes,
                { argument in
                    guard let argument = unsafe argument else { return nil }
                    unsafe Unmanaged<LineAttempt>.fromOpaque(argument).takeRetainedValue().run()
                    return nil
                }, argument.toOpaque())
        }
        guard result == 0 else {
            unsafe argument.release()
            throw SystemError(errno: result, call: "pthread_create")
        }
    }

    /// Nobody waits for it any more. A connection that comes of it is closed at once.
    func abandon() { arrived = nil }

    private func run() {
        _ = unsafe clinux_name_thread("belfry-line")
        let outcome = connect()
        nats_ReleaseThreadMemory()
        // What is refused, since the loop is gone, is closed here.
        poster.post { [self] in
            let told = arrived
            arrived = nil
            told?(outcome)
        }
    }

    private func connect() -> Result<LineConnection, LineEnd> {
        door.limit(toMilliseconds: Self.totalMilliseconds)
        defer { door.forgetKey() }
        var options: OpaquePointer?
        guard unsafe natsOptions_Create(&options) == NATS_OK, let options = unsafe options else {
            return .failure(.unreachable("no memory"))
        }
        defer { unsafe natsOptions_Destroy(options) }
        guard unsafe library.secure(options, through: door.pointer, authority: credential.authority) else {
            return .failure(.untrusted("the credential's authority is no certificate"))
        }
        guard unsafe apply(to: options) else { return .failure(.unreachable("\(broker) is no address")) }
        var connection: OpaquePointer?
        var status = unsafe natsConnection_Connect(&connection, options)
        while door.takeUnlucky() { status = unsafe natsConnection_Connect(&connection, options) }
        guard status == NATS_OK, let connection = unsafe connection else { return .failure(failure(status)) }
        return .success(unsafe LineConnection(connection, door: door))
    }

    private func apply(to options: OpaquePointer) -> Bool {
        let door = unsafe door.pointer
        let settings: [natsStatus] = [
            unsafe natsOptions_SetURL(options, "nats://\(broker)"),
            unsafe natsOptions_SetTimeout(options, Self.greetingMilliseconds),
            unsafe natsOptions_SetEventLoop(
                options, door, cnats_attach, cnats_wait_to_read, cnats_wait_to_write, cnats_detach),
            unsafe natsOptions_SetUserCredentialsCallbacks(options, cnats_say_jwt, door, cnats_sign, door),
            // Where and when to try again, the line's owner decides.
            unsafe natsOptions_SetAllowReconnect(options, false),
            unsafe natsOptions_SetIgnoreDiscoveredServers(options, true),
            unsafe natsOptions_SetReconnectBufSize(options, 0),
            unsafe natsOptions_SetSendAsap(options, true),
            unsafe natsOptions_SetPingInterval(options, pings.microseconds / 1_000),
            // One thread for the messages of all lines, not one for each subscription.
            unsafe natsOptions_UseGlobalMessageDelivery(options, true),
            // libnats would close the connection on a thread of its own, below a read of ours: the line counts itself.
            unsafe natsOptions_SetMaxPingsOut(options, .max),
        ]
        return settings.allSatisfy { $0 == NATS_OK }
    }

    /// Why there is no connection. libnats' own text of it holds no credential.
    private func failure(_ status: natsStatus) -> LineEnd {
        var last = NATS_OK
        var text = unsafe nats_GetLastError(&last).map { unsafe String(cString: $0) } ?? ""
        // It begins with the place in libnats: "(conn.c:1905): ".
        if text.hasPrefix("("), let end = text.firstRange(of: "): ") { text.removeSubrange(..<end.upperBound) }
        let why = text.isEmpty ? unsafe String(cString: natsStatus_GetText(status)) : text
        switch status {
        case NATS_CONNECTION_AUTH_FAILED: return .denied(why)
        case _ where LineEnd.isDenial(why): return .denied(why)
        case NATS_SECURE_CONNECTION_WANTED: return .untrusted("no TLS")
        case NATS_SSL_ERROR where !door.isEnded: return .untrusted(why)
        case _ where door.isEnded: return .unreachable("ended while connecting")
        default: return .unreachable(why)
        }
    }
}
