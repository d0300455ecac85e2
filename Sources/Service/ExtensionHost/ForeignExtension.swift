public import BelfryEventLoop
public import BelfryProtocol
import BelfrySyscalls
public import BelfryTerms
import ExtensionLife
import Glibc
import HostChannel
public import Interception
public import ServiceHost
public import SystemSound

/// An extension that is not ours, in a process of its own, for one notification: whatever it does, blocks on or dies
/// of, its notification is delivered once and in time (R3).
///
/// How long its process runs is decided by ExtensionLife, what is delivered by the host, and what may come over the
/// channel by HostChannel; here they meet.
public final class ForeignExtension: ServiceExtension {
    /// The only notification of the process.
    private static let number: Int64 = 1
    /// How much memory iOS gives an extension. Source: reports of its kill, `EXC_RESOURCE … ActiveHard 24 MB`.
    private static let memoryBytesMax: Int64 = 24 << 20
    /// How often the process's memory is looked at: nothing tells of it.
    private static let memoryInterval = TimeSpan.milliseconds(500)
    /// How many files may wait for the message that they belong to.
    private static let filesMax = 16

    /// The host, which takes what the process replies.
    public weak var host: (any ServiceExtensionHost)?

    /// Whether its process runs, or its notification waits.
    public var isBusy: Bool { !hasEnded }

    private let bundle: ExtensionBundle
    private let statePath: String
    private let environment: [String: String]
    private let enforcesMemory: Bool
    private let player: SoundPlayer?
    private let loop: Loop
    private let report: (Event.Body) -> Void
    private let log: ([UInt8]) -> Void

    private var life: ExtensionLifeStateMachine
    private var queue = EffectQueue<Input>()
    private var process: ExtensionProcess?
    private var channel: HostEnd?
    private var folders: ExtensionFolders?
    private var request: NotificationRequest?
    private var budget: Budget?
    private var reply: NotificationContent?
    private var startedAt = Instant(microseconds: 0)
    private var timer: (any ScheduledTimer)?
    private var memoryTimer: (any ScheduledTimer)?
    private var memoryPeak: Int64 = 0
    private var hasWarnedOfMemory = false
    private var asks: [String: Int64] = [:]
    private lazy var sounds = ExtensionSounds(player: player, timers: loop, report: report) { [weak self] token in
        self?.say(HostMessage.finished(token).line)
    }
    private var isSilent = false
    /// What was passed over the channel and belongs to messages that have not come yet.
    private var files: [PassedFile] = []
    private var account: Event.ExtensionProcess?
    private var hasEnded = false

    private enum Input {
        case received
        case said(ExtensionMessage)
        case broke
        case ended(cleanly: Bool)
        case timerFired
        case stop
    }

    /// An extension that runs `bundle`.
    ///
    /// - Parameters:
    ///   - statePath: the state directory, where it has its folders.
    ///   - environment: the worker's environment, of which the process gets what is not Belfry's.
    ///   - budgetLength: how long it has, from the start of its process (R3).
    ///   - enforcesMemory: whether it is killed where iOS would kill it, for its memory.
    ///   - player: plays what its code asks for; nil if the operator wants no sound.
    ///   - report: takes its events.
    ///   - log: takes what its code writes to standard output and standard error.
    public init(
        _ bundle: ExtensionBundle, statePath: String, environment: [String: String], budgetLength: TimeSpan,
        enforcesMemory: Bool, player: SoundPlayer?, on loop: Loop, report: @escaping (Event.Body) -> Void,
        log: @escaping ([UInt8]) -> Void
    ) {
        self.bundle = bundle
        self.statePath = statePath
        self.environment = environment
        self.enforcesMemory = enforcesMemory
        self.player = player
        self.loop = loop
        self.report = report
        self.log = log
        life = ExtensionLifeStateMachine(budget: budgetLength, isReused: false)
    }

    /// Takes every notification.
    public func admit(within budget: Budget, _ decided: (ExtensionVerdict) -> Void) { decided(.admitted) }

