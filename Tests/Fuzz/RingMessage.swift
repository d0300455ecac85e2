// What ringing processes read of one another. The first byte chooses the reader: of messages at an ear, of an ear's
// answers, of notes beside the group file. A trap is a finding, and so is what was read and cannot be written and read
// again.
import BelfryPropertyList
import BelfryTerms
import CallLedger
import RingEar

func feedRingMessage(_ bytes: [UInt8]) {
    let input = Array(bytes.dropFirst())
    switch bytes.first ?? 0 {
    case 0:
        guard let message = RingMessage(input) else { return }
        let packet = message.packet
        // Escapes may make it too long to be read again.
        precondition(packet.count > RingMessage.bytesMax || RingMessage(packet) == message, "a message changes")
    case 1:
        guard let answer = RingAnswer(input) else { return }
        let packet = answer.packet
        precondition(packet.count > RingMessage.bytesMax || RingAnswer(packet) == answer, "an answer changes")
    default:
        guard let root = try? PropertyListDictionary.parse(input) else { return }
        let written = World(asWritten(root))
        for world in [World(root), written] {
            merge(world.notes, into: world.file)
            merge(world.notes.map(recorded), into: world.file)
        }
        compare(written.notes, in: written.file)
    }
}

/// Two notes, and the group file that they lie beside.
private struct World {
    let file: PropertyListDictionary
    let notes: [LedgerNote]

    init(_ root: PropertyListDictionary) {
        file = root["file"]?.dictionaryValue ?? PropertyListDictionary()
        notes = [LedgerNote(root), root["other"]?.dictionaryValue.flatMap(LedgerNote.init)].compactMap(\.self)
    }
}

/// What is left of `root` once it is written: a binary list may hold what XML cannot carry.
private func asWritten(_ root: PropertyListDictionary) -> PropertyListDictionary {
    guard let written = try? PropertyListDictionary.parse(root.serializedXML()) else {
        preconditionFailure("what was read cannot be read again")
    }
    return written
}

/// Notes do the same once they are laid. Compared is text, since a number of a stranger's may be NaN, which equals
/// nothing.
private func compare(_ notes: [LedgerNote], in file: PropertyListDictionary) {
    let before = Ledger(reading: file, with: notes, at: Machine.moment)
    let found = Ledger(reading: file, with: notes.map(laid), at: Machine.moment)
    precondition(found.root.serializedXML() == before.root.serializedXML(), "a note says something else once laid")
    precondition(found.isDurable == before.isDurable, "a note is less urgent once laid")
}

/// The note as others find it.
private func laid(_ note: LedgerNote) -> LedgerNote {
    guard let again = LedgerNote(asWritten(note.root)) else { preconditionFailure("a note cannot be read") }
    precondition(again.root.serializedXML() == note.root.serializedXML(), "a note changes as it is laid")
    return again
}

private func recorded(_ note: LedgerNote) -> LedgerNote {
    var note = note
    note.fileState = .recorded
    return note
}

/// Takes `notes` along as every program does, and changes what then is known in every way.
private func merge(_ notes: [LedgerNote], into file: PropertyListDictionary) {
    let (moment, owner) = (Machine.moment, Machine.owner)
    let before = Ledger(reading: file, with: notes, at: moment)
    let opened = before.opened
    precondition(opened.rings.isEmpty == (opened.root[Ledger.Key.startCallTime] == nil), "the start is out of step")
    for note in notes {
        _ = (note.isDone(in: opened), note.isLost(from: file), notes.first.map(note.isCovered))
    }
    for call in opened.calls.prefix(4) {
        _ = (opened.standing(of: call.key, owner: owner, secondCall: .soft), opened.changes(from: before))
        let request = RingRequest(key: call.key)
        for ask in [RingAsk.hangUp(.busy, sentAt: moment.wall), .answer(), .decline, .silence, .foreground, .look] {
            change(before) { $0.carryOut(ask, for: request, owner: call.owner ?? owner) }
        }
        change(before) { _ = $0.settle(request, owner: call.owner ?? owner, reason: .timeout) }
        change(before) { $0.reported(call.key, owner: call.owner ?? owner) }
        change(before) {
            _ = $0.admit(request, until: moment.now + .seconds(9), secondCall: .soft, callsMax: 2, owner: owner)
        }
    }
    change(before) { $0.reported($0.unreported) }
    change(before) { $0.enterForeground(owner: owner) }
}

/// Lays the note of a change beside the others.
private func change(_ before: Ledger, _ change: (inout Ledger) -> Void) {
    var after = before.opened
    change(&after)
    if let note = LedgerNote(from: before, to: after) { _ = laid(note) }
}

/// The machine of the seeds, in which every second process is dead.
enum Machine {
    static let owner = Owner(bootID: "boot", pid: 1, start: 1)

    static var moment: Moment {
        Moment(
            now: Instant(microseconds: 90_000_000_000), wall: WallTime(microseconds: 1_700_000_000_000_000),
            bootID: "boot", fileModified: nil
        ) { $0.pid % 2 == 1 }
    }
}
