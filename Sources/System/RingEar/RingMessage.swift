import BelfryJSON
import BelfrySyscalls
public import BelfryTerms
public import CallLedger

/// A message to an ear: one packet, a JSON object.
///
///     {"group": "group.belfry", "call": "4711", "ask": "hangup", "reason": "busy", "sentAt": 1700000000.5}
public struct RingMessage: Hashable, Sendable {
    /// A packet is at most this long, either way (S5).
    public static let bytesMax = 1024

    /// The group whose ring is meant.
    public let group: GroupName
    /// The call that is meant; the empty key is the anonymous call.
    public let call: CallKey
    /// What is asked of its ring.
    public let ask: RingAsk

    /// A message.
    public init(group: GroupName, call: CallKey, ask: RingAsk) {
        self.group = group
        self.call = call
        self.ask = ask
    }

    private enum Word: String {
        case hangup, answer, decline, silence, foreground, look
    }

    /// The message in `packet`; nil if it is none.
    public init?(_ packet: [UInt8]) {
        guard let said = JSONFields(packet: packet), let group = try? said.word("group", GroupName.init),
            let call = try? said.string("call"), let word = try? said.word("ask", Word.init)
        else { return nil }
        self.group = group
        self.call = CallKey(call)
        switch word {
        case .answer: ask = .answer(heldBy: Self.holder(in: said))
        case .decline: ask = .decline
        case .silence: ask = .silence
        case .foreground: ask = .foreground
        case .look: ask = .look
        case .hangup:
            guard let reason = try? said.word("reason", HangupReason.init) else { return nil }
            ask = .hangUp(reason, sentAt: (try? said.number("sentAt")).flatMap(WallTime.init(unixSeconds:)))
        }
    }

    /// The process of this boot that `said` names as the one that holds the call.
    private static func holder(in said: JSONFields) -> Owner? {
        guard let pid = try? said.integer("pid"), let start = try? said.integer("pidStart") else { return nil }
        return Owner(bootID: bootID(), pid: pid, start: start)
    }

    /// The message as it is sent.
    public var packet: [UInt8] {
        var object: JSONObject = ["group": .string(group.text), "call": .string(call.text)]
        func say(_ word: Word) { object["ask"] = .string(word.rawValue) }
        switch ask {
        case .answer(let holder):
            say(.answer)
            if let holder {
                object["pid"] = .integer(holder.pid)
                object["pidStart"] = .integer(holder.start)
            }
        case .decline: say(.decline)
        case .silence: say(.silence)
        case .foreground: say(.foreground)
        case .look: say(.look)
        case .hangUp(let reason, let sentAt):
            say(.hangup)
            object["reason"] = .string(reason.rawValue)
            if let sentAt { object["sentAt"] = .real(sentAt.unixSeconds) }
        }
        return object.serialized()
    }
}

extension RingAnswer {
    /// The answer in `packet`; nil if it is none.
    public init?(_ packet: [UInt8]) {
        guard let said = JSONFields(packet: packet), let call = try? said.string("call"),
            let state = try? said.word("state", CallState.init), let isRecorded = try? said.bool("recorded")
        else { return nil }
        self.init(key: CallKey(call), state: state, isRecorded: isRecorded)
    }

    /// The answer as it is sent.
    public var packet: [UInt8] {
        let object: JSONObject = [
            "call": .string(key.text), "state": .string(state.rawValue), "recorded": .bool(isRecorded),
        ]
        return object.serialized()
    }
}

extension JSONFields {
    fileprivate init?(packet: [UInt8]) {
        self.init(line: packet, limits: JSONLimits(bytesMax: RingMessage.bytesMax, depthMax: 4, valuesMax: 16))
    }
}
