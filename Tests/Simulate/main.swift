import BelfrySyscalls
import Glibc

// simulate [--runs N] [--seconds N] [--first SEED] [--seed SEED] [--meetings]: runs the real rooms on a machine that is
// played. With --meetings several want to end the same call within a millisecond, and nothing else goes wrong.
// Without --first the seeds are new ones. The first seed that goes wrong is shortened and told as a time-line.

/// The number behind `name`.
func number(_ name: String) -> UInt64? {
    let arguments = CommandLine.arguments
    guard let index = arguments.firstIndex(of: name), index + 1 < arguments.count else { return nil }
    return UInt64(arguments[index + 1])
}

let meets = CommandLine.arguments.contains("--meetings")

/// Tells the run of `seed`, shortened if it fails; whether all was well.
func tell(_ seed: UInt64) -> Bool {
    let plan = Plan(seed: seed, meets: meets)
    let isWell = plan.failure == nil
    let shortest = plan.shortened()
    print("seed \(seed), \(shortest.happenings.count) of \(plan.happenings.count) happenings:")
    for line in shortest.told() { print("  \(line)") }
    if !isWell { print("Again: make simulate SEED=\(seed)\(meets ? " ARGS=--meetings" : "")") }
    return isWell
}

if let seed = number("--seed") { exit(tell(seed) ? 0 : 1) }
let seconds = number("--seconds") ?? 0
let runs = number("--runs") ?? (seconds == 0 ? 10_000 : .max / 2)
let first = number("--first") ?? UInt64.random(in: 0..<1 << 40)
print("seeds from \(first)")
let search = Search(from: first, count: runs, seconds: Int64(clamping: seconds), meets: meets)
let begun = bootTimeMicroseconds()
let end = search.run()
let taken = Double(bootTimeMicroseconds() - begun) / 1e6
print("\(end.done) runs in \(taken) s")
print(end.seen.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", "))
if let seed = end.failing {
    _ = tell(seed)
    exit(1)
}
