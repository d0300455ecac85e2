import BelfryBus
import BelfryProtocol
import BelfryTerms
import CallChannel
import Showing

// Calls that go on: what of them is asked for over the bus goes to who has them, and what changes is a signal (C16).
extension CallsInterface {
    /// These calls go on now.
    func goOn(_ calls: [ShownOngoingCall]) {
        let before = ongoing
        ongoing = calls
        for call in before where !calls.contains(where: { $0.call.uuid == call.call.uuid }) {
            signal(call, state: "ended")
        }
        for call in calls where !before.contains(where: { $0.group == call.group && $0.call == call.call }) {
            signal(call, state: call.call.state.rawValue)
        }
    }

    private func signal(_ call: ShownOngoingCall, state: String) {
        emit("CallChanged", [.string(call.group.text), .properties(Self.describe(call.call, state: state))])
    }

    /// The calls of `group` that go on, as `List` tells them.
    func listOngoing(of group: GroupName) -> [BusValue] {
        ongoing.filter { $0.group == group }.map {
            .properties(Self.describe($0.call, state: $0.call.state.rawValue))
        }
    }

    private static func describe(_ call: OngoingCall, state: String) -> [(String, BusValue)] {
        [
            ("call", .string(call.call)), ("uuid", .string(call.uuid)), ("app", .string(call.app)),
            ("appName", .string(call.appName)), ("name", .string(call.name)), ("handle", .string(call.handle)),
            ("video", .bool(call.hasVideo)), ("outgoing", .bool(call.isOutgoing)), ("state", .string(state)),
            ("muted", .bool(call.isMuted)), ("holdable", .bool(call.canHold)),
            ("since", .uint64(UInt64(clamping: call.since?.microseconds ?? 0))),
        ] + label(call.label) + (call.group.map { [("group", .int64($0))] } ?? [])
    }

    /// Takes a call of a method about calls that go on; false if it is none.
    func takeOngoing(_ message: BusMessage, _ group: GroupName) -> Bool {
        let values = message.arguments
        let command: CallCommand
        switch (message.member, values.last?.flag, values.last?.text) {
        case ("End", _, _): command = .end
        case ("Hold", let isOn?, _): command = .hold(isOn)
        case ("Mute", let isOn?, _): command = .mute(isOn)
        case ("Keypad", _, let digits?): command = .keypad(digits)
        default: return false
        }
        perform(command, of: values.count > 1 ? values[1].text ?? "" : "", in: group, message)
        return true
    }

    private func perform(_ command: CallCommand, of name: String, in group: GroupName, _ message: BusMessage) {
        guard let call = target(of: command, name, in: group) else {
            let named = name.isEmpty ? "no such call" : "no call \(name)"
            return message.fail("\(Self.error).NoSuchCall", "\(named) goes on in \(group.text)")
        }
        if case .keypad(let digits) = command, !CallDigits(digits, type: 1).areKeys {
            return message.fail(
                "org.freedesktop.DBus.Error.InvalidArgs",
                "digits are 1 to \(CallLimits.digitsMax) of 0 to 9, A to D, * and #, with , and ; for pauses")
        }
        if case .hold(true) = command, !call.call.canHold {
            return message.fail(
                "org.freedesktop.DBus.Error.NotSupported", "\(call.call.app) cannot hold \(call.call.call)")
        }
        choose(call.link, command)
        message.reply()
    }

    /// The call with that key or UUID; for "" the one that is on, or the held one to go on with, of several the one
    /// since last.
    private func target(of command: CallCommand, _ name: String, in group: GroupName) -> ShownOngoingCall? {
        let calls = ongoing.filter { $0.group == group }
        guard name.isEmpty else { return calls.first { $0.call.call == name || $0.call.uuid == name.uppercased() } }
        return calls.last { ($0.call.state == .held) == (command == .hold(false)) }
    }
}
