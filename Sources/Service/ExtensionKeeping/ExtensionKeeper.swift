import BelfryEventLoop
import BelfryProtocol
import BelfrySyscalls
public import BelfryTerms
import Glibc
import Interception
import KeeperChannel
import NotificationDelivery

/// What is known of a foreign extension before it runs.
public struct ExtensionSetting {
    /// Where it is.
    public let bundle: ExtensionBundle
    /// The state directory, where it has its folders.
    public let statePath: String
    /// The environment of the program that starts it.
    public let environment: [String: String]
    /// Which variables of it its process gets: names, or their beginnings before a `*`. Belfry's own it never gets.
    public let passedVariables: [String]
    /// How long it has for each notification.
    public let budget: TimeSpan
    /// Whether it is killed where iOS would kill it, for its memory.
    public let enforcesMemory: Bool
    /// The person's address book, a file of vCards; nil if it may read none.
    public let contactsFile: String?

    /// A setting.
    public init(
        bundle: ExtensionBundle, statePath: String, environment: [String: String], passedVariables: [String],
        budget: TimeSpan, enforcesMemory: Bool, contactsFile: String? = nil
    ) {
        self.passedVariables = passedVariables
        self.bundle = bundle
        self.statePath = statePath
        self.environment = environment
        self.budget = budget
        self.enforcesMemory = enforcesMemory
        self.contactsFile = contactsFile
    }
}

/// Keeps the process of a foreign extension: starts it, hands notifications over, reports what the code does to the
/// notification concerned, and ends it.
///
/// How long its code runs is decided by Interception, and what may come over the channel by KeeperChannel.
final class ExtensionKeeper {
    /// How much memory iOS gives an extension. Source: reports of its kill, `EXC_RESOURCE … ActiveHard 24 MB`.
    private static let memoryBytesMax: Int64 = 24 << 20
    /// How often the process's memory is measured: no event reports it.
    private static let memoryInterval = TimeSpan.milliseconds(500)
    /// How many files may wait for the message that they belong to.
    private static let filesMax = 16

    /// Whether no process is left, and no notification waits for one.
    var isOver: Bool { life.isOver && process == nil }
    /// The number that the next notification has.
    var nextNumber: Int64 { lastNumber + 1 }
    /// The number of the last notification that was handed over, or for which the process was started.
    var lastBegun: Int64 { max(lastHandedOver, startedFor) }
    /// Called each time ``isOver`` has become true.
    var onOver: () -> Void = {}

    private let setting: ExtensionSetting
    private let isReused: Bool
    private let loop: Loop
    /// Takes the news of a notification, by its number.
    private let tell: (Int64, KeeperNews, PassedFile?) -> Void

    private var life: ExtensionLifeStateMachine
    private var queue = EffectQueue<Input>()
    private var process: KeptProcess?
    private var channel: KeeperEnd?
    private var folders: ExtensionFolders?
    private var ringing = RingBeforeReply()
    /// What waits or runs, by number.
    private var requests: [Int64: (identifier: String, content: NotificationContent)] = [:]
    private var lastNumber: Int64 = 0
    private var lastHandedOver: Int64 = 0
    /// The notification that the process was started for.
    private var startedFor: Int64 = 0
    private var reply = NotificationContent()
    private var startedAt = Instant(microseconds: 0)
    private var timer: (any ScheduledTimer)?
    private var memoryTimer: (any ScheduledTimer)?
    private var memoryPeak: Int64 = 0
    private var hasWarnedOfMemory = false
    /// Files that were passed over the channel for messages that have not come yet.
    private var files: [PassedFile] = []

    private enum Input {
        case received(Int64)
        case withdrew(Int64)
        case said(ExtensionMessage)
        case broke
        case ended(cleanly: Bool)
        case timerFired
        case stop
    }

    /// A keeper of an extension that does not run yet.
    init(
        _ setting: ExtensionSetting, isReused: Bool, on loop: Loop,
        tell: @escaping (Int64, KeeperNews, PassedFile?) -> Void
    ) {
        self.setting = setting
        self.isReused = isReused
        self.loop = loop
        self.tell = tell
        life = ExtensionLifeStateMachine(budget: setting.budget, isReused: isReused)
    }

    /// Has the extension receive a notification, when it is its turn.
    func receive(_ identifier: String, _ content: NotificationContent) {
        lastNumber += 1
        requests[lastNumber] = (identifier, content)
        feed(.received(lastNumber))
    }

