import BelfryTerms
import GroupLedger
import Testing

@testable import simulate

/// Runs that went wrong once, each played again.
@Suite struct StoryTests {
    /// One run, and how it went.
    private struct Run {
        let mistake: String?
        let lines: [String]
        let workers: [PlayedWorker]

        init(
            _ happenings: [Happening], lasting duration: TimeSpan = .seconds(4), seed: UInt64 = 7,
            where surround: (inout Plan.Surroundings) -> Void = { _ in }
        ) {
            var plan = Plan(seed: seed, happenings: happenings.sorted { $0.at < $1.at })
            plan.surroundings.duration = duration
            plan.surroundings.budget = .seconds(20)
            surround(&plan.surroundings)
            let world = World(plan, tells: true)
            mistake = world.run()
            lines = world.story.lines.map { String($0.drop { $0 != " " }.dropFirst(2)) }
            workers = world.workers
        }

        func tells(_ line: String) -> Bool { lines.contains(line) }
    }

    private func at(_ seconds: Double, _ what: Happening.What, meeting fate: (Int, PlayedProcess.Fate)? = nil)
        -> Happening
    {
        Happening(at: Int64(seconds * 1e6), what: what, fate: fate.map { (step: $0.0, fate: $0.1) })
    }

    private func request(_ id: String = "", sentAt: Int64? = nil) -> Happening.What {
        .push(PlayedPush(kind: .request, group: 0, id: id, sentAt: sentAt))
    }

    private func hangup(_ reason: HangupReason, _ id: String = "", sentAt: Int64? = nil) -> Happening.What {
        .push(PlayedPush(kind: .hangup(reason), group: 0, id: id, sentAt: sentAt))
    }

    @Test("R7 what a stranger read of an earlier ring and writes back does not end the next ring of the call")
    func strangerWritesBack() {
        for id in ["", "0"] {
            let run = Run([
                at(0, request(id)), at(4.5, .stranger(.writesOldCopy(afterMicroseconds: 1_500_000), group: 0)),
                at(5, request(id)),
            ])
            #expect(run.mistake == nil && run.tells("worker 1: ends: timeout") && run.tells("worker 1: tick 3"))
        }
    }

    @Test("R7 R11 a ring that stood still ends as it was hung up, whatever became of the next call without an id")
    func frozenRingOfACallWithoutID() {
        let elsewhere = Run([
            at(0, request()), at(1, .frozen(0, forMicroseconds: 8_000_000)), at(1.5, hangup(.answeredElsewhere)),
            at(2, request()),
        ])
        #expect(elsewhere.mistake == nil && elsewhere.tells("worker 2: ends: timeout"))
        #expect(elsewhere.tells("worker 0: ends: hangup (answered-elsewhere)") && !elsewhere.tells("worker 0: missed"))
        let answered = Run([
            at(0, request()), at(1, .frozen(0, forMicroseconds: 8_000_000)), at(1.5, hangup(.cancelled)),
            at(2, request()), at(3, .command(.answer(nil), group: 0)),
        ])
        #expect(answered.mistake == nil && answered.tells("worker 2: ends: answered"))
        #expect(answered.tells("worker 0: ends: hangup (cancelled)") && answered.tells("worker 0: missed"))
    }

    @Test("R10 two short overlaps of loud rings, one after the other, are none that lasts")
    func shortOverlaps() {
        let run = Run([
            at(0, request("1")), at(0.5, request("2")), at(0.6, request("3")),
            at(1.2, .frozen(0, forMicroseconds: 700_000)), at(1.3, hangup(.cancelled, "1")),
            at(1.8, .frozen(1, forMicroseconds: 700_000)), at(1.85, hangup(.cancelled, "2")),
        ])
        #expect(run.mistake == nil && run.tells("worker 2: rings loud for 4.0 s"))
    }

    @Test("R11 R17 a request that its hangup overtook is told as missed, also by a worker that is told to stop at once")
    func stoppedOverOvertakenRequest() {
        for milliseconds in [0.0, 0.001, 0.002] {
            let run = Run([at(0, hangup(.cancelled, "1")), at(1, request("1")), at(1 + milliseconds, .terminated(0))])
            #expect(run.mistake == nil && run.tells("worker 1: missed"))
        }
    }

