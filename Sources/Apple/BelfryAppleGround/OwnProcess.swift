@unsafe @preconcurrency import Glibc

/// A process that runs an extension or an app, and nothing else.
package enum OwnProcess {
    /// Prepares the process, first of all.
    package static func prepare() {
        // What the code prints is read line by line, and no line is lost if the process is killed.
        unsafe setvbuf(stdout, nil, _IOLBF, 0)
        keepBridges()
    }

    /// Runs code for the process at the other end of descriptor 3 until that leaves: `serve` talks with it on another
    /// thread, and the main thread serves the main queue, the main actor and the main run loop. Without that process,
    /// as in a shell, says `hint` and ends with status 64.
    package static func run(orSay hint: String, serving serve: @escaping @Sendable (ProcessChannel) -> Void) -> Never {
        prepare()
        guard let channel = ProcessChannel(descriptor: ProcessChannel.keeperDescriptor) else {
            FileHandle.standardError.write(Data("\(hint)\n".utf8))
            exit(EX_USAGE)
        }
        let reader = Thread {
            serve(channel)
            _exit(EXIT_SUCCESS)
        }
        reader.name = "host"
        reader.start()
        runMainLoop()
    }

    /// Serves the main queue, the main actor and the main run loop. To be called by the main thread.
    package static func runMainLoop() -> Never {
        // A run loop without a source returns at once.
        RunLoop.main.add(Timer(fire: .distantFuture, interval: 0, repeats: false) { _ in }, forMode: .default)
        while true { RunLoop.main.run() }
    }

    /// Refers to bridges that casts look up only at run time: static linking leaves out code without a reference, and
    /// then `as? NSArray` and `as? NSSet` are silently nil.
    private static func keepBridges() {
        let bridged: [NSObject] = [
            [Any]() as NSArray, Set<AnyHashable>() as NSSet, [AnyHashable: Any]() as NSDictionary,
        ]
        precondition(bridged.count == 3, "the bridges are gone")
    }
}
