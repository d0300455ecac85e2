import CallLedger
import Events

/// Calls as people read them.
enum CallText {
    /// The call's id, or words where it has none; not escaped.
    static func name(of call: String) -> String { call.isEmpty ? "the call without an id" : call }

    /// The call's id and who calls, escaped.
    static func description(of call: Call) -> String {
        let caller = [call.name, call.handle].filter { !$0.isEmpty }.joined(separator: ", ")
        return Printable.escaped(name(of: call.key.text) + (caller.isEmpty ? "" : " (\(caller))"))
    }
}
