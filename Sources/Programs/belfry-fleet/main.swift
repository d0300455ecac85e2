// belfry-fleet: `belfry fleet` runs it.
import BelfryAppGroup
import BelfryCommandLine
import BelfrySyscalls
import BelfryTerms
import Glibc

openMissingStandardDescriptors()
unblockAllSignals()
let output = Output()
let words = Array(CommandLine.arguments.dropFirst())
do throws(CommandError) {
    var environment = Environment.ofThisProcess(startingWith: ["BELFRY_", "XDG_", "HOME="])
    environment.addMissingHome()
    guard let state = StateDirectory(environment: environment) else {
        throw CommandError(.unavailable, "there is no telling where the state is", "set HOME")
    }
    if words.count == 1, let work = FleetService.Work(rawValue: words[0]) {
        exit(FleetService.run(work, state: state, environment: environment))
    }
    try FleetCommands(output: output).run(words, state: state, environment: environment)
} catch {
    output.complaint(Printable.escaped(error.message))
    exit(error.status.rawValue)
}
