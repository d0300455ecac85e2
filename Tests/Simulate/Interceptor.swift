import BelfryProtocol
import BelfryTerms

/// What the oracle knows of a notification that an app's own code handles.
struct Interception {
    enum Expected: Hashable {
        case original(Deliverer)
        case content(Deliverer, PlayedCode.Content)
    }

    var hasBegun = false
    /// Whether its worker was told to stop before that: its code is told so only once it has begun.
    var isStoppedAtFirst = false
    var isWarned = false
    /// What its code did that must be delivered now.
    var expected: Expected?
    var hasDied = false
    /// How many attachments were dropped, handlers called again, and contents without text, by its warnings.
    var dropped: [String] = []
    var calledAgain = 0
    var withoutText = 0
}

/// R1, R2, R3 and R17 for a notification that no built-in extension handles, written from the page.
extension Oracle {
    /// R1: the first condition that fails; nil if an extension runs.
    func passthrough(of push: PlayedPush, arrivedAt wall: WallTime) -> PassthroughReason? {
        if case .alert = push.kind, let expiration = push.expiration, expiration != 0,
            world.wallTime(expiration) < wall
        {
            return .expired
        }
        if push.isVoIP { return .voip }
        if push.isBackground { return .background }
        if !push.isMutable { return .noMutableContent }
        return push.text == .missing ? .noAlertText : nil
    }

    func codeBegins(_ worker: PlayedWorker) {
        demand(!worker.account.interception.hasBegun, "worker \(worker.number) hands its notification over twice")
        demand(worker.account.deliveries == 0, "worker \(worker.number) hands over what it delivered")
        worker.account.interception.hasBegun = true
        worker.account.interception.isStoppedAtFirst = worker.account.stoppedAt != nil
        note("own code")
        let time = world.machine.time
        let notice = world.machine.simulated(worker.noticeAt)
        time.at(max(notice, time.now) + Self.slack) { [self, weak worker] in
            guard let worker, worker.account.deliveries == 0, worker.account.stoppedAt == nil, isPunctual(worker),
                worker.isAlive
            else { return }
            demand(worker.account.interception.isWarned, "worker \(worker.number) does not warn its code")
        }
    }

    /// R3: one second before the end, or half-way through a budget under two seconds.
    func codeIsWarned(_ worker: PlayedWorker) {
        let name = "worker \(worker.number)"
        demand(!worker.account.interception.isWarned, "\(name) warns its code twice")
        demand(now >= worker.noticeAt, "\(name) warns its code too early")
        demand(worker.account.deliveries == 0 && worker.account.stoppedAt == nil, "\(name) warns its code in vain")
        worker.account.interception.isWarned = true
        note("own code is warned")
    }

    /// R2: the first call counts, as the content is at that moment; without text it is the original.
    ///
    /// What its code hands over before it returns to the host is delivered after that, in the same moment.
    func codeReplies(
        _ worker: PlayedWorker, _ content: PlayedCode.Content, beforeItReturns isCalled: Bool, _ reply: () -> Void
    ) {
        let name = "worker \(worker.number)"
        let before = worker.account
        if isCalled {
            note("own code replies before it returns")
            world.machine.time.after(0) { [self] in
                guard worker.isAlive, isPunctual(worker) else { return }
                demand(worker.account.deliveries == 1, "\(name) does not deliver what its code handed over at once")
            }
        }
        if before.deliveries == 0, before.interception.expected == nil {
            let deliverer = before.stoppedAt == nil ? Deliverer.extension : .stopped
            worker.account.interception.expected =
                content == .withoutText ? .original(deliverer) : .content(deliverer, content)
        }
        reply()
        guard worker.isAlive, !before.hasLeft, !isCalled else { return }
        let after = worker.account
        let isFirst = before.deliveries == 0
        note(isFirst ? "own code replies" : "own code replies again")
        demand(after.deliveries == 1, "\(name) does not deliver what its code handed over")
        let calledAgain = after.interception.calledAgain - before.interception.calledAgain
        // Its connection may be closed by then.
        demand(
            calledAgain == (isFirst ? 0 : 1) || after.hasClosed, "\(name) takes a reply for \(calledAgain) late ones")
        let lacksText = isFirst && content == .withoutText && before.stoppedAt == nil
        demand(
            after.interception.withoutText == (lacksText ? 1 : before.interception.withoutText),
            "\(name) warns of content without text \(after.interception.withoutText) times")
    }

