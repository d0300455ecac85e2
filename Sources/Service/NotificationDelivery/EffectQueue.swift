/// Queues the inputs of a state machine whose effects may answer at once.
///
/// If an effect answers while it is performed, its answer is queued, so that the machine is never fed inside an effect.
/// Every driver's `feed` then looks the same:
///
///     guard queue.enter(input) else { return }
///     while let input = queue.next() { for effect in step(input) { perform(effect) } }
public struct EffectQueue<Input> {
    // Inlined, as every input of a ring in another module passes here: a generic call across modules looks up its
    // types.

    @usableFromInline var waiting: [Input] = []
    /// Whether a caller further up the stack takes inputs out of the queue.
    @usableFromInline var isDraining = false

    /// An empty queue.
    @inlinable
    public init() {}

    /// Adds `input`. Returns true if the caller has to drain the queue, false if a caller further up the stack does.
    @inlinable
    public mutating func enter(_ input: Input) -> Bool {
        waiting.append(input)
        defer { isDraining = true }
        return !isDraining
    }

    /// Takes the next input out; nil if none is left, and then the next caller of ``enter(_:)`` has to drain the queue.
    @inlinable
    public mutating func next() -> Input? {
        isDraining = !waiting.isEmpty
        return waiting.isEmpty ? nil : waiting.removeFirst()
    }
}
