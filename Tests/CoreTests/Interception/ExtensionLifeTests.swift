import BelfryTerms
import Interception
import Testing

/// One process and its notifications, in virtual time: R2, R3 and R17.
@Suite struct ExtensionLifeTests {
    typealias Effect = ExtensionLifeStateMachine.Effect
    static let start = Instant(microseconds: 9_000_000)

    static func at(_ seconds: Int64) -> Instant { start + .seconds(seconds) }

    private static func life(isReused: Bool = false) -> ExtensionLifeStateMachine {
        ExtensionLifeStateMachine(budget: .seconds(30), isReused: isReused)
    }

    /// A life whose notification 1 came at 0 s and was handed over at 1 s.
    private static func handedOver(isReused: Bool = false) -> ExtensionLifeStateMachine {
        var life = life(isReused: isReused)
        #expect(life.received(1, at: at(0)) == [.spawn, .wake(at: at(30))])
        #expect(life.greeted(at: at(1)) == [.handOver(1), .wake(at: at(29))])
        return life
    }

    @Test("R3 a reply is delivered; once returned, the process has five seconds, and then it is killed")
    func goodLife() {
        var life = Self.handedOver()
        #expect(life.replied(1, at: Self.at(2)) == [.deliverReply(1, by: .extension), .wake(at: Self.at(30))])
        #expect(life.returned(1, at: Self.at(3)) == [.wake(at: Self.at(8))])
        #expect(!life.isKilledAsDone)
        #expect(life.timerFired(at: Self.at(8)) == [.kill] && !life.isOver && life.isKilledAsDone)
        #expect(life.ended(cleanly: false, at: Self.at(9)).isEmpty && life.isOver)
    }

    @Test("R3 who returns first and replies later has five seconds from the reply, and never more than the budget")
    func returnsFirst() {
        var life = Self.handedOver()
        #expect(life.returned(1, at: Self.at(1)).isEmpty)
        #expect(life.replied(1, at: Self.at(10)) == [.deliverReply(1, by: .extension), .wake(at: Self.at(15))])
        life = Self.handedOver()
        #expect(life.returned(1, at: Self.at(1)).isEmpty)
        #expect(life.replied(1, at: Self.at(28)) == [.deliverReply(1, by: .extension), .wake(at: Self.at(30))])
        #expect(life.timerFired(at: Self.at(30)) == [.kill])
    }

    @Test("R3 it is told at 29 s and killed at 30 s, and the account says whether it blocked")
    func expires() {
        for (returns, why) in [(false, WarningCode.blocked), (true, .neverReplied)] {
            var life = Self.handedOver()
            if returns { #expect(life.returned(1, at: Self.at(2)).isEmpty) }
            #expect(life.timerFired(at: Self.at(29)) == [.tellTimeWillExpire(1), .wake(at: Self.at(30))])
            #expect(
                life.timerFired(at: Self.at(30)) == [
                    .warn(1, why), .warn(1, .killedAtBudget), .deliverOriginal(1, by: .expiry), .kill,
                ])
            #expect(life.replied(1, at: Self.at(30)) == [.warn(1, .handlerCalledAgain)])
            #expect(life.ended(cleanly: false, at: Self.at(30)).isEmpty && life.isOver)
        }
    }

