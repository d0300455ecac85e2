import Testing
@testable import SystemSound

/// The order of things between the loop's thread and the sound thread, both played by the test.
@Suite struct SoundExchangeTests {
    let exchange = SoundExchange()
    let ring = ResolvedSound(name: "ring", path: "/ring.wav")
    let soft = ResolvedSound(name: "soft", path: "/soft.wav")

    /// What the sound thread would do next.
    func order() -> String {
        switch exchange.takeOrder() {
        case .play: "play"
        case .silence(let number): "silence \(number)"
        }
    }

    @Test func aTickIsPlayedAndReportedOnce() {
        #expect(exchange.give(ring))
        #expect(order() == "play" && exchange.beginSound() == ring)
        #expect(exchange.endPlay(.playing("ring")))
        #expect(exchange.takeReport() == .playing("ring"))
        #expect(exchange.takeReport() == nil)
        #expect(exchange.give(ring))
        #expect(order() == "play" && exchange.beginSound() == ring)
        #expect(!exchange.endPlay(.playing("ring")))
        #expect(!exchange.isBusy)
    }

    @Test func ticksDoNotQueueUpAndTheLatestSoundCounts() {
        #expect(exchange.give(ring))
        #expect(order() == "play")
        #expect(!exchange.give(ring) && !exchange.give(soft))
        #expect(exchange.beginSound() == soft)
        #expect(exchange.endPlay(.playing("soft")))
        #expect(exchange.giveSilence() == 1)
        #expect(order() == "silence 1", "no tick is left over")
    }

    @Test func R7_nothingBeginsAfterASilence() {
        #expect(exchange.give(ring))
        #expect(order() == "play")
        #expect(exchange.giveSilence() == nil, "nothing can be heard yet")
        #expect(!exchange.isWanted && exchange.beginSound() == nil)
        #expect(!exchange.endPlay(.playing("ring")))
        #expect(exchange.takeReport() == nil)
        #expect(order() == "silence 1")
    }

    @Test func R7_aSoundThatBeganMeanwhileIsFoundOut() {
        #expect(exchange.give(ring))
        #expect(order() == "play" && exchange.beginSound() == ring)
        #expect(exchange.giveSilence() == 1)
        #expect(!exchange.isWanted, "asked after libcanberra came back, and cancelled then")
        #expect(!exchange.endPlay(nil))
        #expect(order() == "silence 1")
        #expect(exchange.silenceDone == 0)
        exchange.endSilence(1)
        #expect(exchange.silenceDone == 1)
        #expect(exchange.giveSilence() == nil, "silent already")
    }

    @Test func R7_aRingAfterASilenceWaitsForIt() {
        #expect(exchange.give(ring))
        #expect(order() == "play" && exchange.beginSound() == ring)
        #expect(exchange.giveSilence() == 1)
        // The thread is still inside libcanberra for the old ring.
        #expect(!exchange.give(soft))
        #expect(!exchange.isWanted && exchange.beginSound() == nil)
        #expect(!exchange.endPlay(.playing("ring")))
        #expect(order() == "silence 1")
        exchange.endSilence(1)
        #expect(exchange.give(soft))
        #expect(order() == "play" && exchange.beginSound() == soft)
    }

    @Test func aTickThatWasNotTakenYetIsTakenBack() {
        #expect(exchange.give(ring))
        #expect(exchange.giveSilence() == nil)
        #expect(!exchange.isBusy)
        #expect(exchange.give(ring))
        #expect(order() == "silence 1")
        exchange.endSilence(1)
        #expect(order() == "play" && exchange.beginSound() == ring)
    }

    @Test func whatTheLoopFindsOutCountsAsSaid() {
        #expect(exchange.give(ring))
        #expect(order() == "play")
        #expect(exchange.note(.hung) && !exchange.note(.hung))
        #expect(exchange.beginSound() == ring)
        #expect(exchange.endPlay(.playing("ring")), "a change, though the thread never said otherwise")
        _ = exchange.giveSilence()
        #expect(!exchange.note(.hung), "nothing is said after a silence")
    }

    @Test func severalSilencesAreOneForTheThread() {
        #expect(exchange.give(ring))
        #expect(order() == "play" && exchange.beginSound() == ring)
        #expect(!exchange.endPlay(nil))
        #expect(exchange.giveSilence() == 1 && exchange.giveSilence() == 2)
        #expect(order() == "silence 2")
        exchange.endSilence(2)
        #expect(exchange.silenceDone == 2)
    }
}
