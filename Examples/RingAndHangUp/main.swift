import BelfryClient
import BelfryProtocol
import Foundation

let session = try PushSession(PushSocket(environment: ProcessInfo.processInfo.environment))
let id = UUID().uuidString
let call = session.push(CallRequest(callID: id, callerName: "Anna"))
_ = try await call.events(until: { $0.kind == .ringing })
_ = try await session.push(Hangup(callID: id)).allEvents()
