import BelfryEventLoop
import BelfryLines
import BelfrySyscalls
import BelfryTerms
import CallChannel

/// A connection to `belfry-calls`, and waits for what that says on it. It belongs to a loop's thread.
final class CentreLine<Word: Sendable> {
    private struct Wait {
        let isMeant: (Word) -> Bool
        let done: (Word?) -> Void
        let timer: any ScheduledTimer
    }

    private let connection: LineConnection
    private let loop: Loop
    private let read: ([UInt8]) -> Word?
    private let heard: (Word) -> Void
    private var waits: [Int: Wait] = [:]
    private var lastWait = 0
    private var hasEnded = false

    /// Connects to the `belfry-calls` at `socketPath`, and calls `heard` with each line that `read` can read.
    init(
        at socketPath: String, on loop: Loop, read: @escaping ([UInt8]) -> Word?,
        heard: @escaping (Word) -> Void = { _ in }
    ) throws(SystemError) {
        (self.loop, self.read, self.heard) = (loop, read, heard)
        let limits = LineConnection.Limits(
            lineBytesMax: CallLimits.lineBytesMax, unsentBytesMax: CallLimits.unsentBytesMax)
        connection = LineConnection(
            try connectStream(to: socketPath, waits: false), limits, on: loop, description: "belfry-calls")
        try connection.listen { [weak self] in self?.take($0) }
    }

    /// Sends a line.
    func send(_ line: [UInt8]) { connection.send(line) }

    /// The next word that `isMeant`; nil if it does not come in time, or the connection ends.
    func next(within limit: TimeSpan, where isMeant: @escaping (Word) -> Bool = { _ in true }) async -> Word? {
        await withCheckedContinuation { continuation in
            guard !hasEnded else { return continuation.resume(returning: nil) }
            lastWait += 1
            let number = lastWait
            let timer = loop.schedule(at: loop.now + limit, description: "belfry-calls") { [weak self] in
                self?.end(number, nil)
            }
            waits[number] = Wait(isMeant: isMeant, done: { continuation.resume(returning: $0) }, timer: timer)
        }
    }

    /// Hears and says no more.
    func close() {
        connection.close()
        finish()
    }

    private func take(_ news: LineConnection.News) {
        switch news {
        case .line(let line):
            guard let word = read(line) else { return }
            heard(word)
            for (number, wait) in waits where wait.isMeant(word) { end(number, word) }
        case .taken: break
        case .ended, .lost: finish()
        }
    }

    private func finish() {
        hasEnded = true
        for number in waits.keys { end(number, nil) }
    }

    private func end(_ number: Int, _ word: Word?) {
        guard let wait = waits.removeValue(forKey: number) else { return }
        wait.timer.cancel()
        wait.done(word)
    }
}
