import BelfryAppGroup
import BelfryCommandLine
import BelfryEventLoop
import BelfryProtocol
import BelfryPush
import BelfrySettings
import BelfrySyscalls
import BelfryTerms
import Glibc
import SystemSound

/// Checks of the machine, apart from units, socket and sound.
enum MachineChecks {
    /// Whether the worker is in the folder of this program, and each program whose socket is on.
    static func program(_ context: Context) -> [Finding] {
        guard let path = runningProgramPath(), let worker = programBeside("belfry-worker") else {
            return [Finding(.fail, "programs", "/proc is not mounted", mend: "mount it: rings are told by it")]
        }
        guard unsafe access(worker, X_OK) == 0 else {
            return [Finding(.fail, "programs", "there is no \(worker)", mend: "make install")]
        }
        let missing = ["belfry-desktop", "belfry-apns", "belfry-calls"].compactMap(lack)
        return missing.isEmpty ? [Finding(.ok, "programs", "\(path), \(worker)")] : missing
    }

    private static func isOn(_ socket: String) -> Bool {
        ["active", "failed"].contains(Systemctl.property("ActiveState", of: socket))
    }

    private static func lack(of program: String) -> Finding? {
        guard let path = programBeside(program), unsafe access(path, X_OK) != 0, isOn("\(program).socket") else {
            return nil
        }
        let mend = "make install, then: systemctl --user restart \(program).socket"
        return Finding(.fail, "programs", "there is no \(path), and \(program).socket is on", mend: mend)
    }

    /// Whether callers' pictures can be fetched.
    static func pictures(_ context: Context) -> [Finding] {
        guard let fetcher = programBeside("belfry-avatar"), unsafe access(fetcher, X_OK) == 0 else {
            let detail = "there is no belfry-avatar: calls are delivered without the caller's picture"
            return [Finding(.warn, "pictures", detail, mend: "make install")]
        }
        return [Finding(.ok, "pictures", fetcher)]
    }

    /// How many bytes are written to see that the disk has room: more than a usual group file has.
    private static let probeBytes = 64 << 10

    /// Whether the group file can be locked and written, and its disk has room.
    static func state(_ context: Context) -> [Finding] {
        do throws(CommandError) {
            let access = try GroupAccess(context)
            let isReadable = { if case .unreadable = access.file.snapshot().status { false } else { true } }()
            let transaction = access.file.transactAndWait(on: try Command.makeLoop()) { _ in }
            var findings = transaction.warnings.map { Finding(.warn, "state", "\($0.code.rawValue): \($0.detail)") }
            if case .failed(let error) = transaction.outcome {
                let detail = "\(access.file.path) cannot be written: \(error)"
                findings.append(Finding(.fail, "state", detail, mend: remedy(for: error)))
            } else if let error = writeProbe(in: access.state) {
                let detail = "nothing can be written to \(access.state.path): \(error)"
                findings.append(Finding(.fail, "state", detail, mend: remedy(for: error)))
            } else if isReadable {
                findings.append(Finding(.ok, "state", access.file.path))
            }
            return findings
        } catch {
            return [Finding(.fail, "state", error.problem, mend: error.remedy)]
        }
    }

    private static func remedy(for error: SystemError) -> String {
        error.errno == ENOSPC || error.errno == EDQUOT
            ? "make room on its disk" : "make its folder writable for you alone, mode 0700"
    }

