import BelfryAppleGround
import BelfrySyscalls
import BelfryTerms

extension Notification.Name {
    /// An engine's hardware is another; never posted.
    public static let AVAudioEngineConfigurationChange = Notification.Name("AVAudioEngineConfigurationChange")
}

/// What plays and records by nodes that are connected to each other. Source: Apple, `AVAudioEngine`.
///
/// Nodes are kept and connected, so that calling code compiles and runs up to its start: that fails, as where the
/// hardware cannot be opened, since there is no audio unit here.
open class AVAudioEngine: NSObject, @unchecked Sendable {
    private struct State {
        var input: AVAudioInputNode?
        var output: AVAudioOutputNode?
        var mixer: AVAudioMixerNode?
        var attached: Set<AVAudioNode> = []
        var shutsDown = false
    }

    private static let domain = "com.apple.coreaudio.avfaudio"
    /// `kAudioUnitErr_FailedInitialization`.
    private static let failedInitialization = -10_875

    private let state = LockedValue(State())

    /// An engine of no nodes.
    public override init() { super.init() }

    // MARK: Nodes

    /// The microphone; made the first time.
    open var inputNode: AVAudioInputNode { own(\.input) { AVAudioInputNode() } }
    /// The loudspeaker; made the first time.
    open var outputNode: AVAudioOutputNode { own(\.output) { AVAudioOutputNode() } }
    /// What mixes for the loudspeaker; made the first time.
    open var mainMixerNode: AVAudioMixerNode { own(\.mixer) { AVAudioMixerNode() } }
    /// All nodes of the engine.
    open var attachedNodes: Set<AVAudioNode> { state.withLock { $0.attached } }

    private func own<Node: AVAudioNode>(_ node: WritableKeyPath<State, Node?>, _ make: () -> Node) -> Node {
        state.withLock { state in
            let made = state[keyPath: node] ?? make()
            state[keyPath: node] = made
            state.attached.insert(made)
            made.engine = self
            return made
        }
    }

    /// Takes a node.
    open func attach(_ node: AVAudioNode) {
        node.engine = self
        state.withLock { _ = $0.attached.insert(node) }
    }

    /// Gives a node back.
    open func detach(_ node: AVAudioNode) {
        node.engine = nil
        state.withLock { _ = $0.attached.remove(node) }
    }

    /// Has `node2` get what `node1` gives: nothing, since the engine never starts.
    open func connect(_ node1: AVAudioNode, to node2: AVAudioNode, format: AVAudioFormat?) {}

    /// Has `node2` get what `node1` gives: nothing, since the engine never starts.
    open func connect(
        _ node1: AVAudioNode, to node2: AVAudioNode, fromBus bus1: AVAudioNodeBus, toBus bus2: AVAudioNodeBus,
        format: AVAudioFormat?
    ) {}

    /// Has `node` get nothing.
    open func disconnectNodeInput(_ node: AVAudioNode) {}
    /// Has nobody get what `node` gives.
    open func disconnectNodeOutput(_ node: AVAudioNode) {}

    // MARK: Running

    /// False: it never starts.
    open var isRunning: Bool { false }

    /// Whether it stops where nothing is to be heard: kept.
    open var isAutoShutdownEnabled: Bool {
        get { state.withLock { $0.shutsDown } }
        set { state.withLock { $0.shutsDown = newValue } }
    }

    /// Nothing has to be prepared.
    open func prepare() {}

    /// Fails, with a warning.
    ///
    /// - Throws: in the domain `com.apple.coreaudio.avfaudio` the code of ``AVAudioSession/ErrorCode`` for too little
    ///   priority during a call whose audio the system has not activated, else -10875
    ///   (`kAudioUnitErr_FailedInitialization`).
    open func start() throws {
        guard !CallAudio.current.begins("AVAudioEngine.start()") else {
            throw NSError(domain: Self.domain, code: AVAudioSession.ErrorCode.insufficientPriority.rawValue)
        }
        KeeperDoor.warn(
            .unsupported,
            "AVAudioEngine.start(): there is no audio unit here, and it fails. Play and record with code of the app's "
                + "own, from provider(_:didActivate:) to provider(_:didDeactivate:)")
        throw NSError(domain: Self.domain, code: Self.failedInitialization)
    }

    /// Does nothing, since it does not run.
    open func pause() {}
    /// Does nothing, since it does not run.
    open func stop() {}
    /// Does nothing, since no node holds sound.
    open func reset() {}
}
