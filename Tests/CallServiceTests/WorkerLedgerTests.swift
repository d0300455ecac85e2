import BelfryAppGroup
import BelfryEventLoop
import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import CallLedger
import CallService
import GroupLedger
import RingEar
import Support
import Testing

@Suite("R14: each trouble with the group file is one event") struct WorkerLedgerTests {
    let folder = TemporaryFolder()

    /// The warnings told while the file is changed three times.
    func warnings(state path: String) throws -> [WarningCode] {
        let loop = try Loop()
        var told: [WarningCode] = []
        let tell: (Event.Body) -> Void = { body in
            if case .warning(let code, _) = body, let known = code.known { told.append(known) }
        }
        let group = try #require(GroupName("group.belfry"))
        let file = LedgerFile(
            state: StateDirectory(path: path), runtime: RuntimeDirectory(path: "\(folder.path)/run"), group: group)
        let ledger = WorkerLedger(loop: loop, file: file, report: tell)
        var changes = 0
        for number in 1...3 {
            ledger.transact {
                $0.hangUp(CallKey("\(number)"), reason: .cancelled, sentAt: nil)
            } done: { _, _ in
                changes += 1
            }
        }
        #expect(changes == 3)
        return told
    }

    @Test func aFileThatCannotBeWritten() throws {
        #expect(try warnings(state: folder.write([], to: "file")) == [.groupUnwritable])
    }

    @Test func aLockThatCannotBeMade() throws {
        folder.makeFolder("state/groups/group.belfry/Library/Preferences/group.belfry.plist.lock")
        #expect(try warnings(state: "\(folder.path)/state") == [.groupLocked])
    }

    @Test func nothing() throws {
        #expect(try warnings(state: "\(folder.path)/state") == [])
    }
}
