import BelfryAppGroup
import BelfryEventLoop
import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import CallLedger
import CallService
import PictureFetcher
import Support
import Testing

@Suite("R14: what the group file suffers is one event") struct SystemCallWorldTests {
    let folder = TemporaryFolder()

    /// The warnings told while the file is changed three times.
    func warnings(state path: String) throws -> [WarningCode] {
        let loop = try Loop()
        var told: [WarningCode] = []
        let tell: (Event.Body) -> Void = { body in
            if case .warning(let code, _) = body { told.append(code) }
        }
        let settings = RingSettings(
            duration: .seconds(30), interval: .seconds(1), sound: "none", vibrates: false, secondCall: .soft,
            callsMax: 10)
        let group = try #require(GroupName("group.belfry"))
        let picture = PictureDownload(
            loop: loop, settings: PictureSettings(timeout: .zero, bytesMax: 1, allow: [], from: []), statePath: path,
            requestID: "request", program: nil)
        let world = SystemCallWorld(
            loop: loop, file: GroupFile(state: StateDirectory(path: path), group: group),
            ringer: Ringer(loop: loop, settings: settings, environment: [:], tell: tell), picture: picture,
            tell: tell)
        var changes = 0
        for number in 1...3 {
            world.transact {
                $0.hangUp(CallKey("\(number)"), reason: .cancelled, sentAt: nil)
            } done: { _ in
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
