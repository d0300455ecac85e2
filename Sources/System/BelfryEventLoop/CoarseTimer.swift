public import BelfryTerms
import CBelfrySystemd

extension Loop {
    /// Calls `action` once between `instant` and `accuracy` later, where the kernel wakes up anyway: for housekeeping.
    ///
    /// Ticks and deadlines use ``schedule(at:description:_:)``.
    @discardableResult
    public func schedule(
        at instant: Instant,
        accuracy: TimeSpan,
        description: String,
        _ action: @escaping () -> Void
    ) -> any ScheduledTimer {
        thread.assertCurrent()
        let source = TimeSource(description: description, thread: thread)
        let accuracyMicroseconds = UInt64(max(1, accuracy.microseconds))
        do {
            try unsafe source.attach(to: prepared(), accuracyMicroseconds: accuracyMicroseconds) { [unowned source] in
                source.cancel()
                action()
            }
        } catch {
            // The clock's descriptor exists since the loop was prepared; what is left is memory, and its end ends every
            // Swift program.
            preconditionFailure("\(error)")
        }
        source.arm(instant)
        return source
    }
}

extension TimeSource: ScheduledTimer {}
