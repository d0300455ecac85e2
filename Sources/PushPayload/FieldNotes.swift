import JSON

/// What was passed over while a push was read, for people; a stranger cannot make it grow.
struct FieldNotes {
    /// Most lines that are kept.
    static let linesMax = 16

    private(set) var lines: [String] = []

    /// Notes that `field` holds `value`, which is not what was expected, and `outcome`.
    mutating func add(_ field: String, found value: JSONValue, expected: String, outcome: String = "ignored") {
        add("\(field): found \(value.foundDescription), expected \(expected): \(outcome)")
    }

    /// Notes one line.
    mutating func add(_ line: String) {
        if lines.count < Self.linesMax {
            lines.append(line)
        } else if lines.count == Self.linesMax {
            lines.append("more fields were ignored")
        }
    }
}
