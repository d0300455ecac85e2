package import BelfryEventLoopExecutor

/// What stands for the process of a bell's extension.
package protocol ExtensionStandIn: Sendable {
    /// The extension's folder.
    var path: String { get }
    /// Called once the bell's workers are gone, before its files are removed.
    func leave() async
}

/// Where a bell is, before it serves.
package struct BellPlace: Sendable {
    /// Its folder, which is removed with it.
    package let folder: String
    /// Its state directory.
    package let statePath: String
    /// The worker's program.
    package let workerPath: String
    /// Its thread.
    package let executor: LoopExecutor
}
