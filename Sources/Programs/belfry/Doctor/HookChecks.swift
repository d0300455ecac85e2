import BelfrySettings
import BelfrySyscalls
import Glibc

/// Whether what the operator has run for a call can be run.
enum HookChecks {
    private static let hooks: [Setting] = [.onAnswer, .onDecline, .onMissed, .onCallBack, .onClick]

    /// A mistake for each hook of `loaded` that is not there, and for each if nothing runs them. Where no user manager
    /// answers, units and sockets are passed over.
    static func mistakes(in loaded: LoadedSettings) -> [Mistake] {
        let set = hooks.filter { !loaded.settings.text(of: $0).isEmpty }
        guard !set.isEmpty else { return [] }
        let socket = Systemctl.property("ActiveState", of: "belfry-desktop.socket")
        return set.flatMap { setting -> [Mistake] in
            let value = loaded.settings.text(of: setting)
            var faults = [fault(in: value)].compactMap { $0 }
            if let socket, socket != "active" {
                faults.append("nothing runs it, since belfry-desktop.socket is off: \(DesktopChecks.enable)")
            }
            return faults.map { Mistake(.badValue, at: loaded.origin(of: setting), "\(setting.key)=\(value): \($0)") }
        }
    }

    /// Why `value` cannot be run; nil if it can.
    private static func fault(in value: String) -> String? {
        guard let first = value.split(separator: " ").first.map(String.init) else { return nil }
        guard first.utf8.first == UInt8(ascii: "/") else {
            // Of a template, any instance of it.
            let unit = first.replacing("@.", with: "@0.")
            let isKnown = Systemctl.property("LoadState", of: unit).map { $0 != "not-found" } ?? true
            return isKnown ? nil : "there is no such unit"
        }
        var status = stat()
        guard unsafe stat(first, &status) == 0 else { return SystemError(errno: errno, call: "stat").reason }
        guard status.st_mode & S_IFMT == S_IFREG, unsafe access(first, X_OK) == 0 else {
            return "\(first) is no program that may be run"
        }
        return nil
    }
}
