// The ends of calls beside the group file, which other programs may write too. A trap is a finding.
import BelfryPropertyList
import BelfryTerms
import CallLedger

func feedEnds(_ bytes: [UInt8]) {
    let id = String(decoding: bytes.prefix(while: { $0 != UInt8(ascii: "\t") }).prefix(128), as: UTF8.self)
    guard !id.isEmpty else { return }
    let file = PropertyListDictionary()
    var ledger = Ledger(reading: file, at: Machine.moment)
    ledger.remembered = RememberedEnds(bytes)
    _ = ledger.hasCalled("1", within: .seconds(60))
    _ = ledger.hangUp(CallKey(id), reason: .busy, sentAt: nil)
    guard let moved = ledger.moveOldEnds(behind: { RememberedEnds(bytes) }, over: 0, keeping: 0) else { return }
    var later = Ledger(reading: file, at: Machine.moment)
    later.remembered = RememberedEnds(moved.isAddition ? bytes + moved.bytes : moved.bytes)
    let owner = Owner(bootID: "", pid: 1, start: 1)
    let admission = later.admit(
        RingRequest(key: CallKey(id)), until: Machine.moment.now + .seconds(30), secondCall: .soft, callsMax: 2,
        owner: owner)
    if case .silent = admission { return }
    preconditionFailure("a hangup is forgotten")
}
