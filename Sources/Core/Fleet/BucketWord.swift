/// What a watch of the bucket of devices says.
public enum BucketWord: Hashable, Sendable {
    /// The watch of that name delivers.
    case delivery(MirrorStateMachine.Delivery, watch: String)
    /// The watch that delivers to this subject goes on: it has delivered so many, and all up to the number `sequence`.
    /// It is to have an answer at `answer`, if there is one: else it says no more.
    case idle(delivered: UInt64, sequence: UInt64, to: String, answer: String?)
    /// The watch waits until it has an answer at that subject.
    case waits(answer: String)

    private static let goesOn = 100

    /// The one that `message` is; nil if it is none.
    public init?(_ message: LineMessage) {
        switch message.kind {
        case .published:
            guard let found = Self.delivery(message) else { return nil }
            self = found
        case .status(Self.goesOn):
            if let reply = message.reply {
                self = .waits(answer: reply)
                return
            }
            guard let delivered = message.headers["Nats-Last-Consumer"].flatMap({ UInt64($0) }),
                let sequence = message.headers["Nats-Last-Stream"].flatMap({ UInt64($0) })
            else { return nil }
            self = .idle(
                delivered: delivered, sequence: sequence, to: message.subject,
                answer: message.headers["Nats-Consumer-Stalled"])
        case .status, .noResponders: return nil
        }
    }

    /// What comes by a watch has the subject of its key, and its numbers in the place of an asker's subject:
    /// `$JS.ACK.STREAM.WATCH.TRIES.SEQUENCE.PLACE.TIME.PENDING`. Later brokers write two words before the stream, and
    /// perhaps one at the end.
    private static func delivery(_ message: LineMessage) -> BucketWord? {
        guard message.subject.hasPrefix(BucketRequest.keys), let reply = message.reply else { return nil }
        let words = reply.split(separator: ".", omittingEmptySubsequences: false)
        guard words.count >= 9, words[0] == "$JS", words[1] == "ACK" else { return nil }
        let stream = words.count == 9 ? 2 : 4
        guard words.count > stream + 6, words[stream] == BucketRequest.stream,
            let sequence = UInt64(words[stream + 3]), let place = UInt64(words[stream + 4]), place > 0, sequence > 0
        else { return nil }
        let isDeleted = message.headers["KV-Operation"] != nil
        return .delivery(
            MirrorStateMachine.Delivery(
                place: place, sequence: sequence,
                key: String(message.subject.dropFirst(BucketRequest.keys.count)),
                value: isDeleted ? nil : message.bytes),
            watch: String(words[stream + 1]))
    }
}
