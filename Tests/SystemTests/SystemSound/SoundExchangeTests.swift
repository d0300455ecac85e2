import BelfrySoundDecoding
import BelfrySyscalls
@testable import SystemSound
import Support
import Testing

/// The order of things between the loop's thread and the sound thread, both played by the test.
@Suite struct SoundExchangeTests {
    let exchange = SoundExchange()
    let ring = ResolvedSound(name: "ring", path: "/ring.wav")
    let soft = ResolvedSound(name: "soft", path: "/soft.wav")

    /// What the sound thread would do next.
    func order() -> String {
        switch exchange.takeOrder() {
        case .play(1): "play"
        case .play(let id): "play of \(id)"
        case .silence(1, let number): "silence \(number)"
        case .silence(let id, let number): "silence \(number) of \(id)"
        case .lookForAsker: "look"
        }
    }

    @Test func aTickIsPlayedAndReportedOnce() {
        #expect(exchange.give(ring, as: 1))
        #expect(order() == "play" && exchange.beginSound(1)?.sound == ring)
        #expect(exchange.endPlay(1, .playing("ring")))
        #expect(exchange.takeReport(of: 1) == .playing("ring"))
        #expect(exchange.takeReport(of: 1) == nil)
        #expect(exchange.give(ring, as: 1))
        #expect(order() == "play" && exchange.beginSound(1)?.sound == ring)
        #expect(!exchange.endPlay(1, .playing("ring")))
        #expect(!exchange.isBusy(with: 1))
    }

    @Test func ticksDoNotQueueUpAndTheLatestSoundCounts() {
        #expect(exchange.give(ring, as: 1))
        #expect(order() == "play")
        #expect(!exchange.give(ring, as: 1) && !exchange.give(soft, as: 1))
        #expect(exchange.beginSound(1)?.sound == soft)
        #expect(exchange.endPlay(1, .playing("soft")))
        #expect(exchange.giveSilence(of: 1) == 1)
        #expect(order() == "silence 1", "no tick is left over")
    }

    @Test("R6 a tune that is heard is not begun again by a tick, and is once it is over, was silenced or failed")
    func tune() throws {
        let folder = TemporaryFolder()
        try SoundSample(.wave, milliseconds: 100).write(to: "\(folder.path)/tune.wav")
        let file = try SoundDecoder.tune(ofFileAt: "\(folder.path)/tune.wav")
        let tune = try ResolvedSound(passed: file, name: "tune", repeats: true)
        func begin() -> UInt64? {
            #expect(order() == "play")
            let begun = exchange.beginSound(1)
            #expect(begun?.sound == tune)
            return begun?.tick
        }
        #expect(exchange.give(tune, as: 1) && !exchange.give(tune, as: 1))
        let first = try #require(begin())
        #expect(!exchange.give(tune, as: 1), "the thread is busy with it")
        #expect(exchange.endPlay(1, .playing("tune")))
        #expect(!exchange.give(tune, as: 1), "it is heard")
        #expect(exchange.takeEnd(of: first, of: 1) == tune, "no tick since then was one more")
        #expect(exchange.give(tune, as: 1))
        let second = try #require(begin())
        #expect(exchange.takeEnd(of: first, of: 1) == nil && second == first + 1)
        #expect(exchange.endPlay(1, .unavailable("gone")))
        #expect(exchange.give(tune, as: 1), "the next tick tries again")
        _ = begin()
        #expect(!exchange.endPlay(1, .unavailable("gone")))
        #expect(exchange.give(tune, as: 1), "though that was told before")
        _ = begin()
        #expect(exchange.endPlay(1, .playing("tune")))
        #expect(exchange.fellSilent(1) && exchange.give(tune, as: 1), "its place was another's")
        _ = begin()
        _ = exchange.endPlay(1, .playing("tune"))
        #expect(exchange.give(soft, as: 1), "another sound takes its place")
        #expect(order() == "play" && exchange.beginSound(1)?.sound == soft)
        _ = exchange.endPlay(1, .playing("soft"))
        #expect(exchange.give(tune, as: 1))
        let last = try #require(begin())
        _ = exchange.endPlay(1, .playing("tune"))
        #expect(exchange.giveSilence(of: 1) == 1 && exchange.takeEnd(of: last, of: 1) == nil)
        #expect(order() == "silence 1")
        exchange.endSilence(1, 1)
        #expect(exchange.give(tune, as: 1))
    }

