public import BelfryEventLoop
public import BelfrySyscalls
public import BelfryTerms
public import CallChannel
public import CallService

/// `belfry-calls`, as a worker hears it: says what a test says, and by itself what is written down for it.
public final class ScriptedCalls: AppCalls {
    /// What it says by itself, and how long after the push was handed over; nil is that it leaves.
    public typealias Script = [(after: TimeSpan, says: WorkerOrder?)]

    /// What was handed over.
    public private(set) var pushes: [VoIPPush] = []
    /// Whether the worker has left.
    public private(set) var isClosed = false
    private let script: Script
    private let loop: (any TimerSource)?
    private var heard: ((WorkerOrder?) -> Void)?

    /// One that keeps to `script`, by the time of `loop`.
    public init(_ script: Script = [], on loop: (any TimerSource)? = nil) { (self.script, self.loop) = (script, loop) }

    /// Takes `push`.
    public func handOver(_ push: VoIPPush, heard: @escaping (WorkerOrder?) -> Void) {
        pushes.append(push)
        self.heard = heard
        guard let loop else { return }
        for (after, word) in script {
            _ = loop.schedule(at: loop.now + after, description: "calls") { [weak self] in
                if let word { self?.say(word) } else { self?.leave() }
            }
        }
    }

    /// The files that are passed, each beside the order that takes it.
    public var files: [PassedFile] = []

    /// The next of them.
    public func takeFile() -> PassedFile? { files.isEmpty ? nil : files.removeFirst() }

    /// The worker leaves.
    public func close() { (isClosed, heard) = (true, nil) }

    /// Says these, one after the other.
    public func say(_ orders: WorkerOrder...) { for order in orders { heard?(order) } }

    /// It is gone.
    public func leave() { heard?(nil) }
}