    @Test("R12 whatever call a worker was killed over, its missed call is told")
    func killedAtEachCall() {
        for step in 0..<140 {
            let overtaken = Run([at(0, hangup(.cancelled, "1")), at(1, request("1"), meeting: (step, .killed))])
            #expect(overtaken.mistake == nil, "overtaken, killed at call \(step)")
            let ring = Run([at(0, request("1"), meeting: (step, .killed)), at(2, request("2"))])
            #expect(ring.mistake == nil, "ringing, killed at call \(step)")
        }
    }

    /// What is left: a writer that stands still between its last look at the file and the rename.
    private static let tooLate = "stands still before the rename of the file"

    @Test("R12 R22 a writer that stands still over its write, and whose lock is passed over, brings no old file back")
    func frozenWriter() {
        var reached = 0
        for step in 0..<140 {
            let run = Run([
                at(0, request("1")), at(0.5, request("2"), meeting: (step, .frozen(9_000_000))),
                at(0.6, .command(.answer("1"), group: 0)), at(2, .command(.tidy, group: 0)),
                at(5, request("1")),
            ])
            #expect(run.mistake == nil, "stood still at call \(step)")
            let isBetween = run.lines.contains { $0.contains(Self.tooLate) }
            reached += run.lines.contains { $0.contains("stands still before") } ? 1 : 0
            #expect(isBetween || run.tells("worker 2: is silent: answered"), "stood still at call \(step)")
        }
        #expect(reached > 20)
    }

    @Test("R8 a hangup that reaches a ring while it settles its end is remembered")
    func hangupWhileSettling() {
        for step in 0..<140 {
            let run = Run([
                at(0, request("1"), meeting: (step, .frozen(1_000_000))), at(4.3, hangup(.cancelled, "1")),
                at(9, request("1")),
            ])
            #expect(run.mistake == nil, "stood still at call \(step)")
            let isBetween = run.lines.contains { $0.contains(Self.tooLate) }
            #expect(isBetween || run.tells("worker 2: is silent: hung-up"), "stood still at call \(step)")
        }
    }

    @Test("R8 a hangup that the file gets as a request looks at it is seen, there or beside it")
    func recordedAsAnotherLooks() {
        var met = 0
        for recording in [24, 30, 36] {
            for looking in 5..<25 {
                let run = Run([
                    at(0, hangup(.cancelled, "1"), meeting: (recording, .frozen(30_000))),
                    at(0.01, request("1"), meeting: (looking, .frozen(60_000))),
                ])
                #expect(run.mistake == nil && run.tells("worker 1: is silent: hung-up"))
                met += run.tells("worker 0 goes on") && run.tells("worker 1 goes on") ? 1 : 0
            }
        }
        #expect(met > 50)
    }

    @Test("R8 a hangup that was sent before a request does not end its ring, be it with an id or without")
    func hangupSentBefore() {
        for id in ["", "1"] {
            let run = Run([at(1, request("1", sentAt: 900_000)), at(2, hangup(.cancelled, id, sentAt: 500_000))])
            #expect(run.mistake == nil && run.tells("worker 0: ends: timeout"))
            // At the ledger, since the ring does not hear.
            let frozen = Run([
                at(1, request("1", sentAt: 900_000)), at(1.5, .frozen(0, forMicroseconds: 1_000_000)),
                at(2, hangup(.cancelled, id, sentAt: 500_000)),
            ])
            #expect(frozen.mistake == nil && frozen.tells("worker 0: ends: timeout"))
        }
    }

    @Test("R8 a later copy of the request moves a ring on, also one that has not looked since")
    func hangupBeforeLaterCopy() {
        var run = [at(0, request("1", sentAt: 0)), at(0.1, request("1", sentAt: 90_000))]
        run.append(at(0.10005, hangup(.failed, "1", sentAt: 50_000)))
        let end = Run(run)
        #expect(end.mistake == nil && end.tells("worker 0: ends: timeout"))
    }

