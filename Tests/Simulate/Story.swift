/// A run as a time-line that a person reads.
final class Story {
    private let machine: Machine
    private let tells: Bool
    private(set) var lines: [String] = []

    init(machine: Machine, tells: Bool) {
        self.machine = machine
        self.tells = tells
    }

    func tell(_ what: @autoclosure () -> String) {
        guard tells else { return }
        let microseconds = machine.time.now
        let fraction = "\(microseconds % 1_000_000 + 1_000_000)".dropFirst()
        var text = what()
        // Swift names the module of each word.
        for module in ["BelfryTerms.", "simulate."] {
            text = text.split(separator: module, omittingEmptySubsequences: false).joined()
        }
        lines.append("\(microseconds / 1_000_000).\(fraction)  \(text)")
    }
}
