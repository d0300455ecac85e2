import CBelfryLinux
import Glibc

/// Environment variables, or those of them that a program reads.
///
/// A list, not a dictionary: even an empty `[String: String]` costs 5 % of a worker's start, and of a few variables
/// looking at each is no slower than hashing.
public struct Environment: Sendable {
    private struct Variable {
        let name: String
        var value: String
    }

    private var variables: [Variable] = []

    /// No variables.
    public init() {}

    /// The variables of `dictionary`.
    public init(_ dictionary: [String: String]) {
        for (name, value) in dictionary { variables.append(Variable(name: name, value: value)) }
    }

    /// The names of all, in no order that means anything.
    public var names: [String] { variables.map { $0.name } }

    /// The value of `name`, nil if it is not set; setting nil takes it out.
    public subscript(name: String) -> String? {
        get { variables.first { $0.name == name }?.value }
        set {
            switch (variables.firstIndex { $0.name == name }, newValue) {
            case (let index?, let value?): variables[index].value = value
            case (let index?, nil): variables.remove(at: index)
            case (nil, let value?): variables.append(Variable(name: name, value: value))
            case (nil, nil): break
            }
        }
    }
}

extension Environment: ExpressibleByDictionaryLiteral {
    /// The variables as written; if a name occurs twice, the last value counts.
    public init(dictionaryLiteral elements: (String, String)...) {
        for (name, value) in elements { self[name] = value }
    }
}

extension Environment {
    /// Those of this process's variables whose `NAME=value` begins with one of `prefixes`; the others are not even made
    /// into strings. If a name occurs twice, the first counts, as for getenv(3).
    public static func ofThisProcess(startingWith prefixes: [StaticString]) -> Environment {
        var environment = Environment()
        unsafe forEachVariableOfThisProcess { entry in
            prefixes.contains { unsafe strncmp(entry, $0.utf8Start, $0.utf8CodeUnitCount) == 0 }
        } _: { name, value in
            if environment[name] == nil { environment[name] = value }
        }
        return environment
    }

    /// All of this process's variables. If a name occurs twice, the first counts, as for getenv(3).
    public static func allOfThisProcess() -> [String: String] {
        var variables: [String: String] = [:]
        unsafe forEachVariableOfThisProcess { _ in
            true
        } _: { name, value in
            if variables[name] == nil { variables[name] = value }
        }
        return variables
    }

    /// Sets HOME from the user database, if it is not set.
    public mutating func addMissingHome() {
        guard self["HOME"] == nil, let user = unsafe getpwuid(geteuid()) else { return }
        self["HOME"] = unsafe String(cString: user.pointee.pw_dir)
    }

    private static func forEachVariableOfThisProcess(
        where isWanted: (UnsafePointer<CChar>) -> Bool,
        _ body: (_ name: String, _ value: String) -> Void
    ) {
        var next = unsafe clinux_environment()
        while let entry = unsafe next?.pointee {
            unsafe next = next?.advanced(by: 1)
            guard unsafe isWanted(entry) else { continue }
            let text = unsafe String(cString: entry)
            guard let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")) else { continue }
            body(String(text[..<equals]), String(text[text.utf8.index(after: equals)...]))
        }
    }
}
