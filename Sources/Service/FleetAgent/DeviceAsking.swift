import BelfryEventLoop
import BelfryTerms
import Fleet
import FleetLine

/// Asks the gateways of the fleet about devices: over one line after another, until one answers.
final class DeviceAsking {
    /// How long one gateway has, and all of them together.
    private static let (patienceOnce, patience) = (TimeSpan.seconds(2), TimeSpan.seconds(10))
    /// Why there is no answer.
    private static let silence = "no gateway of the fleet answers"

    private struct Question {
        let bytes: [UInt8]
        let until: Instant
        let answer: (DeviceAnswer) -> Void
        var line: FleetLines.Number?
        /// Why a gateway could not, of those asked so far.
        var refusal: String?
        var timer: (any ScheduledTimer)?
    }

    private let loop: Loop
    private let send: ([UInt8], UInt64, FleetLines.Number) -> Bool
    private let lines: () -> [FleetLines.Number]
    private var lastNumber: UInt64
    private var questions: [UInt64: Question] = [:]

    /// Asks over `lines`, those that are up, by `send`, which gets a message, the number by which it is answered, and
    /// the line. Numbers are counted from `number` on, which no life of this machine had before.
    init(
        countingFrom number: UInt64, on loop: Loop, lines: @escaping () -> [FleetLines.Number],
        send: @escaping ([UInt8], UInt64, FleetLines.Number) -> Bool
    ) {
        lastNumber = number
        self.loop = loop
        self.lines = lines
        self.send = send
    }

    /// Asks `question`, and calls `answer` once.
    func ask(_ question: DeviceQuestion, _ answer: @escaping (DeviceAnswer) -> Void) {
        lastNumber += 1
        questions[lastNumber] = Question(bytes: question.bytes, until: loop.now + Self.patience, answer: answer)
        ask(lastNumber)
    }

    /// A gateway has answered the question of that number; false if there is none, or it makes no sense.
    func heard(_ number: UInt64, _ bytes: [UInt8]) -> Bool {
        guard questions[number] != nil, let answer = try? DeviceAnswer.read(bytes) else { return false }
        guard case .refused(.unavailable, let detail) = answer else {
            end(number, answer)
            return true
        }
        // Another gateway may be able to, or this one later.
        questions[number]?.refusal = detail
        return true
    }

    /// A line is up: what could not be asked is asked over it.
    func lineIsUp() {
        for number in questions.keys.sorted() where questions[number]?.line == nil { ask(number) }
    }

    /// Asks the question `earlier`, by a number of its own: what came by one number is heeded once.
    private func ask(_ earlier: UInt64) {
        guard let question = questions.removeValue(forKey: earlier) else { return }
        lastNumber += 1
        let number = lastNumber
        questions[number] = question
        guard loop.now < question.until else {
            return end(number, .refused(.unavailable, detail: question.refusal ?? Self.silence))
        }
        let lines = lines()
        let line = lines.first { $0 > question.line ?? -1 } ?? lines.first
        let isAsked = line.map { send(question.bytes, number, $0) } ?? false
        questions[number]?.line = isAsked ? line : nil
        let again = min(loop.now + Self.patienceOnce, question.until)
        question.timer?.cancel()
        questions[number]?.timer = loop.schedule(at: again, description: "devices") { [weak self] in self?.ask(number) }
    }

    private func end(_ number: UInt64, _ answer: DeviceAnswer) {
        guard let question = questions.removeValue(forKey: number) else { return }
        question.timer?.cancel()
        question.answer(answer)
    }
}