    func codeDies(_ worker: PlayedWorker, _ dies: () -> Void) {
        let isFirst = worker.account.deliveries == 0
        let deliverer = worker.account.stoppedAt == nil ? Deliverer.crash : .stopped
        if isFirst { worker.account.interception.expected = .original(deliverer) }
        worker.account.interception.hasDied = true
        dies()
        guard worker.isAlive else { return }
        note("own code dies")
        demand(worker.account.deliveries == 1, "worker \(worker.number) delivers nothing for code that died")
    }

    func codeEnds(_ worker: PlayedWorker) {
        demand(worker.account.deliveries == 1, "worker \(worker.number) ends its code before it delivered")
    }

    /// What was delivered, of a push that is no call.
    func judgeAlert(_ worker: PlayedWorker, _ by: Deliverer, _ content: NotificationContent) {
        let name = "worker \(worker.number)"
        guard worker.account.passthrough == nil else {
            demand(by == .passthrough, "\(name) delivers by \(by) what is not intercepted")
            return demand(isOriginal(content, of: worker), "\(name) changes what is not intercepted")
        }
        note("own code: delivered by \(by)")
        let isOfItsOwn = by == .extension && worker.account.interception.isStoppedAtFirst
        switch worker.account.interception.expected {
        case .original(let deliverer)?:
            demand(by == deliverer || isOfItsOwn, "\(name) delivers by \(by) instead of \(deliverer)")
            demand(isOriginal(content, of: worker), "\(name) delivers a changed content")
        case .content(let deliverer, let changed)?:
            demand(by == deliverer || isOfItsOwn, "\(name) delivers by \(by) instead of \(deliverer)")
            demand(content.title == "changed", "\(name) delivers the original")
            judgeAttachment(worker, changed, content)
        case nil:
            demand(isOriginal(content, of: worker), "\(name) delivers what nobody handed over")
            if worker.push.code == nil { return demand(by == .extension, "\(name) delivers an alert by \(by)") }
            judgeTimes(worker, by)
        }
    }

    private func isOriginal(_ content: NotificationContent, of worker: PlayedWorker) -> Bool {
        let text = worker.push.text
        return content.title == (text == .title ? "mail" : "")
            && content.subtitle == (text == .subtitle ? "mail" : "")
            && content.body == (text == .body || text == .string ? "mail" : "") && content.attachments.isEmpty
    }

    private func judgeAttachment(
        _ worker: PlayedWorker, _ changed: PlayedCode.Content, _ content: NotificationContent
    ) {
        let name = "worker \(worker.number)"
        guard case .attaching(let file) = changed else {
            return demand(content.attachments.isEmpty, "\(name) delivers a file that nobody attached")
        }
        guard let error = file.error else {
            note("attached")
            return demand(
                content.attachments.map(\.path) == [file.path] && worker.account.interception.dropped.isEmpty,
                "\(name) drops a good \(file.type) of \(file.file)")
        }
        note("not attached: \(error)")
        demand(content.attachments.isEmpty, "\(name) attaches \(file.type) of \(file.file)")
        let told = worker.account.interception.dropped
        demand(
            told.count == 1 && told[0].hasPrefix("\(error) "), "\(name) drops \(file.type) of \(file.file) as \(told)")
    }

    /// R3, R17: what nobody handed over in time.
    private func judgeTimes(_ worker: PlayedWorker, _ by: Deliverer) {
        let name = "worker \(worker.number)"
        if let stoppedAt = worker.account.stoppedAt {
            demand(by == .stopped, "\(name) was stopped and delivers by \(by)")
            let until = min(stoppedAt + .seconds(1), worker.deadline)
            demand(now >= until, "\(name) gives its code too little time to stop")
            demand(now <= until + .milliseconds(10) || !isPunctual(worker), "\(name) stops late")
        } else {
            demand(by == .expiry, "\(name) delivers by \(by) what nobody handed over")
            demand(now >= worker.deadline, "\(name) delivers by expiry before its time")
            demand(now <= worker.deadline + .milliseconds(10) || !isPunctual(worker), "\(name) delivers late")
        }
    }
}
