public import BelfryEventLoop
import BelfryTerms
public import CallLedger

extension LedgerFile {
    /// Silences `named`, or the loud call if that is nil, for the person at the endpoint: through the process that
    /// rings it, otherwise in the ledger, where that process finds it. Calls `done` with the call, nil if no such call
    /// rings, and with the outcome of the change; perhaps before this returns.
    public func silence(
        _ named: CallKey?, on loop: any EventLoop, done: @escaping (Call?, LedgerOutcome) -> Void
    ) {
        let ledger = read()
        guard let key = named.map({ ledger?.key(of: $0) ?? $0 }) ?? ledger?.heard?.key else {
            return done(nil, .recorded([]))
        }
        let rings = (ledger?.rings ?? []).filter { $0.key == key }
        carryOut(.silence, of: rings, on: loop) { answers, _ -> Call?? in
            guard let answer = answers.first(where: { $0.key == key }), answer.state == .ringing, answer.isRecorded
            else { return nil }
            return rings.first
        } else: {
            $0.silence(key)
        } done: {
            done($0, $1)
        }
    }
}