    @Test("R3 the start counts: who greets late is told at once, who never greets is killed at the end")
    func startsSlowly() {
        var life = Self.life()
        _ = life.received(1, at: Self.at(0))
        var late = life
        let effects = late.greeted(at: Self.start + .milliseconds(29_500))
        #expect(effects == [.handOver(1), .tellTimeWillExpire(1)], "the timer is set already")
        #expect(late.timerFired(at: Self.start + .milliseconds(29_501)) == [.wake(at: Self.at(30))], "it fired early")
        #expect(
            life.timerFired(at: Self.at(30)) == [
                .warn(1, .killedAtBudget), .deliverOriginal(1, by: .expiry), .kill,
            ])
        #expect(life.greeted(at: Self.at(31)).isEmpty)
    }

    @Test("R3 a reply that is seen after the end is too late, even if the timer has not fired")
    func lateReply() {
        var life = Self.handedOver()
        #expect(
            life.replied(1, at: Self.at(31)) == [
                .warn(1, .blocked), .warn(1, .killedAtBudget), .deliverOriginal(1, by: .expiry), .kill,
                .warn(1, .handlerCalledAgain),
            ])
    }

    @Test("R2 further replies are warned of once, and what was never handed over has no handler")
    func repliesAgain() {
        var life = Self.handedOver()
        _ = life.replied(1, at: Self.at(2))
        #expect(life.replied(1, at: Self.at(3)) == [.warn(1, .handlerCalledAgain)])
        #expect(life.replied(1, at: Self.at(3)).isEmpty)
        #expect(life.replied(2, at: Self.at(3)).isEmpty && life.replied(0, at: Self.at(3)).isEmpty)
        #expect(life.replied(.min, at: Self.at(3)).isEmpty && life.returned(7, at: Self.at(3)).isEmpty)
    }

    @Test("R3 who replies and blocks on is killed at the end, without an expiry call")
    func blocksAfterTheReply() {
        var life = Self.handedOver()
        _ = life.replied(1, at: Self.at(2))
        #expect(life.timerFired(at: Self.at(29)) == [.wake(at: Self.at(30))])
        #expect(life.timerFired(at: Self.at(30)) == [.warn(1, .killedAtBudget), .kill] && !life.isKilledAsDone)
    }

    @Test("R2 an end without a reply delivers the original as a crash; one that is clean has a name")
    func ends() {
        for (cleanly, warnings) in [(false, [Effect]()), (true, [.warn(1, .neverReplied)])] {
            var life = Self.handedOver()
            let effects = life.ended(cleanly: cleanly, at: Self.at(2))
            #expect(effects == warnings + [.deliverOriginal(1, by: .crash)] && life.isOver)
            life = Self.life()
            _ = life.received(1, at: Self.at(0))
            #expect(life.ended(cleanly: cleanly, at: Self.at(0)) == warnings + [.deliverOriginal(1, by: .crash)])
            life = Self.handedOver()
            _ = life.replied(1, at: Self.at(2))
            #expect(life.ended(cleanly: cleanly, at: Self.at(2)).isEmpty && life.isOver)
        }
    }

    @Test("a channel that broke is a crash, and its process is killed")
    func breaks() {
        var life = Self.handedOver()
        #expect(life.channelBroke(at: Self.at(2)) == [.deliverOriginal(1, by: .crash), .kill])
        #expect(life.channelBroke(at: Self.at(2)).isEmpty)
        #expect(life.ended(cleanly: true, at: Self.at(3)).isEmpty && life.isOver)
    }

    @Test("R17 a stop is the expiry call, and a second for the reply; else the original is delivered")
    func stops() {
        var life = Self.handedOver()
        #expect(life.stop(at: Self.at(5)) == [.tellTimeWillExpire(1), .wake(at: Self.at(6))])
        #expect(life.stop(at: Self.at(5)).isEmpty)
        var silent = life
        #expect(life.replied(1, at: Self.at(5)) == [.deliverReply(1, by: .stopped), .kill])
        #expect(silent.timerFired(at: Self.at(6)) == [.deliverOriginal(1, by: .stopped), .kill])
        #expect(silent.ended(cleanly: false, at: Self.at(6)).isEmpty && silent.isOver)
    }

    @Test("R17 who was told by a stop is not told again as its time is nearly over")
    func toldOnce() {
        var life = Self.handedOver()
        let told = life.stop(at: Self.start + .milliseconds(28_500))
        #expect(told == [.tellTimeWillExpire(1), .wake(at: Self.start + .milliseconds(29_500))])
        #expect(life.timerFired(at: Self.at(29)) == [.wake(at: Self.start + .milliseconds(29_500))])
    }

    @Test("R17 a stop gives nobody more than the budget, tells nobody twice, and waits for nobody who has not begun")
    func stopsAtTheEnd() {
        var life = Self.handedOver()
        _ = life.timerFired(at: Self.at(29))
        #expect(life.stop(at: Self.start + .milliseconds(29_500)).isEmpty)
        #expect(life.timerFired(at: Self.at(30)) == [.deliverOriginal(1, by: .stopped), .kill])
        life = Self.life()
        _ = life.received(1, at: Self.at(0))
        #expect(life.stop(at: Self.at(1)) == [.deliverOriginal(1, by: .stopped), .kill])
        life = Self.handedOver()
        _ = life.replied(1, at: Self.at(2))
        #expect(life.stop(at: Self.at(3)) == [.kill], "nobody waits for what runs after its reply")
        life = Self.handedOver()
        _ = life.stop(at: Self.at(2))
        #expect(life.ended(cleanly: false, at: Self.at(2)) == [.deliverOriginal(1, by: .stopped)])
    }

    @Test("a process that is used again gets the next notification once the one before has replied, not returned")
    func reused() {
        var life = Self.handedOver(isReused: true)
        #expect(life.received(2, at: Self.at(2)).isEmpty)
        #expect(
            life.replied(1, at: Self.at(3)) == [
                .deliverReply(1, by: .extension), .handOver(2), .wake(at: Self.at(30)),
            ])
        #expect(life.returned(1, at: Self.at(4)) == [.wake(at: Self.at(9))])
        #expect(
            life.timerFired(at: Self.at(9)) == [.over(1), .wake(at: Self.at(32))], "its budget is from its hand-over")
        #expect(life.deadline(of: 2) == Self.at(33) && life.deadline(of: 1) == nil)
        #expect(life.replied(2, at: Self.at(10)) == [.deliverReply(2, by: .extension), .wake(at: Self.at(33))])
        #expect(life.returned(2, at: Self.at(10)) == [.wake(at: Self.at(15))])
        #expect(life.timerFired(at: Self.at(15)) == [.over(2)] && !life.isOver)
        #expect(life.received(3, at: Self.at(100)) == [.handOver(3), .wake(at: Self.at(129))])
        #expect(life.replied(1, at: Self.at(101)) == [.warn(1, .handlerCalledAgain)])
    }

    @Test("a notification that blocks on past its budget takes the process along, but no other's time to reply")
    func reusedAndBlocked() {
        var life = Self.handedOver(isReused: true)
        _ = life.received(2, at: Self.at(10))
        _ = life.replied(1, at: Self.at(10))
        #expect(life.timerFired(at: Self.at(30)) == [.wake(at: Self.at(39))])
        #expect(life.received(3, at: Self.at(31)).isEmpty)
        #expect(
            life.replied(2, at: Self.at(32)) == [.deliverReply(2, by: .extension), .warn(1, .killedAtBudget), .kill])
        #expect(life.received(4, at: Self.at(33)).isEmpty)
        #expect(life.ended(cleanly: false, at: Self.at(33)) == [.spawn, .wake(at: Self.at(63))])
        #expect(life.greeted(at: Self.at(34)) == [.handOver(3), .wake(at: Self.at(62))])
        #expect(life.replied(2, at: Self.at(34)).isEmpty, "this process never had its handler")
    }

    @Test("who dies in a process that is used again takes nobody along who still waits")
    func reusedAndCrashed() {
        var life = Self.handedOver(isReused: true)
        _ = life.received(2, at: Self.at(2))
        #expect(
            life.ended(cleanly: false, at: Self.at(3)) == [
                .deliverOriginal(1, by: .crash), .spawn, .wake(at: Self.at(33)),
            ])
        #expect(life.ended(cleanly: false, at: Self.at(4)) == [.deliverOriginal(2, by: .crash)] && life.isOver)
        #expect(life.stop(at: Self.at(5)).isEmpty)
        #expect(life.received(3, at: Self.at(6)) == [.deliverOriginal(3, by: .stopped)])
    }

    @Test("R17 a stop delivers what waits as it came, and kills a process that has nothing to do")
    func reusedAndStopped() {
        var life = Self.handedOver(isReused: true)
        _ = life.received(2, at: Self.at(2))
        #expect(
            life.stop(at: Self.at(3)) == [
                .tellTimeWillExpire(1), .deliverOriginal(2, by: .stopped), .wake(at: Self.at(4)),
            ])
        life = Self.handedOver(isReused: true)
        _ = life.replied(1, at: Self.at(2))
        _ = life.returned(1, at: Self.at(2))
        _ = life.timerFired(at: Self.at(7))
        #expect(life.stop(at: Self.at(50)) == [.kill])
    }

    @Test("what nobody takes any more is told that its time is over, and forgotten if it has not begun")
    func withdraws() {
        var life = Self.handedOver(isReused: true)
        _ = life.received(2, at: Self.at(2))
        #expect(life.withdrew(2, at: Self.at(3)).isEmpty)
        #expect(life.withdrew(1, at: Self.at(3)) == [.tellTimeWillExpire(1), .wake(at: Self.at(30))])
        #expect(life.withdrew(1, at: Self.at(3)).isEmpty)
        #expect(life.replied(1, at: Self.at(4)) == [.deliverReply(1, by: .extension)])
        #expect(life.withdrew(1, at: Self.at(4)).isEmpty && life.withdrew(9, at: Self.at(4)).isEmpty)
        life = Self.life()
        _ = life.received(1, at: Self.at(0))
        var slow = life
        #expect(slow.withdrew(1, at: Self.at(1)).isEmpty && slow.timerFired(at: Self.at(30)) == [.kill])
        _ = life.withdrew(1, at: Self.at(1))
        #expect(life.greeted(at: Self.at(2)) == [.kill])
    }

    @Test("a second notification for a process that is not used again is a defect of ours")
    func receivesOnce() async {
        await #expect(processExitsWith: .failure) {
            var life = ExtensionLifeStateMachine(budget: .seconds(30), isReused: false)
            _ = life.received(1, at: Instant(microseconds: 0))
            _ = life.received(2, at: Instant(microseconds: 0))
        }
    }
}
