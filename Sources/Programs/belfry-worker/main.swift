import BelfrySettings
import BelfrySyscalls
import Glibc

let usage = """
    Usage: belfry-worker            read one notification on standard input, write its events on standard output
           belfry-worker --extension NAME.appex    the same with this extension of your own
           belfry-worker --host     keep the extension's process, for [Extension] Strict= and Reuse=
           belfry-worker --confined PROGRAM        become the program of an extension, confined as one
           belfry-worker --lend SOCKET             lend an extension's channel to its tests, which serve SOCKET
           belfry-worker --tidy     settle what workers that died have left behind
           belfry-worker --trial    start the extension once for belfry doctor, and write what came out
    systemd starts it for each connection of belfry.socket; people use belfry(1).
    """

openMissingStandardDescriptors()
unblockAllSignals()
// A client that leaves must not end a ring by SIGPIPE. systemd ignores the signal for services; a shell does not.
ignoreBrokenPipes()

let status: Int32
if CommandLine.argc <= 1 {
    // systemd starts it without arguments: then it saves the time to turn them into strings and compare them.
    status = Worker.run(environment: workerEnvironment())
} else {
    switch CommandLine.arguments.dropFirst() {
    case let words where words.count == 2 && words.first == "--extension":
        // The environment wins over the configuration files.
        unsafe setenv(Setting.extensionPath.environmentVariable, absolutePath(of: words.last ?? ""), 1)
        status = Worker.run(environment: workerEnvironment())
    case ["--host"]: status = Keeping.run(environment: workerEnvironment())
    case let words where words.count == 2 && words.first == "--lend":
        status = Lending.run(to: words.last ?? "")
    case let words where words.count == 2 && words.first == "--confined":
        status = Confining.run(words.last ?? "")
    case ["--tidy"]: status = Tidying.run(environment: workerEnvironment())
    case ["--trial"]: status = Trying.run(environment: workerEnvironment())
    case ["--help"]:
        print(usage)
        status = 0
    default:
        complain("belfry-worker: unknown arguments\n" + usage)
        status = 64
    }
}
// _exit skips destructors, which could wait for the sound thread inside a library that hangs with its server.
fflush(nil)
_exit(status)

/// The variables that the worker reads. Turning all others into strings would cost as much as handling the push.
func workerEnvironment() -> Environment {
    var environment = Environment.ofThisProcess(startingWith: ["BELFRY_", "XDG_", "HOME="])
    environment.addMissingHome()
    return environment
}

/// The absolute path of `path`; `path` itself if nothing is there.
func absolutePath(of path: String) -> String {
    guard let resolved = unsafe realpath(path, nil) else { return path }
    defer { unsafe free(resolved) }
    return unsafe String(cString: resolved)
}
