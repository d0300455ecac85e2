import BelfryAppGroup
public import BelfryEventLoop
public import BelfryTerms
public import CallLedger
import RingEar

/// How the person at the endpoint ends a call that rings.
public enum PersonalEnd: Sendable {
    case answer, decline

    /// How the call has ended then.
    public var state: CallState {
        switch self {
        case .answer: .answered
        case .decline: .declined
        }
    }

    fileprivate var ask: RingAsk {
        switch self {
        case .answer: .answer
        case .decline: .decline
        }
    }

    fileprivate func carryOut(_ key: CallKey, in ledger: inout Ledger) -> Call? {
        switch self {
        case .answer: ledger.answer(key)
        case .decline: ledger.decline(key)
        }
    }

    fileprivate func record(of ring: Call, in ledger: inout Ledger) -> Call? {
        switch self {
        case .answer: ledger.recordAnswer(of: ring)
        case .decline: ledger.recordDecline(of: ring)
        }
    }
}

/// What came of asking whoever rings a call to end it.
public enum PersonalEnding: Sendable {
    /// It is silent, and this is how it ended; nil if no such call rings.
    case over(EndedCall?)
    /// Nobody heard it in time, or who did cannot record it: this change of what the ledger says of `key` is still to
    /// be made.
    case due(_ key: CallKey, change: @Sendable (inout Ledger) -> EndedCall?)
}

/// A call, and how it ended, which need not be what was asked for.
public struct EndedCall: Sendable {
    /// The call as the ledger had it.
    public let call: Call
    /// How it ended.
    public let state: CallState
}

extension LedgerFile {
    /// Asks whoever rings `named`, or the loud call if that is nil, to end it as `end` says, and calls `done` with what
    /// came of it within 100 ms; perhaps before this returns. What who rings cannot record is left to the caller (R22).
    public func end(
        _ named: CallKey?, as end: PersonalEnd, on loop: any EventLoop, done: @escaping (PersonalEnding) -> Void
    ) {
        let ledger = read()
        guard let key = named ?? ledger?.loudest?.key else { return done(.over(nil)) }
        let rings = (ledger?.rings ?? []).filter { $0.key == key }
        RingCalls.ask(end.ask, of: rings, in: file.group, folder: folder, on: loop) { answers in
            let answer = answers.first { $0.key == key }
            let heard = answer == nil ? nil : ledger?.call(key)
            if let answer, let heard, answer.isRecorded || answer.state != end.state {
                return done(.over(EndedCall(call: heard, state: answer.state)))
            }
            done(
                .due(key) { ledger in
                    let call = heard.flatMap { end.record(of: $0, in: &ledger) } ?? end.carryOut(key, in: &ledger)
                    if let call { return EndedCall(call: call, state: call.state) }
                    // Whoever rings it may have heard and only have answered too late: then it has ended by now.
                    // If it has not said so, its time is up, and how it ends is still to come.
                    guard !rings.isEmpty, let call = ledger.call(key), call.state != .ringing else { return nil }
                    return EndedCall(call: call, state: call.state)
                })
        }
    }
}
