// belfry-desktop: shows calls on the desktop. The socket unit starts it for the workers.
import BelfryAppGroup
import BelfryEventLoop
import BelfrySettings
import BelfrySyscalls
import BelfryTerms
import Desktop
import Glibc
import RingEar
import Showing

let usage = """
    Usage: belfry-desktop        show calls on the desktop; systemd starts it for belfry-desktop.socket
           belfry-desktop --bus  answer on the session bus, and show nothing; belfry-bus.service starts it
    """

openMissingStandardDescriptors()
unblockAllSignals()
ignoreBrokenPipes()

let status: Int32
switch CommandLine.arguments.dropFirst() {
case []: status = run(shows: true)
case ["--bus"]: status = run(shows: false)
case ["--help"]:
    print(usage)
    status = 0
default:
    complain("belfry-desktop: unknown arguments\n" + usage)
    status = 64
}
fflush(nil)
_exit(status)

private func run(shows: Bool) -> Int32 {
    var environment = Environment(Environment.allOfThisProcess())
    environment.addMissingHome()
    // 3 is the first descriptor that the manager passes (sd_listen_fds(3)).
    guard !shows || environment["LISTEN_FDS"] != nil && fileKind(of: 3) == S_IFSOCK else {
        complain("belfry-desktop: descriptor 3 is no socket: belfry-desktop.socket starts this program")
        return 64
    }
    guard let state = StateDirectory(environment: environment) else {
        complain("belfry-desktop: there is no telling where the state is kept: set HOME")
        return 78
    }
    do throws(SystemError) {
        let loop = try Loop()
        let service = try DesktopService(
            on: loop, listener: shows ? 3 : nil, state: state,
            runtime: RuntimeDirectory(environment: environment, statePath: state.path),
            settings: { settings(environment, shows: shows) }
        ) { loop.stop() }
        var status: Int32 = 0
        service.onOutdated = {
            // What the unit starts anew (`RestartForceExitStatus=`).
            status = 75
            loop.stop()
        }
        let program = ProgramWatch(on: loop) { service.isOutdated() }
        for signal in [SIGTERM, SIGINT, SIGHUP] {
            try loop.onSignal(signal, description: "stop") { _ in loop.stop() }
        }
        // Ready before there is a bus: workers are served even if there is none, or it does not answer.
        notifyServiceManager("READY=1")
        service.begin()
        loop.run()
        return withExtendedLifetime(program) { status }
    } catch {
        complain("belfry-desktop: \(error)")
        return 70
    }
}

private func settings(_ environment: Environment, shows: Bool) -> DesktopSettings {
    let settings = SettingsLoader.load(environment: environment).settings
    let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
    let hasDisplay = ["DISPLAY", "WAYLAND_DISPLAY"].contains { !(environment[$0] ?? "").isEmpty }
    guard let group = GroupName(settings.appGroup) else { preconditionFailure("a setting that is no group was taken") }
    var desktop = DesktopSettings(
        words: NoticeWords(locale: locale ?? ""), group: group, secondCall: settings.secondCall,
        answersWait: settings.answerLifetime, notifies: shows && settings.desktopNotify != .no,
        hasDisplay: hasDisplay || settings.desktopNotify == .yes)
    desktop.vibrates = shows && settings.vibrates
    desktop.vibratePattern = settings.vibratePattern
    desktop.dconfPath = DconfFile.path(environment)
    desktop.closeSilences = settings.onClose == .silence
    desktop.minds = settings.mindsDoNotDisturb
    desktop.onAnswer = settings.onAnswer.flatMap(DesktopHook.init)
    desktop.onDecline = settings.onDecline.flatMap(DesktopHook.init)
    desktop.onMissed = settings.onMissed.flatMap(DesktopHook.init)
    desktop.onCallBack = settings.onCallBack.flatMap(DesktopHook.init)
    desktop.onClick = settings.onClick.flatMap(DesktopHook.init)
    desktop.missingMenu = { DunstMenu.missing(ofProcess: $0, environment: environment) }
    desktop.complain = { complain("belfry-desktop: \($0)") }
    return desktop
}