    /// Starts the process.
    public func didReceive(_ request: NotificationRequest, within budget: Budget) {
        self.request = request
        self.budget = budget
        feed(.received)
    }

    /// Nothing: ExtensionLife tells the process itself.
    public func serviceExtensionTimeWillExpire() {}

    /// Silences it, tells the process that its time is nearly over, and ends it soon after (R17).
    public func stop() {
        sounds.end {}
        feed(.stop)
    }

    /// Nothing: the process may run on after its reply.
    public func end() {}

    private func feed(_ input: Input) {
        guard queue.enter(input) else { return }
        while let input = queue.next() {
            for effect in step(input) { perform(effect) }
        }
        leaveIfOver()
    }

    private func leaveIfOver() {
        guard life.isOver, !hasEnded, process == nil else { return }
        // What was delivered is delivered, but its process is not over as long as it is heard.
        guard isSilent else {
            return sounds.end { [self] in
                isSilent = true
                leaveIfOver()
            }
        }
        hasEnded = true
        timer?.cancel()
        folders?.removeTemporary()
        if let account { report(.extensionProcess(account)) }
        host?.extensionIsIdle()
    }

    private func step(_ input: Input) -> [ExtensionLifeStateMachine.Effect] {
        switch input {
        case .received: return life.received(Self.number, at: loop.now)
        case .said(let message): return step(message)
        case .broke: return life.channelBroke(at: loop.now)
        case .ended(let cleanly): return life.ended(cleanly: cleanly, at: loop.now)
        case .timerFired: return life.timerFired(at: loop.now)
        case .stop: return life.stop(at: loop.now)
        }
    }

    private func step(_ message: ExtensionMessage) -> [ExtensionLifeStateMachine.Effect] {
        switch message {
        case .hello: return life.greeted(at: loop.now)
        case .reply(let number, let content):
            if reply == nil { reply = content }
            return life.replied(number, at: loop.now)
        case .returned(let number):
            measureMemory()
            report(.extensionProcess(account(.returned)))
            return life.returned(number, at: loop.now)
        case .asked(_, let asked):
            let n = asks[asked.what.rawValue, default: 0] + 1
            asks[asked.what.rawValue] = n
            report(.asked(.init(what: asked.what, n: n, detail: asked.detail)))
            sounds.asked(asked)
            return []
        case .sound(let found):
            sounds.found(found, found.problem == nil && !files.isEmpty ? files.removeFirst() : nil)
            return []
        case .disposed(let sound):
            sounds.disposed(sound)
            return []
        case .output(_, let output):
            log(Array(output.text.utf8))
            return []
        case .warning(_, let code, let detail):
            report(.warning(code: code, detail: detail))
            return []
        }
    }

    private func perform(_ effect: ExtensionLifeStateMachine.Effect) {
        switch effect {
        case .spawn: spawn()
        case .handOver(let number): handOver(number)
        case .tellTimeWillExpire(let number): say(HostMessage.expire(number).line)
        case .deliverReply: if let reply { host?.extensionHandedOver(withKeptAttachments(reply)) }
        // The host's own timer delivers at the end of the budget.
        case .deliverOriginal(_, by: .expiry): break
        case .deliverOriginal: host?.extensionDied()
        case .warn(_, let code): report(.warning(code: code, detail: Self.detail(of: code)))
        case .wake(let instant):
            timer?.cancel()
            timer = loop.schedule(at: instant, description: "extension") { [weak self] in self?.feed(.timerFired) }
        case .kill:
            process?.kill()
            sounds.end {}
        }
    }

    private func spawn() {
        startedAt = loop.now
        do throws(SystemError) {
            let folders = try ExtensionFolders(of: bundle, state: statePath)
            self.folders = folders
            channel = HostEnd(folders: folders.channel)
            process = try ExtensionProcess(
                bundle.program, environment: folders.environment(from: environment), in: folders.home, on: loop
            ) { [unowned self] in happened($0) }
        } catch {
            report(.warning(code: .configuration, detail: "the extension cannot be started: \(error)"))
            return feed(.ended(cleanly: false))
        }
        report(.extensionProcess(account(.started)))
        let greeting = HostGreeting(stateDirectory: statePath, memoryBytesMax: Self.memoryBytesMax)
        say(HostMessage.hello(greeting).line)
        watchMemory()
    }

