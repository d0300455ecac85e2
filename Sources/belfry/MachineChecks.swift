import AppGroup
import EventLoop
import Glibc
import Syscalls
import SystemSound

/// What has to be on the machine, apart from units, socket and sound.
enum MachineChecks {
    /// Whether the worker stands beside this program.
    static func program(_ context: Context) -> [Finding] {
        guard let path = runningProgramPath(), let worker = programBeside("belfry-worker") else {
            return [Finding(.fail, "programs", "/proc is not mounted", mend: "mount it: rings are told by it")]
        }
        guard unsafe access(worker, X_OK) == 0 else {
            return [Finding(.fail, "programs", "there is no \(worker)", mend: "make install")]
        }
        return [Finding(.ok, "programs", "\(path), \(worker)")]
    }

    /// Whether callers' pictures can be fetched.
    static func pictures(_ context: Context) -> [Finding] {
        guard let fetcher = programBeside("belfry-avatar"), unsafe access(fetcher, X_OK) == 0 else {
            let detail = "there is no belfry-avatar: calls are delivered without the caller's picture"
            return [Finding(.warn, "pictures", detail, mend: "make install")]
        }
        return [Finding(.ok, "pictures", fetcher)]
    }

    /// Whether the group file can be locked and written.
    static func state(_ context: Context) -> [Finding] {
        do throws(CommandError) {
            let access = try GroupAccess(context)
            let isReadable = { if case .unreadable = access.file.snapshot().status { false } else { true } }()
            let transaction = access.file.transactAndWait(on: try Command.makeLoop()) { _ in }
            var findings = transaction.warnings.map { Finding(.warn, "state", "\($0.code): \($0.detail)") }
            if case .failed(let error) = transaction.outcome {
                let detail = "\(access.file.path) cannot be written: \(error)"
                findings.append(
                    Finding(.fail, "state", detail, mend: "make its folder writable for you alone, mode 0700"))
            } else if isReadable {
                findings.append(Finding(.ok, "state", access.file.path))
            }
            return findings
        } catch {
            return [Finding(.fail, "state", error.problem, mend: error.remedy)]
        }
    }

    /// Whether a ring can be felt.
    static func vibration(_ context: Context) -> [Finding] {
        switch NoVibrator().availability {
        case .available(let how): [Finding(.ok, "vibration", how)]
        case .unavailable(let why): [Finding(.warn, "vibration", why)]
        }
    }

    /// Whether a notification is shown.
    static func notifications(_ context: Context) -> [Finding] {
        [Finding(.warn, "notifications", "this Belfry shows none on the desktop yet: it rings, and tells its clients")]
    }

    /// Whether there is a journal to write to.
    static func journal(_ context: Context) -> [Finding] {
        let path = "/run/systemd/journal/socket"
        guard unsafe access(path, W_OK) == 0 else {
            let detail = "there is no journal: workers write to standard error, which the units send nowhere"
            return [Finding(.warn, "journal", detail, mend: "start systemd-journald")]
        }
        return [Finding(.ok, "journal", "journalctl --user -t belfry-worker")]
    }
}
