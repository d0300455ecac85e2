public import BelfryDevices
public import BelfryEventLoop
import BelfryProtocol
import BelfrySyscalls
import BelfryTLS
import BelfryTerms
import Glibc
public import HTTP2Server
public import PushAPI
public import PushFollowing

/// The APNs endpoint: who may connect, what each request is answered, and what is handed on.
///
/// It belongs to its loop's thread.
public final class APNsEndpoint: HTTP2Service {
    /// Called with what an operator should know.
    public var onWarning: (String) -> Void = { _ in }
    /// Those who follow pushes, and get each request with its answer.
    public var followers: FollowersFolder?

    fileprivate let taker: any PushTaker
    fileprivate let loop: Loop
    fileprivate let environment: APNsEnvironment
    fileprivate let signatures = ES256()
    fileprivate var credentials: EndpointCredentials
    fileprivate var faults = AnswerFaults()
    private var randomness = BufferedRandomness()
    private let store: CredentialStore
    private var listener: HTTP2Listener?
    private var watch: DirectorySource?
    private var tally = RefusalTally()
    private var tallyEnd: (any ScheduledTimer)?

    /// An endpoint that hands its pushes to `taker`. `environment` is the one for clients that ask for another name
    /// than Apple's.
    public init(
        store: CredentialStore, environment: APNsEnvironment, taker: any PushTaker, on loop: Loop
    ) throws(CredentialError) {
        self.store = store
        self.environment = environment
        self.taker = taker
        self.loop = loop
        credentials = try store.credentials()
    }

    /// Serves the clients that connect to `listeners`, which stay their owner's.
    public func serve(
        _ listeners: [Int32], limits: HTTP2Limits = HTTP2Limits()
    ) throws(CredentialError) {
        let tls = try store.tlsServer()
        do throws(SystemError) {
            listener = try HTTP2Listener(listeners, tls: tls, limits: limits, service: self, on: loop)
            watch = try store.watch(on: loop) { [weak self] in self?.reload() }
        } catch {
            throw CredentialError("nobody can be served: \(error)")
        }
        // The store may have changed before it was watched; and this sets which certificates are revoked.
        reload()
    }

    /// An `apns-id` or `apns-unique-id`, in upper case as Apple's are.
    fileprivate func newID() -> String { randomUUID(using: &randomness, isUpperCase: true) }

    /// How many connections there are.
    public var connectionCount: Int { listener?.count ?? 0 }

    /// Has the next answers be as `fault` says; false if there are too many to come.
    public func add(_ fault: AnswerFault) -> Bool { faults.add(fault) }

    /// What the next answers are to be, the next one first.
    public var failures: [AnswerFault] { faults.faults }

    /// Has all answers be what they are by themselves.
    public func clearFailures() { faults = AnswerFaults() }

    /// Asks all clients to go elsewhere, for `reason`. If `isHard`, what is on its way meanwhile is lost.
    public func sendAway(_ reason: EndpointReason, isHard: Bool = false) {
        listener?.sendAway(EndpointAnswer.body(reason: reason.rawValue), isHard: isHard)
    }

    /// Answers what has come, sends all clients away, and calls `done`.
    public func stop(_ done: @escaping () -> Void) {
        watch?.cancel()
        guard let listener else { return done() }
        listener.stop(EndpointAnswer.body(reason: EndpointReason.shutdown.rawValue)) { [self] in
            tallyEnd?.cancel()
            endTally()
            done()
        }
    }

    /// Takes note of a connection that has ended before its first request.
    public func ended(_ end: EarlyEnd) {
        tell(.end(end.why)) { taker.note(end: end) }
    }

    /// Calls `note` for the first stranger of `kind` in a second; how many more there were is noted at its end.
    fileprivate func tell(_ kind: RefusalTally.Kind, _ note: () -> Void) {
        if tallyEnd == nil {
            tallyEnd = loop.schedule(at: loop.now + RefusalTally.span, description: "and more") { [weak self] in
                self?.endTally()
            }
        }
        if tally.isTold(kind) { note() }
    }

    private func endTally() {
        tallyEnd = nil
        for (kind, count) in tally.rest() { taker.note(more: count, of: kind) }
    }

    /// Reads what commands may have changed. What cannot be read stays as it was.
    private func reload() {
        do throws(CredentialError) {
            credentials = try store.credentials()
            listener?.tls = try store.tlsServer()
        } catch {
            onWarning("\(error)")
        }
        let revoked = credentials.certificates.values.filter { $0.revokedAt != nil }
        listener?.tls.revoked = Set(revoked.compactMap { Hexadecimal.bytes($0.fingerprint) })
    }

    /// Sends a client away whose certificate is of the other environment; all others are served.
    public func admit(_ client: HTTP2Client) -> HTTP2Admission {
        let environment = APNsHostNames.environment(of: client.serverName, otherwise: environment)
        var certificate = ClientCertificate.none
        if let shown = client.certificate {
            let fingerprint = Hexadecimal.text(of: shown.fingerprint)
            certificate =
                credentials.certificates[fingerprint] == nil
                ? .unknown(fingerprint: fingerprint) : .added(fingerprint: fingerprint)
            if let refusal = EndpointConnection.refusal(of: certificate, in: environment, credentials: credentials) {
                ended(EarlyEnd(refusal, fingerprint: fingerprint))
                return .sentAway(EndpointAnswer.body(reason: refusal.reason.rawValue))
            }
        }
        return .served(by: Client(EndpointConnection(environment: environment, certificate: certificate), of: self))
    }
}

/// The kernel's random numbers, many asked for at once: each push needs some.
private struct BufferedRandomness: RandomNumberGenerator {
    // As many bytes as can be asked for at once (getentropy(3)).
    private static let wordsMax = 32
    private var words: [UInt64] = []

