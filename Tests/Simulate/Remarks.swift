import BelfryProtocol
import BelfryTerms

/// What a worker tells beside the call itself: its warnings and its picture, held against docs/protocol.md.
extension Oracle {
    func warns(_ worker: PlayedWorker, _ word: CodeWord<WarningCode>, _ detail: String) {
        let name = "worker \(worker.number)"
        guard let code = word.known else { return demand(false, "\(name) warns of \(word)") }
        worker.account.warnings[code, default: 0] += 1
        let isAgain = worker.account.warnings[code] != 1
        demand(!isAgain || code == .handlerCalledAgain, "\(name) warns of \(code) twice")
        switch code {
        case .handlerCalledAgain:
            demand(worker.push.code != nil, "\(name): a handler called again")
            worker.account.interception.calledAgain += 1
        case .noAlertText: worker.account.interception.withoutText += 1
        case .attachmentDropped: worker.account.interception.dropped.append(detail)
        case .timeWillExpire:
            demand(now >= worker.noticeAt && worker.account.deliveries == 0, "\(name) warns that its time expires")
        case .hangupNotIntercepted, .badClock, .foregroundUnowned: break
        case .groupLocked, .groupCorrupt, .groupUnwritable:
            demand(hasTrouble(code, detail), "\(name) warns of \(code): \(detail)")
            if code == .groupLocked { judgeLockWarning(worker, detail) }
            if code == .groupUnwritable { hangupIsHopeless(worker) }
        case .configuration, .fieldIgnored, .neverReplied, .blocked, .killedAtBudget, .outputCut, .memory,
            .unsupported, .centerAfterReply, .lockHeld, .hangupCouldNotStop, .hostGone:
            demand(false, "\(name) warns of \(code): \(detail)")
        }
    }

    /// Whether anything happens in this run for which a worker may warn of the group file so.
    private func hasTrouble(_ code: WarningCode, _ detail: String) -> Bool {
        world.plan.happenings.contains { happening in
            switch happening.what {
            case .disk, .memoryFull, .shortOfDescriptors:
                code == .groupUnwritable || code == .groupLocked && detail.hasPrefix("written without a lock")
            case .stranger(.makesLink, _), .stranger(.makesTooLarge, _), .stranger(.breaksFile, _):
                code == .groupCorrupt || code == .groupUnwritable
            case .lockHeld, .frozen: code == .groupLocked
            case .incident(let incident, _):
                code == .groupLocked && incident.holdsLock || code == .groupUnwritable && incident.isShortage
            default: if case .frozen? = happening.fate?.fate { code == .groupLocked } else { false }
            }
        }
    }

    /// `worker` leaves: it warned of what it had to.
    func judgeWarnings(_ worker: PlayedWorker) {
        let account = worker.account
        func demandWarning(_ code: WarningCode, if isDue: Bool) {
            let isTold = account.warnings[code] != nil
            demand(isTold == isDue, "worker \(worker.number) \(isTold ? "warns" : "does not warn") of \(code)")
        }
        let isUnasked = account.passthrough.map { $0 != .voip } ?? false
        demandWarning(.hangupNotIntercepted, if: worker.push.kind.isHangup && isUnasked)
        // Who was held up until its time was over says no more.
        guard isPunctual(worker) else { return }
        demandWarning(.badClock, if: account.isClockBad)
        if let isDue = account.isFlagUnowned { demandWarning(.foregroundUnowned, if: isDue) }
    }

    // MARK: The picture

    /// R4: a picture is fetched only if somebody will see it.
    func fetches(_ worker: PlayedWorker) {
        let name = "worker \(worker.number)"
        demand(worker.push.picture != nil, "\(name) fetches a picture that it has not")
        demand(!worker.account.isFetching, "\(name) fetches twice")
        worker.account.isFetching = true
        guard case .silent(let why, let missed)? = worker.account.verdict else { return }
        demand(missed || why == .foreground, "\(name) fetches a picture that nobody will see")
    }

    func picture(_ attachment: Event.Attachment, of worker: PlayedWorker) {
        let name = "worker \(worker.number)"
        let account = worker.account
        demand(worker.push.picture != nil && !account.isPictureTold, "\(name) tells of a picture")
        worker.account.isPictureTold = true
        switch attachment.outcome {
        case .attached:
            if case .comes? = worker.push.picture {} else { demand(false, "\(name) attaches what never came") }
            worker.account.hasPicture = true
        case .skipped(let reason, let detail):
            let isSilent: Bool = if case .silent? = account.verdict { true } else { account.verdict == nil }
            let isOver = account.silentAt != nil || account.stoppedAt != nil || isSilent
            let isFailing: Bool = if case .fails? = worker.push.picture { true } else { false }
            let isDue =
                switch reason.known {
                case .ended?: isOver
                case .timeout?: now >= worker.noticeAt
                case .connectFailed?: isFailing
                default: false
                }
            demand(isDue, "\(name) skips its picture as \(reason): \(detail)")
        }
    }

    /// `worker` leaves: no fetch goes on, and what became of its picture is told once.
    func judgePicture(_ worker: PlayedWorker) {
        // By then the fetcher gives up by itself.
        demand(
            !worker.account.isFetching || now >= worker.noticeAt, "worker \(worker.number) leaves a fetch behind")
        // Who was held up until its time was over has told of no picture.
        guard worker.push.picture != nil, worker.account.passthrough ?? .voip == .voip, isPunctual(worker) else {
            return
        }
        demand(worker.account.isPictureTold, "worker \(worker.number) tells nothing of its picture")
    }
}
