import BelfrySyscalls
import Glibc

let usage = """
    Usage: belfry-worker            read one notification on standard input, write its events on standard output
           belfry-worker --tidy     settle what workers that died have left behind
    systemd starts it for each connection of belfry.socket; people use belfry(1).
    """

openMissingStandardDescriptors()
// A client that leaves must not end a ring. systemd ignores it for services; a shell's pipe does not.
signal(SIGPIPE, SIG_IGN)

let status: Int32
// Without any, which is how systemd starts it, the arguments are not even made into strings.
switch CommandLine.argc > 1 ? CommandLine.arguments.dropFirst() : [] {
case []: status = Worker.run(environment: processEnvironment())
case ["--tidy"]: status = Tidying.run(environment: processEnvironment())
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
