import BelfryCommandLine
import CBelfryLinux

/// How far this kernel can confine belfry-avatar, beyond what every kernel can (limits, no new privileges).
enum ConfinementChecks {
    /// Whether there are system-call filters, and which version of Landlock.
    static func run(_ context: Context) -> [Finding] {
        [finding(hasFilters: clinux_has_filters() != 0, landlock: max(0, Int(clinux_landlock_version())))]
    }

    /// The finding for a kernel with this version of Landlock, 0 for none.
    static func finding(hasFilters: Bool, landlock version: Int) -> Finding {
        let filters = hasFilters ? "system-call filters" : "no system-call filters (seccomp)"
        let landlock = version > 0 ? "Landlock version \(version) (\(scope(of: version)))" : "no Landlock"
        let detail = "belfry-avatar has \(filters) and \(landlock)"
        guard hasFilters, version > 0 else {
            let mend = "a kernel with both, and landlock in its lsm=; or fetch no pictures: [Avatar] Timeout=0"
            return Finding(.warn, "confinement", detail, mend: mend)
        }
        return Finding(.ok, "confinement", detail)
    }

    /// What a version of Landlock denies to a process: ports from version 4 on, signals and abstract sockets from 6 on.
    private static func scope(of version: Int) -> String {
        switch version {
        case ..<4: "files"
        case ..<6: "files, TCP ports"
        default: "files, TCP ports, signals, abstract sockets"
        }
    }
}
