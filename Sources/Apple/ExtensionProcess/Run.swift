@unsafe @preconcurrency import Glibc
public import UserNotifications

/// Runs an extension in this process until its keeper leaves; the whole of an extension's `main.swift`:
///
/// ```swift
/// ExtensionProcess.run(NotificationService())
/// ```
///
/// `makeService` is evaluated for each notification. The main thread serves the main queue, the main actor and the main
/// run loop; `didReceive` and the expiry call run on two others. The keeper is at descriptor 3. Without one, as in a
/// shell, the process says so and ends with status 64.
public func run(_ makeService: @autoclosure @escaping @Sendable () -> BelfryServiceExtension) -> Never {
    // The keeper reads what the code prints line by line, and no line is lost if the process is killed.
    unsafe setvbuf(stdout, nil, _IOLBF, 0)
    keepBridges()
    guard let channel = ProcessChannel(descriptor: ProcessChannel.keeperDescriptor) else {
        let line = "An extension is started by its host: belfry-worker --extension Name.appex\n"
        FileHandle.standardError.write(Data(line.utf8))
        exit(EX_USAGE)
    }
    let visits = Visits(channel: channel, makeService: makeService)
    let reader = Thread {
        _ = visits.serve()
        _exit(EXIT_SUCCESS)
    }
    reader.name = "host"
    reader.start()
    // A run loop without a source returns at once.
    RunLoop.main.add(Timer(fire: .distantFuture, interval: 0, repeats: false) { _ in }, forMode: .default)
    while true { RunLoop.main.run() }
}

/// Refers to bridges that casts look up only at run time: static linking leaves out code without a reference, and then
/// `as? NSArray` and `as? NSSet` are silently nil.
private func keepBridges() {
    let bridged: [NSObject] = [[Any]() as NSArray, Set<AnyHashable>() as NSSet, [AnyHashable: Any]() as NSDictionary]
    precondition(bridged.count == 3, "the bridges are gone")
}
