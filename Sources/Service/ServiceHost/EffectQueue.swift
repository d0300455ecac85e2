/// The inputs of a state machine whose effects may answer at once.
///
/// An effect that answers while it is performed queues its answer, so that the machine is never fed inside an effect. A
/// driver's `feed` is then always the same:
///
///     guard queue.enter(input) else { return }
///     while let input = queue.next() { for effect in step(input) { perform(effect) } }
public struct EffectQueue<Input> {
    private var waiting: [Input] = []
    private var isDraining = false

    /// A queue in which nothing waits.
    public init() {}

    /// Takes `input`; true if the caller is to drain the queue, false if somebody further up the stack does.
    public mutating func enter(_ input: Input) -> Bool {
        waiting.append(input)
        defer { isDraining = true }
        return !isDraining
    }

    /// The next input; nil, and whoever enters next drains the queue, if none is left.
    public mutating func next() -> Input? {
        isDraining = !waiting.isEmpty
        return waiting.isEmpty ? nil : waiting.removeFirst()
    }
}
