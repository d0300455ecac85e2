import BelfryAppDoor
import BelfryAppleGround
import BelfrySyscalls
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
        TerminationSignal.watch { terminateProcess() }
        OwnProcess.runMainLoop()
    }

    /// Launches the app whose delegate is `delegate`.
    package func launch(_ delegate: any UIApplicationDelegate) {
        self.delegate = delegate
        _ = delegate.application(self, willFinishLaunchingWithOptions: nil)
        _ = delegate.application(self, didFinishLaunchingWithOptions: nil)
        NotificationCenter.default.post(name: Self.didFinishLaunchingNotification, object: self)
    }

    /// Says that the app is about to end. Its delegate stays: what it holds would warn that it is lost.
    package func terminate() {
        NotificationCenter.default.post(name: Self.willTerminateNotification, object: self)
        delegate?.applicationWillTerminate(self)
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

/// The signal by which a service manager ends an app.
private enum TerminationSignal {
    // Set once, before the handler is; with a constant, so that the handler reaches it without more.
    nonisolated(unsafe) private static var writing: Int32 = -1

    /// Calls `body` on a thread of its own once the signal comes. A handler, since the main thread does not block the
    /// signal, so that no descriptor would surely have it, and since children have the default again.
    static func watch(_ body: @escaping @Sendable () -> Void) {
        // Without a pipe the signal ends the process at once.
        guard let pipe = try? DescriptorPair.pipe() else { return }
        let reading = pipe.reading.release()
        unsafe writing = pipe.writing.release()
        let thread = Thread {
            var byte: UInt8 = 0
            while unsafe read(reading, &byte, 1) < 0, errno == EINTR {}
            body()
        }
        thread.name = "termination"
        thread.start()
        signal(SIGTERM) { _ in
            let saved = errno
            var byte: UInt8 = 0
            _ = unsafe write(TerminationSignal.writing, &byte, 1)
            errno = saved
        }
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
