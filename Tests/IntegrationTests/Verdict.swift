import BelfryProtocol
import BelfryTerms
import CallLedger

/// Whether a call that went through its ordeal is as the rules want it (R11, R12).
struct Verdict {
    private let sufferer: Sufferer
    /// What the group file says of it.
    private let call: Call?
    /// Which notifications and which runs of the tidying unit told it as missed.
    let told: Set<String>
    private let torment: Torment

    init(_ sufferer: Sufferer, call: Call?, told: Set<String>, _ torment: Torment) {
        self.sufferer = sufferer
        self.call = call
        self.torment = torment
        let events = sufferer.call?.events ?? []
        self.told = told.union(events.filter { $0.name == "missed" }.map(\.id))
    }

    /// What is wrong; nil if nothing is.
    var complaint: String? {
        let faults = [storyFault, fileFault, missedFault].compactMap { $0 }
        guard !faults.isEmpty else { return nil }
        let file = call.map { call in
            "\(call.state.rawValue)\(call.hangupReason.map { " \($0.rawValue)" } ?? "")"
                + (call.owner == nil ? "" : ", owned") + (call.ended == nil ? ", no end" : "")
        }
        return """
            \(sufferer.ordeal)\(isDead ? ", which hit" : ""): \(faults.joined(separator: "; ")).
                client: \(story); file: \(file ?? "nothing"); told as missed by \(told.count)
            """
    }

    private var story: [String] { sufferer.call?.story ?? [] }

    /// Whether the call's own worker died of its blow.
    private var isDead: Bool {
        guard sufferer.wasStruck, sufferer.ordeal.victim == .call else { return false }
        return torment != .freeze
    }

    private var isHungUp: Bool {
        if case .hangUp = sufferer.ordeal.fate { true } else { false }
    }

    private var ended: Event.Ended? {
        sufferer.call?.events.lazy.compactMap { event in
            if case .ended(let ended) = event.body { ended } else { nil }
        }.first
    }

    /// A worker that lived tells one whole story.
    private var storyFault: String? {
        guard story.count(where: { $0.hasPrefix("ended") }) <= 1 else { return "it ended twice" }
        guard !isDead else { return nil }
        guard story.count(where: { $0.hasPrefix("delivered") }) == 1 else { return "it was not delivered once" }
        let rang = story.contains { $0.hasPrefix("ringing") }
        if rang, ended == nil { return "its ring has no end" }
        if let ended {
            if Self.isMissed(ended.reason.rawValue, ended.hangupReason?.rawValue) != (story.last == "missed") {
                return "missed is wrong after this end"
            }
        }
        return nil
    }

    /// Each ring has one end in the file, which is the one that its client heard of.
    private var fileFault: String? {
        guard let call else {
            let isUnknown = torment == .fewDescriptors && isDead
            return story.contains { $0.hasPrefix("ringing") } && !isUnknown ? "the file does not know it" : nil
        }
        if call.state == .ringing || call.ended == nil { return "the file has no end of it" }
        // Without a descriptor to read the file by, it rings on.
        guard let ended, torment != .fewDescriptors || !isDead else { return nil }
        // A hangup that comes after the end becomes the end that is remembered.
        let isOverwritten = isHungUp && call.state == .hangup
        return call.state.rawValue == ended.reason.rawValue || isOverwritten ? nil : "the file has another end"
    }

    /// Whether the person missed the call, as the file says: nil if it says that a request never came.
    private var isMissed: Bool? {
        guard let call, !call.name.isEmpty else { return nil }
        return call.state == .missed || Self.isMissed(call.state.rawValue, call.hangupReason?.rawValue)
    }

    /// Whether an end means that the person missed the call (R11).
    private static func isMissed(_ end: String, _ hangupReason: String?) -> Bool {
        switch end {
        case "hangup": !["answered-elsewhere", "declined-elsewhere"].contains(hangupReason)
        default: ["timeout", "expired", "stopped"].contains(end)
        }
    }

    /// A missed call is told once; twice if whoever told it was killed.
    private var missedFault: String? {
        let toldMax = sufferer.wasStruck ? 2 : 1
        if told.count > toldMax { return "missed was told \(told.count) times" }
        if isMissed == true, told.isEmpty { return "missed was never told" }
        // A ring whose worker dies is missed, whatever ends the call later.
        let mayBeMissed = isHungUp && isDead || ended.map { $0.reason.rawValue != call?.state.rawValue } ?? false
        return isMissed == false && !told.isEmpty && !mayBeMissed ? "it was told as missed" : nil
    }
}