    @Test func R7_nothingBeginsAfterASilence() {
        #expect(exchange.give(ring, as: 1))
        #expect(order() == "play")
        #expect(exchange.giveSilence(of: 1) == nil, "nothing can be heard yet")
        #expect(exchange.wantedSound(1) == nil && exchange.beginSound(1)?.sound == nil)
        #expect(!exchange.endPlay(1, .playing("ring")))
        #expect(exchange.takeReport(of: 1) == nil)
        #expect(order() == "silence 1")
    }

    @Test func R7_aSoundThatBeganMeanwhileIsFoundOut() {
        #expect(exchange.give(ring, as: 1))
        #expect(order() == "play" && exchange.beginSound(1)?.sound == ring)
        #expect(exchange.giveSilence(of: 1) == 1)
        #expect(exchange.wantedSound(1) == nil, "asked after libcanberra came back, and cancelled then")
        #expect(!exchange.endPlay(1, nil))
        #expect(order() == "silence 1")
        #expect(exchange.silenceDone(of: 1) == 0)
        exchange.endSilence(1, 1)
        #expect(exchange.silenceDone(of: 1) == 1)
        #expect(exchange.giveSilence(of: 1) == nil, "silent already")
    }

    @Test func R7_aRingAfterASilenceWaitsForIt() {
        #expect(exchange.give(ring, as: 1))
        #expect(order() == "play" && exchange.beginSound(1)?.sound == ring)
        #expect(exchange.giveSilence(of: 1) == 1)
        // The thread is still inside libcanberra for the old ring.
        #expect(!exchange.give(soft, as: 1))
        #expect(exchange.wantedSound(1) == nil && exchange.beginSound(1)?.sound == nil)
        #expect(!exchange.endPlay(1, .playing("ring")))
        #expect(order() == "silence 1")
        exchange.endSilence(1, 1)
        #expect(exchange.give(soft, as: 1))
        #expect(order() == "play" && exchange.beginSound(1)?.sound == soft)
    }

    @Test func aTickThatWasNotTakenYetIsTakenBack() {
        #expect(exchange.give(ring, as: 1))
        #expect(exchange.giveSilence(of: 1) == nil)
        #expect(!exchange.isBusy(with: 1))
        #expect(exchange.give(ring, as: 1))
        #expect(order() == "silence 1")
        exchange.endSilence(1, 1)
        #expect(order() == "play" && exchange.beginSound(1)?.sound == ring)
    }

    @Test func whatTheLoopFindsOutCountsAsSaid() {
        #expect(exchange.give(ring, as: 1))
        #expect(order() == "play")
        #expect(exchange.note(.hung, of: 1) && !exchange.note(.hung, of: 1))
        #expect(exchange.beginSound(1)?.sound == ring)
        #expect(exchange.endPlay(1, .playing("ring")), "a change, though the thread never said otherwise")
        _ = exchange.giveSilence(of: 1)
        #expect(!exchange.note(.hung, of: 1), "nothing is said after a silence")
    }

    @Test func severalSilencesAreOneForTheThread() {
        #expect(exchange.give(ring, as: 1))
        #expect(order() == "play" && exchange.beginSound(1)?.sound == ring)
        #expect(!exchange.endPlay(1, nil))
        #expect(exchange.giveSilence(of: 1) == 1 && exchange.giveSilence(of: 1) == 2)
        #expect(order() == "silence 2")
        exchange.endSilence(1, 2)
        #expect(exchange.silenceDone(of: 1) == 2)
    }

