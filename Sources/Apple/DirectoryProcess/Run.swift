import BelfryAppleGround
public import CallKit
import Glibc

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
    OwnProcess.prepare()
    guard let channel = ProcessChannel(descriptor: ProcessChannel.keeperDescriptor) else {
        let line = "A call directory is started by its loader: belfry directory reload ID\n"
        FileHandle.standardError.write(Data(line.utf8))
        exit(EX_USAGE)
    }
    let visit = LoadVisit(channel: channel, makeProvider: provider)
    let reader = Thread {
        visit.serve()
        _exit(EXIT_SUCCESS)
    }
    reader.name = "host"
    reader.start()
    OwnProcess.runMainLoop()
}
