// What apps, workers and commands write to belfry-calls, and it to them, line by line. A trap is a finding, and so is
// what was heard and cannot be said and heard again, and a deadline of the calls that does not pass.
import BelfryProtocol
import BelfryTerms
import CallChannel
import CallControl

/// What `belfry-calls` hears, from one app and one worker, a second after another.
func feedCallCentre(_ bytes: [UInt8]) {
    var control = CallStateMachine(settings: CallControlSettings(), apps: ["a"])
    var now = Instant(microseconds: 1_000_000)
    _ = control.take(.appConnected(AppHello(id: "a", pid: 1)), at: now)
    for line in lines(of: bytes) {
        now = now + .seconds(1)
        if let message = (try? AppMessage.read(line)) ?? nil {
            precondition((try? AppMessage.read(message.line)) == message, "an app's message changes")
            _ = control.take(.app("a", message), at: now)
        }
        if let message = (try? WorkerMessage.read(line)) ?? nil {
            switch message {
            case .push(let push):
                precondition((try? WorkerMessage.read(message.line)) == message, "a push changes")
                _ = control.take(.push(WorkerNumber(1), push), at: now)
            // Events have a target of their own.
            case .event(let event): _ = control.take(.worker(WorkerNumber(1), event.body), at: now)
            }
        }
        if let message = (try? ClientMessage.read(line)) ?? nil {
            precondition((try? ClientMessage.read(message.line)) == message, "a command changes")
        }
    }
    _ = control.take(.workerGone(WorkerNumber(1)), at: now)
    _ = control.take(.appGone("a"), at: now)
    while let due = control.deadline {
        _ = control.timePassed(at: due)
        precondition(control.deadline.map { $0 > due } ?? true, "a deadline does not pass")
    }
    precondition(control.liveCalls == 0, "a call outlives its app")
}

/// What apps, workers and commands hear.
func feedCallEnds(_ bytes: [UInt8]) {
    for line in lines(of: bytes) {
        if let word = (try? AppWord.read(line)) ?? nil {
            precondition((try? AppWord.read(word.line)) == word, "a word to an app changes")
        }
        if let order = (try? WorkerOrder.read(line)) ?? nil {
            precondition((try? WorkerOrder.read(order.line)) == order, "an order changes")
        }
        if let answer = (try? ClientAnswer.read(line)) ?? nil {
            precondition((try? ClientAnswer.read(answer.line)) == answer, "an answer changes")
        }
    }
}

private func lines(of bytes: [UInt8]) -> [[UInt8]] { bytes.split(separator: UInt8(ascii: "\n")).map(Array.init) }