    /// `content` with its attachments in the store; the host looks at what is wrong with the others.
    private func withKeptAttachments(_ content: NotificationContent) -> NotificationContent {
        var content = content
        content.attachments = content.attachments.compactMap { attachment in
            do throws(SystemError) {
                guard let path = try folders?.keep(attachment.path) else { return attachment }
                return NotificationAttachment(
                    id: attachment.id, path: path, type: attachment.type, thumbnail: attachment.thumbnail)
            } catch  where error.errno == ENOENT {
                return attachment
            } catch {
                let code = AttachmentError.moveIntoDataStoreFailed
                let detail = "\(code.rawValue) \(code.localizedDescription): \(attachment.id): \(error)"
                report(.warning(code: .attachmentDropped, detail: detail))
                return nil
            }
        }
        return content
    }

    private func handOver(_ number: Int64) {
        guard let request, let budget,
            let line = channel?.handOver(
                ExtensionRequest(
                    number: number, identifier: request.identifier, content: request.content, deadline: budget.end))
        else { return }
        say(line)
    }

    /// A process that takes nothing any more cannot reply either.
    private func say(_ line: [UInt8]) {
        if process?.say(line) == false { feed(.broke) }
    }

    private func happened(_ event: ExtensionProcess.Event) {
        switch event {
        case .said(let bytes, let passed):
            // A process that passes files without a word about them has lost its way.
            files = (files + passed).suffix(Self.filesMax)
            do throws(ChannelError) {
                for message in try channel?.take(bytes, at: loop.now) ?? [] { feed(.said(message)) }
            } catch {
                report(.warning(code: .unsupported, detail: "the extension's channel: \(error.detail)"))
                channel = nil
                feed(.broke)
            }
        case .hungUp: feed(.broke)
        case .wrote(let bytes):
            let text = String(decoding: bytes, as: UTF8.self)
            for message in channel?.take(output: text, at: loop.now) ?? [] { feed(.said(message)) }
        case .ended(let exit):
            memoryTimer?.cancel()
            process = nil
            account = account(.ended, exit: exit)
            feed(.ended(cleanly: exit.isSuccess))
        }
    }

    private func account(_ state: ExtensionState, exit: ChildExit? = nil) -> Event.ExtensionProcess {
        let status: Int64? =
            switch exit {
            case .exited(let code)?: Int64(code)
            case .killed(let signal)?: 128 + Int64(signal)
            case nil: nil
            }
        return Event.ExtensionProcess(
            state: state, exit: status, seconds: (loop.now - startedAt).seconds,
            memory: memoryPeak == 0 ? nil : memoryPeak)
    }

    private func watchMemory() {
        measureMemory()
        memoryTimer = loop.schedule(at: loop.now + Self.memoryInterval, description: "memory") { [weak self] in
            self?.watchMemory()
        }
    }

    private func measureMemory() {
        guard let process, let memory = anonymousMemory(ofPID: process.pid) else { return }
        memoryPeak = max(memoryPeak, memory.peak)
        if memory.now > Self.memoryBytesMax, !hasWarnedOfMemory {
            hasWarnedOfMemory = true
            let detail = "the extension has \(memory.now) bytes of its own: iOS kills it at \(Self.memoryBytesMax)"
            report(.warning(code: .memory, detail: detail))
            if enforcesMemory { process.kill() }
        }
    }

    private static func detail(of code: WarningCode) -> String {
        switch code {
        case .neverReplied: "the extension never called its content handler: the original is delivered"
        case .blocked: "didReceive runs on past serviceExtensionTimeWillExpire, which iOS does not wait for"
        case .killedAtBudget: "the extension's process ran at the end of its budget: iOS kills it there"
        case .handlerCalledAgain: "the content handler counts once, and in time"
        default: ""
        }
    }
}
