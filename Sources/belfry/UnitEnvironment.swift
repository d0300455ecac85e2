import EventLoop
import Glibc
import Syscalls

/// The environment that the manager gives to workers, and what else it says of the units.
enum UnitEnvironment {
    /// The variables of the worker's unit; nil where no user manager answers.
    static func read() -> [String: String]? {
        guard let manager = Systemctl.ask(["show-environment"]) else { return nil }
        let unit = Systemctl.property("Environment", of: "belfry@0.service") ?? ""
        var variables: [String: String] = [:]
        for line in manager.split(separator: "\n") { add(String(line), to: &variables) }
        // A unit's own lines win over the manager's.
        for word in words(unit) { add(word, to: &variables) }
        return variables
    }

    private static func add(_ assignment: String, to variables: inout [String: String]) {
        guard let equals = assignment.utf8.firstIndex(of: UInt8(ascii: "=")) else { return }
        let value = String(assignment[assignment.utf8.index(after: equals)...])
        variables[String(assignment[..<equals])] = unquoted(value)
    }

    /// The words of a list that systemctl prints, those with spaces in double quotes.
    static func words(_ text: String) -> [String] {
        var words: [String] = []
        var word = ""
        var isQuoted = false
        var isEscaped = false
        for character in text.unicodeScalars {
            if isEscaped {
                word.unicodeScalars.append(character)
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else if character == "\"" {
                isQuoted.toggle()
            } else if character == " ", !isQuoted {
                if !word.isEmpty { words.append(word) }
                word = ""
            } else {
                word.unicodeScalars.append(character)
            }
        }
        return word.isEmpty ? words : words + [word]
    }

    /// A value without the shell quotes `$'…'` that show-environment writes where it must; our own values need no more.
    private static func unquoted(_ value: String) -> String {
        guard value.hasPrefix("$'"), value.hasSuffix("'"), value.utf8.count > 2 else { return value }
        var text = ""
        var isEscaped = false
        for character in value.dropFirst(2).dropLast().unicodeScalars {
            if !isEscaped, character == "\\" {
                isEscaped = true
            } else {
                text.unicodeScalars.append(character)
                isEscaped = false
            }
        }
        return text
    }
}
