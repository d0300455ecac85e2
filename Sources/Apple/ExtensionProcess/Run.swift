import BelfryAppleGround
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
    OwnProcess.run(orSay: "An extension is started by its host: belfry-worker --extension Name.appex") { channel in
        _ = Visits(channel: channel, makeService: makeService).serve()
    }
}