    mutating func next() -> UInt64 {
        if words.isEmpty {
            words = [UInt64](repeating: 0, count: Self.wordsMax)
            let result = unsafe words.withUnsafeMutableBytes { unsafe getentropy($0.baseAddress!, $0.count) }
            precondition(result == 0, "the kernel has no random numbers")
        }
        return words.removeLast()
    }
}

/// One client of an endpoint.
private final class Client: HTTP2Handler {
    private var connection: EndpointConnection
    // The endpoint outlives its clients: it holds the listener that holds them.
    private unowned let endpoint: APNsEndpoint

    init(_ connection: EndpointConnection, of endpoint: APNsEndpoint) {
        self.connection = connection
        self.endpoint = endpoint
    }

    var goodCredential: String? { connection.goodCredential }

    func handle(_ request: EndpointRequest, _ body: EndpointBody, _ exchange: HTTP2Exchange) {
        let endpoint = endpoint
        let apnsID = EndpointConnection.identifier(of: request) { endpoint.newID() }
        let answered = Answered(request: request, body: body, exchange: exchange, endpoint: endpoint)
        if let fault = endpoint.faults.take(for: request) { return answer(fault, apnsID, answered) }
        accept(answered, apnsID, isCertain: false)
    }

    /// Takes the request, or refuses it. A token that is not known is not refused before it is certain that nobody has
    /// it.
    private func accept(_ answered: Answered, _ apnsID: String, isCertain: Bool) {
        let endpoint = endpoint
        var isUnknown = false
        let moment = EndpointMoment(wall: WallTime(microseconds: wallTimeMicroseconds()), instant: endpoint.loop.now)
        do throws(Refusal) {
            let accepted = try connection.accept(
                answered.request, body: answered.body, identifier: apnsID, at: moment, credentials: endpoint.credentials,
                isSigned: { endpoint.signatures.isSigned($0, $1, by: $2) },
                standing: {
                    let standing = endpoint.taker.standing(of: $0)
                    isUnknown = standing == .unknown
                    return standing
                })
            take(accepted, answered)
        } catch {
            let isAsked = isUnknown && !isCertain && endpoint.taker.makeCertain { [self] isCertain in
                guard !isCertain else { return accept(answered, apnsID, isCertain: true) }
                refuse(Refusal(.serviceUnavailable, Self.uncertain), apnsID, answered)
            }
            if !isAsked { refuse(error, apnsID, answered) }
        }
    }

    private static let uncertain = "no device is known by this token, and the fleet cannot be asked now"

    private func take(_ accepted: AcceptedPush, _ answered: Answered) {
        let (endpoint, apnsID) = (endpoint, accepted.push.apnsID)
        let environment = connection.environment
        endpoint.taker.take(accepted.push, for: accepted.registration) { reason in
            if let reason {
                answered.answer(EndpointAnswer(status: reason.status, reason: reason.rawValue, apnsID: apnsID))
            } else {
                answered.answer(EndpointAnswer(acceptedAs: apnsID, in: environment) { endpoint.newID() })
            }
        }
    }

    private func refuse(_ refusal: Refusal, _ apnsID: String, _ answered: Answered) {
        func note() {
            let refused = RefusedRequest(
                answered.request, apnsID: apnsID, on: connection, credentials: endpoint.credentials)
            endpoint.taker.note(refusal: refusal, of: refused)
        }
        if connection.hasGoodCredential { note() } else { endpoint.tell(.refusal(refusal.reason), note) }
        answered.answer(EndpointAnswer(refusal, apnsID: apnsID))
    }

    private func answer(_ fault: AnswerFault, _ apnsID: String, _ answered: Answered) {
        endpoint.taker.note(fault: fault, of: apnsID)
        let answer = answer(fault, apnsID)
        guard fault.delay > .zero else { return answered.answer(answer) }
        _ = endpoint.loop.schedule(at: endpoint.loop.now + fault.delay, description: "fault") {
            answered.answer(answer)
        }
    }

    private func answer(_ fault: AnswerFault, _ apnsID: String) -> EndpointAnswer {
        guard fault.status != 200 else {
            return EndpointAnswer(acceptedAs: apnsID, in: connection.environment) { endpoint.newID() }
        }
        let isGone = fault.status == EndpointReason.unregistered.status
        return EndpointAnswer(
            status: fault.status, reason: fault.reason,
            timestampMilliseconds: isGone ? wallTimeMicroseconds() / 1_000 : nil, apnsID: apnsID)
    }
}

/// A request that is to be answered.
private struct Answered {
    let request: EndpointRequest
    let body: EndpointBody
    let exchange: HTTP2Exchange
    // As clients have it.
    unowned let endpoint: APNsEndpoint

    /// Answers it; before that those who follow pushes get it, so that they have it before its push.
    func answer(_ answer: EndpointAnswer) {
        endpoint.followers?.send(.request(record(answer)))
        exchange.answer(answer)
    }

    private func record(_ answer: EndpointAnswer) -> PushRecord.Request {
        let device: String? =
            switch EndpointConnection.deviceToken(of: request).map({ endpoint.taker.standing(of: $0) }) {
            case .registered(let registration), .removed(let registration, _, _): registration.deviceID
            case .unknown, nil: nil
            }
        return PushRecord.Request(
            apnsID: answer.apnsID, time: WallTime(microseconds: wallTimeMicroseconds()), method: request.method,
            path: request.path, headers: request.headersWithoutSecrets,
            payload: String(decoding: body.bytes, as: UTF8.self), device: device, status: answer.status,
            reason: answer.reason, uniqueID: answer.uniqueID)
    }
}
