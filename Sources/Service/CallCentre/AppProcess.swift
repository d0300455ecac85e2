import BelfryApps
import BelfryEventLoop
import BelfrySyscalls
import BelfryTerms
import Glibc

/// The process of one app, as far as it is known: started as a unit or as a child, or by somebody else.
final class AppProcess {
    /// What happens to it.
    enum News {
        /// It runs.
        case began
        /// It could not be started; why, for people.
        case failed(String)
        /// It has ended; how, for people.
        case ended(String)
    }

    private let id: String
    /// Its folder; nil if it is not configured, so that it can be followed and ended, but not started as a child.
    private let bundle: AppBundle?
    private let start: CentreSettings.Start
    private let loop: Loop
    private let heard: (News) -> Void
    private var child: ChildProcess?
    private var asking: ChildProcess?
    /// One that is not a child, and is watched until it dies.
    private var watched: (identity: ProcessIdentity, source: any LoopWatch)?

    /// The process of the app `id`.
    init(
        _ id: String, in bundle: AppBundle?, _ start: CentreSettings.Start, on loop: Loop,
        heard: @escaping (News) -> Void
    ) {
        (self.id, self.bundle, self.start, self.loop, self.heard) = (id, bundle, start, loop, heard)
    }

    /// Its number; nil if it is not known.
    var pid: Int32? { child?.pid ?? watched?.identity.pid }

    /// Whether it is a child.
    var isOwn: Bool { child != nil }

    /// Starts it.
    func launch() {
        do throws(SystemError) {
            switch start {
            case .children(let environment):
                guard let bundle else { return failLater("it is not configured: [Calls] Apps=") }
                var command = ChildCommand(
                    path: bundle.program, environment: environment,
                    streams: [STDIN_FILENO: .null, STDOUT_FILENO: .descriptor(STDERR_FILENO)])
                command.workingDirectory = bundle.path
                command.leadsGroup = true
                let child = try ChildProcess(command)
                try loop.onExit(of: child, description: "app") { [weak self] in self?.ended($0) }
                self.child = child
                heard(.began)
            case .units(let name, let systemctl):
                try ask(systemctl, ["start", "--no-block", "\(name)@\(id).service"]) { [unowned self] in
                    if !$0 { heard(.failed("systemctl --user start \(name)@\(id).service has failed")) }
                }
            }
        } catch {
            failLater("\(error)")
        }
    }

    private func failLater(_ why: String) {
        // The caller may be in the middle of what it does.
        loop.afterThis(description: "app") { [weak self] in self?.heard(.failed(why)) }
    }

    /// The process `pid` says that it becomes the app.
    func follow(_ pid: Int32) {
        guard child?.pid != pid, watched?.identity.pid != pid, let identity = ProcessIdentity(livingPID: pid),
            let source = try? loop.onDeath(of: identity, description: "app", { [weak self] in self?.died(identity) })
        else { return }
        watched?.source.cancel()
        watched = (identity, source)
        heard(.began)
    }

    /// Ends it, and `other` where another process is connected.
    func end(byForce: Bool, other: Int32?) {
        let signal = byForce ? SIGKILL : SIGTERM
        try? child?.signal(signal)
        for pid in Set([watched?.identity.pid, other].compactMap { $0 }) where pid > 1 && pid != child?.pid {
            kill(pid, signal)
        }
        // Whatever it has started ends too, and what waits to be started.
        if case .units(let name, let systemctl) = start {
            try? ask(systemctl, ["stop", "--no-block", "\(name)@\(id).service"]) { _ in }
        }
    }

    private func ask(
        _ systemctl: String, _ arguments: [String], _ done: @escaping (_ isDone: Bool) -> Void
    ) throws(SystemError) {
        let asking = try ChildProcess(
            ChildCommand(path: systemctl, arguments: ["--user"] + arguments, streams: [0: .null, 1: .null]))
        try loop.onExit(of: asking, description: "systemctl") { [weak self] exit in
            self?.asking = nil
            done(exit.isSuccess)
        }
        self.asking = asking
    }

    private func ended(_ exit: ChildExit) {
        child = nil
        switch exit {
        case .exited(let code): heard(.ended("its process has ended with status \(code)"))
        case .killed(let signal): heard(.ended("its process was killed by signal \(signal)"))
        }
    }

    private func died(_ identity: ProcessIdentity) {
        guard watched?.identity == identity else { return }
        watched = nil
        heard(.ended("its process has ended"))
    }
}
