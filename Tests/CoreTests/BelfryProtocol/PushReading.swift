import BelfryJSON
import BelfryProtocol
import BelfryTerms
import Testing

/// The id that every push here has which states none.
let generatedID = "00000000-0000-4000-8000-000000000000"

/// Reads `text` as a notification.
func push(_ text: String) throws(Rejection) -> Push {
    try Push.parse(Array(text.utf8), makeID: { generatedID })
}

/// The content of a push with this `aps`.
func content(aps: String) throws(Rejection) -> NotificationContent {
    try push(#"{"aps":\#(aps)}"#).request.content
}

/// The call request in a push with this `info`.
func request(info: String) throws -> (request: CallRequest, notes: [String]) {
    let push = try push(#"{"aps":{"alert":"x"},"info":{"type":1,\#(info)}}"#)
    guard case .request(let request)? = push.call else { throw NoCall() }
    return (request, push.notes)
}

/// The hangup in a push with this `info`.
func hangup(info: String) throws -> (hangup: Hangup, notes: [String]) {
    let push = try push(#"{"aps":{"alert":"x"},"info":{"type":"hangup",\#(info)}}"#)
    guard case .hangup(let hangup)? = push.call else { throw NoCall() }
    return (hangup, push.notes)
}

/// A push that should be about a call is about none.
struct NoCall: Error {}

/// Why `bytes` are refused, nil if they are not.
func rejection(_ bytes: [UInt8]) -> Rejection? {
    do throws(Rejection) {
        _ = try Push.parse(bytes)
        return nil
    } catch {
        return error
    }
}

/// Why `text` is refused, nil if it is not.
func rejection(_ text: String) -> Rejection? { rejection(Array(text.utf8)) }
