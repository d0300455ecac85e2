import BelfrySyscalls
import Glibc

openMissingStandardDescriptors()
let output = Output()
let words = Array(CommandLine.arguments.dropFirst())
let status = Program.run(words, environment: Environment.allOfThisProcess(), output: output)
exit(status.rawValue)
