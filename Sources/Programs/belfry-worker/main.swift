import BelfrySyscalls
import Glibc

let usage = """
    Usage: belfry-worker            read one notification on standard input, write its events on standard output
           belfry-worker --tidy     settle what workers that died have left behind
    systemd starts it for each connection of belfry.socket; people use belfry(1).
    """

openMissingStandardDescriptors()
// A client that leaves must not end a ring. systemd ignores it for services; a shell's pipe does not.
ignoreBrokenPipes()

let status: Int32
// Without any, which is how systemd starts it, the arguments are not even made into strings.
switch CommandLine.argc > 1 ? CommandLine.arguments.dropFirst() : [] {
case []: status = Worker.run(environment: workerEnvironment())
case ["--tidy"]: status = Tidying.run(environment: workerEnvironment())
case ["--help"]:
    print(usage)
    status = 0
default:
    complain("unknown arguments\n" + usage)
    status = 64
}
// Without destructors: the sound thread may be inside a library that hangs with its server.
fflush(nil)
_exit(status)

/// The variables the worker reads. Strings of all the others would cost each start as much as its push.
func workerEnvironment() -> Environment {
    var environment = Environment.ofThisProcess(startingWith: ["BELFRY_", "XDG_", "HOME="])
    environment.addMissingHome()
    return environment
}

/// Says on standard error what stopped the worker; nobody listening is no reason to fail.
func complain(_ text: String) {
    let line = Array("belfry-worker: \(text)\n".utf8)
    _ = unsafe line.withUnsafeBytes { unsafe write(STDERR_FILENO, $0.baseAddress, $0.count) }
}