    @Test func soundsArePlayedInTurnAndReportedToTheirOwn() {
        #expect(exchange.give(ring, as: 1) && exchange.give(soft, as: 2))
        #expect(order() == "play" && exchange.beginSound(1)?.sound == ring)
        #expect(exchange.endPlay(1, .playing("ring")))
        #expect(exchange.takeReport(of: 2) == nil && exchange.isBusy(with: 2))
        #expect(order() == "play of 2" && exchange.beginSound(2)?.sound == soft)
        #expect(exchange.endPlay(2, .playing("soft")))
        #expect(exchange.takeReport(of: 1) == .playing("ring") && exchange.takeReport(of: 2) == .playing("soft"))
        #expect(!exchange.isBusy(with: 1) && !exchange.isBusy(with: 2))
    }

    @Test func R7_aSilenceIsItsOwnSoundsAloneAndComesBeforeTheOthersTicks() {
        #expect(exchange.give(ring, as: 1))
        #expect(order() == "play" && exchange.beginSound(1)?.sound == ring)
        #expect(exchange.endPlay(1, .playing("ring")))
        #expect(exchange.give(soft, as: 2))
        #expect(exchange.giveSilence(of: 1) == 1)
        #expect(exchange.giveSilence(of: 3) == nil, "of a sound that never was")
        #expect(order() == "silence 1")
        #expect(exchange.isOnlySound(1), "the other has yet to begin")
        exchange.endSilence(1, 1)
        #expect(order() == "play of 2" && exchange.wantedSound(2) != nil && exchange.beginSound(2)?.sound == soft)
        #expect(!exchange.isOnlySound(1))
        #expect(exchange.silenceDone(of: 1) == 1 && exchange.silenceDone(of: 2) == 0)
    }

    @Test func anAbandonedSoundIsSilencedAndForgotten() {
        #expect(exchange.give(ring, as: 1) && exchange.give(soft, as: 2))
        #expect(order() == "play" && exchange.beginSound(1)?.sound == ring)
        exchange.abandon(1)
        exchange.abandon(2)
        #expect(!exchange.endPlay(1, .playing("ring")))
        #expect(order() == "silence 1" && order() == "silence 1 of 2")
        exchange.endSilence(1, 1)
        exchange.endSilence(2, 1)
        #expect(exchange.silenceDone(of: 1) == 0, "nothing is known of it any more")
        #expect(exchange.isOnlySound(2))
    }

    @Test func whatTheLoopFoundOutIsNotReportedAgainByTheThread() {
        #expect(exchange.give(ring, as: 1))
        #expect(order() == "play" && exchange.beginSound(1)?.sound == ring)
        #expect(exchange.endPlay(1, .playing("ring")))
        #expect(exchange.note(.unavailable("busy"), of: 1) && !exchange.note(.unavailable("busy"), of: 1))
        #expect(exchange.takeReport(of: 1) == nil)
    }

    @Test func whatMayBeHeardIsKnownUntilItFallsSilent() {
        #expect(exchange.heardSounds() == [])
        #expect(exchange.give(ring, as: 1))
        #expect(order() == "play" && exchange.beginSound(1)?.sound == ring)
        #expect(exchange.heardSounds() == [1])
        #expect(!exchange.fellSilent(1), "its next tick says so")
        #expect(exchange.heardSounds() == [])
    }

    @Test("R23 while what has no ticks is heard, its place is looked at; once it gives way that is told, once")
    func tickless() throws {
        let alert = try #require(
            SoundFiles(environment: ["BELFRY_SOUNDS_DIRECTORY": sourceFile("Sounds")], programPath: nil)
                .find(alert: "alert"))
        #expect(exchange.give(alert, as: 1))
        #expect(order() == "play" && exchange.beginSound(1)?.sound == alert && exchange.endPlay(1, .playing("")))
        #expect(exchange.takeReport(of: 1) == .playing(""))
        #expect(order() == "look")
        #expect(exchange.fellSilent(1) && exchange.takeReport(of: 1) == .busy && exchange.takeReport(of: 1) == nil)
        _ = exchange.giveSilence(of: 1)
        #expect(order() == "silence 1")
    }
}