    @Test("R8 of two changes within one tick of the clock the later counts, though its process has the lower number")
    func oneInstant() {
        for seed in UInt64(0)..<20 {
            let run = Run(
                [
                    at(0, request("2")), at(1, .killed(0)), at(3, .lockHeld(group: 0, forMicroseconds: 2_000_000)),
                    at(3, .push(PlayedPush(kind: .request, group: 0, id: "1", sentAt: 1_000_000, expiration: 1))),
                    at(3, hangup(.declinedElsewhere, "1", sentAt: 500_000)),
                ], seed: seed)
            #expect(run.mistake == nil)
        }
    }

    @Test("R8 R12 an answer outlives a power cut, and a ring that it cut off is told as missed")
    func powerCut() {
        let run = Run([
            at(0, request("1")), at(1, .command(.answer("1"), group: 0)), at(2, request("2")),
            at(3, .rebooted(isSudden: true, offForMicroseconds: 5_000_000)), at(9, request("1")),
        ])
        #expect(run.mistake == nil && run.tells("worker 2: is silent: answered"))
    }

    @Test("R12 a missed call that was told outlives a power cut, wherever its worker was killed", arguments: 0..<200)
    func killedAndPowerCut(step: Int) {
        let run = Run(
            [
                at(0, request("1"), meeting: (step, .killed)),
                at(8.6, .rebooted(isSudden: true, offForMicroseconds: 5_000_000)),
            ], lasting: .seconds(4))
        #expect(run.mistake == nil)
    }

    @Test("R12 who tidies up and stands still while it reads tells no missed call that its worker has told since")
    func frozenTidier() {
        for step in 0..<60 {
            let run = Run([
                at(0, request("1")), at(2.99, request("2")),
                at(3, .command(.tidy, group: 0), meeting: (step, .frozen(1_002_500))),
            ])
            #expect(run.mistake == nil, "standing still at call \(step)")
        }
    }

    @Test("R7 R11 of a call that nobody could ask about any more it may be said that it was missed")
    func suspendedBetweenAnswerAndWord() {
        for sleeps in [0, 0.066] {
            let run = Run(
                [
                    at(0.4, request("1")), at(0.5, .chosen(.answer(), "1", group: 0)),
                    at(0.5 + sleeps, .suspended(forMicroseconds: 38_000_000)),
                ]) { $0.isSoundDead = true }
            #expect(run.mistake == nil)
        }
    }

    @Test("R7 R11 a call that was answered as the machine fell asleep is not missed, whoever looks first after that")
    func answeredAndSuspended() {
        let run = Run(
            [
                at(0, request("1")), at(0.1, .chosen(.answer(), "1", group: 0)),
                at(0.174, .suspended(forMicroseconds: 30_000_000)), at(0.18, request("2")),
            ]) { $0.isSoundDead = true }
        #expect(run.mistake == nil && run.tells("worker 0: ends: answered"))
    }

    @Test("R11 R22 a missed call is told once, although its worker slept until its folder was gone and the disk full")
    func frozenUntilItsFolderIsGone() {
        for step in 0..<140 {
            let run = Run(
                [
                    at(0, request("1"), meeting: (step, .frozen(8_000_000))), at(2.5, request("1")),
                    at(6, .shortage(.diskFull, forMicroseconds: 6_000_000)),
                ], lasting: .seconds(2))
            #expect(run.mistake == nil, "standing still at call \(step)")
        }
    }

    @Test("R14 a worker leaves although memory is full and the file's lock was held")
    func fullMemoryAndHeldLock() {
        let run = Run([
            at(0, request("2")), at(0.5, .shortage(.memoryFull, forMicroseconds: 9_000_000)),
            at(0.6, .lockHeld(group: 0, forMicroseconds: 5_000_000)), at(5, request("1", sentAt: 4_900_000)),
            at(5.3, hangup(.cancelled, "1", sentAt: 1_000_000)),
        ])
        #expect(run.mistake == nil)
    }

    @Test("R7 R11 a ring that stood still past its end was missed, although the app has come to the front since")
    func frontAfterTheEnd() {
        let run = Run([
            at(0, request("1")), at(1, .frozen(0, forMicroseconds: 6_000_000)),
            at(6, .command(.foreground(livesForMicroseconds: nil), group: 0)),
        ])
        #expect(run.mistake == nil && run.tells("worker 0: ends: timeout") && run.tells("worker 0: missed"))
    }

