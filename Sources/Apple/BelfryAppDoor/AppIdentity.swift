import BelfryAppGroup
package import BelfryAppleGround
import BelfrySyscalls
import BelfryTerms
package import CallChannel
import Glibc
import RingEar

/// Who this process is, and where `belfry-calls` listens.
package enum AppIdentity {
    /// What the `Info.plist` of `bundle` says of the app, which is called `standardID` if it has no identifier; nil if
    /// there is neither.
    package static func hello(of bundle: Bundle, standardID: String? = nil) -> AppHello? {
        // A value with `$(` is a placeholder that Xcode fills in.
        let own = bundle.bundleIdentifier.flatMap { $0.isEmpty || $0.contains("$(") ? nil : $0 }
        guard let id = own ?? standardID else { return nil }
        var hello = AppHello(id: id, pid: Int64(getpid()))
        let name = ["CFBundleDisplayName", "CFBundleName"].lazy.compactMap { bundle.text($0) }.first
        // Of four bytes each at most.
        let shown = (name ?? "").unicodeScalars.prefix(AppHello.nameBytesMax / 4)
        hello.name = String(String.UnicodeScalarView(shown))
        let modes = bundle.object(forInfoDictionaryKey: "UIBackgroundModes") as? [Any] ?? []
        hello.hasVoIPMode = modes.contains { $0 as? String == "voip" }
        hello.environment = bundle.text("aps-environment")
        return hello
    }

    /// Where `belfry-calls` listens: at `BELFRY_CALLS_SOCKET`, else at `calls.sock` in the runtime directory.
    static var socketPath: String {
        let environment = Environment.ofThisProcess(startingWith: [
            "BELFRY_CALLS_SOCKET=", "BELFRY_RUNTIME_DIRECTORY=", "XDG_RUNTIME_DIR=",
        ])
        if let path = environment["BELFRY_CALLS_SOCKET"], !path.isEmpty { return path }
        let state = KeeperDoor.stateDirectory?.path ?? ""
        return RuntimeDirectory(environment: environment, statePath: state).callsSocketPath
    }
}

extension Bundle {
    fileprivate func text(_ key: String) -> String? { object(forInfoDictionaryKey: key) as? String }
}
