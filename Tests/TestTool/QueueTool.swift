import BelfryAppGroup
import BelfryDevices
import BelfryEventLoop
import BelfrySyscalls
import BelfryTerms
import DeviceRegistry
import Glibc
import PushCarrier
import PushQueue

/// An endpoint without a front, for tests of what kill -9 and a full disk do to a queue:
///
///     test-tool queue STATE SOCKET [BYTES]
///
/// reads `TOKEN ID CALL` from standard input, a line for each voip push, keeps it in the queue below STATE and prints
/// `200 ID` or another status; its carrier goes to the push socket SOCKET. With BYTES no file may become longer, as on
/// a full disk. Prints `ready` first, and ends with its input.
final class QueueTool {
    private let loop: Loop
    private let registry: TokenRegistry
    private let queue: NotificationQueue<Loop>
    private var unread: [UInt8] = []

    /// Serves as `arguments` say; ends with 70 if that fails.
    static func run(_ arguments: [String]) {
        guard arguments.count >= 2 else { exit(64) }
        ignoreBrokenPipes()
        do {
            let endpoint = try QueueTool(state: StateDirectory(path: arguments[0]), socketPath: arguments[1])
            if arguments.count > 2, let bytes = UInt(arguments[2]) { squeeze(bytes) }
            try endpoint.serve()
        } catch {
            say("\(error)")
            exit(70)
        }
    }

    private static func squeeze(_ bytes: UInt) {
        signal(SIGXFSZ, SIG_IGN)
        var limit = rlimit(rlim_cur: bytes, rlim_max: rlim_t.max)
        guard unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0 else { exit(71) }
    }

    private init(state: StateDirectory, socketPath: String) throws {
        loop = try Loop()
        registry = try TokenRegistry(state: state)
        let carrier = SocketCarrier(socketPath: socketPath, on: loop)
        queue = try NotificationQueue(state: state, registry: registry, carrier: carrier, on: loop)
    }

    private func serve() throws {
        let input = try loop.watch(descriptor: 0, events: .readable, description: "input") { [self] _ in read() }
        say("ready")
        loop.run()
        input.cancel()
        queue.finish()
    }

    private func read() {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        let count = unsafe buffer.withUnsafeMutableBytes { unsafe Glibc.read(0, $0.baseAddress, $0.count) }
        guard count > 0 else { return loop.stop() }
        unread += buffer[..<count]
        while let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
            submit(String(decoding: unread[..<end], as: UTF8.self).split(separator: " ").map(String.init))
            unread.removeSubrange(...end)
        }
    }

    private func submit(_ words: [String]) {
        guard words.count == 3, let token = DeviceToken(hex: words[0]),
            case .registered(let registration) = registry.standing(of: token)
        else { return say("400 \(words.dropFirst().first ?? "")") }
        let id = words[1]
        let push = EndpointPush(
            apnsID: id, token: token, topic: registration.topic, pushType: .voip,
            payload: Array("{\"callId\":\"\(words[2])\",\"callerName\":\"Anna\"}".utf8),
            acceptedAt: WallTime(microseconds: wallTimeMicroseconds()))
        queue.submit(push, for: registration) { answer in
            switch answer {
            case .accepted: say("200 \(id)")
            case .tooManyRequests: say("429 \(id)")
            case .unavailable: say("503 \(id)")
            case .failed: say("500 \(id)")
            }
        }
    }
}
