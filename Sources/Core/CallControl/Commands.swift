import BelfryProtocol
import BelfryTerms
import CallChannel

// What the person wants done with a call that goes on: the same actions as an app's own, into the same delegate (C16).
extension CallStateMachine {
    mutating func commanded(_ command: CallCommand, _ name: String?, from client: Int64?, at now: Instant) {
        let clients = client.map { [$0] } ?? []
        if case .end = command, let index = openEnd(of: name) { return actions[index].clients += clients }
        let call: LiveCall
        do throws(NoCall) { call = try target(of: command, name) } catch {
            return answer(clients, .noCall(error.text))
        }
        if let why = obstacle(to: command, of: call) { return answer(clients, .refused(why)) }
        let transaction = if case .giveWay(let key, _) = command { answering(key) } else { makeUUID() }
        let kinds = kinds(of: command, call)
        // What is so already is done.
        guard let last = kinds.last else { return answer(clients, .done) }
        if case .hold(false) = last { holdAll(but: call, in: transaction, at: now) }
        if case .end = last, let index = calls.firstIndex(where: { $0.uuid == call.uuid }) {
            calls[index].endedBy = .person
            calls[index].state = .ending
        }
        for kind in kinds {
            let action = CallAction(kind, of: call.uuid, uuid: makeUUID())
            perform(AskedAction(action: action, transaction: transaction), of: call, at: now)
        }
        actions[actions.count - 1].clients = clients
    }

    /// Says to those who wait for an action what became of it. A call whose end fails is over all the same.
    mutating func answer(_ action: OpenAction, _ outcome: CommandOutcome) {
        answer(action.clients, action.action.kind == .end ? .done : outcome)
    }

    private mutating func answer(_ clients: [Int64], _ outcome: CommandOutcome) {
        for client in clients { effects.append(.answer(client, outcome)) }
    }

    // MARK: Which call

    private struct NoCall: Error {
        let text: String
    }

    /// The call with that key or UUID; the active one if it has no name, or the held one to go on with.
    private func target(of command: CallCommand, _ name: String?) throws(NoCall) -> LiveCall {
        let going = calls.filter { $0.state == .ongoing }
        if let name {
            if let call = going.first(where: { isNamed($0, name) }) { return call }
            let other = calls.first { isNamed($0, name) }?.isBeforeAnswer
            let why = other.map { $0 ? "\(name) still rings" : "\(name) is being ended" }
            throw NoCall(text: why ?? "no call that goes on is named \(name)")
        }
        let wanted = command == .hold(false)
        if let call = going.last(where: { $0.isOnHold == wanted }) { return call }
        guard let other = going.last else { throw NoCall(text: "no call goes on") }
        let state = wanted ? "no call is held" : "no call is active, and \(key(of: other)) is held"
        throw NoCall(text: "\(state): name one")
    }

    /// The action that ends the call of that name already: whoever else wants its end waits for the same.
    private func openEnd(of name: String?) -> Int? {
        guard let name, let call = calls.first(where: { $0.state == .ending && isNamed($0, name) }) else { return nil }
        return actions.firstIndex { $0.call == call.uuid && $0.action.kind == .end }
    }

    private func isNamed(_ call: LiveCall, _ name: String) -> Bool {
        key(of: call) == name || call.uuid.text == name.uppercased()
    }

    // MARK: What is done

    /// Why it cannot be done; nil if it can.
    private func obstacle(to command: CallCommand, of call: LiveCall) -> String? {
        let name = key(of: call)
        switch command {
        case .hold(true) where call.update.supportsHolding == false,
            .giveWay(_, holds: true) where call.update.supportsHolding == false:
            return "\(call.app) cannot hold \(name)"
        case .keypad(let digits):
            if call.update.supportsDTMF == false { return "\(name) takes no digits" }
            if CallDigits(digits, type: 1).areKeys { return nil }
            return "digits are 1 to \(CallLimits.digitsMax) of 0 to 9, A to D, * and #, with , and ; for pauses"
        case .merge:
            guard let other = partner(of: call) else { return "\(call.app) has no other call that goes on" }
            if !canGroup(call, with: other.uuid, by: call.app) { return "\(name) cannot be merged" }
            return isFull(other.uuid, for: call, by: call.app) ? "a group of \(call.app) has no place for another" : nil
        case .split:
            if call.group == nil { return "\(name) is in no group" }
            return canGroup(call, with: nil, by: call.app) ? nil : "\(name) cannot leave its group"
        case .end, .hold, .mute, .giveWay: return nil
        }
    }

    private func kinds(of command: CallCommand, _ call: LiveCall) -> [CallAction.Kind] {
        switch command {
        case .end, .giveWay(_, holds: false): [.end]
        case .hold(let isOn): call.isOnHold == isOn ? [] : [.hold(isOn)]
        case .giveWay(_, holds: true): call.isOnHold ? [] : [.hold(true)]
        case .mute(let isOn): call.isMuted == isOn ? [] : [.mute(isOn)]
        case .keypad(let digits): CallDigits.dialled(digits).map { .dtmf($0) }
        case .merge: partner(of: call).map { [.group(with: $0.uuid)] } ?? []
        case .split: [.group(with: nil)]
        }
    }

    /// The other call of its app that it is merged with: the one that goes on since last.
    private func partner(of call: LiveCall) -> LiveCall? {
        calls.last {
            $0.app == call.app && $0.state == .ongoing && $0.uuid != call.uuid
                && (call.group == nil || $0.group != call.group)
        }
    }

    /// The transaction in which the call with that key is answered, or was: what it is answered for is one with it.
    private mutating func answering(_ key: String) -> CallUUID {
        guard let index = calls.firstIndex(where: { self.key(of: $0) == key }) else { return makeUUID() }
        if let action = actions.last(where: { $0.call == calls[index].uuid && $0.action.kind == .answer }) {
            return action.transaction
        }
        let transaction = calls[index].answering ?? makeUUID()
        calls[index].answering = transaction
        return transaction
    }
}

extension CallDigits {
    /// What a keypad makes of digits: single tones, and after a pause all up to the next one.
    static func dialled(_ digits: String) -> [CallDigits] {
        var played: [CallDigits] = []
        for digit in digits {
            switch (digit, played.last) {
            case (",", _): played.append(CallDigits("", type: 2))
            case (";", _): played.append(CallDigits("", type: 3))
            case (_, let last?) where last.type != 1:
                played[played.count - 1] = CallDigits(last.digits + String(digit), type: last.type)
            default: played.append(CallDigits(String(digit), type: 1))
            }
        }
        return played
    }
}
