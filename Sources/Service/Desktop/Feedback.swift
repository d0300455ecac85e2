import BelfryBus

/// The feedback daemon of a phone (`org.sigxcpu.Feedback`), which has a ring felt; it stops when its client dies.
final class Feedback {
    private static let name = "org.sigxcpu.Feedback"
    private static let path = "/org/sigxcpu/Feedback"
    /// It has nothing that vibrates (`FEEDBACK_REASON_NOT_FOUND`).
    private static let notFound = UInt32.max

    private enum State {
        /// Nothing is to be felt.
        case off
        /// The bus was asked to start it.
        case starting(Int)
        /// It was asked, and has not answered.
        case asked(Int)
        /// It vibrates under this number.
        case on(UInt32)
        /// It cannot.
        case failed
    }

    /// What came of a start.
    enum Outcome: Hashable {
        /// It vibrates.
        case playing
        /// It cannot; why, for people.
        case cannot(String)
        /// It has stopped by itself: it is gone, or ended what it played.
        case stopped
    }

    private let report: (Outcome) -> Void
    private var bus: SessionBus?
    private var owner: String?
    /// Whether the bus starts it for who asks.
    private var isInstalled = false
    private var state = State.off
    private var attempts = 0
    /// What it said last to have ended while it owed an answer.
    private var early: (id: UInt32, reason: UInt32)?

    /// - Parameter report: gets what came of each start.
    init(report: @escaping (Outcome) -> Void) { self.report = report }

    /// Whether it runs or is installed, and has not said that it cannot.
    var isThere: Bool {
        if case .failed = state { false } else { owner != nil || isInstalled }
    }

    /// Looks who it is on `bus`.
    func connected(to bus: SessionBus) {
        self.bus = bus
        bus.callBus("AddMatch", [.string("type='signal',path='\(Self.path)',interface='\(Self.name)'")])
        bus.callBus("GetNameOwner", [.string(Self.name)]) { [weak self] answer in
            if let name = (try? answer.get())?.first?.text { self?.owner = name }
        }
        bus.callBus("ListActivatableNames", []) { [weak self] answer in
            self?.isInstalled = (try? answer.get())?.first?.texts?.contains(Self.name) ?? false
        }
    }

    /// The bus is lost, and whatever vibrated for this connection stops with it.
    func lost() {
        bus = nil
        owner = nil
        end()
    }

    /// Has it vibrate until ``stop()``; false if there is none to ask.
    ///
    /// - Parameter activates: whether the bus may start it, as for a ring.
    func start(activates: Bool) -> Bool {
        guard let bus, isThere else { return false }
        guard let owner else { return activates && activate(on: bus) }
        if case .on = state { report(.playing) }
        guard case .off = state else { return true }
        attempts += 1
        let attempt = attempts
        state = .asked(attempt)
        early = nil
        // "quiet" is what can be felt without being heard; 0 goes on until it is ended.
        let hints = BusValue.properties([("profile", .string("quiet"))])
        bus.call(
            owner, Self.path, Self.name, "TriggerFeedback",
            [.string("org.belfry"), .string("phone-incoming-call"), hints, .int32(0)]
        ) { [weak self] in self?.answered($0, attempt) }
        return true
    }

    private func activate(on bus: SessionBus) -> Bool {
        guard case .off = state else { return true }
        attempts += 1
        let attempt = attempts
        state = .starting(attempt)
        bus.callBus("StartServiceByName", [.string(Self.name), .uint32(0)]) { [weak self] answer in
            guard let self, case .starting(attempt) = state else { return }
            state = .off
            // Who has the name is signalled before.
            if case .failure(let failure) = answer { return fail("feedbackd: \(failure.text)") }
            if owner == nil || !start(activates: false) { fail("feedbackd has left") }
        }
        return true
    }

    /// Nothing is to be felt any more.
    func stop() {
        if case .on(let id) = state { end(id) }
        if case .failed = state { return }
        state = .off
    }

    private func end(_ id: UInt32) {
        guard let bus, let owner else { return }
        bus.call(owner, Self.path, Self.name, "EndFeedback", [.uint32(id)])
    }

    private func answered(_ answer: Result<[BusValue], BusFailure>, _ attempt: Int) {
        switch answer {
        case .success(let values):
            guard let id = values.first?.number else { return }
            // Asked for, and not wanted any more by now.
            guard case .asked(attempt) = state else { return end(id) }
            state = .on(id)
            if let early, early.id == id { return ended(early.reason) }
            // It says at once that it has nothing for it, but may say so after its answer. It says both before it looks
            // at its profile for us; a ping would be answered by another of its threads, and meanwhile.
            guard let bus, let owner else { return }
            bus.call(
                owner, Self.path, "org.freedesktop.DBus.Properties", "Get", [.string(Self.name), .string("Profile")]
            ) { [weak self] _ in
                if let self, case .on(id) = state { report(.playing) }
            }
        case .failure(let failure):
            guard case .asked(attempt) = state else { return }
            fail("\(failure.name): \(failure.text)")
        }
    }

    /// Takes a signal; true if it was its.
    func take(_ message: BusMessage) -> Bool {
        let values = message.arguments
        if message.interface == "org.freedesktop.DBus", message.member == "NameOwnerChanged" {
            guard values.count == 3, values[0].text == Self.name, let new = values[2].text else { return false }
            owner = new.isEmpty ? nil : new
            if case .starting = state, owner != nil { return true }
            end()
            return true
        }
        // What one profile has nothing for, another may have.
        if message.member == "PropertiesChanged", message.sender == owner, values.first?.text == Self.name {
            if case .failed = state { state = .off }
            return false
        }
        guard message.interface == Self.name, message.sender == owner else { return false }
        guard message.member == "FeedbackEnded", values.count > 1, let id = values[0].number,
            let reason = values[1].number
        else { return true }
        switch state {
        case .asked: early = (id, reason)
        case .on(id): ended(reason)
        case .on, .off, .starting, .failed: break
        }
        return true
    }

    private func ended(_ reason: UInt32) {
        if reason == Self.notFound { fail("feedbackd has nothing that vibrates") } else { end() }
    }

    /// It is over, and was not stopped by us.
    private func end() {
        let before = state
        state = .off
        switch before {
        case .on, .asked, .starting: report(.stopped)
        case .off, .failed: break
        }
    }

    private func fail(_ detail: String) {
        state = .failed
        report(.cannot(detail))
    }
}
