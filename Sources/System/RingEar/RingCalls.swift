public import BelfryEventLoop
import BelfrySyscalls
public import BelfryTerms
public import CallLedger
import Glibc

/// Asks at the ears of several rings at once, and waits at most 100 ms for their answers.
public final class RingCalls {
    /// The longest wait for an ear.
    public static let patience = TimeSpan.milliseconds(100)

    private let folder: RingFolder
    private let loop: any EventLoop
    private var calls: [RingCall] = []
    private var answers: [RingAnswer] = []
    private var done: (([RingAnswer]) -> Void)?
    private var timer: (any ScheduledTimer)?

    private init(folder: RingFolder, loop: any EventLoop) {
        self.folder = folder
        self.loop = loop
    }

    /// Sends `ask` to the owners of `rings`, all in `group`, at once. Calls `done` with their answers: in a later
    /// iteration, or now if no owner is there.
    ///
    /// A process that does not answer, since it is dead, stopped or overloaded, is missing among the answers. The ear
    /// of a dead one is removed.
    public static func ask(
        _ ask: RingAsk, of rings: [Call], in group: GroupName, folder: RingFolder, on loop: any EventLoop,
        done: @escaping ([RingAnswer]) -> Void
    ) {
        guard !rings.isEmpty, (try? folder.open(makes: false)) == true else { return done([]) }
        RingCalls(folder: folder, loop: loop).ask(
            rings.compactMap { ring in
                guard let owner = ring.owner else { return nil }
                let message = RingMessage(group: group, call: ring.key, ask: ask)
                return RingCall(ear: Ear.name(of: owner), packet: message.packet)
            }, done)
    }

    private func ask(_ calls: [RingCall], _ done: @escaping ([RingAnswer]) -> Void) {
        self.calls = calls
        let end = loop.now + Self.patience
        // Send to all of them before waiting for an answer.
        for call in calls { connect(call) }
        self.calls.removeAll { $0.isOver }
        guard !self.calls.isEmpty else { return done([]) }
        self.done = done
        for call in self.calls { listen(to: call) }
        timer = loop.schedule(at: end, description: "ears") { [self] in finish() }
    }

    /// Asks the owners of `rings` to look again, and does not wait for answers.
    public static func wake(_ rings: [Call], in group: GroupName, folder: RingFolder) {
        guard !rings.isEmpty, (try? folder.open(makes: false)) == true else { return }
        for owner in Set(rings.compactMap(\.owner)) {
            let message = RingMessage(group: group, call: CallKey(""), ask: .look)
            _ = try? RingCall(ear: Ear.name(of: owner), packet: message.packet)?.say(in: folder)
        }
    }

    private func connect(_ call: RingCall) {
        do throws(SystemError) {
            try call.say(in: folder)
        } catch {
            // ECONNREFUSED: the owner does not listen any more. Other errors, such as a full backlog: this ring stays
            // without an answer.
            if error.errno == ECONNREFUSED { try? folder.directory?.remove(call.ear) }
            call.end()
        }
    }

    private func listen(to call: RingCall) {
        call.source = try? loop.watch(descriptor: call.number, events: .readable, description: "ear") { [self] _ in
            do throws(SystemError) {
                guard let packet = try receivePacket(from: call.number, bytesMax: RingMessage.bytesMax) else { return }
                if let answer = RingAnswer(packet) { answers.append(answer) }
            } catch {
                // The ring's process died: it has not answered.
            }
            over(call)
        }
        if call.source == nil { over(call) }
    }

    private func over(_ call: RingCall) {
        call.end()
        calls.removeAll { $0 === call }
        if calls.isEmpty { finish() }
    }

    private func finish() {
        guard let done else { return }
        self.done = nil
        timer?.cancel()
        for call in calls { call.end() }
        calls = []
        done(answers)
    }
}

/// One connection to one ear.
private final class RingCall {
    let ear: String
    private let packet: [UInt8]
    private let socket: OwnedDescriptor
    private(set) var isOver = false
    var source: (any LoopWatch)?

    /// nil if no descriptor is left.
    init?(ear: String, packet: [UInt8]) {
        guard let socket = try? makePacketSocket() else { return nil }
        self.ear = ear
        self.packet = packet
        self.socket = socket
    }

    var number: Int32 { socket.number }

    func say(in folder: RingFolder) throws(SystemError) {
        try connectUnixSocket(number, to: folder.address(of: ear))
        try sendPacket(packet, to: number)
    }

    func end() {
        isOver = true
        source?.cancel()
        source = nil
    }
}
