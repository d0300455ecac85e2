import BelfryJSON
import BelfryTerms

/// Where one notification ends in what a client writes: the push socket's rule, without any input or output.
///
/// A JSON object ends at its matching brace, newlines inside included; input that begins with anything else ends at
/// its first newline; the end of input ends either. White space before it does not count as a beginning (R16).
public struct PushFraming: Sendable {
    /// Most bytes of one notification, white space before it included (S5).
    public static let notificationBytesMax = 65_536

    /// What the bytes so far amount to.
    public enum Progress: Hashable, Sendable {
        /// The notification goes on.
        case needMore
        /// The notification, to be read by ``Push/parse(_:makeID:names:)``; what follows it is not looked at.
        case complete([UInt8])
        /// It is longer than the limit.
        case tooLarge
    }

    private enum State {
        case scanning(JSONObjectScanner)
        case line
        case over(Progress)
    }

    private var state = State.scanning(JSONObjectScanner())
    private var received: [UInt8] = []

    /// A frame that has seen nothing.
    public init() {}

    /// How many bytes of the notification have come.
    public var receivedBytes: Int { received.count }

    /// As ``feed(_:)`` of a slice.
    public mutating func feed(_ bytes: [UInt8]) -> Progress { feed(bytes[...]) }

    /// Looks at the next bytes, each once. An answer other than `needMore` is final and is given again from then on.
    public mutating func feed(_ bytes: ArraySlice<UInt8>) -> Progress {
        switch state {
        case .over(let answer): return answer
        case .scanning(var scanner):
            switch scanner.feed(bytes) {
            case .needMore:
                state = .scanning(scanner)
                return take(bytes)
            case .complete(let end): return finish(with: bytes.prefix(end))
            case .notAnObject(let start):
                state = .line
                return feedLine(bytes, from: start)
            }
        case .line: return feedLine(bytes, from: 0)
        }
    }

    /// The notification ends because its input does, finished or not.
    public mutating func endOfInput() -> Progress {
        if case .over(let answer) = state { return answer }
        return finish(with: [])
    }

    private mutating func feedLine(_ bytes: ArraySlice<UInt8>, from start: Int) -> Progress {
        guard let newline = bytes.dropFirst(start).firstIndex(of: UInt8(ascii: "\n")) else { return take(bytes) }
        return finish(with: bytes[..<newline])
    }

    private mutating func take(_ bytes: ArraySlice<UInt8>) -> Progress {
        guard received.count + bytes.count <= Self.notificationBytesMax else { return end(with: .tooLarge) }
        received.append(contentsOf: bytes)
        return .needMore
    }

    private mutating func finish(with bytes: ArraySlice<UInt8>) -> Progress {
        guard take(bytes) == .needMore else { return .tooLarge }
        return end(with: .complete(received))
    }

    private mutating func end(with answer: Progress) -> Progress {
        received = []
        state = .over(answer)
        return answer
    }
}

extension Rejection {
    /// What ``PushFraming/Progress/tooLarge`` is rejected with.
    public static let notificationTooLarge = Rejection(
        .payloadTooLarge,
        detail: "the notification has more than \(PushFraming.notificationBytesMax) bytes"
    )
}
