// belfry-apns: `belfry apns` and `belfry device` run it; without arguments it is the endpoint of belfry-apns.service.
// With `--listeners N` it serves the sockets from descriptor 3 on.
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
    var environment = Environment.ofThisProcess(startingWith: ["BELFRY_", "XDG_", "HOME=", "NOTIFY_SOCKET="])
    environment.addMissingHome()
    guard let state = StateDirectory(environment: environment) else {
        throw CommandError(.unavailable, "there is no telling where the state is", "set HOME")
    }
    switch (words.first, words.dropFirst().first) {
    case (nil, _): try Serving.run(listenerCount: nil, state: state, environment: environment)
    case ("--listeners", let count?) where words.count == 2:
        try Serving.run(listenerCount: Int(count) ?? 0, state: state, environment: environment)
    case ("device", _):
        try DeviceCommand(output: output).run(Array(words.dropFirst()), state: state, environment: environment)
    case ("apns", let verb?) where ["log", "watch"].contains(verb):
        try LogCommand(output: output).run(verb, Array(words.dropFirst(2)), state: state)
    case ("apns", let verb?) where ["fail", "goaway"].contains(verb):
        try TesterCommands(output: output).run(verb, Array(words.dropFirst(2)), environment: environment)
    case ("apns", let verb?) where CredentialCommands.verbs.contains(verb):
        try CredentialCommands(output: output).run(Array(words.dropFirst()), state: state, environment: environment)
    case ("apns", _) where words.contains("--help"):
        for help in [CredentialCommands.help, LogCommand.help, TesterCommands.help] { output.line(help + "\n") }
    default: throw CommandError(.usage, "there is no such command", "see belfry apns --help, belfry device --help")
    }
} catch {
    output.complaint(Printable.escaped(error.message))
    exit(error.status.rawValue)
}
