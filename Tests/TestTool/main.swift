// What tests start as a process of its own and strike: `test-tool group …`, `test-tool queue …` or `test-tool ring`.
import Glibc

/// Says `line` to the test, at once.
func say(_ line: String) {
    let bytes = Array("\(line)\n".utf8)
    let count = unsafe bytes.withUnsafeBytes { unsafe write(1, $0.baseAddress, $0.count) }
    precondition(count == bytes.count, "standard output: errno \(errno)")
}

let words = Array(CommandLine.arguments.dropFirst())
switch words.first {
case "group": GroupTool.run(Array(words.dropFirst()))
case "queue": QueueTool.run(Array(words.dropFirst()))
case "ring": try RingPlayer.run()
default: exit(64)
}
