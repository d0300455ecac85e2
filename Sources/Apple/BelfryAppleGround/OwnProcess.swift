@unsafe @preconcurrency import Glibc

/// A process that runs an extension or an app, and nothing else.
package enum OwnProcess {
    /// Prepares the process, first of all.
    package static func prepare() {
        // What the code prints is read line by line, and no line is lost if the process is killed.
        unsafe setvbuf(stdout, nil, _IOLBF, 0)
        keepBridges()
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
