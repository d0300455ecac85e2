import Configuration
import Glibc

/// Whether the user's service manager runs the units.
enum UnitChecks {
    private static let enable = "systemctl --user enable --now belfry.socket"

    /// The manager, the socket unit, lingering, and hardening.
    static func run(_ context: Context) -> [Finding] {
        guard Systemctl.ask(["show-environment"]) != nil else {
            let detail = "no systemd user manager answers"
            let remedy = "log in through a session with systemd, or: loginctl enable-linger, then set XDG_RUNTIME_DIR"
            // Somebody who named a socket runs it by other means, such as systemd-socket-activate.
            let isNeeded = context.options["socket"] == nil && context.environment["BELFRY_SOCKET"] == nil
            return [Finding(isNeeded ? .fail : .warn, "manager", detail, mend: remedy)]
        }
        let manager = Finding(.ok, "manager", "the systemd user manager answers")
        return [manager, socketUnit(), lingering(), hardening()]
    }

    private static func socketUnit() -> Finding {
        let state = { Systemctl.property($0, of: "belfry.socket") ?? "" }
        guard state("LoadState") == "loaded" else {
            return Finding(.fail, "units", "belfry.socket is not installed", mend: "make install, then \(enable)")
        }
        let active = state("ActiveState")
        if active == "failed" {
            let mend = "systemctl --user reset-failed belfry.socket, then \(enable)"
            return Finding(.fail, "units", "belfry.socket has failed: \(state("Result"))", mend: mend)
        }
        guard active == "active" else { return Finding(.fail, "units", "belfry.socket is \(active)", mend: enable) }
        guard ["enabled", "static", "linked"].contains(state("UnitFileState")) else {
            let detail = "belfry.socket runs, but not after the next login"
            return Finding(.warn, "units", detail, mend: "systemctl --user enable belfry.socket")
        }
        return Finding(.ok, "units", "belfry.socket is active and enabled")
    }

    private static func lingering() -> Finding {
        guard let entry = unsafe getpwuid(getuid()) else {
            return Finding(.warn, "linger", "you have no name on this machine, so that lingering cannot be told")
        }
        let name = unsafe String(cString: entry.pointee.pw_name)
        guard unsafe access("/var/lib/systemd/linger/\(name)", F_OK) == 0 else {
            let detail = "calls ring only while \(name) is logged in"
            return Finding(.warn, "linger", detail, mend: "for a phone without a login: loginctl enable-linger")
        }
        return Finding(.ok, "linger", "calls ring without a login too")
    }

    /// User namespaces, which hardened.conf needs: with it and without them every call is lost.
    private static func hardening() -> Finding {
        let works = ProgramAnswer.of("/usr/bin/unshare", ["--user", "--map-current-user", "true"]) != nil
        let isUsed = Systemctl.property("PrivateUsers", of: "belfry@0.service") == "yes"
        switch (isUsed, works) {
        case (true, true): return Finding(.ok, "hardening", "hardened.conf is in force")
        case (true, false):
            let detail = "PrivateUsers= is in force, and user namespaces do not work here: every call is lost"
            let mend = "remove hardened.conf, then systemctl --user daemon-reload"
            return Finding(.fail, "hardening", detail, mend: mend)
        case (false, true): return Finding(.ok, "hardening", "hardened.conf is not in force, and would work here")
        case (false, false): return Finding(.ok, "hardening", "hardened.conf would not work here; leave it out")
        }
    }
}
