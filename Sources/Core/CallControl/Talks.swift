import BelfryProtocol
import BelfryTerms
import CallChannel

// Calls that go on: begun, connected, held, muted, in groups, and whose audio is active (C13 to C15).
extension CallStateMachine {
    /// How long after its start an outgoing call may be unconnected without a word.
    static let connectedPatience = TimeSpan.seconds(60)

    /// The app begins a call.
    mutating func begin(_ start: CallStart, _ asked: AskedAction, by app: String, at now: Instant) {
        guard let uuid = asked.action.call else { return }
        var update = CallUpdate()
        (update.handle, update.hasVideo) = (start.handle, start.hasVideo)
        var call = LiveCall(uuid: uuid, app: app, push: nil, update: update.shown, state: .ongoing)
        call.isOutgoing = true
        calls.append(call)
        holdOthers(than: app, at: now)
        tell(call, .started, by: .app)
        observe()
    }

    /// The app says how far an outgoing call is.
    mutating func outgoing(_ uuid: CallUUID, _ step: OutgoingStep, by app: String, at now: Instant) {
        guard let index = calls.firstIndex(where: { $0.uuid == uuid && $0.app == app }) else {
            return warn(.uuidUnknown, unknownUUID(uuid, by: app, at: now), by: app)
        }
        let call = calls[index]
        guard call.isOutgoing, !call.hasConnected, step == .connected || !call.isConnecting else {
            return warn(.connectedOnIncoming, Diagnosis.outgoingStep(step, of: call), by: app, push(of: call))
        }
        switch step {
        case .connecting:
            calls[index].isConnecting = true
            tell(call, .connecting)
        case .connected:
            calls[index].connected = now
            calls[index].connectedDue = nil
            tell(call, .connected)
            observe()
            settleAudio(of: app)
        }
    }

    /// An outgoing call is late to be connected.
    mutating func connectedDue(_ index: Int) {
        calls[index].connectedDue = nil
        warn(.connectedNever, Diagnosis.neverConnected(calls[index]), by: calls[index].app)
    }

    /// The app has done what an action asks for.
    mutating func fulfilled(_ action: OpenAction, at now: Instant) {
        guard let index = calls.firstIndex(where: { $0.uuid == action.call }) else { return }
        switch action.action.kind {
        case .start:
            calls[index].hasStarted = true
            if !calls[index].hasConnected { calls[index].connectedDue = now + Self.connectedPatience }
        case .answer:
            calls[index].connected = now
            tell(calls[index], .connected, by: calls[index].answeredBy)
        case .end: return end(action.call, by: nil, at: now)
        case .hold(let isOn):
            guard calls[index].isOnHold != isOn else { return }
            calls[index].isOnHold = isOn
            tell(calls[index], isOn ? .held : .resumed)
        case .mute(let isOn):
            guard calls[index].isMuted != isOn else { return }
            calls[index].isMuted = isOn
            return tell(calls[index], isOn ? .muted : .unmuted)
        case .group(let other): return regroup(index, with: other)
        case .dtmf, .other: return
        }
        observe()
        settleAudio(of: action.app)
    }

    /// The app cannot do it, or its time is over: a call that is not there ends, else all is as before.
    mutating func failed(_ action: OpenAction, at now: Instant) {
        switch action.action.kind {
        case .start, .answer, .end: end(action.call, by: .system, at: now)
        case .hold(let isOn):
            // The others of its group are held, or go on, without it.
            guard let call = calls.first(where: { $0.uuid == action.call }), let group = call.group,
                calls.contains(where: { $0.group == group && $0.app == call.app && $0.isOnHold == isOn }),
                call.isOnHold != isOn
            else { return }
            end(action.call, by: .system, at: now)
        case .mute, .group, .dtmf, .other: break
        }
    }

    /// Has the delegates of all other apps hold their calls that are not (C13).
    mutating func holdOthers(than app: String, at now: Instant) {
        for call in calls where call.app != app { hold(call, in: nil, at: now) }
    }

    /// The person goes on with `call`: all others are held, its app's own in the same transaction, but for its group.
    mutating func holdAll(but call: LiveCall, in transaction: CallUUID, at now: Instant) {
        for other in calls where other.uuid != call.uuid {
            let isOfApp = other.app == call.app
            guard !isOfApp || other.group == nil || other.group != call.group else { continue }
            hold(other, in: isOfApp ? transaction : nil, at: now)
        }
    }

    private mutating func hold(_ call: LiveCall, in transaction: CallUUID?, at now: Instant) {
        guard call.state == .ongoing, !call.isOnHold, call.update.supportsHolding != false else { return }
        let isAsked = actions.contains {
            $0.call == call.uuid && $0.app == call.app && $0.action.kind == .hold(true)
        }
        guard !isAsked else { return }
        perform(made(.hold(true), of: call.uuid, in: transaction), of: call, at: now)
    }

    // MARK: Groups

    /// Has the call join the group of `other`, or leave its own.
    private mutating func regroup(_ index: Int, with other: CallUUID?) {
        let (app, old) = (calls[index].app, calls[index].group)
        guard let other else {
            guard old != nil else { return }
            calls[index].group = nil
            tell(calls[index], .ungrouped)
            return leaveAlone(old, of: app)
        }
        guard let target = calls.firstIndex(where: { $0.uuid == other && $0.app == app }), target != index else {
            return
        }
        if calls[target].group == nil {
            calls[target].group = (calls.compactMap(\.group).max() ?? 0) + 1
            tell(calls[target], .grouped)
        }
        guard calls[index].group != calls[target].group else { return }
        calls[index].group = calls[target].group
        tell(calls[index], .grouped)
        leaveAlone(old, of: app)
    }

    /// A group of one is none.
    mutating func leaveAlone(_ group: Int64?, of app: String) {
        guard let group else { return }
        let members = calls.indices.filter { calls[$0].group == group && calls[$0].app == app }
        guard members.count == 1, let last = members.first else { return }
        calls[last].group = nil
        tell(calls[last], .ungrouped)
    }

    /// How many groups of calls the app has that go on; a call that is in none is one.
    func ongoingGroups(of app: String) -> Int {
        let calls = calls.filter { $0.app == app && $0.state == .ongoing }
        return calls.count { $0.group == nil } + Set(calls.compactMap(\.group)).count
    }

    // MARK: Audio

    /// The audio session of an app is active as long as one of its calls is heard (C14).
    mutating func settleAudio(of app: String) {
        let isActive = calls.contains { $0.app == app && $0.isHeard }
        guard let known = apps[app], known.isAudioActive != isActive else { return }
        apps[app]?.isAudioActive = isActive
        if known.isConnected { effects.append(.app(app, .audio(isActive: isActive))) }
    }
}
