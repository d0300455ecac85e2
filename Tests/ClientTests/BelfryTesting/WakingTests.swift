import BelfryAppGroup
import BelfrySyscalls
import BelfryTerms
import BelfryTesting
import CallLedger
import Glibc
import GroupLedger
import RingEar
import Support
import Testing

/// A bell whose person answers while the group file cannot show it.
@Suite struct WakingTests {
    @Test("R7 a ring that did not answer at its ear is woken if the file, whose lock is held, does not show its end")
    func waking() async throws {
        try await Belfry.running { bell in
            let state = try #require(bell.environment["BELFRY_STATE_DIRECTORY"])
            let runtime = try #require(bell.environment["BELFRY_RUNTIME_DIRECTORY"])
            let group = try #require(GroupName("group.belfry"))
            let file = LedgerFile(
                state: StateDirectory(path: state), runtime: RuntimeDirectory(path: runtime), group: group)
            let loop = PolledLoop(at: Instant(microseconds: bootTimeMicroseconds()))
            // Another process rings, and stands still.
            let owner = Owner(try #require(ProcessIdentity(livingPID: getppid())))
            let ear = try Ear(of: owner, in: file.folder)
            let until = loop.now + .seconds(60)
            file.transact(on: loop) {
                _ = $0.admit(
                    RingRequest(key: CallKey("a")), until: until, secondCall: .soft, callsMax: 2, owner: owner)
            } completion: { _ in
            }
            let preferences = try Directory.open(
                path: "\(state)/groups/group.belfry/Library/Preferences", makes: false)
            let lock = try FileLock.tryTake("group.belfry.plist.lock", in: preferences)
            try await bell.answer()
            var heard: [RingAsk] = []
            try ear.listen(on: loop) { message, answer in
                heard.append(message.ask)
                answer(nil)
            }
            loop.settle()
            #expect(heard == [.answer(), .look])
            ear.close()
            _ = consume lock
        }
    }
}
