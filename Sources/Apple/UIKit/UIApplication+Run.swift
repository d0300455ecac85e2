import BelfryAppDoor
import BelfryAppleGround
import Glibc

extension UIApplication {
    /// How long an app has after it was asked to end, in seconds. Source: Apple, `applicationWillTerminate(_:)`.
    private nonisolated static let secondsToTerminate = 5

    /// Runs an app in this process until it is stopped; the whole of an app's `main.swift`:
    ///
    /// ```swift
    /// UIApplication.run(AppDelegate())
    /// ```
    ///
    /// Connects to `belfry-calls`, launches the app, and serves the main queue, the main actor and the main run loop by
    /// this thread. Who has its own `main` may write `@main class AppDelegate: UIResponder, UIApplicationDelegate`
    /// instead.
    public static func run(_ makeDelegate: @autoclosure @MainActor () -> any UIApplicationDelegate) -> Never {
        OwnProcess.prepare()
        AppDoor.current.whenStopped { terminateProcess() }
        AppDoor.current.connect()
        shared.launch(makeDelegate())
        // A handler that does nothing, so that the signal is seen below alone; children have the default again.
        signal(SIGTERM) { _ in }
        let source = DispatchSource.makeSignalSource(signal: SIGTERM, queue: .global())
        source.setEventHandler { terminateProcess() }
        source.resume()
        return withExtendedLifetime(source) { OwnProcess.runMainLoop() }
    }

    /// Launches the app whose delegate is `delegate`.
    package func launch(_ delegate: any UIApplicationDelegate) {
        self.delegate = delegate
        _ = delegate.application(self, willFinishLaunchingWithOptions: nil)
        _ = delegate.application(self, didFinishLaunchingWithOptions: nil)
        NotificationCenter.default.post(name: Self.didFinishLaunchingNotification, object: self)
    }

    /// Says that the app is about to end, and lets go of its delegate.
    package func terminate() {
        NotificationCenter.default.post(name: Self.willTerminateNotification, object: self)
        delegate?.applicationWillTerminate(self)
        delegate = nil
    }

    /// Ends the process once the app knows; in time also if its main thread does not take it.
    private nonisolated static func terminateProcess() {
        DispatchQueue.main.async {
            shared.terminate()
            exit(EXIT_SUCCESS)
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(secondsToTerminate)) { _exit(EXIT_SUCCESS) }
    }
}

extension UIApplicationDelegate where Self: UIResponder {
    /// Runs the app of this delegate: for `@main`.
    public static func main() { UIApplication.run(Self()) }
}

/// Runs the app whose delegate is of the class `delegateClassName`, a `UIResponder`. The other parameters change
/// nothing. Source: Apple, `UIApplicationMain(_:_:_:_:)`.
@preconcurrency @MainActor @discardableResult
public func UIApplicationMain(
    _ argc: Int32, _ argv: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>, _ principalClassName: String?,
    _ delegateClassName: String?
) -> Int32 {
    let found: AnyClass? = delegateClassName.flatMap { NSClassFromString($0) }
    guard let delegate = found as? any (UIResponder & UIApplicationDelegate).Type else {
        let name = delegateClassName ?? "no class"
        let line = "UIApplicationMain: \(name) is no UIResponder and UIApplicationDelegate: UIApplication.run(…)\n"
        FileHandle.standardError.write(Data(line.utf8))
        exit(EX_USAGE)
    }
    UIApplication.run(delegate.init())
}