    /// Writes a file in the state directory through to the disk, and removes it; returns the error, if there is one.
    private static func writeProbe(in state: StateDirectory) -> SystemError? {
        do throws(SystemError) {
            let directory = try Directory.open(path: state.path, makes: true)
            let name = "doctor-\(getpid())"
            let bytes = [UInt8](repeating: 0, count: probeBytes)
            try directory.replace(name, with: bytes, temporaryName: "\(name).new", in: directory, isDurable: true)
            try directory.remove(name)
            return nil
        } catch {
            return error
        }
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

/// Whether the user's service manager runs the units.
enum UnitChecks {
    private static let enable = "systemctl --user enable --now belfry.socket"

    /// The manager, the socket unit, lingering, and hardening.
    static func run(_ context: Context) -> [Finding] {
        guard Systemctl.ask(["show-environment"]) != nil else {
            let detail = "no systemd user manager answers"
            let remedy = "log in through a session with systemd, or: loginctl enable-linger, then set XDG_RUNTIME_DIR"
            // A person who names a socket runs the worker by other means, such as systemd-socket-activate.
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

    /// The units that hardened.conf is for, as systemd shows them.
    private static let hardened = [
        "belfry@0.service", "belfry-tidy.service", "belfry-extension.service", "belfry-desktop.service",
        "belfry-bus.service", "belfry-calls.service", "belfry-apns.service",
    ]

    /// Checks user namespaces, which hardened.conf needs: if it is in force without them, its units do not start.
    private static func hardening() -> Finding {
        let works = ProgramAnswer.of("/usr/bin/unshare", ["--user", "--map-current-user", "true"]) != nil
        let used = hardened.filter { Systemctl.property("PrivateUsers", of: $0) == "yes" }
        return hardening(of: used.map { $0 == "belfry@0.service" ? "belfry@.service" : $0 }, works: works)
    }

    /// The finding if `units` have hardened.conf on a machine where that `works`, or not.
    static func hardening(of units: [String], works: Bool) -> Finding {
        let isOfAll = units.count == hardened.count
        let names = isOfAll ? "all units" : units.joined(separator: ", ")
        switch (units.isEmpty, works) {
        case (false, true): return Finding(.ok, "hardening", "hardened.conf is in force for \(names)")
        case (false, false):
            let losses = units.contains("belfry@.service") ? "every call is lost" : "they do not start"
            let detail = "PrivateUsers= is in force for \(names), and user namespaces do not work here: \(losses)"
            let mend = "remove hardened.conf, then systemctl --user daemon-reload"
            return Finding(.fail, "hardening", detail, mend: mend)
        case (true, true): return Finding(.ok, "hardening", "hardened.conf is not in force, and would work here")
        case (true, false): return Finding(.ok, "hardening", "hardened.conf would not work here; leave it out")
        }
    }
}

/// Whether a push gets through.
enum SocketChecks {
    /// A notification that shows and rings nothing, but passes through the worker like any other.
    private static let probe = Array(#"{"aps":{"content-available":1}}"#.utf8)
    private static let patience = TimeSpan.seconds(5)

    /// The socket's owner and mode, and a notification through it.
    static func run(_ context: Context) -> [Finding] {
        do throws(CommandError) {
            let socket = try context.socket()
            if let finding = permissions(socket.path) { return [finding] }
            return [try push(to: socket)]
        } catch {
            return [Finding(.fail, "socket", error.problem, mend: error.remedy)]
        }
    }

    private static func permissions(_ path: String) -> Finding? {
        var status = stat()
        // If there is no socket, the error of the attempt to connect explains that best.
        guard unsafe stat(path, &status) == 0 else { return nil }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            return Finding(.fail, "socket", "\(path) is no socket", mend: "remove it, then restart belfry.socket")
        }
        guard status.st_uid == getuid() || getuid() == 0 else {
            return Finding(.fail, "socket", "\(path) belongs to user \(status.st_uid)", mend: "give --socket")
        }
        guard status.st_mode & 0o022 == 0 else {
            let mode = String(status.st_mode & 0o777, radix: 8)
            return Finding(.fail, "socket", "others may push to \(path), mode \(mode)", mend: "chmod 600 \(path)")
        }
        return nil
    }

    private static func push(to socket: PushSocket) throws(CommandError) -> Finding {
        let loop = try Command.makeLoop()
        let start = loop.now
        var isDelivered = false
        var failure: PushError?
        let connection: PushConnection
        do throws(PushError) {
            connection = try PushConnection(
                to: socket, sending: probe, on: loop,
                onLine: { line in
                    if line.event?.name == "delivered" { isDelivered = true }
                },
                onEnd: { error in
                    failure = error
                    loop.stop()
                })
        } catch {
            throw CommandError(error)
        }
        _ = loop.schedule(at: start + patience, description: "patience") { loop.stop() }
        loop.run()
        connection.cancel()
        if let failure { throw CommandError(failure) }
        guard isDelivered else {
            let detail = "a worker was asked for at \(socket.path), but delivered nothing"
            return Finding(.fail, "socket", detail, mend: "see journalctl --user -t belfry-worker -t systemd")
        }
        let elapsed = DecimalText.fixed((loop.now - start).seconds * 1_000, digits: 1)
        return Finding(.ok, "socket", "a notification went through \(socket.path) in \(elapsed) ms")
    }
}
