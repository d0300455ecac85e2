import BelfryCommandLine
import BelfryEventLoop
import BelfryJSON
import BelfrySettings
import BelfrySyscalls
import BelfryTerms
import BelfryVibration
import Desktop

/// Whether a call is seen and felt.
enum DesktopChecks {
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
        guard let answer = SessionQuestion.ask(["call", name, path, name, "GetServerInformation"]) else {
            guard SessionQuestion.ask(["list"]) != nil else {
                let detail = "there is no session bus: calls are not shown"
                return [Finding(.warn, "notifications", detail, mend: "apt install dbus-user-session, and log in anew")]
            }
            let detail = "no notification server runs: the next call has one started, if there is a display"
            return [Finding(.warn, "notifications", detail, mend: "log in to a desktop, or: apt install dunst")]
        }
        let abilities = SessionQuestion.ask(["call", name, path, name, "GetCapabilities"]) ?? ""
        let environment = Environment(context.environment)
        let menu = SessionQuestion.process(of: name).flatMap {
            DunstMenu.missing(ofProcess: $0, environment: environment)
        }
        return [server(answer, abilities: abilities, missingMenu: menu), login].compactMap { $0 }
    }

    /// That missed calls are not shown at the next login, as after an upgrade from a version that had not the links for
    /// that; nil if they are.
    private static var login: Finding? {
        let states = ["socket", "service"].map { Systemctl.property("UnitFileState", of: "belfry-desktop.\($0)") }
        guard states == ["enabled", "disabled"] else { return nil }
        let detail = "missed calls are not shown at a login: belfry-desktop.service is not enabled"
        return Finding(.warn, "notifications", detail, mend: "systemctl --user enable belfry-desktop.socket")
    }

    /// The finding for a server, from busctl's output for its information and its capabilities; `missingMenu` is the
    /// program in which dunst would have a person choose, if that is not there.
    static func server(_ information: String, abilities: String, missingMenu: String? = nil) -> Finding {
        let words = UnitEnvironment.words(information).dropFirst()
        let server = [words.first, words.dropFirst(2).first].compactMap { $0 }.joined(separator: " ")
        guard UnitEnvironment.words(abilities).contains("actions") else {
            let detail = "\(server) shows calls, without buttons: belfry answer and belfry decline are the way"
            return Finding(.warn, "notifications", detail)
        }
        if words.first == "dunst", let missingMenu {
            let detail =
                "\(server) shows calls, and nobody can choose there: its menu program \(missingMenu) is missing; "
                + "a middle click answers"
            let mend = "apt install suckless-tools, or set dmenu= in dunstrc to a menu that is there"
            return Finding(.warn, "notifications", detail, mend: mend)
        }
        return Finding(.ok, "notifications", "\(server) shows calls, with Accept and Decline")
    }

    /// Whether a ring can be felt.
    static func vibration(_ context: Context) -> [Finding] {
        guard context.loaded.settings.vibrates else {
            return [Finding(.ok, "vibration", "[Ring] Vibrate=no: rings are not felt")]
        }
        let name = "org.sigxcpu.Feedback"
        let profile = SessionQuestion.property("Profile", of: name, at: "/org/sigxcpu/Feedback")
        let feedbackd = profile.map { "feedbackd runs, its profile is \($0.lastWord)" }
        let installed = "feedbackd is installed, and starts with a ring"
        let loop: Loop
        do throws(CommandError) { loop = try Command.makeLoop() } catch {
            return [Finding(.warn, "vibration", error.problem, mend: error.remedy)]
        }
        return [
            vibration(
                Motor(timers: loop).search(),
                feedbackd: feedbackd ?? (SessionQuestion.isActivatable(name) ? installed : nil))
        ]
    }

    /// The finding for the motor that was found, and what is there of feedbackd.
    static func vibration(_ motor: MotorSearch, feedbackd: String?) -> Finding {
        switch (motor, feedbackd) {
        case (.found(let device), let feedbackd):
            return Finding(
                .ok, "vibration", "/dev/input/\(device) vibrates; \(feedbackd ?? "feedbackd is not installed")")
        case (.denied(let device, let why), let feedbackd):
            let mend = "log in at the machine itself, or: sudo usermod -aG input $USER, and log in anew"
            let detail = "/dev/input/\(device) could vibrate: \(why)" + (feedbackd.map { "; \($0)" } ?? "")
            return Finding(.warn, "vibration", detail, mend: mend)
        case (.nothing, let feedbackd?):
            return Finding(.warn, "vibration", "no input device vibrates: rings are not felt; \(feedbackd)")
        case (.nothing, nil):
            let detail = "feedbackd is not installed, and no input device vibrates: rings are heard and seen, not felt"
            return Finding(.warn, "vibration", detail, mend: "on a phone: apt install feedbackd")
        }
    }

    /// Whether a ring would be muted: by quiet hours, and by the desktop.
    static func manners(_ context: Context) -> [Finding] {
        let quiet = StatusReport.quietHours(context.loaded.settings).map { hours in
            [Finding(.warn, muting, hours, mend: "wait for their end, or change [Ring] QuietHours=")]
        }
        return (quiet ?? []) + desktopsManners(context, isQuiet: quiet != nil)
    }

    private static func desktopsManners(_ context: Context, isQuiet: Bool) -> [Finding] {
        do throws(CommandError) {
            return [doNotDisturb(try DesktopDisturbance.now(context), isQuiet: isQuiet)]
        } catch {
            return [Finding(.warn, muting, error.problem, mend: error.remedy)]
        }
    }

    /// The finding for do-not-disturb; `isQuiet` in quiet hours, in which no ring is heard.
    static func doNotDisturb(_ disturbance: DesktopDisturbance, isQuiet: Bool = false) -> Finding {
        switch disturbance {
        case .ignored: Finding(.ok, muting, "[Ring] DoNotDisturb=ignore: nothing that the desktop says mutes rings")
        case .unheard:
            Finding(.ok, muting, "belfry-desktop.socket is off: nothing that the desktop says mutes rings")
        case .unknown: Finding(.warn, muting, "there is no session bus: whether rings are muted is not known")
        case .off: Finding(.ok, muting, isQuiet ? "the desktop's is off" : "off: rings are heard")
        case .on:
            Finding(
                .warn, muting, "on: calls ring without sound",
                mend: "switch it off in the desktop's settings, or set [Ring] DoNotDisturb=ignore")
        }
    }
}
