import BelfryCommandLine
import BelfryEventLoop
import BelfryJSON
import BelfrySettings
import BelfryTerms
import BelfryVibration

/// Whether a call is seen and felt.
enum DesktopChecks {
    private static let busctl = "/usr/bin/busctl"
    private static let muting = "do-not-disturb"
    static let enable = "systemctl --user enable --now belfry-desktop.socket"

    /// Whether notifications are shown: the unit that asks for them, and the server that shows them.
    static func notifications(_ context: Context) -> [Finding] {
        if context.loaded.settings.desktopNotify == .no {
            return [Finding(.warn, "notifications", "[Desktop] Notify=no: calls are not shown")]
        }
        guard Systemctl.property("ActiveState", of: "belfry-desktop.socket") == "active" else {
            return [Finding(.warn, "notifications", "calls are not shown: belfry-desktop.socket is off", mend: enable)]
        }
        let name = "org.freedesktop.Notifications"
        let path = "/org/freedesktop/Notifications"
        guard let answer = ask(["call", name, path, name, "GetServerInformation"]) else {
            guard ask(["list"]) != nil else {
                let detail = "there is no session bus: calls are not shown"
                return [Finding(.warn, "notifications", detail, mend: "apt install dbus-user-session, and log in anew")]
            }
            let detail = "no notification server runs: the next call has one started, if there is a display"
            return [Finding(.warn, "notifications", detail, mend: "log in to a desktop, or: apt install dunst")]
        }
        return [server(answer, abilities: ask(["call", name, path, name, "GetCapabilities"]) ?? "")]
    }

    /// The finding for a server, from busctl's output for its information and its capabilities.
    static func server(_ information: String, abilities: String) -> Finding {
        let words = UnitEnvironment.words(information).dropFirst()
        let server = [words.first, words.dropFirst(2).first].compactMap { $0 }.joined(separator: " ")
        guard UnitEnvironment.words(abilities).contains("actions") else {
            let detail = "\(server) shows calls, without buttons: belfry answer and belfry decline are the way"
            return Finding(.warn, "notifications", detail)
        }
        return Finding(.ok, "notifications", "\(server) shows calls, with Accept and Decline")
    }

    /// Whether a ring can be felt.
    static func vibration(_ context: Context) -> [Finding] {
        guard context.loaded.settings.vibrates else {
            return [Finding(.ok, "vibration", "[Ring] Vibrate=no: rings are not felt")]
        }
        let name = "org.sigxcpu.Feedback"
        let profile = property("Profile", of: name, at: "/org/sigxcpu/Feedback")
        let feedbackd = profile.map { "feedbackd runs, its profile is \($0.lastWord)" }
        let loop: Loop
        do throws(CommandError) { loop = try Command.makeLoop() } catch {
            return [Finding(.warn, "vibration", error.problem, mend: error.remedy)]
        }
        switch (Motor(timers: loop).search(), feedbackd) {
        case (_, let feedbackd?): return [Finding(.ok, "vibration", feedbackd)]
        case (.found(let device), nil):
            return [Finding(.ok, "vibration", "/dev/input/\(device) vibrates, and no feedbackd runs")]
        case (.denied(let device, let why), nil):
            let mend = "log in at the machine itself, or: sudo usermod -aG input $USER, and log in anew"
            return [Finding(.warn, "vibration", "/dev/input/\(device) could vibrate: \(why)", mend: mend)]
        case (.nothing, nil):
            let detail = "no feedbackd runs, and no input device vibrates: rings are heard and seen, not felt"
            return [Finding(.warn, "vibration", detail, mend: "on a phone: apt install feedbackd")]
        }
    }

    /// Whether a ring would be muted, by `belfry-desktop`, which is started to answer.
    static func manners(_ context: Context) -> [Finding] {
        guard context.loaded.settings.mindsDoNotDisturb else {
            return [Finding(.ok, muting, "[Ring] DoNotDisturb=ignore: nothing that the desktop says mutes rings")]
        }
        guard
            let answer = property("DoNotDisturb", of: "org.belfry.Calls1", at: "/org/belfry/Calls1", starts: true)
        else {
            let detail = "belfry-desktop does not answer on the session bus: whether rings are muted is not known"
            return [Finding(.warn, muting, detail, mend: enable)]
        }
        return [doNotDisturb(answer)]
    }

    /// The finding for do-not-disturb, from busctl's output.
    static func doNotDisturb(_ answer: String) -> Finding {
        guard answer.lastWord == "on" else { return Finding(.ok, muting, "off: rings are heard") }
        let mend = "switch it off in the desktop's settings, or set [Ring] DoNotDisturb=ignore"
        return Finding(.warn, muting, "on: calls ring without sound", mend: mend)
    }

    /// The value of a property of the interface `name`. Read by a method call, since busctl's own get-property starts
    /// the owner of the name, whatever its options say.
    private static func property(
        _ property: String, of name: String, at path: String, starts: Bool = false
    ) -> String? {
        ask(["call", name, path, "org.freedesktop.DBus.Properties", "Get", "ss", name, property], starts: starts)
    }

    private static func ask(_ arguments: [String], starts: Bool = false) -> String? {
        ProgramAnswer.of(busctl, ["--user", "--auto-start=\(starts ? "yes" : "no")", "--timeout=2"] + arguments)
    }
}

extension String {
    /// The last word of busctl's output.
    fileprivate var lastWord: String { String((UnitEnvironment.words(self).last ?? "").filter { !$0.isNewline }) }
}
