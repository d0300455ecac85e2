import BelfryCommandLine
import BelfrySyscalls
import Glibc

openMissingStandardDescriptors()
unblockAllSignals()
let output = Output()
let words = Array(CommandLine.arguments.dropFirst())
let status = Program.run(words, environment: Environment.allOfThisProcess(), output: output)
// By the signal itself, or a shell would go on with the next line of a script.
if status == .interrupted { endThisProcess(by: SIGINT) }
exit(status.rawValue)