    @Test("R7 R22 a ring whose worker has no descriptor left hears at its ear that it is hung up")
    func earWithoutDescriptors() {
        let run = Run([
            at(0, request("1")), at(1, .shortOfDescriptors(0, left: 0)), at(2, hangup(.cancelled, "1")),
        ])
        #expect(run.mistake == nil && run.tells("worker 0: ends: hangup (cancelled)"))
    }

    @Test("R8 R22 an answer that the ring's worker cannot record is recorded by who answered, once")
    func answerWithoutDescriptors() {
        for left in 0...2 {
            let run = Run([
                at(0, request("1")), at(1, .shortOfDescriptors(0, left: left)),
                at(2, .command(.answer("1"), group: 0)), at(5, request("1")),
            ])
            #expect(run.mistake == nil && run.tells("worker 0: ends: answered"))
            #expect(run.tells("worker 1: is silent: answered"))
            #expect(!run.tells("the tidier tells that “1” was missed"))
        }
    }

    @Test("R7 R11 a ring that falls silent as the next of its id begins keeps why it was hung up")
    func hangupAsTheNextBegins() {
        let voip = Happening.What.push(PlayedPush(kind: .request, group: 0, isVoIP: true))
        let run = Run([at(0, voip), at(0.73, hangup(.answeredElsewhere)), at(0.78, voip)]) { surroundings in
            surroundings.duration = .seconds(6)
            surroundings.budget = .milliseconds(750)
            surroundings.isSoundDead = true
        }
        #expect(run.mistake == nil && run.tells("worker 0: ends: hangup (answered-elsewhere)"))
        #expect(!run.tells("worker 0: missed"))
    }

    @Test("R5 R7 where no notice comes, an app that is in front only between two ticks ends no ring that goes on")
    func brieflyInFront() {
        let run = inFront(forMicroseconds: 490_000)
        #expect(run.mistake == nil && run.tells("worker 0: ends: hangup (cancelled)"))
    }

    @Test("R5 R7 where no notice comes, an app that stays in front ends a ring at its next tick")
    func staysInFront() {
        let run = inFront(forMicroseconds: 20_000_000)
        #expect(run.mistake == nil && run.tells("worker 0: ends: foreground"))
    }

    @Test("R5 R14 a ring warns that no process owns the word that the app is in front, also if no file can have it")
    func unownedBesideTheFile() {
        let run = Run([
            at(0, .shortage(.diskFailsFlushing, forMicroseconds: 9_000_000)), at(0.5, request("1")),
            at(2, .command(.foreground(livesForMicroseconds: nil), group: 0)),
        ])
        #expect(run.mistake == nil && run.tells("worker 0: ends: foreground"))
        #expect(run.lines.contains { $0.hasPrefix("worker 0: warning foreground-unowned") })
    }

    @Test("R7 a program that knows nothing of Belfry hangs up or answers, and the rings end so")
    func strangerEnds() {
        let ends: [(Stranger, String)] = [
            (.removesStart, "hangup (cancelled)"), (.setsState("answered"), "answered"),
            (.setsState("declined"), "declined"),
        ]
        for (stranger, end) in ends {
            let run = Run([at(0, request("1")), at(0.1, request("2")), at(0.5, .stranger(stranger, group: 0))])
            #expect(run.mistake == nil && run.tells("worker 0: ends: \(end)") && run.tells("worker 1: ends: \(end)"))
        }
    }

    /// The app comes to the front during a ring with ticks of three seconds, which is hung up 2.7 s later.
    private func inFront(forMicroseconds life: Int64) -> Run {
        let happenings = [
            at(0, .shortage(.earsFull, forMicroseconds: 9_000_000)), at(0.5, request("1")),
            at(2.5, .command(.foreground(livesForMicroseconds: life), group: 0)), at(5.2, hangup(.cancelled, "1")),
        ]
        return Run(happenings, lasting: .seconds(15)) { surroundings in
            surroundings.interval = .seconds(3)
            surroundings.noticesLost = 100
        }
    }
}
