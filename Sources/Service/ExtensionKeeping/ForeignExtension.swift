public import BelfryEventLoop
public import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
public import Interception
import KeeperChannel
public import NotificationDelivery
public import SystemSound

/// An extension that is not ours, in a process of its own: also if it blocks, or dies, its notification is delivered
/// once and in time (R3), as long as its worker lives.
///
/// The process is kept for this notification alone, or by a keeper that stays and gives each its turn. Delivery, events
/// and sounds are this worker's in both cases.
public final class ForeignExtension: ServiceExtension {
    /// Takes what the process replies.
    public weak var delegate: (any ServiceExtensionDelegate)?

    /// Called with the notification as it came, before anything foreign has it.
    public var willReceive: (NotificationContent) -> Void = { _ in }

    /// Whether its process runs, or its notification waits.
    public var isBusy: Bool { !hasEnded }
    /// From the start of its process, or from its turn if a keeper keeps that for others too (R3).
    public var budgetStart: BudgetStart { link == nil ? .spawn : .turn }

    /// Whether its Info.plist has the filtering entitlement.
    public var mayFilter: Bool { setting.bundle.mayFilter }

    private let setting: ExtensionSetting
    private let player: SoundPlayer?
    private let loop: Loop
    private let report: (Event.Body) -> Void
    private let log: ([UInt8]) -> Void
    private let activeCalls: () -> Set<String>
    /// A keeper that stays; nil if the process is this worker's own.
    private let link: KeeperLink?
    private var keeper: ExtensionKeeper?

    private lazy var sounds = ExtensionSounds(
        player: player, timers: loop, report: report, activeCalls: activeCalls
    ) { [weak self] token in
        self?.link?.finished(token)
        self?.keeper?.finished(token)
    }
    private var asks: [String: Int64] = [:]
    private var account: Event.ExtensionProcess?
    /// Whether the worker is to stop: it leaves once the notification is delivered.
    private var isLeaving = false
    private var isDelivered = false
    private var isExpired = false
    private var hasEnded = false

    /// An extension that runs as `setting` says.
    ///
    /// - Parameters:
    ///   - link: the keeper that keeps its process; nil gives this notification a process of its own.
    ///   - player: plays what its code asks for; nil if the operator wants no sound.
    ///   - report: takes its events.
    ///   - activeCalls: which calls are active in its notification's group: one that becomes so silences its code.
    ///   - log: takes what its code writes to standard output and standard error.
    public init(
        _ setting: ExtensionSetting, link: KeeperLink?, player: SoundPlayer?, on loop: Loop,
        report: @escaping (Event.Body) -> Void, activeCalls: @escaping () -> Set<String>,
        log: @escaping ([UInt8]) -> Void
    ) {
        self.setting = setting
        self.link = link
        self.player = player
        self.loop = loop
        self.report = report
        self.activeCalls = activeCalls
        self.log = log
    }

    /// Takes every notification.
    public func admit(within budget: Budget, _ decided: (ExtensionVerdict) -> Void) { decided(.admitted) }

    /// Starts the process, or waits for the turn.
    public func didReceive(_ request: NotificationRequest, within budget: Budget) {
        willReceive(request.content)
        if let link {
            return link.receive(request.identifier, request.content) { [weak self] in self?.happened($0, $1) }
        }
        let keeper = ExtensionKeeper(setting, isReused: false, on: loop) { [weak self] _, news, file in
            self?.happened(news, file)
        }
        self.keeper = keeper
        keeper.receive(request.identifier, request.content)
    }

    /// Does nothing: the keeper of the process warns it.
    public func serviceExtensionTimeWillExpire() {}

    /// Silences it, warns the process that its time is nearly over, and ends it soon after (R17). If the keeper stays,
    /// the worker leaves it once the notification is delivered.
    public func stop() {
        sounds.end {}
        keeper?.stop()
        guard let link else { return }
        link.withdraw()
        isLeaving = true
        if isDelivered { happened(.over, nil) }
    }

    /// A notification that is delivered may run on, but not after a stop.
    public func end() {
        isDelivered = true
        if isLeaving { happened(.over, nil) }
    }

    private func happened(_ news: KeeperNews, _ file: PassedFile?) {
        switch news {
        case .queued: break
        case .began(let deadline):
            guard link != nil else { return }
            let start = deadline - setting.budget
            delegate?.extensionBegan(within: Budget(start: start, length: setting.budget))
        case .said(let message): said(message, file)
        // The delivery has its own timer for the end of the budget.
        case .original(by: .expiry): isExpired = true
        case .original: die()
        case .process(let state, let exit, let lived, let memory):
            let event = Event.ExtensionProcess(state: state, exit: exit, seconds: lived.seconds, memory: memory)
            // Its end is reported by leave(), after its sounds have stopped.
            if state == .ended { account = event } else { report(.extensionProcess(event)) }
        case .killed: sounds.end {}
        case .over:
            if !isDelivered, !isExpired { die() }
            // Delivered already; stay until its sounds have stopped.
            sounds.end { [weak self] in self?.leave() }
        }
    }

    /// It delivers nothing any more: the delivery takes the original, unless it has delivered already.
    private func die() {
        isDelivered = true
        delegate?.extensionDied()
        if isLeaving { happened(.over, nil) }
    }

    private func leave() {
        guard !hasEnded else { return }
        hasEnded = true
        link?.close()
        if let account { report(.extensionProcess(account)) }
        delegate?.extensionIsIdle()
    }

    /// Warns of what iOS would not do of what `content` asks for.
    private func warn(of content: NotificationContent) {
        if content.breaksThrough, !setting.bundle.mayBeCritical {
            let detail = "critical without com.apple.developer.usernotifications.critical-alerts in Info.plist"
            report(.warning(code: .criticalUnentitled, detail: detail))
        }
        guard let sound = content.sound else { return }
        let check = NotificationSoundCheck(of: setting.bundle, state: setting.statePath)
        if let problem = check.problem(with: sound) { report(.warning(code: .soundUnplayable, detail: problem)) }
    }

    private func said(_ message: ExtensionMessage, _ file: PassedFile?) {
        switch message {
        case .hello, .returned, .directory: break
        case .reply(_, let content):
            if !isDelivered { warn(of: content) }
            delegate?.extensionHandedOver(content)
        case .asked(_, let asked):
            let n = asks[asked.what.rawValue, default: 0] + 1
            asks[asked.what.rawValue] = n
            report(
                .asked(
                    .init(
                        what: asked.what, n: n, detail: asked.detail, identifiers: asked.identifiers,
                        content: asked.content)))
            sounds.asked(asked)
        case .sound(let found): sounds.found(found, file)
        case .disposed(let sound): sounds.disposed(sound)
        case .output(_, let output): log(Array((output.text.hasSuffix("\n") ? output.text : output.text + "\n").utf8))
        case .warning(_, let code, let detail): report(.warning(code: code, detail: detail))
        }
    }
}
