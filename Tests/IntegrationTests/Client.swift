import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import CBelfryLinux
import Glibc
import Support
import Testing

/// A client of the push socket: sends one notification and reads what becomes of it.
final class Client {
    /// How long an event may take before a test gives up on it.
    static let patienceMilliseconds: Int32 = 20_000

    private let number: Int32
    private let lines: LineReader
    private(set) var events: [Event] = []

    /// Connects to `socket` and sends `bytes`; may end its sending there.
    init(socket: String, sending bytes: [UInt8], thenShutdown: Bool = false) throws {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = OwnedDescriptor(owning: try checked("socket") { Glibc.socket(AF_UNIX, kind, 0) })
        number = descriptor.number
        try connectUnixSocket(number, to: socket)
        lines = LineReader(descriptor)
        _ = send(bytes)
        if thenShutdown { shutdown(number, Int32(SHUT_WR)) }
    }

    /// Sends more, as far as the worker takes it.
    func send(_ bytes: [UInt8]) -> Int {
        unsafe bytes.withUnsafeBytes { unsafe Glibc.send(number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }

    /// Leaves, in both directions.
    func leave() { shutdown(number, Int32(SHUT_RDWR)) }

    /// The next event; nil at the end.
    func next(within milliseconds: Int32 = Client.patienceMilliseconds) -> Event? {
        guard let line = lines.next(within: milliseconds) else { return nil }
        do {
            let event = try Event(line: Array(line.utf8))
            events.append(event)
            return event
        } catch {
            Issue.record("no event: \(line): \(error)")
            return nil
        }
    }

    /// The next event called `name`; a failed test where the connection ends before.
    @discardableResult
    func wait(for name: String, within milliseconds: Int32 = Client.patienceMilliseconds) throws -> Event {
        while let event = next(within: milliseconds) {
            if event.name == name { return event }
        }
        Issue.record("the connection ended without \(name): \(story)")
        throw Missing(name: name)
    }

    /// Reads to the end, and tells what happened in short.
    @discardableResult
    func story(within milliseconds: Int32 = Client.patienceMilliseconds) -> [String] {
        while next(within: milliseconds) != nil {}
        return story
    }

    /// What was read so far, in short: `ringing loud`, `ended hangup cancelled`; ticks and sound are left out.
    var story: [String] {
        events.compactMap { event in
            switch event.body {
            case .tick, .sound, .asked, .notification, .vibration: nil
            case .extensionProcess(let process): "extension \(process.state.rawValue)"
            case .received(let received):
                received.why.map { "received \(received.type.rawValue) \($0.rawValue)" }
                    ?? "received \(received.type.rawValue)"
            case .ringing(let ringing): "ringing \(ringing.mode.rawValue)"
            case .silent(_, let why, _): "silent \(why.rawValue)"
            case .attachment: "attachment"
            case .delivered(let by, _, _): "delivered \(by.rawValue)"
            case .ended(let ended):
                "ended \(ended.reason.rawValue)" + (ended.hangupReason.map { " \($0.rawValue)" } ?? "")
            case .missed: "missed"
            case .warning(let code, _): "warning \(code.rawValue)"
            case .rejected(let reason, _): "rejected \(reason)"
            case .caller(let caller): "caller \(caller.name) \(caller.handle)"
            case .app(let app): "app \(app.state.rawValue)"
            case .call(let call): "call \(call.state.rawValue)" + (call.by.map { " \($0.rawValue)" } ?? "")
            case .action(let action): "action \(action.kind.rawValue) \(action.state.rawValue)"
            case .unknown(let unknown): "unknown \(unknown.name)"
            }
        }
    }

    /// The ticks that were read.
    var ticks: [Int64] {
        events.compactMap { event in
            if case .tick(let n, _) = event.body { n } else { nil }
        }
    }

    struct Missing: Error { let name: String }
}
