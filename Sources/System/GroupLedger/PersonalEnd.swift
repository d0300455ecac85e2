import BelfryAppGroup
public import BelfryEventLoop
public import BelfryTerms
public import CallLedger

/// How the person at the endpoint ends a call that rings.
public enum PersonalEnd: Sendable {
    /// Answers it; it is active as long as the process lives, if one is named.
    case answer(heldBy: Owner? = nil)
    /// Declines it.
    case decline

    /// How the call has ended then.
    public var state: CallState {
        switch self {
        case .answer: .answered
        case .decline: .declined
        }
    }

    fileprivate var ask: RingAsk {
        switch self {
        case .answer(let holder): .answer(heldBy: holder)
        case .decline: .decline
        }
    }

    fileprivate func carryOut(_ key: CallKey, in ledger: inout Ledger) -> Call? {
        switch self {
        case .answer(let holder): ledger.answer(key, heldBy: holder)
        case .decline: ledger.decline(key)
        }
    }

    fileprivate func record(of ring: Call, in ledger: inout Ledger) -> Call? {
        switch self {
        case .answer(let holder): ledger.recordAnswer(of: ring, heldBy: holder)
        case .decline: ledger.recordDecline(of: ring)
        }
    }
}

/// A call and how it ended, which may differ from what was asked for.
public struct EndedCall: Sendable {
    /// The call as the ledger had it.
    public let call: Call
    /// How it ended.
    public let state: CallState
}

extension LedgerFile {
    /// Ends `named`, or the loud call if that is nil, as `end` says: through the process that rings it, otherwise in
    /// the ledger. Calls `done` with how it ended, nil if no such call rings, and with the outcome of the change;
    /// perhaps before this returns.
    ///
    /// If the ringing process cannot record the end, it is recorded here (R22).
    public func end(
        _ named: CallKey?, as end: PersonalEnd, on loop: any EventLoop,
        done: @escaping (EndedCall?, LedgerOutcome) -> Void
    ) {
        let ledger = read()
        guard let key = named.map({ ledger?.key(of: $0) ?? $0 }) ?? ledger?.loudest?.key else {
            return done(nil, .recorded([]))
        }
        let rings = (ledger?.rings ?? []).filter { $0.key == key }
        var heard: Call?
        carryOut(end.ask, of: rings, on: loop) { answers, _ -> EndedCall?? in
            guard let answer = answers.first(where: { $0.key == key }) else { return nil }
            heard = ledger?.call(key)
            guard let heard, answer.isRecorded || answer.state != end.state else { return nil }
            return EndedCall(call: heard, state: answer.state)
        } else: { ledger in
            let call = heard.flatMap { end.record(of: $0, in: &ledger) } ?? end.carryOut(key, in: &ledger)
            if let call { return EndedCall(call: call, state: call.state) }
            // The ringing process may have heard us and answered too late: then the call has ended by now. If the
            // ledger does not say so, the time of the ring is up, and its end is not settled yet.
            guard !rings.isEmpty, let call = ledger.call(key), call.state != .ringing else { return nil }
            return EndedCall(call: call, state: call.state)
        } done: {
            done($0, $1)
        }
    }
}
