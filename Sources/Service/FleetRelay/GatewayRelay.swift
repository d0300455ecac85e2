public import BelfryDevices
public import BelfryEventLoop
public import BelfrySyscalls
import BelfryTerms
public import DeviceRegistry
public import Fleet
public import FleetLine

/// A gateway's way to the machines of its fleet: takes pushes from the endpoint beside it and has machines take them,
/// follows the bucket of devices, and writes down there what machines ask for.
///
/// What is not settled is the endpoint's: this process may die at any time.
public final class GatewayRelay {
    /// Called with what the journal gets: neither tokens nor payloads are in it.
    public var onTold: (String) -> Void = { _ in }

    /// How many messages were dropped since they made no sense, or came from where they may not.
    private var droppedCount = 0
    private let since = WallTime(microseconds: wallTimeMicroseconds())

    private let gateway: FleetName
    private let version: String
    private let lines: FleetLines
    private let loop: Loop
    private var endpoints: EndpointConnections?
    private var asking: PushAsking?
    private var bucket: DeviceBucket?
    /// By which line the bucket is followed.
    private var bucketLine: FleetLines.Number?
    private var heard = RecentQuestions()

    /// How long it waits, and what may grow.
    public struct Limits: Hashable, Sendable {
        /// Where pushes are concerned.
        public var asking = AskingStateMachine.Limits()
        /// Where devices are.
        public var mirror = MirrorStateMachine.Limits()

        /// The limits of a gateway without configuration.
        public init() {}
    }

    /// The gateway `gateway`, of that `version` of Belfry, by `lines` that hear what
    /// ``FleetSubject/heard(byGateway:)`` says, and the registry that it shares with its endpoint.
    public init(
        gateway: FleetName, version: String, limits: Limits = Limits(), lines: FleetLines, registry: RegistryMirror,
        on loop: Loop
    ) throws(RegistryError) {
        (self.gateway, self.version) = (gateway, version)
        self.lines = lines
        self.loop = loop
        asking = PushAsking(
            gateway: gateway, limits: limits.asking, lines: lines, on: loop,
            tell: { [unowned self] in endpoints?.tell($0, $1) }, tellAll: { [unowned self] in endpoints?.tellAll($0) },
            warn: { [unowned self] in onTold($0) })
        let bucket = try DeviceBucket(
            gateway: gateway, registry: registry, limits: limits.mirror, on: loop,
            here: { [unowned self] in here(isTwice: false) }
        ) { [unowned self] subject, reply, headers, bytes in
            guard let line = bucketLine else { return false }
            return lines.publish(subject, reply: reply, headers: headers, bytes, over: line)
        }
        bucket.onWarning = { [unowned self] in onTold($0) }
        self.bucket = bucket
        lines.subjects += bucket.subjects
        lines.onUp = { [weak self] in self?.lineIsUp($0) }
        lines.onDown = { [weak self] in self?.lineIsDown($0) }
        lines.onMessage = { [weak self] in self?.hear($0, by: $1) }
        lines.onTold = { [weak self] in self?.onTold($0) }
    }

    /// Serves the endpoint at `listener`, a socket that stays its owner's.
    public func serve(_ listener: Int32) throws(SystemError) {
        endpoints = try EndpointConnections(listener, on: loop) { [unowned self] in heed($0, of: $1) }
    }

    private func heed(_ input: EndpointConnections.Input, of endpoint: PushAsking.Asker) {
        switch input {
        case .question(.push(let number, to: let machine, let message)):
            asking?.ask(machine, toTake: message, as: number, for: endpoint)
        case .question(.fence(let number)):
            bucket?.fence { [weak self] in self?.endpoints?.tell(.fenced(number, isCertain: $0), endpoint) }
        case .status: endpoints?.answer(status.line, to: endpoint)
        case .restore: bucket?.restore { [weak self] in self?.endpoints?.answer($0.line, to: endpoint) }
        case .gone: asking?.leave(endpoint)
        }
    }

