import Glibc
import Syscalls

openMissingStandardDescriptors()
let output = Output()
let status = Program.run(Array(CommandLine.arguments.dropFirst()), environment: Environment.current(), output: output)
exit(status.rawValue)
