import BelfryJSON

/// What an app asks of the call directory: `CXCallDirectoryManager`. Extensions are named by their identifiers.
public enum DirectoryQuestion: Hashable, Sendable {
    /// An extension's numbers are to be loaded anew.
    case reload(String)
    /// Whether the person has enabled an extension.
    case status(String)
    /// The settings of call directories are to be opened.
    case settings
}

extension DirectoryQuestion {
    init(_ said: JSONFields) throws(JSONFieldError) {
        self =
            switch try said.word("ask", Word.init) {
            case .reload: .reload(try said.string("extension"))
            case .status: .status(try said.string("extension"))
            case .settings: .settings
            }
    }

    private enum Word: String, CaseIterable {
        case reload, status, settings
    }

    func json(numbered number: Int64) -> JSONObject {
        let (word, id): (Word, String?) =
            switch self {
            case .reload(let id): (.reload, id)
            case .status(let id): (.status, id)
            case .settings: (.settings, nil)
            }
        return [
            "n": .integer(number), "ask": .string(word.rawValue), "extension": id.map { .string($0) } ?? .null,
        ]
    }
}
