/// Asks the user's service manager by its own command.
enum Systemctl {
    private static let path = "/usr/bin/systemctl"

    /// What `systemctl --user` prints for `arguments`; nil where it fails, is missing, or is too slow.
    static func ask(_ arguments: [String]) -> String? { ProgramAnswer.of(path, ["--user"] + arguments) }

    /// A property of a unit; nil where no manager answers.
    static func property(_ name: String, of unit: String) -> String? {
        guard let answer = ask(["show", "--property=\(name)", "--value", unit]) else { return nil }
        return answer.split(separator: "\n").first.map(String.init) ?? ""
    }
}
