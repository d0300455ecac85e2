import BelfryAppleGround
import BelfryTerms
import Synchronization
import Testing

/// What an app is told of sound that comes too early, too late, or by an unfit session.
@Suite struct CallAudioTests {
    /// What waits until a test lets that time pass.
    private final class Waiting: Sendable {
        private let all = Mutex<[(span: TimeSpan, body: @Sendable () -> Void)]>([])

        func add(_ span: TimeSpan, _ body: @escaping @Sendable () -> Void) { all.withLock { $0.append((span, body)) } }

        func pass(_ span: TimeSpan) {
            let due = all.withLock { all in
                defer { all.removeAll { $0.span <= span } }
                return all.filter { $0.span <= span }
            }
            for (_, body) in due { body() }
        }
    }

    private final class Warnings: Sendable {
        private let all = Mutex<[(code: WarningCode, detail: String)]>([])

        func add(_ code: WarningCode, _ detail: String) { all.withLock { $0.append((code, detail)) } }

        /// What came since it was last asked.
        func take() -> [WarningCode] { taken().map(\.code) }

        func taken() -> [(code: WarningCode, detail: String)] {
            all.withLock { all in
                defer { all = [] }
                return all
            }
        }
    }

    private let waiting = Waiting()
    private let warnings = Warnings()
    private let audio: CallAudio

    init() {
        audio = CallAudio { [waiting] in waiting.add($0, $1) }
        audio.begin { [warnings] in warnings.add($0, $1) }
    }

    private func talk(_ calls: Set<String> = ["one"]) {
        audio.has(calls)
        for call in calls { audio.took(call) }
        audio.activated(misfit: nil)
    }

    @Test("outside of calls nothing is kept from the app, nor told") func outside() {
        defer { audio.end() }
        #expect(!audio.begins("x"))
        audio.plays(1)
        #expect(warnings.take().isEmpty)
    }

    @Test("C14 before the audio of a call is active a start is kept from it, and told once a call") func early() {
        defer { audio.end() }
        audio.has(["one"])
        #expect(audio.begins("AVAudioEngine.start()") && audio.begins("AVAudioSession.setActive(true)"))
        let said = warnings.taken()
        #expect(said.map(\.code) == [.audioEarly])
        let detail = said.first?.detail ?? ""
        #expect(detail.hasPrefix("AVAudioEngine.start() for call one, before the system activated"), "\(detail)")
        audio.took("one")
        audio.plays(1)
        #expect(audio.begins("x"), "an answer alone activates nothing")
        #expect(warnings.take().isEmpty)
        audio.has(["one", "two"])
        audio.plays(2)
        #expect(warnings.take() == [.audioEarly], "of another call")
        audio.has([])
        audio.has(["three"])
        audio.plays(3)
        #expect(warnings.take() == [.audioEarly])
    }

    @Test("while the audio is active all is as it should be; for a second call that rings, too") func active() {
        defer { audio.end() }
        talk()
        #expect(audio.isActive && !audio.begins("x"))
        audio.has(["one", "two"])
        audio.plays(1)
        #expect(!audio.begins("x") && warnings.take().isEmpty)
    }

    @Test("a call that rang while another was heard is early, not late, until its own audio is active") func second() {
        defer { audio.end() }
        talk()
        audio.has(["one", "two"])
        audio.has(["two"])
        audio.deactivated()
        #expect(audio.begins("x"))
        #expect(warnings.take() == [.audioEarly])
    }

    @Test("C14 held, a start is kept from the app and is late; un-held it is fine") func held() {
        defer { audio.end() }
        talk()
        audio.deactivated()
        waiting.pass(CallAudio.memory)
        #expect(audio.begins("AVAudioEngine.start()"))
        let said = warnings.taken()
        #expect(said.map(\.code) == [.audioAfterEnd])
        #expect(said.first?.detail.contains("call one is over or held") == true)
        audio.plays(1)
        #expect(warnings.take().isEmpty, "once a call")
        audio.activated(misfit: nil)
        #expect(!audio.begins("x") && warnings.take().isEmpty)
    }

    @Test("after the last call a start is late for ten seconds; what a player plays may be anything") func after() {
        defer { audio.end() }
        talk()
        audio.has([])
        audio.deactivated()
        audio.plays(1)
        audio.ended(1)
        #expect(warnings.take().isEmpty)
        #expect(!audio.begins("x"))
        #expect(warnings.take() == [.audioAfterEnd])
        talk(["two"])
        audio.has([])
        audio.deactivated()
        waiting.pass(CallAudio.memory)
        #expect(!audio.begins("x") && warnings.take().isEmpty)
    }

    @Test("a player that plays on is told after a second, unless it was stopped, or the audio is active again")
    func playsOn() {
        defer { audio.end() }
        talk()
        audio.plays(1)
        audio.deactivated()
        #expect(warnings.take().isEmpty)
        waiting.pass(CallAudio.playerPatience)
        #expect(warnings.taken().first?.detail.hasPrefix("an AVAudioPlayer still plays 1 s after") == true)
        talk(["two"])
        audio.deactivated()
        audio.activated(misfit: nil)
        waiting.pass(CallAudio.playerPatience)
        #expect(warnings.take().isEmpty)
        audio.deactivated()
        audio.ended(1)
        waiting.pass(CallAudio.playerPatience)
        #expect(warnings.take().isEmpty)
    }

    @Test("an unfit session is told as the audio is activated, once a call") func unfit() {
        defer { audio.end() }
        audio.has(["one"])
        audio.took("one")
        audio.activated(misfit: "it is odd")
        let said = warnings.taken()
        #expect(said.map(\.code) == [.audioCategory])
        #expect(said.first?.detail == "provider(_:didActivate:) follows for call one, and it is odd")
        audio.deactivated()
        audio.activated(misfit: "it is odd")
        #expect(warnings.take().isEmpty)
    }

    @Test("with the system gone there are no calls, and nothing was heard") func reset() {
        defer { audio.end() }
        talk()
        audio.plays(1)
        audio.reset()
        waiting.pass(CallAudio.memory)
        #expect(!audio.isActive && !audio.begins("x") && warnings.take().isEmpty)
    }

    @Test("each app under test has its own; code whose app is unknown has that of the last") func several() async {
        let other = CallAudio()
        other.begin { _, _ in }
        defer {
            other.end()
            audio.end()
        }
        audio.run { #expect(CallAudio.current === audio) }
        await other.run { await Task { #expect(CallAudio.current === other) }.value }
    }
}
