import BelfrySyscalls
import BelfryTerms
import CallChannel
import Foundation

/// An action that the system asks for: its first outcome counts, whichever of its objects is given it.
final class ActionOrder: Sendable {
    private enum Fate {
        case open, settled, timedOut
        /// The call, the provider or the system is gone: what becomes of it does not matter.
        case void
    }

    /// The action's UUID.
    let action: CallUUID
    /// The call that it is about.
    let call: CallUUID
    /// What it does.
    let kind: CallAction.Kind
    /// When its time is over.
    let timeoutDate: Date
    private let settled: @Sendable (ActionOrder, _ isFulfilled: Bool, WallTime?) -> Void
    private let fate = LockedValue(Fate.open)

    /// An order that calls `settled` with each outcome that it is given, until it is void.
    init(
        _ action: CallAction, call: CallUUID, timeout: TimeSpan,
        settled: @escaping @Sendable (ActionOrder, _ isFulfilled: Bool, WallTime?) -> Void
    ) {
        self.action = action.uuid
        self.call = call
        kind = action.kind
        timeoutDate = Date(timeIntervalSinceNow: timeout.seconds)
        self.settled = settled
    }

    /// What it does, for people.
    var words: String { "\(kind.word) of call \(call.text)" }

    /// Whether its call is over with this outcome.
    func endsCall(isFulfilled: Bool) -> Bool {
        switch kind {
        case .end: true
        case .start, .answer: !isFulfilled
        case .hold, .mute, .group, .dtmf, .other: false
        }
    }

    /// Whether its call can be heard once it is fulfilled.
    var beginsTalk: Bool {
        switch kind {
        case .start, .answer: true
        case .end, .hold, .mute, .group, .dtmf, .other: false
        }
    }

    /// Whether it has an outcome.
    var isComplete: Bool { fate.withLock { $0 } != .open }

    /// Whether no outcome is wanted any more.
    var isVoid: Bool { fate.withLock { $0 } == .void }

    /// Gives it its outcome, at a date or now.
    func settle(isFulfilled: Bool, at date: Date?) {
        let isWanted = fate.withLock { fate in
            if fate == .open { fate = .settled }
            return fate != .void
        }
        if isWanted { settled(self, isFulfilled, date.flatMap { WallTime(unixSeconds: $0.timeIntervalSince1970) }) }
    }

    /// Its time is over. False if it had its outcome.
    func timeOut() -> Bool { end(as: .timedOut) }

    /// No outcome is wanted any more.
    func void() { _ = end(as: .void) }

    private func end(as end: Fate) -> Bool {
        fate.withLock { fate in
            guard fate == .open else { return false }
            fate = end
            return true
        }
    }

    /// The object that a delegate gets.
    var object: CXCallAction? {
        guard let call = UUID(uuidString: call.text), let uuid = UUID(uuidString: action.text) else { return nil }
        return switch kind {
        case .answer: CXAnswerCallAction(call: call, uuid: uuid, order: self)
        case .end: CXEndCallAction(call: call, uuid: uuid, order: self)
        case .start(let start): CXStartCallAction(start, call: call, uuid: uuid, order: self)
        case .hold(let isOn): CXSetHeldCallAction(isOn, call: call, uuid: uuid, order: self)
        case .mute(let isOn): CXSetMutedCallAction(isOn, call: call, uuid: uuid, order: self)
        case .group(let other): CXSetGroupCallAction(other, call: call, uuid: uuid, order: self)
        case .dtmf(let digits): CXPlayDTMFCallAction(digits, call: call, uuid: uuid, order: self)
        // Those are refused when they are asked for.
        case .other: nil
        }
    }
}
