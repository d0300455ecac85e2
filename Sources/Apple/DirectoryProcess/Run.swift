import BelfryAppleGround
public import CallKit

/// Runs an extension of the call directory in this process; the whole of its `main.swift`:
///
/// ```swift
/// import DirectoryProcess
///
/// DirectoryProcess.run(CallDirectoryHandler())
/// ```
///
/// The main thread serves the main queue, the main actor and the main run loop; `beginRequest` runs on another. The
/// loader is at descriptor 3. Without one, as in a shell, the process says so and ends with status 64.
public func run(_ provider: @autoclosure @escaping @Sendable () -> CXCallDirectoryProvider) -> Never {
    OwnProcess.run(orSay: "A call directory is started by its loader: belfry directory reload ID") { channel in
        LoadVisit(channel: channel, makeProvider: provider).serve()
    }
}
