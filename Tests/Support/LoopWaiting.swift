public import BelfryEventLoop
public import BelfryTerms

extension Loop {
    /// Runs until `isReached`, at most for `limit`; whether it was.
    @discardableResult
    public func run(within limit: TimeSpan = .seconds(30), until isReached: @escaping () -> Bool) -> Bool {
        let end = now + limit
        while !isReached(), now < end {
            let timer = schedule(at: now + .milliseconds(1), description: "look") { [unowned self] in stop() }
            run()
            timer.cancel()
        }
        return isReached()
    }

    /// Runs for `span`.
    public func run(for span: TimeSpan) { run(within: span) { false } }
}
