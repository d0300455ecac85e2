import BelfryBus
import BelfryCommandLine
import BelfryEventLoop
import BelfryTerms

/// Whether the machine stays awake while a call rings loud.
enum SleepCheck {
    private static let patience = TimeSpan.seconds(2)

    /// Asks logind for what a ring asks for, and gives it back.
    static func run(_ context: Context) -> [Finding] {
        let loop: Loop
        do throws(CommandError) { loop = try Command.makeLoop() } catch {
            return [Finding(.warn, "sleep", error.problem, mend: error.remedy)]
        }
        var answer: BusFailure??
        let inhibitor = SleepInhibitor(on: loop)
        inhibitor.onAnswer = { failure in
            answer = .some(failure)
            loop.stop()
        }
        inhibitor.hold()
        _ = loop.schedule(at: loop.now + patience, description: "patience") { loop.stop() }
        loop.run()
        inhibitor.release()
        let silence = Finding(.warn, "sleep", "logind does not answer, and keeps nothing awake")
        return [answer.map { finding($0) } ?? silence]
    }

    /// The finding for logind's answer, where nil is a lock.
    static func finding(_ failure: BusFailure?) -> Finding {
        guard let failure else { return Finding(.ok, "sleep", "the machine stays awake while a call rings loud") }
        let missing = ["NoServer", "ServiceUnknown", "NameHasNoOwner", "FileNotFound"]
        guard !missing.contains(where: { failure.name.hasSuffix($0) }) else {
            return Finding(.ok, "sleep", "no logind runs, which would keep the machine awake while a call rings")
        }
        let mend = "log in at the machine itself, or allow org.freedesktop.login1.inhibit-block-sleep in polkit"
        return Finding(.warn, "sleep", "logind does not let calls keep the machine awake: \(failure.text)", mend: mend)
    }
}