    /// Withdraws notification `number`: its news is no longer wanted.
    func withdraw(_ number: Int64) {
        feed(.withdrew(number))
        // Still waiting: the machine only forgets it, and reports no end.
        if isReused, number > lastHandedOver { end(number) }
    }

    /// Warns the process that its time is nearly over, and ends it soon after (R17).
    func stop() { feed(.stop) }

    /// Informs the process that what it asked for with `token` is over.
    func finished(_ token: Int64) { say(KeeperMessage.finished(token).line) }

    private func feed(_ input: Input) {
        guard queue.enter(input) else { return }
        while let input = queue.next() {
            for effect in step(input) { perform(effect) }
        }
        guard isOver else { return }
        timer?.cancel()
        folders?.removeTemporary()
        folders = nil
        onOver()
    }

    private func step(_ input: Input) -> [ExtensionLifeStateMachine.Effect] {
        switch input {
        case .received(let number): return life.received(number, at: loop.now)
        case .withdrew(let number): return life.withdrew(number, at: loop.now)
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
            // Before the reply counts: what it took to make it is told with it.
            measureMemory()
            // Killed before it could reply, as iOS would have done at the peak.
            if hasWarnedOfMemory, setting.enforcesMemory { return [] }
            reply = content
            ringing.replied(number)
            return life.replied(number, at: loop.now)
        case .returned(let number):
            measureMemory()
            if requests[number] != nil { tell(number, account(.returned), nil) }
            return life.returned(number, at: loop.now)
        case .asked(let number, let asked):
            tell(number, .said(message), nil)
            if ringing.asked(asked.what, by: number, at: loop.now) {
                warn(number, .hangupCouldNotStop, ExtensionWarning.detail(of: .hangupCouldNotStop))
            }
        case .sound(let found):
            let file = found.problem == nil && !files.isEmpty ? files.removeFirst() : nil
            tell(lastHandedOver, .said(message), file)
        case .disposed: tell(lastHandedOver, .said(message), nil)
        case .output(let number, _), .warning(let number, _, _): tell(number, .said(message), nil)
        // Of an extension of another kind, which is loaded and handed no notification.
        case .directory: break
        }
        return []
    }

    private func perform(_ effect: ExtensionLifeStateMachine.Effect) {
        switch effect {
        case .spawn: spawn()
        case .handOver(let number): handOver(number)
        case .tellTimeWillExpire(let number): say(KeeperMessage.expire(number).line)
        case .deliverReply(let number, _): tell(number, .said(.reply(number, withKeptAttachments(reply, number))), nil)
        case .deliverOriginal(let number, let by): tell(number, .original(by: by), nil)
        case .over(let number):
            warnOfLocks()
            end(number)
        case .warn(let number, let code): warn(number, code, ExtensionWarning.detail(of: code))
        case .wake(let instant):
            timer?.cancel()
            timer = loop.schedule(at: instant, description: "extension") { [weak self] in self?.feed(.timerFired) }
        case .kill:
            // Before the kill, which releases its locks.
            warnOfLocks()
            process?.kill()
            for number in open { tell(number, .killed, nil) }
        }
    }

    /// Those that were handed over and are not over, the oldest first.
    private var open: [Int64] { requests.keys.filter { $0 <= lastHandedOver }.sorted() }

    private func end(_ number: Int64) {
        guard requests.removeValue(forKey: number) != nil else { return }
        tell(number, .over, nil)
    }

    private func warn(_ number: Int64, _ code: WarningCode, _ detail: String) {
        tell(number, .said(.warning(number, CodeWord(code), detail: detail)), nil)
    }

    private func warnOfLocks() {
        guard let process, let folders,
            let path = HeldLocks.first(of: process.pid, below: "\(folders.state)/groups")
        else { return }
        let detail = "the extension holds a lock on \(path) as its time is over: iOS kills it for that (0xdead10cc)"
        warn(lastHandedOver, .lockHeld, detail)
    }

    /// The first message to a process.
    static func greeting(_ setting: ExtensionSetting) -> KeeperGreeting {
        KeeperGreeting(
            stateDirectory: setting.statePath, memoryBytesMax: memoryBytesMax, contactsFile: setting.contactsFile)
    }

