import BelfryDevices
import BelfryEventLoop
import BelfryEventLoopExecutor
public import BelfryJSON
import BelfryLines
public import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
public import FoundationEssentials
import PushAPI

/// A bell's APNs endpoint: what it answers, and what it has got. Without ``BellSettings/hasEndpoint`` all throw
/// ``BellError/Code/notServed``.
public struct BellEndpoint: Sendable {
    /// How long it may take to answer the test.
    private static let patience = TimeSpan.seconds(30)

    let bell: Bell

    /// Its virtual device.
    public var device: BellDevice { bell.device }

    /// Has the next answers to push servers be these, whatever is right or wrong about a request; nothing of it is
    /// delivered.
    ///
    /// - Parameters:
    ///   - status: 200 to 599.
    ///   - reason: Apple's word; nil for the first that Apple has for the status.
    ///   - times: how often, from 1 to 1,000,000.
    ///   - delay: how long each answer takes, up to an hour.
    ///   - token: the one device token whose pushes are answered so; nil for all.
    public func fail(
        status: Int, reason: String? = nil, times: Int = 1, delay: Duration = .zero, token: String? = nil
    ) async throws(BellError) {
        let known = EndpointReason.allCases.first { $0.status == status }
        let isPossible = (200...599).contains(status) && (1...1_000_000).contains(times)
        guard isPossible, (.zero ... .seconds(3_600)).contains(delay) else {
            let found = "status \(status), \(times) times, after \(delay)"
            throw BellError(.badSetting, "\(found): expected 200 to 599, 1 to 1000000, 0 to 1 h")
        }
        let only = token.flatMap { DeviceToken(hex: $0) }
        guard token == nil || only != nil else {
            throw BellError(.badSetting, "a device token has 64 hexadecimal digits")
        }
        let fault = AnswerFault(
            token: only, status: status, reason: reason ?? known?.rawValue ?? "", times: times,
            delay: TimeSpan(delay))
        try await demand(.fail(fault), orElse: "there are a thousand failures to come")
    }

    /// Takes back what is still to come of ``fail(status:reason:times:delay:token:)``.
    public func clearFailures() async throws(BellError) { try await demand(.clearFaults, orElse: "") }

    /// Sends all clients away, as Apple does now and then: none loses anything, unless it is `hard`, when what is on
    /// its way is lost.
    public func goAway(hard: Bool = false) async throws(BellError) {
        try await demand(.sendAway(isHard: hard), orElse: "")
    }

    /// Each request that it has answered, with its answer, the oldest first: the last 10,000, refused ones too.
    public var requests: [PushRecord.Request] { get async { await bell.requests } }

    /// Its log, the oldest line first, as `belfry apns log` shows it: what has become of each push, and why requests
    /// and connections were refused. All that was answered before this is asked is in it.
    public var log: [LogEntry] {
        get async throws(BellError) {
            // It writes the log before it looks at the next request, also at this one.
            _ = try await ask(.listFaults)
            return await bell.logLines().compactMap { LogEntry(line: $0) }
        }
    }

    /// A line of the log.
    public struct LogEntry: Hashable, Sendable, CustomStringConvertible {
        /// When it was written.
        public let time: Date
        /// `apns-id` of the push; nil of a connection.
        public let apnsID: String?
        /// What happened: `accepted`, `refused`, `received`, `stored` and so on, as docs/apns.md lists them.
        public let step: String
        /// The device; nil if none is known.
        public let device: String?
        /// The status of the answer; nil if the line is of none.
        public let status: Int?
        /// A word of a closed list that says how or why, such as Apple's reason.
        public let code: String?
        /// The event that the push's worker reported; nil if the line is of none.
        public let event: String?
        /// For people.
        public let detail: String?
        /// The line with all that it says.
        public let json: JSONObject

        init?(line: [UInt8]) {
            guard let json = (try? JSONValue.parse(line))?.objectValue, let step = json["step"]?.stringValue else {
                return nil
            }
            time = Date(timeIntervalSince1970: json["at"]?.numberValue ?? 0)
            apnsID = json["id"]?.stringValue
            self.step = step
            device = json["device"]?.stringValue
            status = json["status"]?.integerValue.map { Int($0) }
            code = json["code"]?.stringValue
            event = json["event"]?.stringValue
            detail = json["detail"]?.stringValue
            self.json = json
        }

        /// All that it says, in one line; text from outside is escaped.
        public var description: String {
            let words = [apnsID, step, status.map(String.init), event, code, detail]
            return Printable.escaped(words.compactMap { $0 }.joined(separator: " "))
        }
    }

    func demand(_ request: ControlRequest, orElse why: String) async throws(BellError) {
        guard try await ask(request) == .done else {
            throw BellError(.notRecorded, "the endpoint does not take that: \(why)")
        }
    }

    private func ask(_ request: ControlRequest) async throws(BellError) -> ControlAnswer {
        guard let path = bell.environment["BELFRY_APNS_SOCKET"] else {
            throw BellError(.notServed, "this bell has no endpoint: give it BellSettings(hasEndpoint: true)")
        }
        guard let answer = await bell.ask(request, at: path, within: Self.patience) else {
            throw BellError(.notServed, "the endpoint does not answer")
        }
        return answer
    }
}

extension Bell {
    /// Its APNs endpoint, if ``BellSettings/hasEndpoint``.
    public nonisolated var endpoint: BellEndpoint { BellEndpoint(bell: self) }

    /// Sends `request` to the control socket at `path`; its answer, or nil if there is none within `patience`.
    fileprivate func ask(
        _ request: ControlRequest, at path: String, within patience: TimeSpan
    ) async -> ControlAnswer? {
        await withCheckedContinuation { continuation in
            ControlExchange(request, at: path, within: patience, on: executor.loop) {
                continuation.resume(returning: $0)
            }
        }
    }
}

/// One request over the control socket, on a loop. Keeps itself until it is answered.
private final class ControlExchange {
    private var connection: LineConnection?
    private var timer: (any ScheduledTimer)?
    private var answered: ((ControlAnswer?) -> Void)?

    @discardableResult
    init(
        _ request: ControlRequest, at path: String, within patience: TimeSpan, on loop: Loop,
        _ answered: @escaping (ControlAnswer?) -> Void
    ) {
        self.answered = answered
        do throws(SystemError) {
            let limits = LineConnection.Limits(
                lineBytesMax: ControlAnswer.bytesMax, unsentBytesMax: ControlRequest.bytesMax)
            let connection = LineConnection(
                try connectStream(to: path, waits: false), limits, on: loop, description: "control")
            self.connection = connection
            try connection.listen { [self] news in
                switch news {
                case .line(let line): finish(ControlAnswer(line: line + [UInt8(ascii: "\n")]))
                case .ended, .lost: finish(nil)
                case .taken: break
                }
            }
            timer = loop.schedule(at: loop.now + patience, description: "control") { [self] in finish(nil) }
            connection.send(request.line)
        } catch {
            finish(nil)
        }
    }

    private func finish(_ answer: ControlAnswer?) {
        guard let answered = answered.take() else { return }
        timer?.cancel()
        connection?.close()
        connection = nil
        answered(answer)
    }
}
