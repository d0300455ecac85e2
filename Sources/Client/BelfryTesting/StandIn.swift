package import BelfryEventLoopExecutor

/// What stands for a process that a bell's notifications are for, and runs in that of its test.
package protocol StandIn: Sendable {
    /// The folder of the extension that it stands for; nil if it stands for an app.
    var extensionPath: String? { get }
    /// The bundle identifier of the app that it stands for; nil if it stands for an extension.
    var appID: String? { get }
    /// Called while the bell's workers still run.
    func terminate() async
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
    /// How long its waits last.
    package let patience: Patience
    /// Its thread.
    package let executor: LoopExecutor
}