    private func spawn() {
        startedAt = loop.now
        // Report the start to the notification the process was started for.
        let number = requests.keys.filter { $0 > lastHandedOver }.min() ?? lastHandedOver
        startedFor = number
        (memoryPeak, hasWarnedOfMemory, files) = (0, false, [])
        do throws(SystemError) {
            folders?.removeTemporary()
            let folders = try ExtensionFolders(of: setting.bundle, state: setting.statePath)
            self.folders = folders
            channel = KeeperEnd(folders: folders.channel)
            process = try KeptProcess(setting, in: folders, on: loop) { [unowned self] in happened($0) }
        } catch {
            warn(number, .configuration, "the extension cannot be started: \(error)")
            lastHandedOver = max(lastHandedOver, number)
            feed(.ended(cleanly: false))
            return end(number)
        }
        tell(number, account(.started), nil)
        say(KeeperMessage.hello(Self.greeting(setting)).line)
        watchMemory()
    }

    /// `content` with its attachments in the store; the delivery reports what is wrong with the others.
    private func withKeptAttachments(_ content: NotificationContent, _ number: Int64) -> NotificationContent {
        var content = content
        var details: [String] = []
        let kept = { (attachment: NotificationAttachment) -> NotificationAttachment? in
            do throws(SystemError) {
                guard let path = try self.folders?.keep(attachment.path) else { return attachment }
                return NotificationAttachment(
                    id: attachment.id, path: path, type: attachment.type, thumbnail: attachment.thumbnail)
            } catch  where error.errno == ENOENT {
                return attachment
            } catch {
                let code = AttachmentError.moveIntoDataStoreFailed
                details.append("\(code.rawValue) \(code.localizedDescription): \(attachment.id): \(error)")
                return nil
            }
        }
        content.attachments = content.attachments.compactMap(kept)
        content.picture = content.picture.flatMap(kept)
        for detail in DroppedAttachments.told(details) { warn(number, .attachmentDropped, detail) }
        return content
    }

    private func handOver(_ number: Int64) {
        lastHandedOver = number
        guard let request = requests[number], let deadline = life.deadline(of: number),
            let line = channel?.handOver(
                ExtensionRequest(
                    number: number, identifier: request.identifier, content: request.content, deadline: deadline))
        else { return }
        ringing.handedOver(number)
        tell(number, .began(deadline: deadline), nil)
        say(line)
    }

    /// Writes a line to the process. One that no longer reads cannot reply either, and counts as broken.
    private func say(_ line: [UInt8]) {
        if process?.say(line) == false { feed(.broke) }
    }

    private func happened(_ event: KeptProcess.Event) {
        switch event {
        case .said(let bytes, let passed):
            // Only the newest: a process that passes files without messages for them is faulty.
            files = (files + passed).suffix(Self.filesMax)
            do throws(ChannelError) {
                for message in try channel?.take(bytes, at: loop.now) ?? [] { feed(.said(message)) }
            } catch {
                warn(lastHandedOver, .unsupported, "the extension's channel: \(error.detail)")
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
            // How Belfry ended it is no news of a process whose work was done, nor of one that stands in for tests.
            let account = account(.ended, exit: life.isKilledAsDone || setting.bundle.isLent ? nil : exit)
            // If nothing was handed over, it ended for the notification that it was started for.
            lastHandedOver = lastBegun
            // Listed before the machine hears of it, which may start the next process at once.
            let ended = open
            feed(.ended(cleanly: exit.isSuccess))
            for number in ended {
                tell(number, account, nil)
                end(number)
            }
        }
    }

    private func account(_ state: ExtensionState, exit: ChildExit? = nil) -> KeeperNews {
        let status: Int64? =
            switch exit {
            case .exited(let code)?: Int64(code)
            case .killed(let signal)?: 128 + Int64(signal)
            case nil: nil
            }
        return .process(
            state, exit: status, lived: loop.now - startedAt, memory: memoryPeak == 0 ? nil : memoryPeak)
    }

    private func watchMemory() {
        measureMemory()
        memoryTimer = loop.schedule(at: loop.now + Self.memoryInterval, description: "memory") { [weak self] in
            self?.watchMemory()
        }
    }

    private func measureMemory() {
        // The code of a lent one has the memory of its tests.
        guard !setting.bundle.isLent, let process, let memory = anonymousMemory(ofPID: process.pid) else { return }
        memoryPeak = max(memoryPeak, memory.peak)
        // The peak, since iOS kills at once: what is decoded and let go of between two looks counts.
        if memory.peak > Self.memoryBytesMax, !hasWarnedOfMemory {
            hasWarnedOfMemory = true
            let detail = "the extension had \(memory.peak) bytes of its own: iOS kills it at \(Self.memoryBytesMax)"
            warn(max(lastHandedOver, 1), .memory, detail)
            if setting.enforcesMemory { process.kill() }
        }
    }
}
