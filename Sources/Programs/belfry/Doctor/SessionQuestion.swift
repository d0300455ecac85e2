import BelfryCommandLine

/// What the session bus is asked by busctl(1). Nothing is started to answer.
enum SessionQuestion {
    private static let busctl = "/usr/bin/busctl"
    private static let bus = ("org.freedesktop.DBus", "/org/freedesktop/DBus")

    /// What busctl prints for `arguments`; nil if nobody answers.
    static func ask(_ arguments: [String]) -> String? {
        ProgramAnswer.of(busctl, ["--user", "--auto-start=no", "--timeout=2"] + arguments)
    }

    /// The value of a property of the interface `name`. Read by a method call, since busctl's own get-property starts
    /// the owner of the name, whatever its options say.
    static func property(
        _ property: String, of interface: String, from name: String? = nil, at path: String
    ) -> String? {
        ask([
            "call", name ?? interface, path, "org.freedesktop.DBus.Properties", "Get", "ss", interface, property,
        ])
    }

    /// Whether the bus starts somebody who takes `name`.
    static func isActivatable(_ name: String) -> Bool {
        let answer = ask(["call", bus.0, bus.1, bus.0, "ListActivatableNames"])
        return answer.map { UnitEnvironment.words($0).contains(name) } ?? false
    }

    /// The process that has `name`.
    static func process(of name: String) -> Int64? {
        ask(["call", bus.0, bus.1, bus.0, "GetConnectionUnixProcessID", "s", name]).flatMap { Int64($0.lastWord) }
    }
}

extension String {
    /// The last word of busctl's output.
    var lastWord: String { String((UnitEnvironment.words(self).last ?? "").filter { !$0.isNewline }) }
}
