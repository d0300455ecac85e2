// What comes at the push socket, and what a client reads there. A trap is a finding, and so is a push that depends on
// how its bytes were cut, or what was read and cannot be written and read again.
import BelfryJSON
@testable import BelfryJournal
import BelfryProtocol
import BelfryTerms

func feedPush(_ bytes: [UInt8]) {
    let whole = framed(bytes, pieceBytes: max(1, bytes.count))
    precondition(framed(bytes, pieceBytes: 1) == whole, "a push depends on how it is cut")
    guard case .complete(let framed) = whole, let push = try? Push.parse(framed, makeID: { "id" }) else { return }
    let content = push.request.content
    precondition((try? NotificationContent(json: content.json)) == content, "a content does not read back")
    let event = Event(at: 0, boot: 0, id: push.request.id, body: .delivered(by: .passthrough, content: content))
    precondition((try? Event(line: event.line)) == event, "a content is lost on the way to the client")
    let taken = PushRecord.push(PushRecord.Taken(push, at: WallTime(microseconds: 0)))
    precondition(PushRecord(line: taken.line) == taken, "a push is lost on the way to who follows it")
}

private func framed(_ bytes: [UInt8], pieceBytes: Int) -> PushFraming.Progress {
    var framing = PushFraming()
    for start in stride(from: 0, to: bytes.count, by: pieceBytes) {
        let progress = framing.feed(bytes[start..<min(bytes.count, start + pieceBytes)])
        if progress != .needMore { return progress }
    }
    return framing.endOfInput()
}

func feedJSON(_ bytes: [UInt8]) {
    guard let value = try? JSONValue.parse(bytes) else { return }
    precondition((try? JSONValue.parse(value.serialized())) == value, "a value does not read back")
    guard value.objectValue != nil else { return }
    var scanner = JSONObjectScanner()
    guard case .complete(let end) = scanner.feed(bytes) else { preconditionFailure("an object without an end") }
    precondition((try? JSONValue.parse(Array(bytes[..<end]))) == value, "an object ends elsewhere")
}

func feedEvent(_ bytes: [UInt8]) {
    if let record = PushRecord(line: bytes) {
        precondition(PushRecord(line: record.line) != nil, "a record does not read back")
    }
    guard let event = try? Event(line: bytes) else { return }
    var story = JournalStory(group: "group.fuzz")
    _ = story.entry(for: event)?.datagram(identifier: "fuzz", lost: 0)
    guard let again = try? Event(line: event.line) else { preconditionFailure("an event does not read back") }
    // What could not be read may be, once it is written: with an id, for one.
    if case .unknown = event.body {} else { precondition(again.line == event.line, "an event changes") }
    let escaped = Printable.escaped(String(decoding: bytes, as: UTF8.self))
    precondition(escaped.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }, "a control character gets through")
}
