import BelfryTerms
import Glibc
import Support
import Testing
@testable import SystemSound

@Suite struct SoundSlotsTests {
    let folder = TemporaryFolder()

    enum Kind { case taken, uncounted, busy }

    func kind(_ answer: borrowing SoundSlots.Answer) -> Kind {
        switch answer {
        case .taken: .taken
        case .uncounted: .uncounted
        case .busy: .busy
        }
    }

    @Test func R14_eightPlacesThenBusyUntilOneIsFree() {
        let slots = SoundSlots(runtimeDirectory: folder.path)
        do {
            let answers = [8 of SoundSlots.Answer].init { _ in slots.take() }
            for index in answers.indices { #expect(kind(answers[index]) == .taken) }
            #expect(kind(slots.take()) == .busy)
        }
        #expect(kind(slots.take()) == .taken)
    }

    @Test func whereNothingCanBeCountedNobodyIsTurnedAway() {
        #expect(kind(SoundSlots(runtimeDirectory: nil).take()) == .uncounted)
        #expect(kind(SoundSlots(runtimeDirectory: "").take()) == .uncounted)
        #expect(kind(SoundSlots(runtimeDirectory: "relative").take()) == .uncounted)
        #expect(kind(SoundSlots(runtimeDirectory: "\(folder.path)/none").take()) == .uncounted)
    }

    @Test func S2_aDirectoryThatOthersWriteIsNotUsed() {
        let belfry = folder.makeFolder("belfry")
        #expect(unsafe chmod(belfry, 0o777) == 0)
        #expect(kind(SoundSlots(runtimeDirectory: folder.path).take()) == .uncounted)
        #expect(unsafe access("\(belfry)/sound-slots", F_OK) != 0)
    }

    @Test func S2_linksAreNotFollowed() {
        let elsewhere = TemporaryFolder()
        folder.makeFolder("belfry")
        #expect(unsafe symlink(elsewhere.path, "\(folder.path)/belfry/sound-slots") == 0)
        #expect(kind(SoundSlots(runtimeDirectory: folder.path).take()) == .uncounted)
        #expect(unsafe access("\(elsewhere.path)/0", F_OK) != 0)
    }
}