    private var status: FleetStatus {
        let (now, wall) = (loop.now, WallTime(microseconds: wallTimeMicroseconds()))
        let peers = (asking?.heard ?? []).map { heard in
            FleetStatus.Peer(
                name: heard.machine, since: wall + (heard.since - now), heardAt: wall + (heard.heardAt - now),
                isAbsent: heard.isAbsent, waitingCount: heard.waitingCount,
                introduction: asking?.introduction(of: heard.machine) ?? .none,
                isTwice: asking?.isTwice(heard.machine) ?? false)
        }
        return FleetStatus(
            name: gateway, since: since, lines: lines.status, standing: bucket?.standing, bucket: bucket?.status,
            peers: peers, gateways: bucket?.peers ?? [],
            waitingCount: peers.reduce(0) { $0 + $1.waitingCount }, droppedCount: droppedCount)
    }

    private func here(isTwice: Bool) -> HereAnswer {
        HereAnswer(
            gateway: gateway, time: WallTime(microseconds: wallTimeMicroseconds()), since: since,
            introduction: lines.introduction(version: version), isTwice: isTwice)
    }

    private func lineIsUp(_ line: FleetLines.Number) {
        asking?.lineIsUp(line)
        followBucket()
    }

    private func lineIsDown(_ line: FleetLines.Number) {
        asking?.lineIsDown(line)
        guard line == bucketLine else { return }
        bucketLine = nil
        bucket?.lineIsDown()
        followBucket()
    }

    /// The bucket is followed by one line.
    private func followBucket() {
        guard bucketLine == nil, let line = lines.up.min() else { return }
        bucketLine = line
        bucket?.lineIsUp()
    }

    private func hear(_ message: LineMessage, by line: FleetLines.Number) {
        if line == bucketLine, bucket?.hear(message) == true { return }
        switch (FleetSubject(message.subject), message.kind) {
        case (.said(by: _, to: gateway, let number), .noResponders): asking?.nobodyHears(number, over: line)
        case (.said(by: let machine, to: gateway, let number), .published):
            do throws(FleetMessageError) {
                // A word that a later version has added says nothing.
                guard let saying = try FleetSaying.read(message.bytes) else { return }
                asking?.hear(saying, of: number, by: machine, over: line)
            } catch { droppedCount += 1 }
        case (.here(let machine), .published): hear(here: message, of: machine, by: line)
        case (.device(let machine), .published): hear(device: message, of: machine, by: line)
        // What came for the bucket by the other line.
        case (nil, _) where !FleetSubject.isFleets(message.subject): break
        default: droppedCount += 1
        }
    }

    private func hear(here message: LineMessage, of machine: FleetName, by line: FleetLines.Number) {
        guard let here = try? HereMessage(bytes: message.bytes), let reply = answerable(message, of: machine) else {
            droppedCount += 1
            return
        }
        if here != .question {
            // It comes by each line.
            guard heard.isFirst(reply) else { return }
            asking?.hear(here, of: machine)
            bucket?.hear(here.devices, of: machine)
        }
        _ = lines.publish(reply, self.here(isTwice: asking?.isTwice(machine) ?? false).bytes, over: line)
    }

    private func hear(device message: LineMessage, of machine: FleetName, by line: FleetLines.Number) {
        guard let reply = answerable(message, of: machine) else {
            droppedCount += 1
            return
        }
        guard heard.isFirst(reply) else { return }
        do throws(FleetMessageError) {
            guard let question = try DeviceQuestion.read(message.bytes) else {
                return answer(.refused(.malformed, detail: "\(gateway.text) does not know the question"), reply, line)
            }
            bucket?.ask(question, of: machine) { [weak self] in self?.answer($0, reply, line) }
        } catch {
            answer(.refused(.malformed, detail: error.detail), reply, line)
        }
    }

    private func answer(_ answer: DeviceAnswer, _ reply: String, _ line: FleetLines.Number) {
        for line in lines.up.contains(line) ? [line] : lines.up.sorted() {
            _ = lines.publish(reply, answer.bytes, over: line)
        }
    }

    /// Where a question of `machine` is to be answered; nil if that is not the machine's.
    private func answerable(_ message: LineMessage, of machine: FleetName) -> String? {
        guard let reply = message.reply, case .answer(to: machine, _) = FleetSubject(reply) else { return nil }
        return reply
    }
}

/// The questions that came of late, by where they are to be answered: each comes by each line.
private struct RecentQuestions {
    private static let max = 4_096
    private var replies: Set<String> = []
    private var earlier: Set<String> = []

    mutating func isFirst(_ reply: String) -> Bool {
        guard !replies.contains(reply), !earlier.contains(reply) else { return false }
        replies.insert(reply)
        if replies.count >= Self.max { (earlier, replies) = (replies, []) }
        return true
    }
}
