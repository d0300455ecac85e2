// belfry-calls: the calls of apps that have their own calling code. The socket unit starts it for workers and apps.
import BelfryAppGroup
import BelfrySyscalls
import Glibc

let usage = """
    Usage: belfry-calls                serve the socket on standard input; apps are its children
           belfry-calls --units NAME   serve the socket that systemd passes; apps are units, NAME@ID.service
           belfry-calls --app ID       become the program of the app ID, of [Calls] Apps=
    systemd starts it for belfry-calls.socket; people use belfry(1): see "belfry help app".
    """

openMissingStandardDescriptors()
unblockAllSignals()
ignoreBrokenPipes()

let status: Int32
switch Array(CommandLine.arguments.dropFirst()) {
case []: status = Serving.run(units: nil)
case let words where words.count == 2 && words[0] == "--units": status = Serving.run(units: words[1])
case let words where words.count == 2 && words[0] == "--app": status = BecomingApp.run(words[1])
case ["--help"]:
    print(usage)
    status = 0
default:
    complain("belfry-calls: unknown arguments\n" + usage)
    status = 64
}
fflush(nil)
_exit(status)

/// The variables of this process, and HOME if it lacks that.
func ownEnvironment() -> Environment {
    var environment = Environment(Environment.allOfThisProcess())
    environment.addMissingHome()
    return environment
}

/// Where the state is; nil, and a complaint, if the environment does not say.
func stateDirectory(_ environment: Environment) -> StateDirectory? {
    if let state = StateDirectory(environment: environment) { return state }
    complain("belfry-calls: there is no telling where the state is kept: set HOME")
    return nil
}
