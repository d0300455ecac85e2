import BelfryCommandLine
import BelfrySyscalls
import Glibc

openMissingStandardDescriptors()
unblockAllSignals()
let output = Output()
let words = Array(CommandLine.arguments.dropFirst())
let status = Program.run(words, environment: Environment.allOfThisProcess(), output: output)
// By the signal itself: otherwise a shell would continue with the next line of a script.
if status == .interrupted { endThisProcess(by: SIGINT) }
exit(status.rawValue)
