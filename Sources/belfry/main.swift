import Glibc

let output = Output()
let status = Program.run(Array(CommandLine.arguments.dropFirst()), environment: Environment.current(), output: output)
exit(status.rawValue)
