/// Environment variables, or those of them that a program reads.
///
/// Few, so that looking at each is no slower than hashing; and a dictionary of strings, before the first thing is in
/// it, would take a twentieth of a worker's whole start.
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

    /// The value of `name`, nil where it is not set; setting nil takes it out.
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
    /// The variables as written; of one that stands twice the last value counts.
    public init(dictionaryLiteral elements: (String, String)...) {
        for (name, value) in elements { self[name] = value }
    }
}
